import type { Clock } from '../clock.ts'

/** Options of {@link Backoff}, in milliseconds. */
export interface BackoffOptions {
  readonly clock: Clock
  readonly initial: number
  readonly max: number
  /** A pause in use of that length starts over. */
  readonly resetAfter: number
  /** 0 … 1: how much is added by chance, of up to as much again; default Math.random. */
  readonly random?: () => number
}

/** Waits that double up to a limit, with as much again added by chance (`apimachinery: pkg/util/wait/backoff.go`). */
export class Backoff {
  readonly #options: BackoffOptions
  #next: number
  #lastUse: number

  constructor(options: BackoffOptions) {
    this.#options = options
    this.#next = options.initial
    this.#lastUse = options.clock.now()
  }

  /** How long to wait this time, in milliseconds. */
  next(): number {
    const { clock, initial, max, resetAfter, random = Math.random } = this.#options
    const now = clock.now()
    if (now - this.#lastUse > resetAfter) this.#next = initial
    this.#lastUse = now
    const base = this.#next
    this.#next = Math.min(base * 2, max)
    return base * (1 + random())
  }
}
