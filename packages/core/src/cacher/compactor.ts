import type { Clock, TimerHandle } from '../clock.ts'
import { setBackgroundTimer } from '../storage/background-timer.ts'

/** How often the storage is asked what it has compacted, in milliseconds (`pkg/storage/cacher/compactor.go`). */
const compactorPollPeriod = 15_000

/** Options of {@link Compactor}. */
export interface CompactorOptions {
  readonly clock: Clock
  /** The highest revision the storage knows to be compacted; 0 for none. */
  readonly compactRevision: () => number
  /** Drops what lies below. */
  readonly compact: (revision: number) => void
  /** Milliseconds; default {@link compactorPollPeriod}. */
  readonly period?: number | undefined
}

/** Lets go of past states that the storage has let go of (`pkg/storage/cacher/compactor.go: compactor`). */
export class Compactor {
  readonly #options: CompactorOptions
  #timer: TimerHandle | undefined
  #last = 0

  constructor(options: CompactorOptions) {
    this.#options = options
    this.#schedule()
  }

  /** The highest compaction that was followed. */
  get compactRevision(): number {
    return this.#last
  }

  /** Idempotent. */
  stop(): void {
    this.#options.clock.clearTimeout(this.#timer)
  }

  #schedule(): void {
    const { clock, period = compactorPollPeriod } = this.#options
    this.#timer = setBackgroundTimer(clock, () => this.#poll(), period)
  }

  #poll(): void {
    const revision = this.#options.compactRevision()
    if (revision > this.#last) {
      this.#options.compact(revision)
      this.#last = revision
    }
    this.#schedule()
  }
}
