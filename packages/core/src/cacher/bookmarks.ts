import type { Clock } from '../clock.ts'

/** How often an idle watcher gets a bookmark, in milliseconds (`pkg/storage/cacher/cacher.go: defaultBookmarkFrequency`). */
const defaultBookmarkFrequency = 60_000

/** Who gets bookmarks. */
export interface BookmarkReceiver {
  /** When the next bookmark is due, in milliseconds since the epoch; `undefined` when no more are. */
  nextBookmarkTime(now: number, frequency: number): number | 'immediately' | undefined
}

const bucketSize = 1_000

/**
 * Watchers by the second in which their next bookmark is due
 * (`pkg/storage/cacher/cacher.go: watcherBookmarkTimeBuckets`).
 */
export class BookmarkTimeBuckets<R extends BookmarkReceiver> {
  readonly #clock: Clock
  readonly #frequency: number
  readonly #created: number
  readonly #buckets = new Map<number, Set<R>>()
  readonly #bucketOf = new Map<R, number>()
  /** The first bucket that was not popped yet. */
  #start = 0

  constructor(clock: Clock, frequency: number = defaultBookmarkFrequency) {
    this.#clock = clock
    this.#frequency = frequency
    this.#created = clock.now()
  }

  /** How many watchers wait for a bookmark. */
  get size(): number {
    return this.#bucketOf.size
  }

  /** Plans the watcher's next bookmark; answers false when it gets no more. */
  add(watcher: R): boolean {
    const now = this.#clock.now()
    const time = watcher.nextBookmarkTime(now, this.#frequency)
    if (time === undefined) return false
    const bucket = time === 'immediately' ? this.#start : Math.max(this.#start, this.#bucket(time))
    let watchers = this.#buckets.get(bucket)
    if (watchers === undefined) {
      watchers = new Set()
      this.#buckets.set(bucket, watchers)
    }
    watchers.add(watcher)
    this.#bucketOf.set(watcher, bucket)
    return true
  }

  delete(watcher: R): void {
    const bucket = this.#bucketOf.get(watcher)
    if (bucket === undefined) return
    this.#bucketOf.delete(watcher)
    const watchers = this.#buckets.get(bucket)
    watchers?.delete(watcher)
    if (watchers?.size === 0) this.#buckets.delete(bucket)
  }

  /** Takes out the watchers that are due by now. */
  popExpired(): R[] {
    const current = this.#bucket(this.#clock.now())
    const due: R[] = []
    if (current < this.#start) return due
    const buckets = [...this.#buckets.keys()].filter((bucket) => bucket <= current).sort((a, b) => a - b)
    for (const bucket of buckets) {
      for (const watcher of this.#buckets.get(bucket)!) {
        due.push(watcher)
        this.#bucketOf.delete(watcher)
      }
      this.#buckets.delete(bucket)
    }
    this.#start = current + 1
    return due
  }

  #bucket(time: number): number {
    return Math.trunc((time - this.#created) / bucketSize)
  }
}
