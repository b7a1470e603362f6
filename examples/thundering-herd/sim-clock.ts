import type { Clock } from '@freshread/core'

interface SimTimer {
  at: number
  readonly id: number
  callback: (() => void) | undefined
}

/**
 * A fake clock for hundreds of thousands of timers: a heap instead of a scan. Timers of the same millisecond
 * run together, and what they set in motion is settled before time moves on.
 */
export class SimClock implements Clock {
  #now = 0
  #nextId = 0
  readonly #heap: SimTimer[] = []

  now(): number {
    return this.#now
  }

  setTimeout(callback: () => void, ms: number): SimTimer {
    // A fraction of a millisecond would only cut ticks into smaller ones.
    const timer = { at: Math.ceil(this.#now + Math.max(0, ms)), id: this.#nextId++, callback }
    this.#push(timer)
    return timer
  }

  clearTimeout(handle: unknown): void {
    const timer = handle as SimTimer | undefined
    if (timer) timer.callback = undefined
  }

  /** Moves on to `end`, or until `done` says so. */
  async runUntil(end: number, done: () => boolean = () => false): Promise<void> {
    await settle()
    while (this.#heap.length && this.#heap[0]!.at <= end && !done()) {
      this.#now = this.#heap[0]!.at
      while (this.#heap[0]?.at === this.#now) this.#pop().callback?.()
      await settle()
    }
    if (!done()) this.#now = end
  }

  #push(timer: SimTimer): void {
    const heap = this.#heap
    let i = heap.push(timer) - 1
    while (i > 0) {
      const parent = (i - 1) >> 1
      if (before(heap[parent]!, timer)) break
      heap[i] = heap[parent]!
      i = parent
    }
    heap[i] = timer
  }

  #pop(): SimTimer {
    const heap = this.#heap
    const top = heap[0]!
    const last = heap.pop()!
    if (!heap.length) return top
    let i = 0
    for (;;) {
      let child = 2 * i + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++
      if (before(last, heap[child]!)) break
      heap[i] = heap[child]!
      i = child
    }
    heap[i] = last
    return top
  }
}

function before(a: SimTimer, b: SimTimer): boolean {
  return a.at < b.at || (a.at === b.at && a.id < b.id)
}

/** Lets promises and zero-delay tasks run that need no time. */
async function settle(): Promise<void> {
  for (let i = 0; i < 2; i++) await new Promise<void>((resolve) => setImmediate(resolve))
}
