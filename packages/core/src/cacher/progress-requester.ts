import type { Clock, TimerHandle } from '../clock.ts'

/** Least milliseconds between two requests (`pkg/storage/cacher/progress/watch_progress.go: progressRequestPeriod`). */
const progressRequestPeriod = 100

/** Options of {@link ConditionalProgressRequester}. */
export interface ProgressRequesterOptions {
  readonly clock: Clock
  /** Asks the storage to tell how far the watch is; the answer comes through the watch. */
  readonly request: () => Promise<void>
  /** A request failed; the next one is sent when it is due all the same. */
  readonly onError?: (error: unknown) => void
  /** Milliseconds; default {@link progressRequestPeriod}. */
  readonly period?: number
  /**
   * A request costs nothing, as with a storage in the same process: whoever begins to wait asks at once if
   * the request before has been answered, whatever the period. Default false.
   */
  readonly eager?: boolean
}

/**
 * Asks the storage for progress while somebody waits for freshness, since a quiet resource gets no events
 * (`pkg/storage/cacher/progress/watch_progress.go: ConditionalProgressRequester`). It runs no timer while
 * nobody waits.
 */
export class ConditionalProgressRequester {
  readonly #clock: Clock
  readonly #request: () => Promise<void>
  readonly #onError: ((error: unknown) => void) | undefined
  readonly #period: number
  readonly #eager: boolean
  #waiting = 0
  #last: number
  #answered = true
  #timer: TimerHandle | undefined
  #stopped = false

  constructor(options: ProgressRequesterOptions) {
    this.#clock = options.clock
    this.#request = options.request
    this.#onError = options.onError
    this.#period = options.period ?? progressRequestPeriod
    this.#eager = options.eager ?? false
    this.#last = this.#clock.now()
  }

  /** Somebody begins to wait. */
  add(): void {
    this.#waiting++
    if (this.#stopped) return
    if (this.#eager && this.#answered) this.#send()
    else if (this.#timer === undefined) this.#schedule()
  }

  /** Somebody has stopped waiting. */
  remove(): void {
    this.#waiting--
    if (this.#waiting === 0) this.#disarm()
  }

  /** The watch has told how far it is. */
  answered(): void {
    this.#answered = true
  }

  /** Sends nothing any more. Idempotent. */
  stop(): void {
    this.#stopped = true
    this.#disarm()
  }

  #schedule(): void {
    const wait = this.#last + this.#period - this.#clock.now()
    if (wait <= 0) this.#send()
    else this.#timer = this.#clock.setTimeout(() => this.#due(), wait)
  }

  #due(): void {
    this.#timer = undefined
    if (this.#waiting > 0 && !this.#stopped) this.#schedule()
  }

  #send(): void {
    this.#disarm()
    this.#last = this.#clock.now()
    this.#answered = false
    // The next one is planned first: the answer may come before the request returns, and release everybody.
    this.#timer = this.#clock.setTimeout(() => this.#due(), this.#period)
    this.#request().catch((error: unknown) => this.#onError?.(error))
  }

  #disarm(): void {
    if (this.#timer === undefined) return
    this.#clock.clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
