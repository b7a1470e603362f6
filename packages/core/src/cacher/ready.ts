import type { Clock } from '../clock.ts'
import { newTooManyRequests } from '../errors/api-errors.ts'
import type { StatusError } from '../errors/status.ts'

/** What {@link Ready.check} answers. */
export interface ReadyState {
  /** How often the cache has become ready. */
  readonly generation: number
  /** Milliseconds since the last change of the state. */
  readonly elapsed: number
  /** Why the cache cannot be read; `undefined` when it can. */
  readonly error: Error | undefined
}

interface Waiter {
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/** Whether the cache is in step with its storage (`pkg/storage/cacher/ready.go`): pending, ready, or stopped for ever. */
export class Ready {
  readonly #clock: Clock
  readonly #waiters = new Set<Waiter>()
  #state: 'pending' | 'ready' | 'stopped' = 'pending'
  #generation = 0
  #lastError: Error | undefined
  #lastChange: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#lastChange = clock.now()
  }

  get isReady(): boolean {
    return this.#state === 'ready'
  }

  check(): ReadyState {
    return {
      generation: this.#generation,
      elapsed: this.#clock.now() - this.#lastChange,
      error: this.#error(),
    }
  }

  /**
   * Resolves when the cache is ready; rejects when it is stopped, or with the signal's reason. A cache that
   * is ready for a moment only is waited for again.
   */
  async wait(signal?: AbortSignal): Promise<void> {
    while (this.#state === 'pending') {
      if (signal?.aborted) throw signal.reason
      await new Promise<void>((resolve, reject) => {
        const done = (settle: () => void) => (): void => {
          this.#waiters.delete(waiter)
          signal?.removeEventListener('abort', onAbort)
          settle()
        }
        const waiter: Waiter = {
          resolve: done(resolve),
          reject: (error) => done(() => reject(error))(),
        }
        const onAbort = (): void => waiter.reject(signal!.reason as Error)
        this.#waiters.add(waiter)
        signal?.addEventListener('abort', onAbort, { once: true })
      })
    }
    if (this.#state === 'stopped') throw this.#error()!
  }

  setReady(): void {
    if (this.#state !== 'pending') return
    this.#change('ready')
    this.#generation++
    this.#lastError = undefined
    for (const waiter of this.#waiters) waiter.resolve()
  }

  /** The cache has lost touch with its storage, because of `error` if there is one. */
  setPending(error?: Error): void {
    if (this.#state === 'stopped') return
    this.#lastError = error
    if (this.#state === 'ready') this.#change('pending')
  }

  stop(): void {
    if (this.#state === 'stopped') return
    this.#change('stopped')
    for (const waiter of this.#waiters) waiter.reject(this.#error()!)
  }

  #change(state: 'pending' | 'ready' | 'stopped'): void {
    this.#state = state
    this.#lastChange = this.#clock.now()
  }

  #error(): Error | undefined {
    switch (this.#state) {
      case 'ready':
        return undefined
      case 'stopped':
        return new Error('apiserver cacher is stopped')
      case 'pending': {
        const why = this.#lastError === undefined ? '' : `: ${this.#lastError.message}`
        return new Error(`storage is (re)initializing${why}`)
      }
    }
  }
}

/**
 * How many seconds a client should wait for a cache that has been down for `downtime` milliseconds
 * (`pkg/storage/cacher/util.go: calculateRetryAfterForUnreadyCache`).
 */
export function retryAfterForUnreadyCache(downtime: number): number {
  return Math.trunc(Math.min(30, Math.max(1, Math.exp((0.06 * downtime) / 1000))))
}

/** 429 for a cache that is not ready, with the reason in `state`. */
export function newUnreadyError(state: ReadyState): StatusError {
  return newTooManyRequests(state.error?.message ?? '', retryAfterForUnreadyCache(state.elapsed))
}
