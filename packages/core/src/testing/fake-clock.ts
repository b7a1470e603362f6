import type { Clock } from '../clock.ts'

interface FakeTimer {
  readonly at: number
  readonly id: number
  readonly callback: () => void
}

/**
 * A clock that stands still until it is stepped. Timers fire in order of their time, and after each one
 * everything that can run without time passing is run first, so that what a timer starts happens at that
 * timer's time.
 */
export class FakeClock implements Clock {
  #now: number
  #nextId = 1
  readonly #timers = new Map<number, FakeTimer>()

  /** @param start milliseconds since the epoch; default 2026-01-01T00:00:00Z */
  constructor(start: number = Date.UTC(2026, 0, 1)) {
    this.#now = start
  }

  now(): number {
    return this.#now
  }

  setTimeout(callback: () => void, ms: number): number {
    const id = this.#nextId++
    this.#timers.set(id, { at: this.#now + Math.max(0, ms), id, callback })
    return id
  }

  clearTimeout(handle: unknown): void {
    this.#timers.delete(handle as number)
  }

  /** How many timers are armed: 0 shows that nothing was left behind. */
  get pendingTimers(): number {
    return this.#timers.size
  }

  /** Moves time on by `ms`, firing what falls due on the way, and settles what that sets in motion. */
  async step(ms: number): Promise<void> {
    if (!Number.isFinite(ms) || ms < 0) {
      throw new TypeError(`step: ms must be a number of milliseconds ≥ 0, got ${String(ms)}`)
    }
    const end = this.#now + ms
    await settle()
    for (;;) {
      const due = this.#earliest()
      if (due === undefined || due.at > end) break
      this.#now = Math.max(this.#now, due.at)
      this.#timers.delete(due.id)
      due.callback()
      await settle()
    }
    this.#now = end
    await settle()
  }

  #earliest(): FakeTimer | undefined {
    let earliest: FakeTimer | undefined
    for (const timer of this.#timers.values()) {
      if (earliest === undefined || timer.at < earliest.at || (timer.at === earliest.at && timer.id < earliest.id)) {
        earliest = timer
      }
    }
    return earliest
  }
}

/** Lets pending promises and zero-delay platform tasks (message channels, immediates) run. */
async function settle(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise<void>((resolve) => macrotask(resolve))
}

const macrotask: (callback: () => void) => void = (() => {
  const immediate = (globalThis as { setImmediate?: (callback: () => void) => void }).setImmediate
  if (immediate) return (callback) => immediate(callback)
  const timeout = globalThis.setTimeout
  return (callback) => void timeout(callback, 0)
})()
