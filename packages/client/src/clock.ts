/**
 * A source of time, so that tests step it instead of sleeping. The `Clock` and `FakeClock` of
 * `@freshread/core` fit.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Calls `callback` once, `ms` milliseconds from now; never synchronously. */
  setTimeout(callback: () => void, ms: number): unknown
  /** Takes a timer back; one that has run already is no error. */
  clearTimeout(handle: unknown): void
}

/** The machine's clock. It reads the globals at each call, so that fake timers installed later are obeyed. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, ms) => globalThis.setTimeout(callback, ms),
  clearTimeout: (handle) => globalThis.clearTimeout(handle as number),
}

/** Waits `ms` milliseconds on `clock`. An abort rejects with the signal's reason at once and leaves no timer. */
export function delay(clock: Clock, ms: number, signal?: AbortSignal | undefined): Promise<void> {
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
