import type { Clock } from '../clock.ts'
import type { KubeObject } from '../meta/types.ts'
import type { CacherMetrics } from '../metrics/cacher.ts'
import { observeDispatch, type CacheWatcher } from './cache-watcher.ts'
import { changeFor } from './convert.ts'
import type { WatchCacheEvent } from './event.ts'
import { TimeBudget } from './time-budget.ts'
import type { IndexedWatchers } from './watchers.ts'
import { yieldMacrotask } from './yield-macrotask.ts'

/** How many events may wait for slow watchers before the cache stops taking more (`pkg/storage/cacher/cacher.go: incoming`). */
const incomingQueueSize = 100

/** How many events are handed out before other tasks get a turn, so that sockets can drain. */
const eventsPerTurn = 256

/** How many turns a blocked watcher gets before it counts as slow, whatever the budget. */
const patientTurns = 2

/** How many slots of the queue may have been read before their memory is given back. */
const maxReadSlots = 1024

/** Options of {@link Dispatcher}. */
export interface DispatcherOptions<T extends KubeObject> {
  readonly clock: Clock
  readonly metrics: CacherMetrics
  readonly watchers: IndexedWatchers<T>
  /** Hands out the bookmarks that are due. */
  readonly onBookmarks: (resourceVersion: number) => void
  /** See {@link incomingQueueSize}. */
  readonly queueSize?: number | undefined
}

/** A watcher that had no room, and what it was to be told. */
interface Blocked<T extends KubeObject> {
  readonly watcher: CacheWatcher<T>
  readonly deliver: () => boolean
}

/**
 * Hands each change to the watchers it concerns, in order (`pkg/storage/cacher/cacher.go: dispatchEvents`).
 * Where all of them have room that happens at once, within the call that brought the change. Slow ones delay
 * the others, and the cache itself, within a small budget of time, and are then ended.
 */
export class Dispatcher<T extends KubeObject = KubeObject> {
  /** Called when there is room again after {@link Dispatcher.isFull}. */
  onRoom: (() => void) | undefined

  readonly #clock: Clock
  readonly #metrics: CacherMetrics
  readonly #watchers: IndexedWatchers<T>
  readonly #onBookmarks: (resourceVersion: number) => void
  readonly #queueSize: number
  readonly #budget: TimeBudget
  /** Changes, and versions that were reached without one. */
  #queue: (WatchCacheEvent<T> | number)[] = []
  #head = 0
  #running = false
  /** Waits for slow watchers, not just for its turn. */
  #blocked = false
  #bookmarksDue = false
  #sinceTurn = 0
  #lastProcessed = 0
  /** How often the cache was filled anew. */
  #epoch = 0
  #closed = false

  constructor(options: DispatcherOptions<T>) {
    this.#clock = options.clock
    this.#metrics = options.metrics
    this.#watchers = options.watchers
    this.#onBookmarks = options.onBookmarks
    this.#queueSize = options.queueSize ?? incomingQueueSize
    this.#budget = new TimeBudget(options.clock)
  }

  /** The cache should not take more from its storage now. */
  get isFull(): boolean {
    return this.#blocked && this.#queue.length - this.#head >= this.#queueSize
  }

  event(event: WatchCacheEvent<T>): void {
    this.#queue.push(event)
    if (!this.#running) this.#run()
  }

  /** The cache has reached that version. */
  progress(resourceVersion: number): void {
    if (this.#running) {
      this.#queue.push(resourceVersion)
      return
    }
    this.#processed(resourceVersion)
  }

  /** The cache was filled anew at that version: nobody watches what was before. */
  replaced(resourceVersion: number): void {
    this.#queue = []
    this.#head = 0
    this.#epoch++
    this.#lastProcessed = resourceVersion
  }

  /** Bookmarks are due; they go out between two events. */
  bookmarks(): void {
    if (this.#running) this.#bookmarksDue = true
    else this.#onBookmarks(this.#lastProcessed)
  }

  close(): void {
    this.#closed = true
    this.#queue = []
    this.#head = 0
  }

  #run(): void {
    this.#running = true
    for (;;) {
      this.#sendBookmarks()
      const item = this.#shift()
      if (item === undefined) break
      if (typeof item === 'number') {
        this.#processed(item)
        continue
      }
      const blocked = this.#dispatch(item)
      if (blocked !== undefined) {
        this.#blocked = true
        void this.#wait(item, blocked)
        return
      }
      this.#processed(item.resourceVersion)
      if (++this.#sinceTurn >= eventsPerTurn) {
        this.#sinceTurn = 0
        void yieldMacrotask().then(() => this.#run())
        return
      }
    }
    this.#running = false
  }

  #shift(): WatchCacheEvent<T> | number | undefined {
    if (this.#head === this.#queue.length) return undefined
    const item = this.#queue[this.#head]!
    // Not kept alive by a slot that was read.
    this.#queue[this.#head++] = 0
    if (this.#head === this.#queue.length) {
      this.#queue = []
      this.#head = 0
    } else if (this.#head >= maxReadSlots && this.#head * 2 >= this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head)
      this.#head = 0
    }
    return item
  }

  /** Sends the bookmarks that are due, but not between two events of one version: who comes back for more would miss one. */
  #sendBookmarks(): void {
    const next = this.#queue[this.#head]
    if (!this.#bookmarksDue || (next !== undefined && versionOf(next) === this.#lastProcessed)) return
    this.#bookmarksDue = false
    this.#onBookmarks(this.#lastProcessed)
  }

  #processed(resourceVersion: number): void {
    this.#lastProcessed = resourceVersion
    this.#metrics.eventsDispatched.inc()
  }

  /** Offers a change to all it concerns; answers who had no room. */
  #dispatch(event: WatchCacheEvent<T>): Blocked<T>[] | undefined {
    if (this.#watchers.size === 0) return undefined
    let blocked: Blocked<T>[] | undefined
    let delivered = 0
    for (const group of this.#watchers.concerned(event)) {
      const change = changeFor(event, group.filter)
      if (change === undefined) continue
      const watchEvent = event.toWatchEvent(change)
      for (const watcher of group.watchers) {
        const offer = watcher.offer(event, watchEvent)
        if (offer === 'delivered') delivered++
        else if (offer === 'blocked') {
          blocked ??= []
          blocked.push({ watcher, deliver: () => watcher.offer(event, watchEvent) !== 'blocked' })
        }
      }
    }
    if (delivered > 0) observeDispatch(this.#metrics, event, this.#clock.now(), delivered)
    return blocked
  }

  async #wait(event: WatchCacheEvent<T>, blocked: Blocked<T>[]): Promise<void> {
    const epoch = this.#epoch
    let rest = blocked
    for (let turn = 0; turn < patientTurns && rest.length > 0; turn++) {
      // What reads them may not have had a chance to run yet.
      await yieldMacrotask()
      rest = rest.filter(({ deliver }) => !deliver())
    }
    if (rest.length > 0) await this.#spendBudget(rest)
    this.#blocked = false
    this.#sinceTurn = 0
    if (this.#closed) {
      this.#running = false
      return
    }
    if (epoch === this.#epoch) this.#processed(event.resourceVersion)
    this.onRoom?.()
    this.#run()
  }

  /** Waits for one after another, all together no longer than the budget, and ends whoever has no room then. */
  async #spendBudget(blocked: readonly Blocked<T>[]): Promise<void> {
    const started = this.#clock.now()
    const budget = this.#budget.takeAvailable()
    let expired = budget <= 0
    let wake: (() => void) | undefined
    const timer = this.#clock.setTimeout(() => {
      expired = true
      wake?.()
    }, budget)
    for (const { watcher, deliver } of blocked) {
      while (!deliver()) {
        if (expired) {
          this.#metrics.terminatedWatchers.inc()
          watcher.forget(watcher.bookmarkReceived)
          break
        }
        await new Promise<void>((resolve) => {
          wake = resolve
          watcher.onRoom = resolve
        })
        watcher.onRoom = undefined
      }
    }
    this.#clock.clearTimeout(timer)
    this.#budget.returnUnused(budget - (this.#clock.now() - started))
  }
}

function versionOf(item: WatchCacheEvent | number): number {
  return typeof item === 'number' ? item : item.resourceVersion
}
