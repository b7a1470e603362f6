import type { KubeObject } from '../meta/types.ts'
import type { WatchCacheEvent, StoreElement } from './event.ts'
import type { HistoryRange, WatchCacheHistory } from './history.ts'

/** How many events are copied out of the history at once (`pkg/storage/cacher/watch_cache_interval.go: bufferSize`). */
const intervalBatchSize = 100

/** What a watch is told before what happens from now on: past events, or the state as if it had just been made. */
export type IntervalItem<T extends KubeObject = KubeObject> = WatchCacheEvent<T> | StoreElement<T>

/**
 * A sequence that is fixed when a watch starts and read as its client takes it
 * (`pkg/storage/cacher/watch_cache_interval.go: watchCacheInterval`).
 */
export interface WatchCacheInterval<T extends KubeObject = KubeObject> {
  /** What the watch is up to after the interval, events after it apart. */
  readonly resourceVersion: number
  /** The next item, `undefined` at the end. Throws when what is missing is gone. */
  next(): IntervalItem<T> | undefined
}

/** Events of the history, copied out in batches so that a slow watch does not hold on to more than one. */
export class HistoryInterval<T extends KubeObject = KubeObject> implements WatchCacheInterval<T> {
  readonly resourceVersion: number
  readonly #history: WatchCacheHistory<WatchCacheEvent<T>>
  readonly #end: number
  #start: number
  #batch: (WatchCacheEvent<T> | undefined)[] = []
  #position = 0

  constructor(history: WatchCacheHistory<WatchCacheEvent<T>>, range: HistoryRange, resourceVersion: number) {
    this.#history = history
    this.#start = range.start
    this.#end = range.end
    this.resourceVersion = resourceVersion
  }

  next(): WatchCacheEvent<T> | undefined {
    if (this.#position === this.#batch.length && !this.#refill()) return undefined
    const event = this.#batch[this.#position]
    // A slot that was handed out must not keep its objects alive until the next batch.
    this.#batch[this.#position++] = undefined
    return event
  }

  #refill(): boolean {
    if (this.#start === this.#end) {
      this.#batch = []
      this.#position = 0
      return false
    }
    if (this.#start < this.#history.startIndex) {
      throw new Error(`cache interval invalidated, interval startIndex: ${this.#start}`)
    }
    const until = Math.min(this.#end, this.#start + intervalBatchSize)
    this.#batch = []
    for (let index = this.#start; index < until; index++) this.#batch.push(this.#history.at(index))
    this.#start = until
    this.#position = 0
    return true
  }
}

/** The elements of a state in key order, listed when the first is taken. */
export class StateInterval<T extends KubeObject = KubeObject> implements WatchCacheInterval<T> {
  readonly resourceVersion: number
  #list: (() => readonly StoreElement<T>[]) | undefined
  #elements: (StoreElement<T> | undefined)[] = []
  #position = 0

  /** @param list called once at most */
  constructor(list: () => readonly StoreElement<T>[], resourceVersion: number) {
    this.#list = list
    this.resourceVersion = resourceVersion
  }

  next(): StoreElement<T> | undefined {
    if (this.#list !== undefined) {
      this.#elements = this.#list() as StoreElement<T>[]
      this.#list = undefined
    }
    if (this.#position === this.#elements.length) {
      this.#elements = []
      this.#position = 0
      return undefined
    }
    const element = this.#elements[this.#position]
    this.#elements[this.#position++] = undefined
    return element
  }
}
