import type { Clock } from '../clock.ts'

/** How much time per second slow watchers may cost the others, in milliseconds (`pkg/storage/cacher/time_budget.go`). */
const refreshPerSecond = 50

/** Most time that can be saved up, in milliseconds. */
const maxBudget = 100

/** Time that may be spent waiting for slow watchers; it comes back slowly (`pkg/storage/cacher/time_budget.go: timeBudget`). */
export class TimeBudget {
  readonly #clock: Clock
  #budget = 0
  #last: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#last = clock.now()
  }

  /** Takes everything there is, in milliseconds. */
  takeAvailable(): number {
    const now = this.#clock.now()
    const gained = Math.max(0, ((now - this.#last) / 1000) * refreshPerSecond)
    const available = Math.min(this.#budget + gained, maxBudget)
    this.#last = now
    this.#budget = 0
    return available
  }

  /** Gives back what was not spent; a negative amount, spent beyond it, is ignored. */
  returnUnused(milliseconds: number): void {
    if (milliseconds < 0) return
    this.#budget = Math.min(this.#budget + milliseconds, maxBudget)
  }
}
