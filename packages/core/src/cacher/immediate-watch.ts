import { StatusError, type Status } from '../errors/status.ts'
import type { KubeObject } from '../meta/types.ts'
import type { Watch, WatchEvent } from '../storage/storage.ts'
import { iterateWatch } from '../storage/store-watch.ts'

/** A watch that has ended before it began, after telling an error if there is one. */
export class ImmediateWatch<T extends KubeObject = KubeObject> implements Watch<T> {
  onReadable: (() => void) | undefined
  #event: WatchEvent<T> | undefined

  private constructor(event: WatchEvent<T> | undefined) {
    this.#event = event
  }

  /** It tells nothing (`pkg/storage/cacher/cacher.go: immediateCloseWatcher`). */
  static closed<T extends KubeObject>(): ImmediateWatch<T> {
    return new ImmediateWatch<T>(undefined)
  }

  /** It tells the error (`cacher.go: errWatcher`). */
  static failed<T extends KubeObject>(error: unknown): ImmediateWatch<T> {
    return new ImmediateWatch<T>({ type: 'ERROR', status: statusOf(error) })
  }

  get ended(): boolean {
    return this.#event === undefined
  }

  poll(): WatchEvent<T> | undefined {
    const event = this.#event
    this.#event = undefined
    return event
  }

  stop(): void {
    this.#event = undefined
  }

  [Symbol.asyncIterator](): AsyncIterator<WatchEvent<T>> {
    return iterateWatch(this)
  }
}

function statusOf(error: unknown): Status {
  if (error instanceof StatusError) return error.status
  return {
    metadata: {},
    status: 'Failure',
    message: error instanceof Error ? error.message : String(error),
    reason: 'InternalError',
    code: 500,
  }
}
