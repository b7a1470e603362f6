import type { KubeObject } from '../meta/types.ts'
import type { Watch, WatchEvent } from './storage.ts'

/** Makes events of what was received, or nothing for what is not wanted. A thrown error ends the watch. */
export type ReceivedTransform<R, T extends KubeObject> = (received: R) => WatchEvent<T> | undefined

/** How many places of the queue may have been read before their memory is given back. */
const maxReadPlaces = 1024

/**
 * A watch on the storage. What is received waits here as it came, and becomes an event when it is taken; nothing
 * is dropped for a slow reader, and nobody else has to wait for one. Upstream has 100 places before and after its
 * decoder (`pkg/storage/etcd3/watcher.go`), but what does not fit there queues without a limit in etcd's client
 * before them, so that a reader cannot tell the difference.
 */
export class StoreWatch<R, T extends KubeObject> implements Watch<T> {
  onReadable: (() => void) | undefined
  readonly #transform: ReceivedTransform<R, T>
  readonly #toError: (error: unknown) => WatchEvent<T>
  readonly #onStop: () => void
  #queue: (R | undefined)[] = []
  #head = 0
  /** An error to tell after the queue. */
  #failure: { readonly error: unknown } | undefined
  #closed = false
  #polling = false

  /**
   * @param toError the event to tell an error by
   * @param onStop is called once, when the watch ends, for whatever reason
   */
  constructor(transform: ReceivedTransform<R, T>, toError: (error: unknown) => WatchEvent<T>, onStop: () => void) {
    this.#transform = transform
    this.#toError = toError
    this.#onStop = onStop
  }

  /** Something came in. */
  push(received: R): void {
    if (this.#closed) return
    this.#queue.push(received)
    this.#wake()
  }

  /** Ends the watch with an error, told after what came before it. */
  fail(error: unknown): void {
    if (this.#closed) return
    this.#failure = { error }
    this.#close()
  }

  /** Ends the watch after what is left in it. */
  end(): void {
    this.#close()
  }

  #close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#onStop()
    this.#wake()
  }

  #wake(): void {
    if (!this.#polling) this.onReadable?.()
  }

  poll(): WatchEvent<T> | undefined {
    this.#polling = true
    try {
      return this.#next()
    } finally {
      this.#polling = false
    }
  }

  #next(): WatchEvent<T> | undefined {
    while (this.#head < this.#queue.length) {
      const received = this.#shift()
      try {
        const event = this.#transform(received)
        if (event !== undefined) return event
      } catch (error) {
        this.#clear()
        this.#failure = { error }
        this.#close()
      }
    }
    if (this.#failure === undefined) return undefined
    const { error } = this.#failure
    this.#failure = undefined
    return this.#toError(error)
  }

  #shift(): R {
    const received = this.#queue[this.#head]!
    // Not kept alive by a place that was read.
    this.#queue[this.#head++] = undefined
    if (this.#head === this.#queue.length) this.#clear()
    else if (this.#head >= maxReadPlaces && this.#head * 2 >= this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head)
      this.#head = 0
    }
    return received
  }

  #clear(): void {
    this.#queue = []
    this.#head = 0
  }

  /** Nothing more comes in. */
  get closed(): boolean {
    return this.#closed
  }

  get ended(): boolean {
    return this.#closed && this.#head === this.#queue.length && this.#failure === undefined
  }

  stop(): void {
    this.#clear()
    this.#failure = undefined
    this.#close()
  }

  [Symbol.asyncIterator](): AsyncIterator<WatchEvent<T>> {
    return iterateWatch(this)
  }
}

/** Takes a watch's events one by one; leaving the loop stops it. */
export async function* iterateWatch<T extends KubeObject>(watch: Watch<T>): AsyncGenerator<WatchEvent<T>, void> {
  let wake: (() => void) | undefined
  watch.onReadable = () => wake?.()
  try {
    for (;;) {
      const event = watch.poll()
      if (event !== undefined) yield event
      else if (watch.ended) return
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    watch.onReadable = undefined
    watch.stop()
  }
}
