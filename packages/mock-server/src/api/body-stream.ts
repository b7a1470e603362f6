import type { BodySink, BodyStream } from './message.ts'

/** Bytes that a streamed body is cut into; large enough that their number does not matter. */
export const CHUNK_BYTES: number = 256 * 1024

/**
 * A body made of chunks that are produced one after the other when the sink has room. An error of the
 * producer breaks the connection, so that nobody takes half a body for a whole one.
 */
export class ChunkedBody implements BodyStream {
  readonly #chunks: Iterator<Uint8Array>
  readonly #onSent: ((chunk: Uint8Array) => void) | undefined
  #sink: BodySink | undefined

  /** @param onSent told of each chunk that is out and nobody's any more, if the sink says so */
  constructor(chunks: Iterable<Uint8Array>, onSent?: (chunk: Uint8Array) => void) {
    this.#chunks = chunks[Symbol.iterator]()
    this.#onSent = onSent
  }

  start(sink: BodySink): void {
    this.#sink = sink
    this.drain()
  }

  drain(): void {
    const sink = this.#sink
    if (!sink) return
    const onSent = this.#onSent
    try {
      for (;;) {
        const { done, value } = this.#chunks.next()
        if (done) {
          this.#sink = undefined
          sink.end()
          return
        }
        const wantsMore = sink.write(value, onSent && (() => onSent(value)))
        if (!wantsMore || this.#sink === undefined) return
      }
    } catch (error) {
      this.#sink = undefined
      sink.fail(error instanceof Error ? error : new Error(String(error)))
    }
  }

  cancel(): void {
    this.#sink = undefined
  }
}

/** Joins arrays of bytes. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const part of parts) length += part.length
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
