import { afterEach, describe, expect, it } from 'vitest'
import type { StatusError } from '../errors/status.ts'
import { FeatureGates } from '../features/feature-gates.ts'
import type { ReadTrace } from '../storage/storage.ts'
import { brief, keyOf, listOptions, names, setup, watchOptions, type Setup } from './test-support.ts'

let at: Setup
afterEach(() => at.close())

/** Follows a promise without waiting for it. */
function follow<R>(promise: Promise<R>): { value?: R; error?: StatusError; at?: number } {
  const result: { value?: R; error?: StatusError; at?: number } = {}
  const start = at.clock.now()
  promise.then(
    (value) => Object.assign(result, { value, at: at.clock.now() - start }),
    (error: StatusError) => Object.assign(result, { error, at: at.clock.now() - start }),
  )
  return result
}

const list = (rv = '', match = '', selector = {}) =>
  at.delegator.getList('/configmaps/t1', listOptions(rv, match, selector))

function tokenOf(text: string): unknown {
  return JSON.parse(atob(text.replace(/-/g, '+').replace(/_/g, '/')))
}

describe('A cache and its clients', () => {
  it('W1: reads its own write after a small lag', async () => {
    at = await setup()
    await at.create('a')
    at.kv.lag = 300
    const order: string[] = []
    const watch = await at.delegator.watch('/configmaps/t1', watchOptions('2'))
    watch.onReadable = () => order.push(...brief(watch))
    const written = await at.create('b')
    const trace: ReadTrace = {}
    const read = follow(at.delegator.getList('/configmaps/t1', { ...listOptions(String(written)), trace }))
    await at.clock.step(299)
    expect(at.resource.state()).toMatchObject({ resourceVersion: 2, waiters: 1 })
    await at.clock.step(1)
    expect(read.at).toBe(300)
    expect(names(read.value!)).toEqual(['a', 'b'])
    expect(read.value!.resourceVersion).toBe('3')
    expect(order).toEqual(['ADDED b 3'])
    expect(trace).toEqual({ source: 'cache', waitedMs: 300 })
    expect([at.waits().count, at.waits().sum]).toEqual([1, 0.3])
  })

  it('W2: hears of a write to another resource by asking', async () => {
    at = await setup()
    await at.create('a')
    await at.clock.step(1_000)
    const elsewhere = await at.elsewhere()
    expect(at.resource.state()!.resourceVersion).toBe(elsewhere - 1)
    const read = await list()
    expect(read.resourceVersion).toBe(String(elsewhere))
    expect(names(read)).toEqual(['a'])
    expect(at.counter('apiserver_watch_cache_consistent_read_total', { success: 'true', fallback: 'false' })).toBe(1)
    expect(at.waits().count).toBe(1)
  })

  it('W2: asks at most every 100 ms while it is not told', async () => {
    at = await setup()
    let asked = 0
    const ask = at.kv.requestProgress
    at.kv.requestProgress = () => (asked++, ask())
    await at.clock.step(1_000)
    at.kv.freeze()
    await at.elsewhere()
    const read = follow(list())
    await at.clock.step(250)
    expect(asked).toBe(3)
    at.kv.thaw()
    await at.clock.step(0)
    expect(read.value?.resourceVersion).toBe('2')
    await at.clock.step(1_000)
    expect(asked).toBe(3)
  })

  it('W2: lets the storage answer where it cannot ask', async () => {
    at = await setup({ supportsProgress: false })
    await at.create('a')
    const elsewhere = await at.elsewhere()
    const trace: ReadTrace = {}
    const read = await at.delegator.getList('/configmaps/t1', { ...listOptions(), trace })
    expect(read.resourceVersion).toBe(String(elsewhere))
    expect(trace).toEqual({ source: 'storage' })
    expect(at.waits().count).toBe(0)
  })

  it('W3: answers from a frozen cache what a frozen cache can', async () => {
    at = await setup()
    for (const name of ['a', 'b', 'c']) await at.create(name)
    at.kv.freeze()
    await at.create('d')
    await at.create('e')
    await at.clock.step(1_000)

    expect(await list('0')).toMatchObject({ resourceVersion: '4', items: { length: 3 } })
    const unset = follow(list())
    const limited = follow(list('', '', { limit: 2 }))
    const pinned = follow(list('6'))
    const get = follow(at.delegator.get(keyOf('e')))
    const getPinned = follow(at.delegator.get(keyOf('e'), { resourceVersion: '6' }))
    const watch = follow(
      at.delegator.watch('/configmaps/t1', watchOptions('', { sendInitialEvents: true, allowWatchBookmarks: true })),
    )
    await at.clock.step(0)
    expect(get).toMatchObject({ at: 0, value: { resourceVersion: 6 } })
    await expect(at.delegator.get(keyOf('e'), { resourceVersion: '0' })).rejects.toThrow('key not found')
    await at.clock.step(2_999)
    expect([unset.at, limited.at, pinned.at, watch.at]).toEqual([undefined, undefined, undefined, undefined])
    await at.clock.step(1)

    expect(unset).toMatchObject({ at: 3_000, value: { resourceVersion: '6', items: { length: 5 } } })
    expect(limited).toMatchObject({ at: 3_000, value: { resourceVersion: '6', remainingItemCount: 3 } })
    expect(tokenOf(limited.value!.continue)).toEqual({ v: 'meta.k8s.io/v1', rv: 6, start: 'b\0' })
    for (const refused of [pinned.error, getPinned.error]) {
      expect(refused!.status).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'Timeout: Too large resource version: 6, current: 4',
        reason: 'Timeout',
        details: {
          causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
          retryAfterSeconds: 1,
        },
        code: 504,
      })
    }
    expect(watch.at).toBe(3_000)
    expect(brief(watch.value!)).toEqual(['ERROR 504 Timeout: Too large resource version: 6, current: 4'])
    expect(watch.value!.ended).toBe(true)
    expect(at.counter('apiserver_watch_cache_consistent_read_total', { success: 'true', fallback: 'true' })).toBe(2)
    expect(at.waits().count).toBe(5)
  })

  it('W3: answers 429 instead of asking the storage where that is switched on', async () => {
    const name = 'ConsistentListFromCacheSkipTimeoutFallback'
    at = await setup({ featureGates: new FeatureGates({ overrides: { [name]: true } }) })
    at.kv.freeze()
    await at.create('a')
    const trace: ReadTrace = {}
    const unset = follow(at.delegator.getList('/configmaps/t1', { ...listOptions(), trace }))
    const pinned = follow(list('2'))
    await at.clock.step(3_000)
    expect(unset.error!.status).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Timeout: Too large resource version: 2, current: 1',
      reason: 'TooManyRequests',
      details: { retryAfterSeconds: 1 },
      code: 429,
    })
    expect(trace).toEqual({ source: 'cache', waitedMs: 3_000, fallback: 'skipped' })
    expect(pinned.error!.code).toBe(504)
    expect(at.counter('apiserver_watch_cache_consistent_read_total', { success: 'false', fallback: 'skipped' })).toBe(1)
  })

  it('W4: pages through one state while that is kept anywhere', async () => {
    let compacted = 0
    at = await setup({ compactor: { compactRevision: () => compacted } })
    for (const name of ['a', 'b', 'c', 'd']) await at.create(name)
    const first = await list('', '', { limit: 2 })
    expect(names(first)).toEqual(['a', 'b'])
    expect(first.remainingItemCount).toBe(2)
    expect(tokenOf(first.continue)).toEqual({ v: 'meta.k8s.io/v1', rv: 5, start: '/b\0' })
    await at.create('aa')
    await at.remove('c')

    const next = (): ReturnType<typeof list> => list('', '', { limit: 2, continue: first.continue })
    const fromCache = await next()
    expect([names(fromCache), fromCache.resourceVersion, fromCache.continue]).toEqual([['c', 'd'], '5', ''])

    // The cache hears that the state is gone from the storage, which still has it.
    compacted = 7
    await at.clock.step(15_000)
    const trace: ReadTrace = {}
    const options = { ...listOptions('', '', { limit: 2, continue: first.continue }), trace }
    const fromStorage = await at.delegator.getList('/configmaps/t1', options)
    expect([names(fromStorage), fromStorage.resourceVersion, trace.source]).toEqual([['c', 'd'], '5', 'storage'])

    await at.kv.compact(7)
    const refused = await next().then(
      () => undefined,
      (error: StatusError) => error,
    )
    expect(refused!.code).toBe(410)
    const goOn = refused!.status.metadata.continue!
    expect(tokenOf(goOn)).toEqual({ v: 'meta.k8s.io/v1', rv: -1, start: 'b\0' })
    const rest = await list('', '', { limit: 1, continue: goOn })
    expect([names(rest), rest.resourceVersion]).toEqual([['d'], '7'])
    await at.create('e')
    const more = await list('', '', { limit: 1, continue: goOn })
    expect([names(more), more.resourceVersion, tokenOf(more.continue)]).toEqual([
      ['d'],
      '8',
      { v: 'meta.k8s.io/v1', rv: 8, start: '/d\0' },
    ])
  })

  it('W5: starts over when it falls behind a compaction', async () => {
    at = await setup()
    await at.create('a')
    const watch = await at.delegator.watch('/configmaps/t1', watchOptions('2'))
    // The storage ends the watch as it does when what it should tell next is compacted.
    at.kv.freeze()
    for (const name of ['b', 'c', 'd']) await at.create(name)
    await at.kv.compact(5)
    at.kv.breakWatches({ type: 'compacted', compactRevision: 5 })
    await at.clock.step(0)
    expect(at.resource.state()!.ready).toBe(false)
    expect(watch.ended).toBe(false)
    await expect(list()).rejects.toMatchObject({ status: { code: 429, details: { retryAfterSeconds: 1 } } })
    await expect(at.delegator.watch('/configmaps/t1', watchOptions('2'))).rejects.toMatchObject({ code: 429 })
    expect(names(await list('', '', { limit: 10 }))).toEqual(['a', 'b', 'c', 'd'])
    expect((await at.delegator.get(keyOf('d'), { resourceVersion: '0' })).resourceVersion).toBe(5)

    at.kv.thaw()
    await at.clock.step(1_000)
    expect(watch.ended).toBe(true)
    expect(brief(watch)).toEqual([])
    expect(at.resource.state()).toMatchObject({ ready: true, listResourceVersion: 5 })
    const again = await at.delegator.watch('/configmaps/t1', watchOptions('2'))
    expect(brief(again)).toEqual(['ERROR 410 too old resource version: 2 (5)'])
    expect(at.counter('apiserver_watch_cache_initializations_total')).toBe(2)
  })

  it('W6: ends a watcher that takes nothing, and waits for it once', async () => {
    at = await setup()
    const stuck = await at.delegator.watch('/configmaps/t1', watchOptions('1'))
    const reading = await at.delegator.watch('/configmaps/t1', watchOptions('1'))
    const taken: string[] = []
    reading.onReadable = () => taken.push(...brief(reading))
    await at.clock.step(1_000)
    for (let i = 0; i < 21; i++) await at.create(`o${i}`)
    await at.clock.step(0)
    expect(taken).toHaveLength(21)
    expect(stuck.ended).toBe(false)
    await at.create('o21')
    await at.create('o22')
    await at.clock.step(49)
    // The cache has both; the second waits for the watcher, too.
    expect(at.resource.state()!.resourceVersion).toBe(24)
    expect(taken).toHaveLength(22)
    expect(at.resource.state()!.watchers).toBe(2)
    await at.clock.step(1)
    expect(taken).toHaveLength(23)
    expect(at.resource.state()!.watchers).toBe(1)
    expect(at.counter('apiserver_terminated_watchers_total')).toBe(1)
    // What it had been given it can still take, without a gap.
    expect(brief(stuck)).toEqual(Array.from({ length: 10 }, (_, i) => `ADDED o${i} ${i + 2}`))
    expect(stuck.ended).toBe(true)
  })

  it('W7: gives a watch-list its state, its end, and then what happens, nothing twice', async () => {
    at = await setup()
    for (const name of ['a', 'b', 'c']) await at.create(name)
    for (let i = 0; i < 3; i++) await at.elsewhere()
    await at.clock.step(100)
    await list()
    const options = watchOptions('', { sendInitialEvents: true, allowWatchBookmarks: true })
    const watch = await at.delegator.watch('/configmaps/t1', options)
    const seen = [watch.poll()!].map((event) => event.type)
    expect(seen).toEqual(['ADDED'])
    await at.create('d')
    await at.update('a', { data: 'x' })
    expect(brief(watch)).toEqual(['ADDED b 3', 'ADDED c 4', 'END 7', 'ADDED d 8', 'MODIFIED a 9'])
  })

  it('W8: follows an object in and out of a selector', async () => {
    at = await setup()
    const deadline = at.clock.now() + 6_000
    const watch = await at.delegator.watch(
      '/configmaps/t1',
      watchOptions('1', { labels: 'app=x', allowWatchBookmarks: true, deadline }),
    )
    const created = await at.create('a', { labels: { app: 'x' }, data: 'old' })
    const relabelled = await at.update('a', { labels: { app: 'y' }, data: 'new' })
    await at.remove('a')
    const elsewhere = await at.create('b', { namespace: 't2' })
    const first = watch.poll()
    const second = watch.poll()
    expect(first).toMatchObject({ type: 'ADDED', object: { resourceVersion: created } })
    expect(second).toMatchObject({
      type: 'DELETED',
      object: { resourceVersion: relabelled, object: { metadata: { labels: { app: 'x' } }, data: { k: 'old' } } },
    })
    expect(brief(watch)).toEqual([])
    await at.clock.step(4_399)
    expect(brief(watch)).toEqual([])
    await at.clock.step(1)
    expect(brief(watch)).toEqual([`BOOKMARK ${elsewhere}`])
  })
})
