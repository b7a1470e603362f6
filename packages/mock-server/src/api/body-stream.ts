import type { BodySink, BodyStream } from './message.ts'

/** Bytes that a streamed body is cut into; large enough that their number does not matter. */
export const CHUNK_BYTES: number = 256 * 1024

/**
 * A body made of chunks that are produced one after the other when the sink has room. An error of the
 * producer breaks the connection, so that nobody takes half a body for a whole one.
 */
export class ChunkedBody implements BodyStream {
  readonly #chunks: Iterator<Uint8Array>
  #sink: BodySink | undefined

  constructor(chunks: Iterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.iterator]()
  }

  start(sink: BodySink): void {
    this.#sink = sink
    this.drain()
  }

  drain(): void {
    const sink = this.#sink
    if (!sink) return
    try {
      for (;;) {
        const { done, value } = this.#chunks.next()
        if (done) {
          this.#sink = undefined
          sink.end()
          return
        }
        if (!sink.write(value) || this.#sink === undefined) return
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
