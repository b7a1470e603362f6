import { afterEach, describe, expect, it } from 'vitest'
import { isResourceExpired } from '../errors/guards.ts'
import { FeatureGates } from '../features/feature-gates.ts'
import type { KVWatchResponse } from '../storage/kv.ts'
import { Store } from '../storage/store.ts'
import { MemoryKV } from '../storage/memory/memory-kv.ts'
import { FakeClock } from '../testing/fake-clock.ts'
import { StoredValue } from '../storage/value.ts'
import { Cacher } from './cacher.ts'
import { brief, configMap, keyOf, listOptions, names, setup, watchOptions, type Setup } from './test-support.ts'
import { defaultNamespaceScopedAttributes } from '../meta/selection-predicate.ts'

let at: Setup
afterEach(() => at.close())

const watch = (rv: string, options = {}) => at.delegator.watch('/configmaps/t1', watchOptions(rv, options))
const list = (rv = '', match = '', selector = {}) =>
  at.delegator.getList('/configmaps/t1', listOptions(rv, match, selector))

/** Objects a (2), b (3), c (4), another namespace's d (5) and another resource's write (6), which the cache has heard of. */
async function populated(options: Parameters<typeof setup>[0] = {}): Promise<void> {
  at = await setup(options)
  for (const name of ['a', 'b', 'c']) await at.create(name)
  await at.create('d', { namespace: 't2' })
  await at.elsewhere()
  await at.delegator.requestWatchProgress()
}

const state = ['ADDED a 2', 'ADDED b 3', 'ADDED c 4']

describe('Cacher.watch', () => {
  // resourceVersion, sendInitialEvents, bookmarks, what comes at once.
  it.each([
    ['', true, true, [...state, 'END 6']],
    ['', true, false, state],
    ['', false, true, []],
    ['', false, false, []],
    ['', undefined, true, state],
    ['', undefined, false, state],
    ['0', true, true, [...state, 'END 6']],
    ['0', true, false, state],
    ['0', false, true, []],
    ['0', false, false, []],
    ['0', undefined, true, state],
    ['0', undefined, false, state],
    ['1', true, true, [...state, 'END 6']],
    ['1', true, false, state],
    ['1', false, true, state],
    ['1', false, false, state],
    ['1', undefined, true, state],
    ['1', undefined, false, state],
    ['3', true, true, [...state, 'END 6']],
    ['3', false, true, ['ADDED c 4']],
    ['3', undefined, false, ['ADDED c 4']],
    ['6', true, true, [...state, 'END 6']],
    ['6', true, false, state],
    ['6', false, false, []],
    ['6', undefined, true, []],
  ])('from %j with initial events %j and bookmarks %j begins with %j', async (rv, send, bookmarks, expected) => {
    await populated()
    const options = { sendInitialEvents: send, allowWatchBookmarks: bookmarks }
    const watcher = await watch(rv, options)
    expect(brief(watcher)).toEqual(expected)
    await at.create('z')
    expect(brief(watcher)).toEqual(['ADDED z 7'])
  })

  it('gives only the end of the initial events for an empty resource', async () => {
    at = await setup()
    const watcher = await watch('', { sendInitialEvents: true, allowWatchBookmarks: true })
    expect(brief(watcher)).toEqual(['END 1'])
  })

  it('is silent from a version that is not there yet until that has passed', async () => {
    await populated()
    const watcher = await watch('8')
    await at.create('x')
    await at.create('y')
    expect(brief(watcher)).toEqual([])
    await at.create('z')
    expect(brief(watcher)).toEqual(['ADDED z 9'])
  })

  it('starts after what the storage has, though the cache lags behind', async () => {
    await populated()
    at.kv.freeze()
    await at.create('x')
    const watcher = await watch('', { sendInitialEvents: false })
    await at.create('y')
    at.kv.thaw()
    expect(brief(watcher)).toEqual(['ADDED y 8'])
  })

  it('is about one object where its key is one', async () => {
    await populated()
    const watcher = await at.delegator.watch(keyOf('b'), {
      ...watchOptions('', { sendInitialEvents: true, allowWatchBookmarks: true }),
      recursive: false,
      namespace: 't1',
      name: 'b',
    })
    expect(brief(watcher)).toEqual(['ADDED b 3', 'END 6'])
    const byKeyAlone = await at.delegator.watch(keyOf('b'), { ...watchOptions('6'), recursive: false })
    await at.create('bb')
    await at.remove('b')
    expect(brief(watcher)).toEqual(['DELETED b 8'])
    expect(brief(byKeyAlone)).toEqual(['DELETED b 8'])
  })

  it('is about one namespace though a request for that names it as where it lies, too', async () => {
    at = await setup({
      groupResource: { group: '', resource: 'namespaces' },
      resourcePrefix: '/namespaces',
      namespaced: false,
    })
    const watcher = await at.delegator.watch('/namespaces/x', {
      ...watchOptions('1', { namespace: 'x', fields: 'metadata.name=x' }),
      recursive: false,
      name: 'x',
    })
    for (const name of ['w', 'x']) await at.delegator.create(`/namespaces/${name}`, { metadata: { name } })
    expect(brief(watcher)).toEqual(['ADDED x 3'])
  })

  it('is not mixed up by names that begin alike', async () => {
    at = await setup()
    const watcher = await at.delegator.watch('/configmaps/t', watchOptions('1'))
    await at.create('a')
    expect(brief(watcher)).toEqual([])
  })

  it('refuses what lies before its history', async () => {
    at = await setup({ tuning: { history: { upperBoundCapacity: 100 } } })
    for (let i = 0; i < 110; i++) await at.create(`o${i}`)
    expect((await watch('11')).poll()).toMatchObject({ object: { resourceVersion: 12 } })
    const refused = await watch('10')
    expect(brief(refused)).toEqual(['ERROR 410 too old resource version: 10 (11)'])
    expect(refused.ended).toBe(true)
  })

  it('refuses a malformed version before it begins', async () => {
    at = await setup()
    await expect(watch('abc')).rejects.toThrow('strconv.ParseUint: parsing "abc": invalid syntax')
  })

  it('cannot promise an end of initial events where it cannot ask for progress', async () => {
    at = await setup({ supportsProgress: false })
    const refused = await watch('', { sendInitialEvents: true, allowWatchBookmarks: true })
    expect(brief(refused)).toEqual([
      'ERROR 500 a watch stream was requested by the client but the required storage feature RequestWatchProgress is disabled',
    ])
  })

  it('ignores sendInitialEvents where that is switched off', async () => {
    await populated({ featureGates: new FeatureGates({ overrides: { WatchList: false } }) })
    expect(brief(await watch('6', { sendInitialEvents: true, allowWatchBookmarks: true }))).toEqual([])
  })

  it('closes at once when the cache started anew while it waited', async () => {
    await populated()
    at.kv.freeze()
    await at.elsewhere()
    const pending = watch('7', { sendInitialEvents: true })
    await at.clock.step(500)
    at.resource.restart()
    await at.clock.step(0)
    const watcher = await pending
    expect(brief(watcher)).toEqual([])
    expect(watcher.ended).toBe(true)
  })

  it('ends when its signal aborts, also while it waits', async () => {
    await populated()
    const controller = new AbortController()
    const running = await watch('6', { signal: controller.signal })
    const waiting = watch('100', { sendInitialEvents: true, signal: controller.signal })
    await at.clock.step(0)
    controller.abort(new Error('gone'))
    const ended = await waiting
    expect(brief(ended)).toEqual([])
    expect([running.ended, ended.ended]).toEqual([true, true])
    expect(at.resource.state()).toMatchObject({ watchers: 0, waiters: 0 })
  })

  it('tells all deletions of one revision, whenever it started', async () => {
    at = await setup()
    const lease = await at.kv.grantLease(10)
    for (const name of ['a', 'b', 'c']) {
      const put = StoredValue.fromObject(configMap(name))
      await at.kv.txn({ key: `/registry${keyOf(name)}`, expectedRevision: 0, put, lease })
    }
    const before = await watch('4')
    await at.clock.step(20_000)
    const after = await watch('4')
    const deleted = ['DELETED a 5', 'DELETED b 5', 'DELETED c 5']
    expect(brief(before)).toEqual(deleted)
    expect(brief(after)).toEqual(deleted)
  })
})

describe('Bookmarks', () => {
  it('come about once a minute with the version the cache has reached', async () => {
    await populated()
    const watcher = await watch('4', { allowWatchBookmarks: true })
    const without = await watch('4')
    await at.clock.step(59_000)
    expect(brief(watcher)).toEqual([])
    await at.clock.step(2_000)
    expect(brief(watcher)).toEqual(['BOOKMARK 6'])
    await at.clock.step(61_000)
    expect(brief(watcher)).toEqual(['BOOKMARK 6'])
    expect(brief(without)).toEqual([])
  })

  it('do not come while there is nothing newer than the start', async () => {
    await populated()
    const watcher = await watch('6', { allowWatchBookmarks: true })
    await at.clock.step(180_000)
    expect(brief(watcher)).toEqual([])
  })

  it('follow progress that brings no event', async () => {
    await populated()
    const watcher = await watch('6', { allowWatchBookmarks: true, deadline: at.clock.now() + 4_000 })
    await at.elsewhere()
    await at.delegator.requestWatchProgress()
    await at.clock.step(3_000)
    expect(brief(watcher)).toEqual(['BOOKMARK 7'])
    await at.clock.step(600_000)
    expect(brief(watcher)).toEqual([])
  })

  it('have a version between the events before and after', async () => {
    await populated()
    const watcher = await watch('6', { allowWatchBookmarks: true, deadline: at.clock.now() + 3_000 })
    await at.create('x')
    await at.clock.step(1_100)
    await at.create('y')
    expect(brief(watcher)).toEqual(['ADDED x 7', 'BOOKMARK 7', 'ADDED y 8'])
  })

  it('run no timer while nobody wants one', async () => {
    await populated()
    const before = at.clock.pendingTimers
    const watcher = await watch('6', { allowWatchBookmarks: true })
    expect(at.clock.pendingTimers).toBe(before + 1)
    watcher.stop()
    expect(at.clock.pendingTimers).toBe(before)
  })
})

describe('Cacher.getList', () => {
  it('ignores the limit at version 0, and nowhere else', async () => {
    await populated()
    expect(names(await list('0', '', { limit: 1 }))).toEqual(['a', 'b', 'c'])
    expect(names(await list('0', 'NotOlderThan', { limit: 1 }))).toEqual(['a', 'b', 'c'])
    const page = await list('6', 'NotOlderThan', { limit: 1 })
    expect([names(page), page.remainingItemCount]).toEqual([['a'], 2])
    // `00` is version 0 as well, but not to those who look at the text.
    expect(names(await list('00', '', { limit: 1 }))).toEqual(['a'])
    expect(names(await list('00', 'NotOlderThan', { limit: 1 }))).toEqual(['a'])
  })

  it('gives no token when the limit is just met', async () => {
    await populated()
    expect(await list('', '', { limit: 3 })).toMatchObject({ continue: '', remainingItemCount: undefined })
  })

  it('gives a token when something was not looked at, though it does not match', async () => {
    await populated()
    const page = await list('', '', { limit: 1, fields: 'metadata.name=a' })
    expect(names(page)).toEqual(['a'])
    expect(page.remainingItemCount).toBeUndefined()
    const last = await list('', '', { limit: 1, fields: 'metadata.name=a', continue: page.continue })
    expect(last).toMatchObject({ items: [], continue: '', resourceVersion: page.resourceVersion })
  })

  it('gives an empty list a version, too', async () => {
    await populated()
    expect(await at.delegator.getList('/configmaps/none', listOptions('0'))).toMatchObject({
      items: [],
      resourceVersion: '6',
      continue: '',
    })
  })

  it('lists one object by its key', async () => {
    await populated()
    const one = await at.delegator.getList(keyOf('b'), { ...listOptions('0'), recursive: false })
    expect(names(one)).toEqual(['b'])
    const none = await at.delegator.getList(keyOf('zz'), { ...listOptions(''), recursive: false })
    expect(none).toMatchObject({ items: [], resourceVersion: '6' })
  })

  it('uses an index where the selector allows, and says so', async () => {
    await populated({
      indexers: { 'l:app': (object) => [object.metadata.labels?.app ?? ''] },
    })
    await at.update('c', { labels: { app: 'x' } })
    await at.update('a', { labels: { app: 'x' } })
    await at.update('d', { namespace: 't2', labels: { app: 'x' } })
    const trace = {}
    const result = await at.delegator.getList('/configmaps/t1', {
      ...listOptions('0', '', { labels: 'app=x', indexLabels: ['app'] }),
      trace,
    })
    expect(names(result)).toEqual(['a', 'c'])
    expect(trace).toEqual({ source: 'cache', index: 'l:app' })
    const labels = { storage: 'watchcache', index: 'l:app' }
    expect(at.counter('apiserver_storage_list_fetched_objects_total', labels)).toBe(2)
    expect(names(await list('0', '', { labels: 'app!=x', indexLabels: ['app'] }))).toEqual(['b'])
  })

  it('answers exactly what was at a version', async () => {
    await populated()
    await at.remove('b')
    await at.update('a', { data: 'x' })
    expect(names(await list('4', 'Exact'))).toEqual(['a', 'b', 'c'])
    expect(names(await list('7', 'Exact'))).toEqual(['a', 'c'])
    const legacy = await list('3', '', { limit: 10 })
    expect([names(legacy), legacy.resourceVersion]).toEqual([['a', 'b'], '3'])
    expect((await list('3')).resourceVersion).toBe('8')
  })

  it('never holds an item newer than itself', async () => {
    at = await setup()
    for (let i = 0; i < 30; i++) {
      const [result] = await Promise.all([list('0'), at.create(`o${i}`), at.elsewhere()])
      for (const item of result.items) expect(item.resourceVersion).toBeLessThanOrEqual(Number(result.resourceVersion))
    }
  })

  it('reads version and state in one step, whatever is written in between', async () => {
    at = await setup()
    await at.create('one')
    const lists: ReturnType<typeof list>[] = []
    const ones: ReturnType<typeof list>[] = []
    const writes: Promise<unknown>[] = []
    // One write in each microtask; even ones make an object, odd ones change the same one.
    for (let i = 0; i < 100; i++) {
      const wanted = String(2 + i + (i % 3))
      lists.push(list(wanted, 'NotOlderThan'))
      ones.push(at.delegator.getList(keyOf('one'), { ...listOptions(wanted, 'NotOlderThan'), recursive: false }))
      writes.push(i % 2 === 0 ? at.create(`o${i}`) : at.update('one', { data: String(i) }))
      await Promise.resolve()
    }
    await Promise.all(writes)
    for (let i = 0; i < 4; i++) await at.create(`last${i}`)
    for (const result of await Promise.all(lists)) {
      const exact = await list(result.resourceVersion, 'Exact')
      expect(result.items.map(({ resourceVersion }) => resourceVersion)).toEqual(
        exact.items.map(({ resourceVersion }) => resourceVersion),
      )
    }
    for (const result of await Promise.all(ones)) {
      const exact = await list(result.resourceVersion, 'Exact', { fields: 'metadata.name=one' })
      expect(result.items[0]!.resourceVersion).toBe(exact.items[0]!.resourceVersion)
    }
  })

  it('drops a read whose signal aborts', async () => {
    await populated()
    const controller = new AbortController()
    const read = at.delegator.getList('/configmaps', { ...listOptions('100'), signal: controller.signal })
    await at.clock.step(10)
    expect(at.resource.state()!.waiters).toBe(1)
    controller.abort(new Error('gone'))
    await expect(read).rejects.toThrow('gone')
    expect(at.resource.state()!.waiters).toBe(0)
    expect(at.waits().count).toBe(0)
  })
})

describe('Cacher.get', () => {
  it('answers what is there at version 0, and waits for more', async () => {
    await populated()
    at.kv.freeze()
    await at.update('a', { data: 'x' })
    expect((await at.delegator.get(keyOf('a'), { resourceVersion: '0' })).resourceVersion).toBe(2)
    const read = at.delegator.get(keyOf('a'), { resourceVersion: '7' })
    await at.clock.step(500)
    at.kv.thaw()
    expect((await read).resourceVersion).toBe(7)
    expect(at.waits().sum).toBe(0.5)
  })

  it('can take what is not there for nothing', async () => {
    await populated()
    expect(await at.delegator.get(keyOf('zz'), { resourceVersion: '0', ignoreNotFound: true })).toBeUndefined()
    await expect(at.delegator.get(keyOf('zz'), { resourceVersion: '0' })).rejects.toThrow(
      `StorageError: key not found, Code: 1, Key: ${keyOf('zz')}, ResourceVersion: 6`,
    )
  })
})

describe('Cacher', () => {
  it('refuses a history that is too short', () => {
    const clock = new FakeClock()
    const kv = new MemoryKV({ clock })
    const groupResource = { group: '', resource: 'configmaps' }
    const storage = new Store({ kv, clock, groupResource, resourcePrefix: '/configmaps' })
    const options = { storage, clock, groupResource, resourcePrefix: '/configmaps' }
    expect(
      () =>
        new Cacher({
          ...options,
          getAttributes: defaultNamespaceScopedAttributes,
          tuning: { eventsHistoryWindow: 74_999 },
        }),
    ).toThrow(TypeError)
    return kv.close()
  })

  it('starts anew on demand: watches end, reads are refused until it is ready', async () => {
    await populated()
    const watcher = await watch('6')
    at.resource.restart()
    expect(watcher.ended).toBe(true)
    expect(brief(watcher)).toEqual([])
    await expect(list()).rejects.toMatchObject({ code: 429 })
    expect(() => at.delegator.readinessCheck()).toThrow('storage not ready')
    await at.resource.ready()
    expect(names(await list('0'))).toEqual(['a', 'b', 'c'])
    expect(brief(await watch('5'))).toEqual(['ERROR 410 too old resource version: 5 (6)'])
    expect(() => at.delegator.readinessCheck()).not.toThrow()
  })

  it('takes the state of the storage when it starts anew though the way to it is frozen', async () => {
    await populated()
    at.kv.freeze()
    await at.create('e')
    at.resource.restart()
    await at.resource.ready()
    expect(names(await list('0'))).toEqual(['a', 'b', 'c', 'e'])
    await at.create('f')
    expect(names(await list('0'))).toEqual(['a', 'b', 'c', 'e'])
    at.kv.thaw()
    expect(names(await list('0'))).toEqual(['a', 'b', 'c', 'e', 'f'])
  })

  it('releases a read that waits when starting anew brings what it waits for', async () => {
    await populated()
    at.kv.freeze()
    await at.create('e')
    const read = list('7')
    await at.clock.step(100)
    at.resource.restart()
    expect(names(await read)).toEqual(['a', 'b', 'c', 'e'])
  })

  it('goes on where it was when the stream to the storage ends', async () => {
    await populated()
    const watcher = await watch('6')
    await at.clock.step(2_000)
    at.kv.breakWatches({ type: 'error', error: new Error('etcdserver: no leader') })
    await at.create('e')
    await at.clock.step(200)
    expect(brief(watcher)).toEqual(['ADDED e 7'])
    expect(at.resource.state()).toMatchObject({ ready: true, listResourceVersion: 1 })
    expect(at.counter('apiserver_watch_cache_initializations_total')).toBe(1)
  })

  it('gives up on a stream that has had errors for half a minute', async () => {
    await populated()
    const error: KVWatchResponse = { type: 'error', error: new Error('etcdserver: no leader') }
    for (let i = 0; i < 30; i++) {
      at.kv.breakWatches(error)
      await at.clock.step(1_000)
    }
    expect(at.resource.state()!.listResourceVersion).toBe(1)
    at.kv.breakWatches(error)
    await at.clock.step(1_000)
    at.kv.breakWatches(error)
    await at.clock.step(0)
    expect(at.resource.state()!.ready).toBe(false)
    await at.clock.step(1_000)
    expect(at.resource.state()).toMatchObject({ ready: true, listResourceVersion: 6 })
  })

  it('takes an error for the first again after a minute without one', async () => {
    await populated()
    const error: KVWatchResponse = { type: 'error', error: new Error('etcdserver: no leader') }
    for (let i = 0; i < 3; i++) {
      at.kv.breakWatches(error)
      await at.clock.step(20_000)
      at.kv.breakWatches(error)
      await at.clock.step(61_000)
    }
    expect(at.resource.state()).toMatchObject({ ready: true, listResourceVersion: 1 })
  })

  it('refuses reads while the storage cannot be read, and says why', async () => {
    await populated({ featureGates: new FeatureGates({ overrides: { WatchListClient: false } }) })
    const range = at.kv.range
    at.kv.range = () => Promise.reject(new Error('no luck'))
    at.resource.restart()
    await at.clock.step(0)
    const why = 'storage is (re)initializing: failed to list <unspecified>: no luck'
    await expect(list('0')).rejects.toMatchObject({ status: { message: why, code: 429 } })
    await expect(watch('')).rejects.toMatchObject({ status: { message: why, code: 429 } })
    await at.clock.step(20_000)
    expect(at.counter('apiserver_watch_cache_initialization_errors_total')).toBe(21)
    await expect(list('0')).rejects.toMatchObject({ status: { details: { retryAfterSeconds: 3 } } })
    at.kv.range = range
    await at.clock.step(1_000)
    expect(names(await list('0'))).toEqual(['a', 'b', 'c'])
  })

  it('is filled by lists where that is switched off otherwise', async () => {
    at = await setup()
    for (let i = 0; i < 25; i++) await at.create(`o${String(i).padStart(2, '0')}`)
    const gates = new FeatureGates({ overrides: { WatchListClient: false } })
    const before = at
    await before.resource.close()
    const { createResourceStorage } = await import('../delegator/resource-storage.ts')
    const resource = createResourceStorage({
      kv: at.kv,
      clock: at.clock,
      groupResource: { group: '', resource: 'configmaps' },
      resourcePrefix: '/configmaps',
      featureGates: gates,
      tuning: { pageSize: 10 },
    })
    await resource.ready()
    expect(resource.state()).toMatchObject({ objects: 25, listResourceVersion: 26 })
    await at.create('z')
    expect(resource.state()).toMatchObject({ objects: 26, resourceVersion: 27 })
    await resource.close()
  })

  it('tells its clients nothing but the end when it is closed, and leaves nothing behind', async () => {
    await populated()
    const watcher = await watch('6', { allowWatchBookmarks: true })
    const waiting = list('100').catch((error: Error) => error.message)
    await at.clock.step(10)
    await at.resource.close()
    await at.resource.close()
    expect([watcher.ended, brief(watcher)]).toEqual([true, []])
    expect(await waiting).toBe('apiserver cacher is stopped')
    expect(at.resource.state()).toMatchObject({ ready: false, watchers: 0, waiters: 0 })
    await expect(watch('6')).rejects.toMatchObject({ code: 429 })
    await at.kv.close()
    expect(at.clock.pendingTimers).toBe(0)
  })

  it('starts over when an object cannot be understood, rather than lose it', async () => {
    let broken = true
    at = await setup({
      getAttributes: (object) => {
        if (broken && object.metadata.name === 'bad') throw new Error('no attributes')
        return defaultNamespaceScopedAttributes(object)
      },
    })
    await at.create('bad')
    await at.clock.step(0)
    expect(at.resource.state()!.ready).toBe(false)
    broken = false
    await at.clock.step(1_000)
    expect(names(await list('0'))).toEqual(['bad'])
  })

  it('keeps past states until the storage tells that it has none, and the newest for ever', async () => {
    let compacted = 0
    await populated({ compactor: { compactRevision: () => compacted } })
    expect(names(await list('3', 'Exact'))).toEqual(['a', 'b'])
    compacted = 5
    await at.clock.step(14_999)
    // What counts is what the cache has followed, not what the storage knows.
    expect(at.delegator.compactRevision()).toBe(0)
    expect(names(await list('3', 'Exact'))).toEqual(['a', 'b'])
    await at.clock.step(1)
    expect(at.delegator.compactRevision()).toBe(5)
    await at.kv.compact(5)
    await expect(list('3', 'Exact')).rejects.toSatisfy(isResourceExpired)
    expect(names(await list('5', 'Exact'))).toEqual(['a', 'b', 'c'])
    compacted = 6
    await at.clock.step(15_000)
    const trace = {}
    await at.delegator.getList('/configmaps', { ...listOptions('6', 'Exact'), trace })
    expect(trace).toEqual({ source: 'cache' })
  })
})
