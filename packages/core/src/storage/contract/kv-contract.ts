import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { KubeObject } from '../../meta/types.ts'
import { KVError, type KV, type KVEvent, type KVWatchOptions, type KVWatchResponse } from '../kv.ts'
import { StoredValue } from '../value.ts'

/** A KV to be tested, and what a test needs besides. */
export interface KVUnderTest {
  readonly kv: KV
  /** Makes time pass, where it does not by itself. */
  readonly advance: (ms: number) => Promise<void>
  readonly close: () => Promise<void>
}

/** A watch that remembers what it was told. */
class Recorded {
  readonly responses: KVWatchResponse[] = []
  readonly cancel: () => void
  #wake: (() => void) | undefined

  constructor(kv: KV, options: Omit<KVWatchOptions, 'onResponse'>) {
    const watch = kv.watch({
      ...options,
      onResponse: (response) => {
        this.responses.push(response)
        this.#wake?.()
      },
    })
    this.cancel = () => watch.cancel()
  }

  get events(): KVEvent[] {
    return this.responses.flatMap((response) => (response.type === 'events' ? response.events : []))
  }

  /** Resolves with what `find` finds, as soon as it finds something. */
  async until<R>(find: () => R | undefined | false): Promise<R> {
    for (;;) {
      const found = find()
      if (found !== undefined && found !== false) return found
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  untilEvents(count: number): Promise<KVEvent[]> {
    return this.until(() => this.events.length >= count && this.events)
  }

  untilType<Type extends KVWatchResponse['type']>(type: Type): Promise<Extract<KVWatchResponse, { type: Type }>> {
    return this.until(() => this.responses.find((response) => response.type === type)) as Promise<never>
  }
}

function value(data: string): StoredValue {
  return StoredValue.fromObject({ metadata: { name: data } })
}

/** What every KV must do, whatever it is made of. */
export function describeKV(name: string, open: () => Promise<KVUnderTest>): void {
  describe(`KV: ${name}`, () => {
    let tested: KVUnderTest
    let kv: KV
    /** Keys of one test are its own: a real etcd is shared by all of them. */
    let prefix: string
    let tests = 0

    beforeEach(async () => {
      tested = await open()
      kv = tested.kv
      prefix = `/registry/test${++tests}/`
    })
    afterEach(() => tested.close())

    async function put(key: string, data: string = key, lease = 0): Promise<number> {
      const { kv: current } = await kv.get(prefix + key)
      const expectedRevision = current?.modRevision ?? 0
      const written = await kv.txn({ key: prefix + key, expectedRevision, put: value(data), lease })
      expect(written.succeeded).toBe(true)
      return written.revision
    }
    async function remove(key: string): Promise<number> {
      const { kv: current } = await kv.get(prefix + key)
      const expectedRevision = current!.modRevision
      return (await kv.txn({ key: prefix + key, expectedRevision, put: undefined })).revision
    }
    const currentRevision = async (): Promise<number> => (await kv.get(prefix)).revision
    function watch(options: Partial<Omit<KVWatchOptions, 'onResponse'>> & { startRevision: number }): Recorded {
      return new Recorded(kv, { key: prefix, prefix: true, previous: true, ...options })
    }
    const all = (): { start: string; end: string } => ({ start: prefix, end: prefix.slice(0, -1) + '0' })

    it('counts one revision for each write, and none for a read or a failed compare', async () => {
      const start = await currentRevision()
      expect(await put('a')).toBe(start + 1)
      expect(await put('b')).toBe(start + 2)
      const refused = await kv.txn({ key: prefix + 'a', expectedRevision: start, put: value('x') })
      expect(refused).toMatchObject({ succeeded: false, revision: start + 2 })
      expect(await currentRevision()).toBe(start + 2)
    })

    it('counts a write of the same value', async () => {
      const first = await put('a', 'same')
      expect(await put('a', 'same')).toBe(first + 1)
    })

    it('changes nothing when it deletes an absent key', async () => {
      const start = await currentRevision()
      const result = await kv.txn({ key: prefix + 'absent', expectedRevision: 0, put: undefined })
      expect(result).toMatchObject({ succeeded: true, revision: start })
      expect(await currentRevision()).toBe(start)
    })

    it('tells creation, change and version of a key', async () => {
      const created = await put('a', 'one')
      const changed = await put('a', 'two')
      const { kv: found } = await kv.get(prefix + 'a')
      expect(found).toMatchObject({
        key: prefix + 'a',
        createRevision: created,
        modRevision: changed,
        version: 2,
        lease: 0,
      })
      expect(found!.value.object).toEqual({ metadata: { name: 'two' } })
      await remove('a')
      const again = await put('a', 'three')
      expect((await kv.get(prefix + 'a')).kv).toMatchObject({ createRevision: again, modRevision: again, version: 1 })
    })

    it('answers a failed compare with what the key holds', async () => {
      const revision = await put('a', 'there')
      const refused = await kv.txn({ key: prefix + 'a', expectedRevision: 0, put: value('mine') })
      expect(refused.current).toMatchObject({ modRevision: revision })
      expect(refused.current!.value.object.metadata.name).toBe('there')
      const absent = await kv.txn({ key: prefix + 'b', expectedRevision: revision, put: undefined })
      expect(absent).toMatchObject({ succeeded: false, current: undefined })
    })

    it('reads the past', async () => {
      const first = await put('a', 'one')
      await put('a', 'two')
      const deleted = await remove('a')
      expect((await kv.get(prefix + 'a', { revision: first })).kv!.value.object.metadata.name).toBe('one')
      expect((await kv.get(prefix + 'a', { revision: deleted - 1 })).kv!.value.object.metadata.name).toBe('two')
      expect((await kv.get(prefix + 'a', { revision: deleted })).kv).toBeUndefined()
      expect((await kv.get(prefix + 'a', { revision: first })).revision).toBe(deleted)
    })

    it('lists a range in the order of UTF-8 bytes', async () => {
      for (const key of ['b', 'a', '\u{1f600}', '\uff5e', 'é', 'a/b', 'ab']) await put(key)
      const { kvs, count, more } = await kv.range(all())
      expect(kvs.map((kv) => kv.key.slice(prefix.length))).toEqual(['a', 'a/b', 'ab', 'b', 'é', '\uff5e', '\u{1f600}'])
      expect({ count, more }).toEqual({ count: 7, more: false })
    })

    it('counts all of a range whatever the limit', async () => {
      for (const key of ['a', 'b', 'c', 'd']) await put(key)
      const page = await kv.range({ ...all(), limit: 2 })
      expect(page).toMatchObject({ count: 4, more: true, revision: await currentRevision() })
      expect(page.kvs.map((kv) => kv.key)).toEqual([prefix + 'a', prefix + 'b'])
      const rest = await kv.range({ ...all(), start: prefix + 'b\0', limit: 2 })
      expect(rest).toMatchObject({ count: 2, more: false })
      expect(await kv.range({ ...all(), countOnly: true })).toMatchObject({ count: 4, kvs: [] })
    })

    it('lists a range as it was', async () => {
      await put('a')
      const revision = await put('b')
      await remove('a')
      await put('c')
      const past = await kv.range({ ...all(), revision })
      expect(past.kvs.map((kv) => kv.key)).toEqual([prefix + 'a', prefix + 'b'])
      expect(past).toMatchObject({ count: 2, revision: revision + 2 })
    })

    it('refuses to read the future', async () => {
      const revision = (await put('a')) + 100
      const text = 'etcdserver: mvcc: required revision is a future revision'
      await expect(kv.range({ ...all(), revision })).rejects.toMatchObject({ code: 'future-revision', message: text })
      await expect(kv.get(prefix + 'a', { revision })).rejects.toMatchObject({ code: 'future-revision' })
    })

    it('reads at the compacted revision and refuses what lies below', async () => {
      await put('a', 'one')
      const revision = await put('a', 'two')
      await put('a', 'three')
      await kv.compact(revision)
      expect((await kv.get(prefix + 'a', { revision })).kv!.value.object.metadata.name).toBe('two')
      const error = await kv.get(prefix + 'a', { revision: revision - 1 }).catch((error: unknown) => error)
      expect(error).toBeInstanceOf(KVError)
      expect(error).toMatchObject({
        code: 'compacted',
        message: 'etcdserver: mvcc: required revision has been compacted',
      })
    })

    it('compacts only forwards, and not into the future', async () => {
      const revision = await put('a')
      await kv.compact(revision)
      await expect(kv.compact(revision)).rejects.toMatchObject({ code: 'compacted' })
      await expect(kv.compact(revision + 100)).rejects.toMatchObject({ code: 'future-revision' })
    })

    it('watches from now on', async () => {
      await put('before')
      const start = await currentRevision()
      const watched = watch({ startRevision: start + 1 })
      await put('a', 'one')
      await put('a', 'two')
      await remove('a')
      const events = await watched.untilEvents(3)
      expect(events.map((event) => [event.type, event.kv.key, event.kv.modRevision])).toEqual([
        ['put', prefix + 'a', start + 1],
        ['put', prefix + 'a', start + 2],
        ['delete', prefix + 'a', start + 3],
      ])
      expect(events.map((event) => event.previous?.value.object.metadata.name)).toEqual([undefined, 'one', 'two'])
      expect(events.map((event) => event.previous?.modRevision)).toEqual([undefined, start + 1, start + 2])
    })

    it('watches from the past', async () => {
      const first = await put('a')
      await put('b')
      const watched = watch({ startRevision: first })
      await put('c')
      const events = await watched.untilEvents(3)
      expect(events.map((event) => event.kv.modRevision)).toEqual([first, first + 1, first + 2])
    })

    it('keeps previous versions to those who asked', async () => {
      const first = await put('a')
      await put('a')
      const watched = watch({ startRevision: first, previous: false })
      const events = await watched.untilEvents(2)
      expect(events.map((event) => event.previous)).toEqual([undefined, undefined])
    })

    it('watches one key, or what lies under a prefix', async () => {
      const startRevision = (await currentRevision()) + 1
      const one = watch({ key: prefix + 'a', prefix: false, startRevision })
      const under = watch({ key: prefix + 'a/', startRevision })
      const starting = watch({ key: prefix + 'a', startRevision })
      for (const key of ['a', 'a/b', 'ab', 'b']) await put(key)
      await starting.untilEvents(3)
      const keys = (watched: Recorded): string[] => watched.events.map((event) => event.kv.key.slice(prefix.length))
      await one.untilEvents(1)
      await under.untilEvents(1)
      expect({ one: keys(one), under: keys(under), starting: keys(starting) }).toEqual({
        one: ['a'],
        under: ['a/b'],
        starting: ['a', 'a/b', 'ab'],
      })
    })

    it('lets a watch wait for a future revision', async () => {
      const startRevision = (await currentRevision()) + 3
      const watched = watch({ startRevision })
      for (const key of ['a', 'b', 'c', 'd']) await put(key)
      const events = await watched.untilEvents(2)
      expect(events.map((event) => event.kv.key)).toEqual([prefix + 'c', prefix + 'd'])
    })

    it('watches from the compacted revision, without the previous version there', async () => {
      await put('a', 'one')
      const revision = await put('a', 'two')
      await put('a', 'three')
      await kv.compact(revision)
      const watched = watch({ startRevision: revision })
      const events = await watched.untilEvents(2)
      expect(events.map((event) => event.kv.modRevision)).toEqual([revision, revision + 1])
      expect(events.map((event) => event.previous?.modRevision)).toEqual([undefined, revision])
    })

    it('ends a watch from below the compaction', async () => {
      const first = await put('a')
      const revision = await put('a')
      await kv.compact(revision)
      const watched = watch({ startRevision: first })
      expect(await watched.untilType('compacted')).toEqual({ type: 'compacted', compactRevision: revision })
      await put('a')
      expect(watched.responses).toHaveLength(1)
    })

    it('tells nothing once a watch is cancelled', async () => {
      const startRevision = (await currentRevision()) + 1
      const watched = watch({ startRevision })
      const other = watch({ startRevision })
      await put('a')
      await watched.untilEvents(1)
      watched.cancel()
      watched.cancel()
      await put('b')
      await other.untilEvents(2)
      expect(watched.responses).toHaveLength(1)
    })

    it('tells progress on demand when everything is delivered', async () => {
      const startRevision = await put('a')
      const watched = watch({ startRevision, progressNotify: true })
      await watched.untilEvents(1)
      const elsewhere = await kv.txn({ key: `${prefix.slice(0, -1)}-elsewhere`, expectedRevision: 0, put: value('x') })
      const progress = await watched.until(() => {
        void kv.requestProgress()
        return watched.responses.find((response) => response.type === 'progress')
      })
      expect(progress).toEqual({ type: 'progress', revision: elsewhere.revision })
    })

    it('lets the keys of a lease vanish together, in order', async () => {
      const startRevision = (await currentRevision()) + 1
      const watched = watch({ startRevision })
      const lease = await kv.grantLease(2)
      for (const key of ['c', 'a', 'b']) await put(key, key, lease)
      expect((await kv.get(prefix + 'a')).kv!.lease).toBe(lease)
      await put('b', 'kept')
      await tested.advance(1000)
      expect((await kv.range(all())).count).toBe(3)
      await tested.advance(3000)
      const events = (await watched.untilEvents(6)).slice(4)
      expect(events.map((event) => [event.type, event.kv.key])).toEqual([
        ['delete', prefix + 'a'],
        ['delete', prefix + 'c'],
      ])
      expect(new Set(events.map((event) => event.kv.modRevision)).size).toBe(1)
      expect((await kv.range(all())).kvs.map((kv) => kv.key)).toEqual([prefix + 'b'])
    })

    it('keeps objects as they are', async () => {
      const object: KubeObject = {
        metadata: { name: 'a', labels: { x: 'é"\\\u2028' } },
        data: { n: 1.5, list: [null, true] },
      }
      await kv.txn({ key: prefix + 'a', expectedRevision: 0, put: StoredValue.fromObject(object) })
      expect((await kv.get(prefix + 'a')).kv!.value.object).toEqual(object)
    })

    it('refuses an aborted call', async () => {
      const signal = AbortSignal.abort(new Error('given up'))
      await expect(kv.get(prefix + 'a', { signal })).rejects.toThrow('given up')
    })

    it('ends its watches when it is closed, and answers no more', async () => {
      const watched = watch({ startRevision: (await currentRevision()) + 1 })
      await kv.close()
      await kv.close()
      expect(watched.responses).toMatchObject([{ type: 'error', error: { code: 'closed' } }])
      await expect(kv.get(prefix)).rejects.toMatchObject({ code: 'closed' })
    })
  })
}
