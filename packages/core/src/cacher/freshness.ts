import type { Clock, TimerHandle } from '../clock.ts'
import { newTooLargeResourceVersionError } from '../errors/api-errors.ts'
import type { StatusError } from '../errors/status.ts'

/** How long a read waits for the cache, in milliseconds (`pkg/storage/cacher/watch_cache.go: blockTimeout`). */
export const blockTimeout = 3_000

/** What a read that waited in vain is told to wait before another try (`watch_cache.go: resourceVersionTooHighRetrySeconds`). */
export const resourceVersionTooHighRetrySeconds = 1

/** Options of {@link Freshness}. */
export interface FreshnessOptions {
  readonly clock: Clock
  /** Milliseconds until a wait is given up; default {@link blockTimeout}. */
  readonly blockTimeout?: number
  /** A wait begins. */
  readonly onWait?: () => void
  /** A wait is over; `waitedMs` is how long it took, `undefined` when its reader went away. */
  readonly onDone?: (waitedMs: number | undefined) => void
}

interface Waiter {
  /** What has to be reached; more than a storage can issue is infinity. */
  readonly version: number
  readonly requested: bigint | number
  readonly started: number
  /** Arrival, which decides between waiters for the same version. */
  readonly order: number
  readonly resolve: (waitedMs: number) => void
  readonly reject: (error: Error) => void
  heapIndex: number
  older: Waiter | undefined
  newer: Waiter | undefined
  signal: AbortSignal | undefined
  onAbort: (() => void) | undefined
}

/**
 * Holds reads back until the cache has seen the resource version they ask for
 * (`pkg/storage/cacher/watch_cache.go: waitUntilFreshLocked`).
 *
 * Waiters sit in a min-heap by version, so that an event wakes only those it satisfies, and in a list by
 * arrival, which is the order of their deadlines since all wait equally long. One timer serves them all.
 */
export class Freshness {
  readonly #clock: Clock
  readonly #timeout: number
  readonly #onWait: (() => void) | undefined
  readonly #onDone: ((waitedMs: number | undefined) => void) | undefined
  readonly #heap: Waiter[] = []
  #current = 0
  #order = 0
  #oldest: Waiter | undefined
  #newest: Waiter | undefined
  #timer: TimerHandle | undefined
  #closed: Error | undefined

  constructor(options: FreshnessOptions) {
    this.#clock = options.clock
    this.#timeout = options.blockTimeout ?? blockTimeout
    this.#onWait = options.onWait
    this.#onDone = options.onDone
  }

  /** The version reached so far. */
  get current(): number {
    return this.#current
  }

  /** How many reads wait. */
  get waiting(): number {
    return this.#heap.length
  }

  /**
   * Waits until `version` is reached. Answers `undefined`, at no cost, when it is already; else a promise of
   * the milliseconds waited. What the caller reads after it, it must read in one synchronous step.
   *
   * Rejects with a 504 "Too large resource version" after the timeout, with the signal's reason as soon as
   * it aborts, and with the error given to {@link Freshness.close}.
   */
  waitUntilFresh(version: bigint | number, signal?: AbortSignal): Promise<number> | undefined {
    if (version <= this.#current) return undefined
    if (this.#closed !== undefined) return Promise.reject(this.#closed)
    if (signal?.aborted) return Promise.reject(signal.reason as Error)
    return new Promise((resolve, reject) => {
      this.#add({
        version: typeof version === 'number' ? version : version > maxSafe ? Infinity : Number(version),
        requested: version,
        started: this.#clock.now(),
        order: this.#order++,
        resolve,
        reject,
        heapIndex: -1,
        older: undefined,
        newer: undefined,
        signal,
        onAbort: undefined,
      })
    })
  }

  /** The cache is at `version` now; releases whom that satisfies, lowest version first. */
  advance(version: number): void {
    this.#current = version
    if (this.#heap.length === 0 || this.#heap[0]!.version > version) return
    const now = this.#clock.now()
    do {
      const waiter = this.#heap[0]!
      this.#remove(waiter)
      const waited = now - waiter.started
      this.#onDone?.(waited)
      waiter.resolve(waited)
    } while (this.#heap.length > 0 && this.#heap[0]!.version <= version)
  }

  /** Ends all waits with `error`, and every later one that would have to wait. Idempotent. */
  close(error: Error): void {
    this.#closed ??= error
    while (this.#oldest !== undefined) {
      const waiter = this.#oldest
      this.#remove(waiter)
      this.#onDone?.(undefined)
      waiter.reject(error)
    }
  }

  #add(waiter: Waiter): void {
    waiter.older = this.#newest
    if (this.#newest === undefined) this.#oldest = waiter
    else this.#newest.newer = waiter
    this.#newest = waiter

    waiter.heapIndex = this.#heap.length
    this.#heap.push(waiter)
    this.#siftUp(waiter)

    if (waiter.signal !== undefined) {
      waiter.onAbort = () => {
        const reason = waiter.signal!.reason as Error
        this.#remove(waiter)
        this.#onDone?.(undefined)
        waiter.reject(reason)
      }
      waiter.signal.addEventListener('abort', waiter.onAbort, { once: true })
    }
    if (this.#timer === undefined) this.#arm(this.#timeout)
    // Last, since it may ask the storage for progress, and the answer may release this very waiter.
    this.#onWait?.()
  }

  #remove(waiter: Waiter): void {
    if (waiter.onAbort !== undefined) waiter.signal!.removeEventListener('abort', waiter.onAbort)

    if (waiter.older === undefined) this.#oldest = waiter.newer
    else waiter.older.newer = waiter.newer
    if (waiter.newer === undefined) this.#newest = waiter.older
    else waiter.newer.older = waiter.older
    waiter.older = waiter.newer = undefined

    const last = this.#heap.pop()!
    if (last !== waiter) {
      last.heapIndex = waiter.heapIndex
      this.#heap[last.heapIndex] = last
      this.#siftUp(last)
      this.#siftDown(last)
    }
    waiter.heapIndex = -1

    if (this.#heap.length === 0 && this.#timer !== undefined) {
      this.#clock.clearTimeout(this.#timer)
      this.#timer = undefined
    }
  }

  #arm(ms: number): void {
    this.#timer = this.#clock.setTimeout(() => this.#expire(), ms)
  }

  /** Timers may fire a little early: whoever has not waited the whole time then waits on. */
  #expire(): void {
    this.#timer = undefined
    const now = this.#clock.now()
    let error: StatusError | undefined
    let requested: bigint | number | undefined
    while (this.#oldest !== undefined) {
      const waiter = this.#oldest
      const waited = now - waiter.started
      if (waited < this.#timeout) {
        this.#arm(this.#timeout - waited)
        return
      }
      this.#remove(waiter)
      this.#onDone?.(waited)
      if (error === undefined || requested !== waiter.requested) {
        // Errors are dear, and whole crowds wait for one version.
        requested = waiter.requested
        error = newTooLargeResourceVersionError(requested, this.#current, resourceVersionTooHighRetrySeconds)
      }
      waiter.reject(error)
    }
  }

  #siftUp(waiter: Waiter): void {
    const heap = this.#heap
    let index = waiter.heapIndex
    while (index > 0) {
      const parentIndex = (index - 1) >> 1
      const parent = heap[parentIndex]!
      if (!before(waiter, parent)) break
      heap[index] = parent
      parent.heapIndex = index
      index = parentIndex
    }
    heap[index] = waiter
    waiter.heapIndex = index
  }

  #siftDown(waiter: Waiter): void {
    const heap = this.#heap
    const length = heap.length
    let index = waiter.heapIndex
    for (;;) {
      let childIndex = 2 * index + 1
      if (childIndex >= length) break
      if (childIndex + 1 < length && before(heap[childIndex + 1]!, heap[childIndex]!)) childIndex++
      const child = heap[childIndex]!
      if (!before(child, waiter)) break
      heap[index] = child
      child.heapIndex = index
      index = childIndex
    }
    heap[index] = waiter
    waiter.heapIndex = index
  }
}

const maxSafe = BigInt(Number.MAX_SAFE_INTEGER)

function before(a: Waiter, b: Waiter): boolean {
  return a.version < b.version || (a.version === b.version && a.order < b.order)
}
