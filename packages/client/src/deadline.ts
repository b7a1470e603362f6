import type { Clock } from './clock.ts'

/** When a call is to end, whatever it waits for. */
export interface CallLimits {
  readonly signal?: AbortSignal | undefined
  /** Milliseconds until the call is given up with a TimeoutError. Default: no limit. */
  readonly timeoutMs?: number | undefined
}

/** Runs `call` with a signal that aborts with the caller's, or when the time is up; no timer is left behind. */
export async function withDeadline<T>(
  clock: Clock,
  limits: CallLimits,
  call: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  const { signal, timeoutMs } = limits
  if (timeoutMs === undefined) return call(signal)
  const controller = new AbortController()
  const timer = clock.setTimeout(() => controller.abort(timeoutError(timeoutMs)), timeoutMs)
  try {
    return await call(signal ? AbortSignal.any([signal, controller.signal]) : controller.signal)
  } finally {
    clock.clearTimeout(timer)
  }
}

/** What a call that ran out of time rejects with. */
export function timeoutError(timeoutMs: number): DOMException {
  return new DOMException(`not done within ${timeoutMs} ms`, 'TimeoutError')
}
