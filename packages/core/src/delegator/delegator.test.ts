import { afterEach, describe, expect, it } from 'vitest'
import { brief, configMap, keyOf, listOptions, names, setup, watchOptions, type Setup } from '../cacher/test-support.ts'
import { FeatureGates } from '../features/feature-gates.ts'
import type { KubeObject } from '../meta/types.ts'
import type { Storage } from '../storage/storage.ts'
import { encodeContinue } from '../meta/continue-token.ts'
import { isTooLargeResourceVersion } from '../errors/guards.ts'

let at: Setup
afterEach(() => at.close())

const list = (rv = '', match = '', selector = {}) =>
  at.delegator.getList('/configmaps', listOptions(rv, match, selector))

const skipFallback = { ConsistentListFromCacheSkipTimeoutFallback: true }

/** Counts the lists and version reads that the storage under a cache is asked for. */
async function counted(options: Parameters<typeof setup>[0] = {}): Promise<{ calls: string[] }> {
  at = await setup(options)
  const calls: string[] = []
  const range = at.kv.range
  at.kv.range = (request) => (calls.push('list'), range(request))
  const get = at.kv.get
  at.kv.get = (key, request) => (calls.push('get'), get(key, request))
  return { calls }
}

describe('CacheDelegator.getList', () => {
  it('asks the storage for its version only when the cache is fresh enough', async () => {
    const { calls } = await counted()
    await list()
    expect(calls).toEqual(['get'])
  })

  it('asks the storage for the list, too, when the cache is not', async () => {
    const { calls } = await counted()
    at.kv.freeze()
    await at.elsewhere()
    calls.length = 0
    const trace = {}
    const read = at.delegator.getList('/configmaps', { ...listOptions(), trace })
    await at.clock.step(3_000)
    expect((await read).resourceVersion).toBe('2')
    expect(calls).toEqual(['get', 'list'])
    expect(trace).toEqual({ source: 'storage', waitedMs: 3_000, fallback: 'true' })
    expect(at.counter('apiserver_watch_cache_consistent_read_total', { success: 'true', fallback: 'true' })).toBe(1)
  })

  it('passes the error on when the storage fails then', async () => {
    const { calls } = await counted()
    at.kv.freeze()
    await at.elsewhere()
    calls.length = 0
    at.kv.range = () => (calls.push('list'), Promise.reject(new Error('no luck')))
    const read = list().catch((error: Error) => error)
    await at.clock.step(3_000)
    expect(await read).toMatchObject({ message: 'no luck' })
    expect(calls).toEqual(['get', 'list'])
    expect(at.counter('apiserver_watch_cache_consistent_read_total', { success: 'false', fallback: 'true' })).toBe(1)
  })

  it('spares the storage where that is switched on', async () => {
    const { calls } = await counted({ featureGates: new FeatureGates({ overrides: skipFallback }) })
    at.kv.freeze()
    await at.elsewhere()
    calls.length = 0
    const read = list().catch((error: Error) => error)
    await at.clock.step(3_000)
    const error = await read
    expect(error).toMatchObject({ code: 429, retryAfterSeconds: 1 })
    expect(isTooLargeResourceVersion(error)).toBe(false)
    expect(calls).toEqual(['get'])
    expect(at.counter('apiserver_watch_cache_consistent_read_total', { success: 'false', fallback: 'skipped' })).toBe(1)
  })

  it('asks the storage for its version first, so that a failure of that is the answer', async () => {
    const { calls } = await counted()
    at.kv.get = () => (calls.push('get'), Promise.reject(new Error('no luck')))
    await expect(list()).rejects.toThrow('no luck')
    expect(calls).toEqual(['get'])
    expect(at.counter('apiserver_watch_cache_consistent_read_total', { success: 'false', fallback: 'false' })).toBe(1)
  })

  it('takes a continuation without a version for a consistent read', async () => {
    const { calls } = await counted()
    await at.create('a')
    await at.create('b')
    calls.length = 0
    const token = encodeContinue('/configmaps/t1/b', '/configmaps/', -1)
    expect(names(await list('', '', { continue: token }))).toEqual(['b'])
    expect(calls).toEqual(['get'])
    expect(at.counter('apiserver_watch_cache_consistent_read_total', { success: 'true', fallback: 'false' })).toBe(1)
  })

  it('never falls back for a list that is pinned', async () => {
    const { calls } = await counted()
    await at.clock.step(100)
    const reads = [list('9'), list('9', 'NotOlderThan'), list('9', 'Exact'), list('9', '', { limit: 1 })].map((read) =>
      read.catch((error: Error) => error),
    )
    await at.clock.step(3_000)
    for (const error of await Promise.all(reads)) {
      expect(error).toMatchObject({
        message: 'Timeout: Too large resource version: 9, current: 1',
        retryAfterSeconds: 1,
      })
    }
    expect(calls).toEqual([])
  })

  it('lets the storage answer for an exact version that the cache has not kept', async () => {
    const { calls } = await counted()
    await at.create('a')
    at.resource.restart()
    await at.resource.ready()
    await at.create('b')
    calls.length = 0
    expect(names(await list('2', 'Exact'))).toEqual(['a'])
    expect(calls).toEqual([])
    await at.create('c')
    expect((await list('1', 'Exact')).items).toEqual([])
    expect(calls).toEqual(['list'])
  })

  it('keeps the states that its history leads to, and lets the storage answer for older ones', async () => {
    const { calls } = await counted({
      tuning: { history: { capacity: 4, lowerBoundCapacity: 4, upperBoundCapacity: 4 } },
    })
    for (let i = 0; i < 10; i++) await at.create(`o${i}`)
    expect(at.resource.state()).toMatchObject({ historyLength: 4, snapshots: 4 })
    calls.length = 0
    expect((await list('8', 'Exact')).items).toHaveLength(7)
    expect(calls).toEqual([])
    expect((await list('7', 'Exact')).items).toHaveLength(6)
    expect(calls).toEqual(['list'])
  })

  it('lets the storage answer when the state that was waited for was not kept', async () => {
    const { calls } = await counted()
    await at.create('a')
    at.kv.freeze()
    await at.create('b')
    const read = list('3', 'Exact')
    await at.clock.step(500)
    calls.length = 0
    at.delegator.cacher.markConsistent(false)
    at.kv.thaw()
    expect(names(await read)).toEqual(['a', 'b'])
    expect(calls).toEqual(['list'])
  })

  // resourceVersion, match, selector; whether the storage answers.
  it.each<[string, string, object, boolean]>([
    ['', '', {}, false],
    ['', '', { limit: 1 }, true],
    ['', '', { limit: 1, labels: 'a=b' }, false],
    ['', '', { limit: 1, fields: 'metadata.name=a' }, false],
    ['', '', { limit: 1, continue: encodeContinue('/configmaps/t1/a', '/configmaps/', -1) }, true],
    ['0', '', {}, false],
    ['0', '', { limit: 1 }, true],
    ['2', '', {}, false],
    ['2', 'NotOlderThan', { limit: 1 }, true],
    ['2', 'NotOlderThan', { limit: 1, labels: 'a=b' }, false],
    ['2', 'Exact', {}, false],
    ['2', 'Exact', { limit: 1 }, true],
    ['1', 'Exact', {}, true],
    ['9', 'NotOlderThan', {}, false],
  ])('while the cache is not ready, of %j %j %o gives the storage: %j', async (rv, match, selector, answered) => {
    const { calls } = await counted()
    await at.create('a')
    // The states since the cache was filled, at version 2, are there still.
    at.resource.restart()
    await at.resource.ready()
    at.kv.breakWatches({ type: 'compacted', compactRevision: 2 })
    await at.clock.step(0)
    expect(at.resource.state()!.ready).toBe(false)
    calls.length = 0
    const result = await list(rv, match, selector).catch((error: Error) => error)
    if (answered) expect(result).toMatchObject({ items: expect.any(Array) })
    else expect(result).toMatchObject({ code: 429, retryAfterSeconds: 1, message: 'storage is (re)initializing' })
    expect(calls).toEqual(answered ? ['list'] : [])
  })

  it('counts a consistent list that was refused since the cache is not ready', async () => {
    await counted()
    at.resource.restart()
    await expect(list()).rejects.toMatchObject({ code: 429 })
    expect(at.counter('apiserver_watch_cache_consistent_read_total', { success: 'false', fallback: 'false' })).toBe(1)
  })

  it('lets the storage answer for exact versions where no states are kept', async () => {
    const gates = new FeatureGates({ overrides: { ListFromCacheSnapshot: false } })
    const { calls } = await counted({ featureGates: gates })
    await at.create('a')
    const page = await list('', '', { limit: 1 })
    calls.length = 0
    expect(names(await list('2', 'Exact'))).toEqual(['a'])
    expect(calls).toEqual(['list'])
    expect(page.items).toHaveLength(1)
    expect(at.resource.state()!.snapshots).toBe(0)
  })

  it('refuses what makes no sense before it asks anybody', async () => {
    const { calls } = await counted()
    await expect(list('abc')).rejects.toMatchObject({ code: 400 })
    await expect(list('', '', { continue: '%' })).rejects.toMatchObject({ code: 400 })
    await expect(list('5', 'Bogus')).rejects.toThrow('unknown ResourceVersionMatch value: Bogus')
    expect(calls).toEqual([])
  })

  it('does not count a list whose client went away', async () => {
    await counted()
    at.kv.freeze()
    await at.elsewhere()
    const controller = new AbortController()
    const read = at.delegator.getList('/configmaps', { ...listOptions(), signal: controller.signal })
    await at.clock.step(10)
    controller.abort(new Error('gone'))
    await expect(read).rejects.toThrow('gone')
    expect(at.metrics.toText()).not.toContain('consistent_read_total{')
  })
})

describe('CacheDelegator.get', () => {
  it('asks the storage when no version is given, and the cache when one is', async () => {
    await counted()
    await at.create('a')
    at.kv.freeze()
    await at.update('a', { data: 'x' })
    const [latest, any]: object[] = [{}, {}]
    expect((await at.delegator.get(keyOf('a'), { trace: latest })).resourceVersion).toBe(3)
    expect((await at.delegator.get(keyOf('a'), { resourceVersion: '0', trace: any })).resourceVersion).toBe(2)
    expect([latest, any]).toEqual([{ source: 'storage' }, { source: 'cache' }])
  })

  it('says 504 without a pause to keep when the storage, asked for the cache, is not that far', async () => {
    await counted()
    at.resource.restart()
    await expect(at.delegator.get(keyOf('a'), { resourceVersion: '9' })).rejects.toMatchObject({
      code: 504,
      retryAfterSeconds: 0,
    })
  })

  it('fails for a malformed version as a client sees it', async () => {
    await counted()
    await expect(at.delegator.get(keyOf('a'), { resourceVersion: 'abc' })).rejects.toThrow('invalid syntax')
  })
})

describe('CacheDelegator', () => {
  it('offers what the cache has as a first guess, whatever the caller offers', async () => {
    await counted()
    await at.create('a', { data: 'old' })
    const seen: unknown[] = []
    await at.delegator.guaranteedUpdate(keyOf('a'), {
      cachedExistingObject: undefined,
      tryUpdate: (current) => {
        seen.push(current)
        return { object: { ...current!.object, data: { k: 'new' } } as KubeObject }
      },
    })
    expect(seen).toEqual([at.delegator.cacher.watchCache.storage.exact(2).get(keyOf('a'))!.object])
    at.kv.freeze()
    await at.update('a', { data: 'newer' })
    const shown: number[] = []
    const deleted = await at.delegator.delete(keyOf('a'), {
      validateDeletion: (current) => void shown.push(current.resourceVersion),
    })
    expect(deleted.resourceVersion).toBe(5)
    // The stale guess first, the truth when that did not work.
    expect(shown).toEqual([3, 4])
  })

  it('does not let a write change what the cache holds', async () => {
    await counted()
    await at.create('a', { data: 'old' })
    const before = at.delegator.cacher.peek(keyOf('a'))!
    const text = JSON.stringify(before.object)
    await at.delegator.guaranteedUpdate(keyOf('a'), {
      tryUpdate: (current) => ({ object: { ...current!.object, data: { k: 'new' } } as KubeObject }),
    })
    expect(JSON.stringify(before.object)).toBe(text)
  })

  it('still serves what the storage can when its cache is stopped', async () => {
    await counted()
    await at.create('a')
    await at.delegator.cacher.close()
    expect((await at.delegator.get(keyOf('a'))).resourceVersion).toBe(2)
    expect((await at.delegator.get(keyOf('a'), { resourceVersion: '0' })).resourceVersion).toBe(2)
    expect(names(await list('0', '', { limit: 1 }))).toEqual(['a'])
    await expect(list('0')).rejects.toMatchObject({ status: { message: 'apiserver cacher is stopped', code: 429 } })
  })

  it('holds a write when the promise of that write resolves', async () => {
    await counted()
    const { resourceVersion } = await at.delegator.create(keyOf('a'), configMap('a'))
    expect(at.resource.state()!.resourceVersion).toBe(resourceVersion)
    expect(names(await list('0'))).toEqual(['a'])
  })

  it('is a storage like the one under it', async () => {
    await counted()
    const both: Storage[] = [at.delegator, at.storage]
    await at.create('a')
    for (const storage of both) {
      expect(await storage.currentResourceVersion()).toBe(2)
      expect(storage.compactRevision()).toBe(0)
      const watch = await storage.watch('/configmaps', watchOptions('1'))
      expect(brief(watch)).toEqual(['ADDED a 2'])
      watch.stop()
    }
  })
})

describe('createResourceStorage', () => {
  it('works without a cache', async () => {
    await counted()
    const { createResourceStorage } = await import('./resource-storage.ts')
    const plain = createResourceStorage({
      kv: at.kv,
      groupResource: { group: '', resource: 'events' },
      resourcePrefix: '/events',
      watchCache: false,
      clock: at.clock,
    })
    await plain.ready()
    plain.restart()
    expect(plain.state()).toBeUndefined()
    await plain.storage.create('/events/t1/a', configMap('a'))
    expect((await plain.storage.getList('/events/t1', listOptions())).items).toHaveLength(1)
    await plain.close()
  })
})
