import pRetry from 'p-retry'
import { type Clock, delay, systemClock } from './clock.ts'
import { isConflict } from './kube-error.ts'
import { backoff, withJitter } from './policy.ts'

/** How {@link retryOnConflict} goes about it. */
export interface RetryOnConflictOptions {
  /** How often to try. Default 5. */
  readonly tries?: number
  readonly signal?: AbortSignal
  readonly clock?: Clock
  readonly random?: () => number
}

/**
 * Reads, changes and writes again while others get in between: `fn` does all three, and anything but a
 * conflict ends it. After a conflict, a session sends the next read of that object without a resource
 * version: a pinned or cached one may return the same stale object for ever. With another client, `fn` must
 * do so itself.
 */
export function retryOnConflict<T>(
  fn: (attempt: number) => Promise<T>,
  options: RetryOnConflictOptions = {},
): Promise<T> {
  const { tries = 5, signal, clock = systemClock, random = Math.random } = options
  if (!Number.isInteger(tries) || tries < 1) throw new TypeError(`retryOnConflict: bad option tries: ${String(tries)}`)
  return pRetry(fn, {
    retries: tries - 1,
    // The waits are ours: p-retry's are on the machine's clock.
    minTimeout: 0,
    ...(signal && { signal }),
    async onFailedAttempt({ error, attemptNumber, retriesLeft }) {
      if (!isConflict(error)) throw error
      if (retriesLeft) await delay(clock, withJitter(backoff(10, attemptNumber - 1), random()), signal)
    },
  })
}
