import type { Clock, TimerHandle } from '../clock.ts'

/**
 * A timer for housekeeping: where the platform allows it, it does not keep the process alive by itself.
 */
export function setBackgroundTimer(clock: Clock, callback: () => void, ms: number): TimerHandle {
  const handle = clock.setTimeout(callback, ms)
  if (typeof handle === 'object' && handle !== null && 'unref' in handle) (handle as { unref(): void }).unref()
  return handle
}
