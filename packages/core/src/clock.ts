/** A running timer, as {@link Clock.setTimeout} gave it. */
export type TimerHandle = unknown

/**
 * The one source of time. Everything that waits, measures or stamps takes one of these, so that a
 * test can step time instead of sleeping for it.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Calls `callback` once, `ms` milliseconds from now; never synchronously. */
  setTimeout(callback: () => void, ms: number): TimerHandle
  /** Takes a timer back; one that has run or was taken back already is no error. */
  clearTimeout(handle: TimerHandle): void
}

/** The machine's clock. It reads the globals at each call, so that fake timers installed later are obeyed. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, ms) => globalThis.setTimeout(callback, ms),
  clearTimeout: (handle) => globalThis.clearTimeout(handle as number),
}

/**
 * Waits `ms` milliseconds on `clock`. Rejects with the signal's reason as soon as it aborts, and
 * leaves no timer behind.
 */
export function delay(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error)
    const onAbort = (): void => {
      clock.clearTimeout(timer)
      reject(signal!.reason as Error)
    }
    const timer = clock.setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
