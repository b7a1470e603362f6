import { describe, expect, it } from 'vitest'
import { cacherMetrics } from '../metrics/cacher.ts'
import { MetricsRegistry } from '../metrics/registry.ts'
import { FakeClock } from '../testing/fake-clock.ts'
import { CacheWatcher, type CacheWatcherOptions } from './cache-watcher.ts'
import { changeFor, type ElementFilter } from './convert.ts'
import { WatchCacheEvent, type ChangeType, type StoreElement } from './event.ts'
import { StateInterval, type WatchCacheInterval } from './interval.ts'
import { brief, element } from './test-support.ts'

const everything: ElementFilter = () => true
const labelled: ElementFilter = ({ labels }) => labels?.app === 'x'

let nextIndex = 0

function event(type: ChangeType, current: StoreElement, previous?: StoreElement): WatchCacheEvent {
  const made = new WatchCacheEvent(type, current, previous, current.object.resourceVersion, 0, 0)
  made.index = nextIndex++
  return made
}

function added(resourceVersion: number): WatchCacheEvent {
  return event('ADDED', element(`o${resourceVersion}`, resourceVersion))
}

function watcher(options: Partial<CacheWatcherOptions<never>> & { interval?: WatchCacheInterval } = {}) {
  const clock = new FakeClock()
  const registry = new MetricsRegistry()
  let forgotten = 0
  const made = new CacheWatcher({
    clock,
    metrics: cacherMetrics(registry, { group: '', resource: 'configmaps' }),
    size: 10,
    filter: everything,
    interval: new StateInterval(() => [], 0),
    requiredResourceVersion: 0,
    firstIndex: 0,
    allowWatchBookmarks: false,
    bookmarkAfterResourceVersion: 0,
    onForget: () => forgotten++,
    ...(options as Partial<CacheWatcherOptions<never>>),
  } as CacheWatcherOptions<never>) as unknown as CacheWatcher
  made.start()
  const send = (one: WatchCacheEvent): string => {
    const change = changeFor(one, made.filter)
    return change === undefined ? 'nothing' : made.offer(one, one.toWatchEvent(change))
  }
  return { clock, registry, watcher: made, send, forgotten: () => forgotten }
}

describe('CacheWatcher', () => {
  it('tells an object that begins to match as new and one that stops as gone', () => {
    const { watcher: w, send } = watcher({ filter: labelled as never })
    const [plain, match, match2] = [
      element('a', 1),
      element('a', 2, { labels: { app: 'x' }, data: '2' }),
      element('a', 3, { labels: { app: 'x' }, data: '3' }),
    ]
    expect(send(event('ADDED', plain))).toBe('nothing')
    send(event('MODIFIED', match, plain))
    send(event('MODIFIED', match2, match))
    const gone = event('MODIFIED', element('a', 4, { data: '4' }), match2)
    send(gone)
    send(event('MODIFIED', element('a', 5, { labels: { app: 'x' } }), gone.current))
    send(event('DELETED', element('a', 6, { labels: { app: 'x' } }), element('a', 5, { labels: { app: 'x' } })))
    expect(send(event('DELETED', element('b', 7), element('b', 1)))).toBe('nothing')
    const events = []
    for (let one = w.poll(); one !== undefined; one = w.poll()) {
      events.push(one.type === 'DELETED' ? [one.type, one.object.resourceVersion, one.object.object] : one.type)
    }
    expect(events).toEqual([
      'ADDED',
      'MODIFIED',
      // The old content with the version of the change.
      ['DELETED', 4, element('a', 4, { labels: { app: 'x' }, data: '3' }).object.object],
      'ADDED',
      ['DELETED', 6, element('a', 6, { labels: { app: 'x' } }).object.object],
    ])
  })

  it('does not change an object that it makes a deletion of', () => {
    const before = element('a', 3, { labels: { app: 'x' } })
    const { watcher: w, send } = watcher({ filter: labelled as never })
    send(event('MODIFIED', element('a', 4), before))
    expect(brief(w)).toEqual(['DELETED a 4'])
    expect(before.object.object.metadata.resourceVersion).toBe('3')
  })

  it('shares what it tells with every other watcher', () => {
    const [a, b] = [watcher(), watcher()]
    const one = added(5)
    a.send(one)
    b.send(one)
    const [x, y] = [a.watcher.poll(), b.watcher.poll()]
    expect(x).toBe(y)
  })

  it('holds 21 events for a client that takes none', () => {
    const { watcher: w, send } = watcher()
    const offers = Array.from({ length: 22 }, (_, i) => send(added(i + 1)))
    expect(offers.slice(0, 10).every((offer) => offer === 'delivered')).toBe(true)
    expect(offers.slice(10, 21).every((offer) => offer === 'queued')).toBe(true)
    expect(offers[21]).toBe('blocked')
    let room = 0
    w.onRoom = () => room++
    expect(w.poll()).toMatchObject({ type: 'ADDED' })
    expect(room).toBe(1)
    expect(send(added(22))).toBe('queued')
    expect(brief(w)).toEqual(Array.from({ length: 21 }, (_, i) => `ADDED o${i + 2} ${i + 2}`))
  })

  it('tells that there is something to take when there was nothing, and not while it is polled', () => {
    const { watcher: w, send } = watcher()
    let polling = false
    let readable = 0
    w.onReadable = () => {
      expect(polling).toBe(false)
      readable++
    }
    for (let i = 1; i <= 21; i++) send(added(i))
    expect(readable).toBe(1)
    polling = true
    expect(brief(w)).toHaveLength(21)
    polling = false
    send(added(22))
    expect(readable).toBe(2)
  })

  it('gives the initial state before everything else, and counts it', () => {
    const interval = new StateInterval(() => [element('a', 1), element('b', 2)], 7)
    nextIndex = 0
    const { watcher: w, send, registry } = watcher({ interval, size: 1, firstIndex: 1 } as never)
    // The first is covered by the state already.
    expect(send(event('MODIFIED', element('b', 2), element('b', 1)))).toBe('dropped')
    expect(send(event('ADDED', element('c', 8)))).toBe('queued')
    expect(brief(w)).toEqual(['ADDED a 1', 'ADDED b 2', 'ADDED c 8'])
    expect(registry.toText()).toContain('apiserver_init_events_total{group="",resource="configmaps"} 2\n')
  })

  it('does not read the state before it is taken', () => {
    let taken = 0
    const interval: WatchCacheInterval = {
      resourceVersion: 7,
      next: () => (taken++ < 100 ? element(`o${taken}`, taken) : undefined),
    }
    const { watcher: w } = watcher({ interval } as never)
    // Ten in the result and one in the hand.
    expect(taken).toBe(11)
    w.poll()
    expect(taken).toBe(12)
  })

  it('drops events that are not newer than what the client asked for', () => {
    const { watcher: w, send } = watcher({ requiredResourceVersion: 9 })
    expect(send(added(9))).toBe('dropped')
    send(added(10))
    expect(brief(w)).toEqual(['ADDED o10 10'])
  })

  it('tells two events of one version that come after its beginning', () => {
    const { watcher: w, send } = watcher({ interval: new StateInterval(() => [], 5) as never })
    send(event('DELETED', element('a', 6), element('a', 1)))
    send(event('DELETED', element('b', 6), element('b', 2)))
    expect(brief(w)).toEqual(['DELETED a 6', 'DELETED b 6'])
  })

  it('ends without an error when its history is gone', () => {
    const interval: WatchCacheInterval = {
      resourceVersion: 7,
      next: () => {
        throw new Error('cache interval invalidated')
      },
    }
    const { watcher: w, forgotten } = watcher({ interval } as never)
    expect(w.ended).toBe(true)
    expect(w.poll()).toBeUndefined()
    expect(forgotten()).toBe(1)
  })

  describe('stops', () => {
    it('after what has been delivered, and drops what has not', () => {
      const { watcher: w, send } = watcher({ size: 2 })
      for (let i = 1; i <= 5; i++) send(added(i))
      w.forget(false)
      w.forget(false)
      expect(send(added(6))).toBe('dropped')
      expect(w.ended).toBe(false)
      expect(brief(w)).toEqual(['ADDED o1 1', 'ADDED o2 2'])
      expect(w.ended).toBe(true)
    })

    it('after all it has taken in when it is to drain', () => {
      const { watcher: w, send } = watcher({ size: 1 })
      for (let i = 1; i <= 3; i++) send(added(i))
      w.forget(true)
      expect(send(added(4))).toBe('dropped')
      expect(brief(w)).toEqual(['ADDED o1 1', 'ADDED o2 2', 'ADDED o3 3'])
      expect(w.ended).toBe(true)
    })

    it('at once when the client goes while it drains', () => {
      const { watcher: w, send } = watcher({ size: 1 })
      for (let i = 1; i <= 3; i++) send(added(i))
      w.forget(true)
      w.stop()
      expect(w.ended).toBe(true)
      expect(w.poll()).toBeUndefined()
    })

    it('and tells its client', () => {
      const { watcher: w } = watcher()
      let readable = 0
      w.onReadable = () => readable++
      w.forget(false)
      expect(readable).toBe(1)
      expect(w.ended).toBe(true)
    })
  })

  describe('sends bookmarks', () => {
    it('that are newer than what it began with', () => {
      const { watcher: w } = watcher({ interval: new StateInterval(() => [], 5) as never, allowWatchBookmarks: true })
      w.offerBookmark(5)
      w.offerBookmark(6)
      w.offerBookmark(6)
      expect(brief(w)).toEqual(['BOOKMARK 6', 'BOOKMARK 6'])
    })

    it('marking the first that a client waits for', () => {
      const { watcher: w } = watcher({ bookmarkAfterResourceVersion: 10, allowWatchBookmarks: true })
      expect(w.nextBookmarkTime(0, 60_000)).toBe('immediately')
      w.offerBookmark(9)
      expect(brief(w)).toEqual([])
      w.offerBookmark(10)
      expect(w.nextBookmarkTime(0, 60_000)).toBe(60_000)
      w.offerBookmark(11)
      expect(brief(w)).toEqual(['END 10', 'BOOKMARK 11'])
    })

    it('at the end of the initial state, once', () => {
      const interval = new StateInterval(() => [element('a', 1)], 7) as never
      const { watcher: w } = watcher({
        interval,
        initialEventsEnd: 7,
        bookmarkAfterResourceVersion: 7,
        allowWatchBookmarks: true,
      })
      w.offerBookmark(7)
      expect(brief(w)).toEqual(['ADDED a 1', 'END 7'])
      w.offerBookmark(8)
      expect(brief(w)).toEqual(['BOOKMARK 8'])
    })

    it('and misses one when there is no room', () => {
      const { watcher: w, send } = watcher({ size: 1, allowWatchBookmarks: true })
      for (let i = 1; i <= 3; i++) send(added(i))
      w.offerBookmark(9)
      expect(brief(w)).toEqual(['ADDED o1 1', 'ADDED o2 2', 'ADDED o3 3'])
    })

    it('and delivers the one that was awaited, received and not sent, when it drains', () => {
      const { watcher: w, send } = watcher({ size: 2, bookmarkAfterResourceVersion: 10, allowWatchBookmarks: true })
      for (const version of [1, 2, 5]) send(added(version))
      w.offerBookmark(10)
      expect(w.bookmarkReceived).toBe(true)
      send(added(15))
      w.forget(w.bookmarkReceived)
      expect(brief(w)).toEqual(['ADDED o1 1', 'ADDED o2 2', 'ADDED o5 5', 'END 10', 'ADDED o15 15'])
    })

    it('every minute, two seconds before the deadline, and no more after that', () => {
      const { watcher: w } = watcher({ deadline: 100_000, allowWatchBookmarks: true })
      expect(w.nextBookmarkTime(0, 60_000)).toBe(60_000)
      expect(w.nextBookmarkTime(60_000, 60_000)).toBe(98_000)
      expect(w.nextBookmarkTime(98_000, 60_000)).toBe(98_000)
      expect(w.nextBookmarkTime(98_001, 60_000)).toBeUndefined()
    })
  })

  it('keeps the fault of a listener to itself', async () => {
    const { watcher: w, send } = watcher()
    const thrown: unknown[] = []
    const listener = (error: unknown): void => void thrown.push(error)
    const others = process.listeners('uncaughtException')
    process.removeAllListeners('uncaughtException')
    process.on('uncaughtException', listener)
    w.onReadable = () => {
      throw new Error('mine')
    }
    expect(send(added(1))).toBe('delivered')
    await new Promise((resolve) => setImmediate(resolve))
    process.removeListener('uncaughtException', listener)
    for (const other of others) process.on('uncaughtException', other)
    expect(thrown).toMatchObject([{ message: 'mine' }])
  })

  it('can be iterated, and stops when the loop is left', async () => {
    const { watcher: w, send } = watcher()
    send(added(1))
    send(added(2))
    for await (const one of w) {
      if (one.type === 'ADDED' && one.object.resourceVersion === 2) break
    }
    expect(w.stopped).toBe(true)
  })
})
