import { afterEach, describe, expect, it } from 'vitest'
import { cacherMetrics } from '../metrics/cacher.ts'
import { MetricsRegistry } from '../metrics/registry.ts'
import { FakeClock } from '../testing/fake-clock.ts'
import { Dispatcher } from './dispatcher.ts'
import { WatchCacheEvent } from './event.ts'
import { brief, configMap, element, keyOf, setup, watchOptions, type Setup } from './test-support.ts'
import { IndexedWatchers } from './watchers.ts'
import { yieldMacrotask } from './yield-macrotask.ts'

let at: Setup
afterEach(() => at.close())

const watch = (rv = '1', options = {}) => at.delegator.watch('/configmaps/t1', watchOptions(rv, options))

describe('Dispatcher', () => {
  it('hands an event over within the call that brings it', async () => {
    at = await setup()
    const watcher = await watch()
    let seen: string[] = []
    watcher.onReadable = () => (seen = brief(watcher))
    const writing = at.create('a')
    await Promise.resolve()
    await writing
    expect(seen).toEqual(['ADDED a 2'])
  })

  it('does not let a stuck watcher keep events from one that reads', async () => {
    at = await setup()
    await watch()
    const reading = await watch()
    const taken: string[] = []
    reading.onReadable = () => taken.push(...brief(reading))
    for (let i = 0; i < 50; i++) await at.create(`o${i}`)
    await at.clock.step(1_000)
    expect(taken).toEqual(Array.from({ length: 50 }, (_, i) => `ADDED o${i} ${i + 2}`))
    expect(at.counter('apiserver_terminated_watchers_total')).toBe(1)
  })

  it('spends its budget once on any number of stuck watchers', async () => {
    at = await setup()
    for (let i = 0; i < 50; i++) await watch()
    await at.clock.step(60_000)
    const start = at.clock.now()
    for (let i = 0; i < 30; i++) await at.create(`o${i}`)
    let spent: number | undefined
    const reading = await watch('31')
    reading.onReadable = () => (spent ??= at.clock.now() - start)
    await at.create('last')
    await at.clock.step(1_000)
    expect(spent).toBe(100)
    expect(at.counter('apiserver_terminated_watchers_total')).toBe(50)
    expect(at.resource.state()!.watchers).toBe(1)
  })

  it('lets a watcher that it ends deliver the end of the initial events that it has taken in', async () => {
    at = await setup()
    for (let i = 10; i < 22; i++) await at.create(`o${i}`)
    const initial = { sendInitialEvents: true, allowWatchBookmarks: true }
    const slow = await at.delegator.watch('/configmaps/t1', watchOptions('', initial))
    // A bookmark comes in behind the initial events.
    await at.clock.step(2_000)
    for (let i = 22; i < 32; i++) await at.create(`o${i}`)
    await at.clock.step(1_000)
    expect(at.counter('apiserver_terminated_watchers_total')).toBe(1)
    expect(at.resource.state()!.watchers).toBe(0)
    const added = Array.from({ length: 21 }, (_, i) => `ADDED o${i + 10} ${i + 2}`)
    expect(brief(slow)).toEqual([...added.slice(0, 12), 'END 13', ...added.slice(12)])
    expect(slow.ended).toBe(true)
  })

  it('gives a watcher the time to make room that the budget has', async () => {
    at = await setup()
    const slow = await watch()
    await at.clock.step(60_000)
    const timers = at.clock.pendingTimers
    for (let i = 0; i < 22; i++) await at.create(`o${i}`)
    await at.clock.step(99)
    expect(brief(slow)).toHaveLength(21)
    await at.clock.step(0)
    expect(brief(slow)).toEqual(['ADDED o21 23'])
    await at.clock.step(1_000)
    expect(at.resource.state()!.watchers).toBe(1)
    expect(at.clock.pendingTimers).toBe(timers)
  })

  it('kills no watcher that reads in a burst of 1 000 events at once', async () => {
    at = await setup()
    const watcher = await watch()
    const taken: string[] = []
    const reading = (async () => {
      for await (const event of watcher) {
        if (event.type !== 'ADDED') continue
        taken.push(event.object.object.metadata.name!)
        if (taken.length === 1_000) return
      }
    })()
    at.kv.freeze()
    for (let i = 0; i < 1_000; i++) await at.create(`o${i}`)
    // All of them come within one call, with no chance for the reader in between.
    at.kv.thaw()
    await reading
    expect(taken).toEqual(Array.from({ length: 1_000 }, (_, i) => `o${i}`))
    expect(at.counter('apiserver_terminated_watchers_total')).toBe(0)
  })

  it('tells a watch that starts while events are queued each of them once', async () => {
    at = await setup()
    await watch()
    await at.clock.step(60_000)
    for (let i = 0; i < 30; i++) await at.create(`o${i}`)
    // Its history holds what is still queued for the stuck one.
    const late = await watch('1')
    const taken = brief(late)
    late.onReadable = () => taken.push(...brief(late))
    await at.clock.step(1_000)
    await at.create('last')
    expect(taken).toEqual([...Array.from({ length: 30 }, (_, i) => `ADDED o${i} ${i + 2}`), 'ADDED last 32'])
  })

  it('lets the cache fall behind while it waits, and catch up', async () => {
    at = await setup()
    await watch()
    await at.clock.step(60_000)
    for (let i = 0; i < 200; i++) await at.create(`o${i}`)
    // 21 taken in, one waits, 100 in the queue; the rest stays with the storage.
    expect(at.resource.state()!.resourceVersion).toBe(1 + 21 + 1 + 50)
    await at.clock.step(100)
    expect(at.resource.state()!.resourceVersion).toBe(201)
  })

  it('offers a change only to those it may concern', async () => {
    at = await setup({
      trigger: { field: 'spec.nodeName', value: (object) => (object as { data?: { k?: string } }).data?.k ?? '' },
      getAttributes: (object) => {
        const { labels, name = '', namespace = '' } = object.metadata
        const node = (object as { data?: { k?: string } }).data?.k ?? ''
        return { labels, fields: { 'metadata.name': name, 'metadata.namespace': namespace, 'spec.nodeName': node } }
      },
    })
    const node = (name: string) =>
      at.delegator.watch(
        '/configmaps',
        watchOptions('1', { fields: `spec.nodeName=${name}`, indexFields: ['spec.nodeName'] }),
      )
    const [n1, n2] = [await node('n1'), await node('n2')]
    const named = await at.delegator.watch('/configmaps', watchOptions('1', { fields: 'metadata.name=a' }))
    const namespaced = await at.delegator.watch('/configmaps/t2', watchOptions('1', { namespace: 't2' }))
    await at.create('a', { data: 'n1' })
    await at.update('a', { data: 'n2' })
    await at.update('a', { data: 'n2', labels: { app: 'x' } })
    await at.create('b', { namespace: 't2', data: 'n3' })
    expect(brief(n1)).toEqual(['ADDED a 2', 'DELETED a 3'])
    expect(brief(n2)).toEqual(['ADDED a 3', 'MODIFIED a 4'])
    expect(brief(named)).toEqual(['ADDED a 2', 'MODIFIED a 3', 'MODIFIED a 4'])
    expect(brief(namespaced)).toEqual(['ADDED b 5'])
  })

  it('ends a watcher that stops while an event is handed out', async () => {
    at = await setup()
    const watchers = await Promise.all([watch(), watch(), watch()])
    for (const watcher of watchers) watcher.onReadable = () => watchers.forEach((other) => other.stop())
    await at.create('a')
    expect(watchers.map((watcher) => watcher.ended)).toEqual([true, true, true])
    expect(at.resource.state()!.watchers).toBe(0)
    await at.create('b')
  })

  it('lets a watcher write from within its notification', async () => {
    at = await setup()
    const watcher = await watch()
    const seen: string[] = []
    let written: Promise<unknown> | undefined
    watcher.onReadable = () => {
      seen.push(...brief(watcher))
      written ??= at.delegator.create(keyOf('b'), configMap('b'))
    }
    await at.create('a')
    await written
    await at.clock.step(0)
    expect(seen).toEqual(['ADDED a 2', 'ADDED b 3'])
  })

  it.each([
    ['after a turn', [], { version: 256, dispatched: 256 }],
    ['but not between events of one version', [257, 258], { version: 256, dispatched: 258 }],
  ])('sends bookmarks that are due %s, though there is more to hand out', async (_when, same: number[], expected) => {
    const clock = new FakeClock()
    const metrics = cacherMetrics(new MetricsRegistry(), { group: '', resource: 'configmaps' })
    const bookmarks: object[] = []
    const dispatcher = new Dispatcher({
      clock,
      metrics,
      watchers: new IndexedWatchers(),
      onBookmarks: (version) => void bookmarks.push({ version, dispatched: metrics.eventsDispatched.value }),
    })
    let version = 0
    for (let event = 1; event <= 300; event++) {
      if (!same.includes(event)) version = event
      dispatcher.event(new WatchCacheEvent('ADDED', element('a', version), undefined, version, 0, 0))
    }
    dispatcher.bookmarks()
    expect(bookmarks).toEqual([])
    await yieldMacrotask()
    expect(bookmarks).toEqual([expected])
  })

  it('counts an event and the version it brings', async () => {
    at = await setup()
    await at.create('a')
    await at.create('b')
    expect(at.counter('apiserver_watch_cache_events_received_total')).toBe(2)
    expect(at.counter('apiserver_watch_cache_events_dispatched_total')).toBe(4)
    await at.delegator.requestWatchProgress()
    expect(at.counter('apiserver_watch_cache_events_dispatched_total')).toBe(5)
  })

  it('never takes a watcher back in time', async () => {
    at = await setup()
    for (let i = 0; i < 5; i++) await at.create(`o${i}`)
    for (let round = 0; round < 20; round++) {
      const watcher = await watch(String(2 + (round % 4)))
      await at.update(`o${round % 5}`, { data: String(round) })
      const versions = brief(watcher).map((text) => Number(text.split(' ')[2]))
      expect(versions).toEqual(versions.toSorted((a, b) => a - b))
      expect(new Set(versions).size).toBe(versions.length)
      expect(versions[0]).toBeGreaterThan(2 + (round % 4))
      watcher.stop()
    }
  })
})
