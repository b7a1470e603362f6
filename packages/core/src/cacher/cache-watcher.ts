import type { Clock } from '../clock.ts'
import type { KubeObject } from '../meta/types.ts'
import type { CacherMetrics } from '../metrics/cacher.ts'
import type { Watch, WatchEvent } from '../storage/storage.ts'
import type { BookmarkReceiver } from './bookmarks.ts'
import { BoundedQueue } from './bounded-queue.ts'
import { toWatchEvent, type ElementFilter } from './convert.ts'
import { WatchCacheEvent } from './event.ts'
import type { WatchCacheInterval } from './interval.ts'
import { iterateWatch } from '../storage/store-watch.ts'

/** How long before its deadline a watcher gets a last bookmark, in milliseconds. */
const pretimeout = 2_000

/** Options of {@link CacheWatcher}. */
export interface CacheWatcherOptions<T extends KubeObject> {
  readonly clock: Clock
  readonly metrics: CacherMetrics
  /** Room of each of the two queues. */
  readonly size: number
  readonly filter: ElementFilter<T>
  readonly interval: WatchCacheInterval<T>
  /** Events up to this version are not delivered, whatever they are. */
  readonly requiredResourceVersion: number
  /** Changes below this position are covered by the interval. */
  readonly firstIndex: number
  readonly allowWatchBookmarks: boolean
  /** Version of the bookmark that ends the initial events, if there is to be one. */
  readonly initialEventsEnd?: number | undefined
  /** Bookmarks below are of no use to a client that asked for the initial events; 0 for all others. */
  readonly bookmarkAfterResourceVersion: number
  /** When the watch will be ended, in milliseconds since the epoch. */
  readonly deadline?: number | undefined
  /** Removes the watcher from where events are handed out. */
  readonly onForget: (watcher: CacheWatcher<T>) => void
}

/** One change as this watcher sees it, or a bookmark. */
interface InputItem<T extends KubeObject> {
  readonly watchEvent: WatchEvent<T>
  readonly event: WatchCacheEvent<T> | undefined
}

/** What became of an event that was offered. */
export type Offer = 'blocked' | 'queued' | 'delivered' | 'dropped'

/**
 * One client's watch (`pkg/storage/cacher/cache_watcher.go: cacheWatcher`). What comes in goes through two
 * queues with one place, the pump's hand, between them; a client that takes nothing is found out when all
 * three are full. The pump runs synchronously, whenever there is something to move and room for it.
 */
export class CacheWatcher<T extends KubeObject = KubeObject> implements Watch<T>, BookmarkReceiver {
  readonly filter: ElementFilter<T>
  readonly allowWatchBookmarks: boolean
  /** Called when room was made after an event had been refused. */
  onRoom: (() => void) | undefined
  onReadable: (() => void) | undefined

  readonly #clock: Clock
  readonly #metrics: CacherMetrics
  readonly #firstIndex: number
  readonly #deadline: number | undefined
  readonly #bookmarkAfter: number
  readonly #onForget: (watcher: CacheWatcher<T>) => void
  readonly #input: BoundedQueue<InputItem<T>>
  readonly #result: BoundedQueue<WatchEvent<T>>
  #hand: InputItem<T> | undefined
  #interval: WatchCacheInterval<T> | undefined
  #initialEventsEnd: number | undefined
  /** What the interval has covered; does not grow any more once that is read. */
  #resourceVersion: number
  readonly #requiredResourceVersion: number
  #initEvents = 0
  #bookmarkState: 'waiting' | 'received' | 'sent'
  /** Takes in nothing any more. */
  #stopped = false
  /** Delivers what was taken in all the same. */
  #draining = false
  /** Moves nothing any more from the input to the result. */
  #done = false
  /** The pump runs: it does not start again from within, and notifies at its end. */
  #pumping = false

  constructor(options: CacheWatcherOptions<T>) {
    this.filter = options.filter
    this.allowWatchBookmarks = options.allowWatchBookmarks
    this.#clock = options.clock
    this.#metrics = options.metrics
    this.#firstIndex = options.firstIndex
    this.#deadline = options.deadline
    this.#bookmarkAfter = options.bookmarkAfterResourceVersion
    this.#onForget = options.onForget
    this.#input = new BoundedQueue(options.size)
    this.#result = new BoundedQueue(options.size)
    this.#interval = options.interval
    this.#initialEventsEnd = options.initialEventsEnd
    this.#requiredResourceVersion = Math.max(options.requiredResourceVersion, options.interval.resourceVersion)
    this.#resourceVersion = this.#requiredResourceVersion
    this.#bookmarkState = this.#bookmarkAfter > 0 ? 'waiting' : 'sent'
  }

  get stopped(): boolean {
    return this.#stopped
  }

  get ended(): boolean {
    return this.#done && this.#result.length === 0
  }

  /** The bookmark that the client waits for has been taken in and not yet delivered. */
  get bookmarkReceived(): boolean {
    return this.#bookmarkState === 'received'
  }

  /** Begins to read the interval. */
  start(): void {
    this.#pump()
  }

  poll(): WatchEvent<T> | undefined {
    const event = this.#result.shift()
    if (event === undefined) return undefined
    if (!this.#done) {
      const blocked = this.#input.isFull
      this.#pump(true)
      if (blocked && !this.#input.isFull) this.onRoom?.()
    }
    return event
  }

  stop(): void {
    // Whoever stops a watch wants nothing of it any more.
    this.#result.clear()
    this.forget(false)
  }

  [Symbol.asyncIterator](): AsyncIterator<WatchEvent<T>> {
    return iterateWatch(this)
  }

  /**
   * Offers a change, as `watchEvent` to this watcher. `blocked` when there is no room for it
   * (`cache_watcher.go: nonblockingAdd`).
   */
  offer(event: WatchCacheEvent<T>, watchEvent: WatchEvent<T>): Offer {
    if (this.#stopped || event.index < this.#firstIndex || event.resourceVersion <= this.#requiredResourceVersion) {
      return 'dropped'
    }
    if (this.#interval === undefined && this.#hand === undefined && !this.#result.isFull) {
      this.#deliver(watchEvent)
      return 'delivered'
    }
    if (this.#input.isFull) return 'blocked'
    this.#input.push({ watchEvent, event })
    // The interval's end may have been all that was missing.
    this.#pump()
    return 'queued'
  }

  /** Offers a bookmark; it is left out when there is no room for it or nobody wants it. */
  offerBookmark(resourceVersion: number): void {
    if (this.#stopped || resourceVersion < this.#bookmarkAfter || this.#input.isFull) return
    if (this.#bookmarkState === 'waiting') this.#bookmarkState = 'received'
    const watchEvent: WatchEvent<T> = { type: 'BOOKMARK', resourceVersion, initialEventsEnd: false }
    this.#input.push({ watchEvent, event: undefined })
    this.#pump()
  }

  nextBookmarkTime(now: number, frequency: number): number | 'immediately' | undefined {
    if (this.#bookmarkState === 'waiting') return 'immediately'
    const heartbeat = now + frequency
    if (this.#deadline === undefined) return heartbeat
    const time = Math.min(heartbeat, this.#deadline - pretimeout)
    return time < now ? undefined : time
  }

  /**
   * Ends the watch; what has been delivered can still be taken, and with `drain` also what was taken in. The
   * client sees a clean end. May be called again: without `drain` it ends a draining watch, too.
   */
  forget(drain: boolean): void {
    this.#draining = drain
    this.#onForget(this)
    if (!this.#stopped) {
      this.#stopped = true
      if (drain) return this.#pump()
    }
    if (!drain && !this.#done) this.#finish()
  }

  #finish(): void {
    this.#done = true
    this.#hand = undefined
    this.#interval = undefined
    this.#input.clear()
    this.onRoom?.()
    this.#notify()
  }

  /** Moves what can be moved; `quietly` on behalf of a client that is polling. */
  #pump(quietly: boolean = false): void {
    if (this.#pumping || this.#done) return
    this.#pumping = true
    const wasEmpty = this.#result.length === 0
    while (!this.#done) {
      if (this.#hand !== undefined) {
        if (this.#result.isFull) break
        this.#put(this.#hand)
        this.#hand = undefined
      }
      if (!this.#take()) break
    }
    this.#pumping = false
    if (!quietly && (this.#done || (wasEmpty && this.#result.length > 0))) this.#notify()
  }

  /** Takes the next thing into the hand; answers false when there is none. */
  #take(): boolean {
    if (this.#interval !== undefined) return this.#takeInitial()
    const item = this.#input.shift()
    if (item !== undefined) {
      if (item.event !== undefined || this.#wantsBookmark(item.watchEvent)) this.#hand = item
      return true
    }
    if (this.#stopped && this.#draining) this.#finish()
    return false
  }

  #takeInitial(): boolean {
    let item
    try {
      item = this.#interval!.next()
    } catch {
      // What was missing is gone. The client is told when it comes back for it, as by any other end.
      this.#interval = undefined
      this.forget(false)
      return false
    }
    if (item === undefined) {
      this.#interval = undefined
      if (this.#initEvents > 0) this.#metrics.initEvents.inc(this.#initEvents)
      if (this.#initialEventsEnd !== undefined) {
        const watchEvent = {
          type: 'BOOKMARK',
          resourceVersion: this.#initialEventsEnd,
          initialEventsEnd: false,
        } as const
        this.#hand = { watchEvent, event: undefined }
      }
      return true
    }
    this.#initEvents++
    if (item instanceof WatchCacheEvent && item.resourceVersion > this.#resourceVersion) {
      this.#resourceVersion = item.resourceVersion
    }
    const watchEvent = toWatchEvent(item, this.filter)
    if (watchEvent !== undefined) this.#hand = { watchEvent, event: undefined }
    return true
  }

  /** A bookmark that tells nothing new is dropped, unless it is the one the client waits for. */
  #wantsBookmark(bookmark: WatchEvent<T>): boolean {
    if (bookmark.type !== 'BOOKMARK') return true
    const { resourceVersion } = bookmark
    return (
      resourceVersion > this.#resourceVersion ||
      (resourceVersion === this.#resourceVersion && this.#bookmarkState !== 'sent')
    )
  }

  #put(item: InputItem<T>): void {
    const { watchEvent, event } = item
    if (watchEvent.type === 'BOOKMARK') {
      // The first bookmark is the one that ends the initial events, whichever it is.
      const initialEventsEnd = this.#bookmarkState !== 'sent'
      this.#bookmarkState = 'sent'
      this.#result.push({ ...watchEvent, initialEventsEnd })
      return
    }
    this.#result.push(watchEvent)
    if (event !== undefined) observeDispatch(this.#metrics, event, this.#clock.now(), 1)
  }

  #deliver(watchEvent: WatchEvent<T>): void {
    this.#result.push(watchEvent)
    if (this.#result.length === 1) this.#notify()
  }

  #notify(): void {
    if (this.#pumping) return
    try {
      this.onReadable?.()
    } catch (error) {
      // A listener's fault must not keep the event from the other watchers.
      queueMicrotask(() => {
        throw error
      })
    }
  }
}

/** Notes how long an event was on its way to so many watchers. */
export function observeDispatch(metrics: CacherMetrics, event: WatchCacheEvent, now: number, times: number): void {
  const { storageToCache, cacheToWatcher, total } = metrics.dispatchDuration
  const seconds = (ms: number): number => Math.max(0, ms) / 1000
  storageToCache.observe(seconds(event.cacheReceived - event.recordTime), times)
  cacheToWatcher.observe(seconds(now - event.cacheReceived), times)
  total.observe(seconds(now - event.recordTime), times)
}
