import { newResourceExpired } from '../errors/api-errors.ts'

/** How long events are kept at least, in milliseconds (`pkg/storage/cacher/cacher.go: DefaultEventFreshDuration`). */
export const defaultEventFreshDuration = 75_000

/** Least capacity of the ring (`watch_cache_history.go: defaultLowerBoundCapacity`). */
const defaultLowerBoundCapacity = 100

/** Greatest capacity of the ring for the default duration (`watch_cache_history.go: defaultUpperBoundCapacity`). */
const defaultUpperBoundCapacity: number = 102_400

/** Least room of a new watcher's queues (`watch_cache_history.go: minWatchChanSize`). */
const minWatchChanSize = 10
const maxWatchChanSizeWithIndexAndTrigger = 10
const maxWatchChanSizeWithIndexWithoutTrigger = 1000
const maxWatchChanSizeWithoutIndex = 100

/** What the ring holds: something with a version and the time it was learnt of. */
export interface HistoryEvent {
  readonly resourceVersion: number
  /** Milliseconds since the epoch. */
  readonly recordTime: number
}

/** Options of {@link WatchCacheHistory}. */
export interface HistoryOptions {
  /** How long events should be kept, in milliseconds; default and least {@link defaultEventFreshDuration}. */
  readonly eventFreshDuration?: number
  readonly lowerBoundCapacity?: number
  readonly upperBoundCapacity?: number
  /** Initial capacity; default the lower bound. */
  readonly capacity?: number
  /** The capacity has changed, or (`from` 0) has been set for the first time. */
  readonly onResize?: (to: number, from: number) => void
}

/** A stretch of the ring, `[start, end)`. */
export interface HistoryRange {
  readonly start: number
  readonly end: number
}

/**
 * Recent events, for watches that start in the past (`pkg/storage/cacher/watch_cache_history.go`). A ring
 * that grows and shrinks so as to hold about {@link HistoryOptions.eventFreshDuration} of them. Events are
 * known by an index that only grows; an index below {@link WatchCacheHistory.startIndex} is gone for good.
 */
export class WatchCacheHistory<E extends HistoryEvent> {
  readonly #fresh: number
  readonly #lower: number
  readonly #upper: number
  readonly #onResize: ((to: number, from: number) => void) | undefined
  #ring: (E | undefined)[]
  #start = 0
  #end = 0
  #removedSinceRelist = false

  constructor(options: HistoryOptions = {}) {
    this.#fresh = options.eventFreshDuration ?? defaultEventFreshDuration
    this.#lower = options.lowerBoundCapacity ?? defaultLowerBoundCapacity
    this.#upper = options.upperBoundCapacity ?? capacityUpperBound(this.#fresh)
    this.#onResize = options.onResize
    this.#ring = slots(options.capacity ?? this.#lower)
    this.#onResize?.(this.capacity, 0)
  }

  get capacity(): number {
    return this.#ring.length
  }

  /** Index of the oldest event kept. */
  get startIndex(): number {
    return this.#start
  }

  /** Index that the next event gets. */
  get endIndex(): number {
    return this.#end
  }

  get length(): number {
    return this.#end - this.#start
  }

  get isFull(): boolean {
    return this.#end === this.#start + this.#ring.length
  }

  /** The oldest event kept. */
  get oldest(): E | undefined {
    return this.#start === this.#end ? undefined : this.at(this.#start)
  }

  /** The event of that index, which must be kept still. */
  at(index: number): E {
    return this.#ring[index % this.#ring.length]!
  }

  /** Adds an event and answers its index. */
  append(event: E): number {
    this.#resize(event.recordTime)
    if (this.isFull) {
      this.#start++
      this.#removedSinceRelist = true
    }
    this.#ring[this.#end % this.#ring.length] = event
    return this.#end++
  }

  /** Forgets everything, after the cache has been filled anew. Indexes go on. */
  reset(): void {
    this.#start = this.#end
    this.#removedSinceRelist = false
    this.#ring.fill(undefined)
  }

  /**
   * The events after `resourceVersion`. Throws 410 Expired when some of them are gone
   * (`watch_cache_history.go: getAllEventsSinceLocked`).
   *
   * @param listResourceVersion version of the list that the cache was last filled from, 0 before that
   */
  eventsSince(resourceVersion: bigint | number, listResourceVersion: number): HistoryRange {
    let oldest: number
    if (listResourceVersion > 0 && !this.#removedSinceRelist) {
      // Nothing is missing since the list, so whoever saw the list or more can go on.
      oldest = listResourceVersion + 1
    } else if (this.length > 0) {
      oldest = this.at(this.#start).resourceVersion
    } else {
      throw new Error("watch cache isn't correctly initialized")
    }
    if (resourceVersion < oldest - 1) {
      throw newResourceExpired(`too old resource version: ${resourceVersion} (${oldest - 1})`)
    }
    let low = this.#start
    let high = this.#end
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (this.at(middle).resourceVersion > resourceVersion) high = middle
      else low = middle + 1
    }
    return { start: low, end: this.#end }
  }

  /**
   * How large the queues of a new watcher should be, by how fast events come
   * (`watch_cache_history.go: suggestedWatchChannelSize`).
   */
  suggestedWatchChannelSize(indexExists: boolean, triggerUsed: boolean): number {
    const most = !indexExists
      ? maxWatchChanSizeWithoutIndex
      : triggerUsed
        ? maxWatchChanSizeWithIndexAndTrigger
        : maxWatchChanSizeWithIndexWithoutTrigger
    const perSecond = Math.ceil(this.capacity / (this.#fresh / 1000))
    return Math.min(Math.max(perSecond, minWatchChanSize), most)
  }

  #resize(now: number): void {
    if (!this.isFull) return
    const capacity = this.capacity
    if (now - this.at(this.#start).recordTime < this.#fresh) {
      this.#setCapacity(Math.min(capacity * 2, this.#upper))
    } else if (now - this.at(this.#end - Math.floor(capacity / 4)).recordTime > this.#fresh) {
      // Three quarters of the ring or more are stale.
      this.#setCapacity(Math.max(Math.floor(capacity / 2), this.#lower))
    }
  }

  #setCapacity(capacity: number): void {
    const from = this.capacity
    if (capacity === from) return
    const ring = slots<E>(capacity)
    if (capacity < from) this.#start = this.#end - capacity
    for (let index = this.#start; index < this.#end; index++) ring[index % capacity] = this.at(index)
    this.#ring = ring
    this.#onResize?.(capacity, from)
  }
}

function slots<E>(capacity: number): (E | undefined)[] {
  return Array.from<E | undefined>({ length: capacity }).fill(undefined)
}

/**
 * The greatest capacity for a history of `eventFreshDuration` milliseconds: the default's, doubled until it
 * is in proportion (`watch_cache_history.go: capacityUpperBound`).
 */
export function capacityUpperBound(eventFreshDuration: number): number {
  if (eventFreshDuration <= defaultEventFreshDuration) return defaultUpperBoundCapacity
  const doublings = Math.ceil(Math.log2(eventFreshDuration / defaultEventFreshDuration))
  // 2^14 times the default still fits 31 bits.
  return defaultUpperBoundCapacity * 2 ** Math.min(doublings, 14)
}
