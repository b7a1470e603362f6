import { describe, expect, it } from 'vitest'
import type { StatusError } from '../errors/status.ts'
import { interpretGetError } from '../errors/interpret.ts'
import { LabelSelector } from '../meta/label-selector.ts'
import { SelectionPredicate } from '../meta/selection-predicate.ts'
import type { KubeObject } from '../meta/types.ts'
import { FakeClock } from '../testing/fake-clock.ts'
import { MemoryKV } from './memory/memory-kv.ts'
import type { StorageObserver } from './observer.ts'
import type { ListOptions, WatchEvent } from './storage.ts'
import { Store, type StoreOptions } from './store.ts'
import { StoredValue } from './value.ts'

const groupResource = { group: 'apps', resource: 'widgets' }
const all: ListOptions = {
  resourceVersion: '',
  resourceVersionMatch: '',
  recursive: true,
  predicate: SelectionPredicate.everything,
}

function setUp(options: Partial<StoreOptions> = {}) {
  const clock = new FakeClock()
  const kv = new MemoryKV({ clock })
  const store = new Store({ kv, clock, groupResource, resourcePrefix: '/widgets', ...options })
  const create = (name: string, more: Partial<KubeObject> = {}, ttlSeconds = 0) =>
    store.create(`/widgets/ns/${name}`, { metadata: { name, namespace: 'ns' }, ...more }, { ttlSeconds })
  return { clock, kv, store, create }
}

describe('Store', () => {
  it('refuses a prefix that is none', () => {
    for (const resourcePrefix of ['', '/', 'widgets']) expect(() => setUp({ resourcePrefix })).toThrow(TypeError)
  })

  it('puts its keys under a prefix of their own', async () => {
    for (const pathPrefix of ['other', '/other', '/other/']) {
      const { kv, store, create } = setUp({ pathPrefix })
      await create('a')
      expect((await kv.get('/other/widgets/ns/a')).kv).toBeDefined()
      expect((await store.getList('/widgets', all)).items.map((item) => item.key)).toEqual(['/widgets/ns/a'])
    }
  })

  it('shares one object, and so one encoding, among all who see a version', async () => {
    const { store, create } = setUp()
    const watch = await store.watch('/widgets', all)
    const created = await create('a')
    expect(await store.get('/widgets/ns/a')).toBe(created)
    expect((await store.getList('/widgets', all)).items[0]).toBe(created)
    const event = watch.poll()!
    expect(event.type === 'ADDED' && event.object).toBe(created)
  })

  it('lets objects expire', async () => {
    const { clock, store, create } = setUp()
    const watch = await store.watch('/widgets', all)
    await create('a', {}, 100)
    await store.guaranteedUpdate('/widgets/ns/b', {
      ignoreNotFound: true,
      tryUpdate: () => ({ object: { metadata: { name: 'b' } }, ttlSeconds: 100 }),
    })
    // An update without a time to live keeps the object.
    await create('c', {}, 100)
    await store.guaranteedUpdate('/widgets/ns/c', {
      tryUpdate: (current) => ({ object: { ...current!.object, spec: 1 } }),
    })
    await clock.step(110_000)
    const { items } = await store.getList('/widgets', all)
    expect(items.map((item) => item.key)).toEqual(['/widgets/ns/c'])
    const events: WatchEvent[] = []
    for (let event = watch.poll(); event !== undefined; event = watch.poll()) events.push(event)
    const deleted = events.flatMap((event) => (event.type === 'DELETED' ? [event.object] : []))
    expect(deleted.map(({ key }) => key)).toEqual(['/widgets/ns/a', '/widgets/ns/b'])
    expect(deleted[0]!.resourceVersion).toBe(deleted[1]!.resourceVersion)
  })

  it('takes a new lease when a restored backup does not know the last one', async () => {
    const { clock, kv, store, create } = setUp()
    const snapshot = kv.snapshot()
    await create('a', {}, 100)
    kv.restore(snapshot)
    await create('a', {}, 100)
    await store.guaranteedUpdate('/widgets/ns/a', {
      tryUpdate: (current) => ({ object: { ...current!.object, spec: 1 }, ttlSeconds: 100 }),
    })
    await clock.step(110_000)
    expect(await store.get('/widgets/ns/a', { ignoreNotFound: true })).toBeUndefined()
  })

  it('asks for more and more at a time when a selector drops much', async () => {
    const limits: number[] = []
    class CountingKV extends MemoryKV {
      override range(options: Parameters<MemoryKV['range']>[0]): ReturnType<MemoryKV['range']> {
        limits.push(options.limit!)
        return super.range(options)
      }
    }
    const { store, create } = setUp({ kv: new CountingKV() })
    for (let i = 0; i < 100; i++) await create(`w${i}`)
    await store.create('/widgets/ns/z', { metadata: { name: 'z', labels: { rare: '' } } })
    const predicate = new SelectionPredicate({ label: LabelSelector.parse('rare'), limit: 1 })
    const { items } = await store.getList('/widgets', { ...all, predicate })
    expect(items.map((item) => item.key)).toEqual(['/widgets/ns/z'])
    expect(limits).toEqual([1, 2, 4, 8, 16, 32, 64])
    limits.length = 0
    await store.getList('/widgets', { ...all, predicate: new SelectionPredicate({ limit: 5 }) })
    await store.getList('/widgets', all)
    expect(limits).toEqual([5, 0])
  })

  it('gives up a list whose caller has', async () => {
    const { store, create } = setUp()
    await create('a')
    const aborted = new AbortController()
    const getAttributes = (): never => expect.unreachable()
    const predicate = new SelectionPredicate({ label: LabelSelector.parse('x'), getAttributes })
    const list = store.getList('/widgets', { ...all, predicate, signal: aborted.signal })
    aborted.abort(new Error('gone'))
    await expect(list).rejects.toMatchObject({ code: 'request timeout', key: '/registry/widgets/ns/a' })
  })

  it('counts its objects', async () => {
    const { kv, store, create } = setUp()
    await create('a')
    await create('b')
    await kv.txn({ key: '/registry/widgets2/x', expectedRevision: 0, put: StoredValue.fromText('{}') })
    expect(await store.stats()).toEqual({ objectCount: 2 })
  })

  it('says what is compacted, if anybody knows', () => {
    expect(setUp().store.compactRevision()).toBe(0)
    expect(setUp({ compactor: { compactRevision: () => 7 } }).store.compactRevision()).toBe(7)
  })

  it('says who served a read', async () => {
    const { store, create } = setUp()
    await create('a')
    const trace = {}
    await store.get('/widgets/ns/a', { trace })
    expect(trace).toEqual({ source: 'storage' })
  })

  describe('without the WatchList feature', () => {
    it('begins a watch with what is there only where it always did', async () => {
      const { store, create } = setUp({ watchList: false })
      const { resourceVersion } = await create('a')
      const initial = await store.watch('/widgets', all)
      expect(initial.poll()?.type).toBe('ADDED')
      const predicate = new SelectionPredicate({ allowWatchBookmarks: true })
      const asked = { ...all, predicate, sendInitialEvents: true, resourceVersion: String(resourceVersion) }
      expect((await store.watch('/widgets', asked)).poll()).toBeUndefined()
    })
  })

  describe('with corrupt data', () => {
    async function setUpCorrupt() {
      const made = setUp()
      const { kv, create } = made
      await create('a')
      for (const [name, text] of [
        ['b', 'k8s\0…'],
        ['c', '{}'],
        ['d', 'null'],
      ] as const) {
        await kv.txn({ key: `/registry/widgets/ns/${name}`, expectedRevision: 0, put: StoredValue.fromText(text) })
      }
      return made
    }

    it('says so on a get', async () => {
      const { store } = await setUpCorrupt()
      const error = await store.get('/widgets/ns/c').catch((error: unknown) => error)
      expect(error).toMatchObject({
        code: 'corrupt object',
        message:
          'StorageError: corrupt object, Code: 7, Key: /widgets/ns/c, ResourceVersion: 0, AdditionalErrorMsg: object not decodable revision=4: no metadata',
      })
      expect((interpretGetError(error, groupResource, 'c') as StatusError).reason).toBe('InternalError')
    })

    it('names all of it on a list', async () => {
      const { store } = await setUpCorrupt()
      const error = (await store.getList('/widgets', all).catch((error: unknown) => error)) as StatusError
      const { details, message, reason, code } = error.status
      expect({ reason, code }).toEqual({ reason: 'StorageReadError', code: 500 })
      expect(message).toMatch(
        /^failed to read one or more widgets\.apps from the storage: StorageError: corrupt object, Code: 7, Key: \/registry\/widgets\/ns\/b, .* \(and 2 more\)$/,
      )
      expect(details).toMatchObject({ name: 'list', group: 'apps', kind: 'widgets' })
      expect(details!.causes!.map((cause) => cause.field)).toEqual(
        ['b', 'c', 'd'].map((n) => `/registry/widgets/ns/${n}`),
      )
    })

    it('stops after a hundred on a list', async () => {
      const { kv, store } = setUp()
      for (let i = 0; i < 150; i++) {
        await kv.txn({ key: `/registry/widgets/ns/${i}`, expectedRevision: 0, put: StoredValue.fromText('x') })
      }
      const error = (await store.getList('/widgets', all).catch((error: unknown) => error)) as StatusError
      expect(error.message).toMatch(/\(and 99 more\)$/)
      expect(error.status.details!.causes!.at(-1)).toEqual({
        reason: 'FieldValueTooMany',
        message: 'too many errors, the list is truncated',
      })
    })

    it('ends a watch that shows its deletion', async () => {
      const { kv, store } = await setUpCorrupt()
      const watch = await store.watch('/widgets', { ...all, resourceVersion: String(kv.revision) })
      await kv.txn({ key: '/registry/widgets/ns/c', expectedRevision: 4, put: undefined })
      const event = watch.poll()
      expect(event).toMatchObject({
        type: 'ERROR',
        status: {
          code: 500,
          reason: 'StorageReadError',
          message: 'saw a DELETED event, but object data is corrupt - object not decodable revision=4: no metadata',
        },
      })
      expect(watch.ended).toBe(true)
    })
  })

  describe('observed', () => {
    function observed() {
      const seen: unknown[] = []
      const observer: StorageObserver = {
        request: (operation, _resource, _ms, error) => seen.push(error === undefined ? operation : [operation, error]),
        list: (_resource, { durationMs: _ms, ...cost }) => seen.push(cost),
        eventReceived: () => seen.push('event'),
        bookmarkReceived: () => seen.push('bookmark'),
        decodeError: () => seen.push('decode error'),
      }
      return { ...setUp({ observer }), seen, take: () => seen.splice(0) }
    }

    it('names what it asks of the KV', async () => {
      const { store, create, take } = observed()
      await create('a')
      await store.get('/widgets/ns/a')
      await store.currentResourceVersion()
      await store.guaranteedUpdate('/widgets/ns/a', {
        tryUpdate: (current) => ({ object: { ...current!.object, spec: 1 } }),
      })
      await store.stats()
      await store.delete('/widgets/ns/a')
      expect(take()).toEqual([
        'create',
        'get',
        'getCurrentResourceVersion',
        'get',
        'update',
        'listWithCount',
        'get',
        'delete',
      ])
    })

    it('counts what a list costs, a failed one, too', async () => {
      const { kv, store, create, take } = observed()
      for (const name of ['a', 'b', 'c']) await create(name)
      take()
      const predicate = new SelectionPredicate({ label: LabelSelector.parse('x'), limit: 2 })
      await store.getList('/widgets', { ...all, predicate })
      await store.getList('/widgets', all)
      expect(take()).toEqual([
        'list',
        'list',
        { fetched: 3, evaluated: 3, returned: 0, streamed: false },
        'listStream',
        { fetched: 3, evaluated: 3, returned: 3, streamed: true },
      ])
      const tooOld = { ...all, resourceVersion: '1', resourceVersionMatch: 'Exact' }
      await kv.compact(kv.revision)
      await store.getList('/widgets', tooOld).catch(() => undefined)
      expect(take()).toMatchObject([
        ['listStream', { code: 'compacted' }],
        { fetched: 0, evaluated: 0, returned: 0, streamed: true },
      ])
    })

    it('counts what comes on watches', async () => {
      const { kv, store, create, take } = observed()
      await store.watch('/widgets', { ...all, resourceVersion: '1', progressNotify: true })
      await create('a')
      await kv.requestProgress()
      expect(take()).toEqual(['event', 'create', 'bookmark'])
    })
  })
})
