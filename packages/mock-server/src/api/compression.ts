import type { BodySink, BodyStream } from './message.ts'

/** Smaller bodies are not compressed (`pkg/endpoints/handlers/responsewriters: defaultGzipThresholdBytes`). */
export const GZIP_THRESHOLD_BYTES: number = 128 * 1024

/** Compresses bytes to one complete gzip member. */
export async function gzip(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new CompressionStream('gzip'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/** A body compressed as one gzip stream, chunk by chunk as the source gives them. */
export class GzipBody implements BodyStream {
  readonly #source: BodyStream
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  #room: (() => void) | undefined
  #cancelled = false

  constructor(source: BodyStream) {
    this.#source = source
    const { readable, writable } = new CompressionStream('gzip')
    this.#writer = writable.getWriter() as unknown as WritableStreamDefaultWriter<Uint8Array>
    this.#reader = readable.getReader() as unknown as ReadableStreamDefaultReader<Uint8Array>
    this.#writer.closed.catch(() => {})
    this.#reader.closed.catch(() => {})
  }

  start(sink: BodySink): void {
    void this.#pipe(sink)
    this.#source.start({
      write: (chunk) => {
        const written = this.#writer.write(chunk)
        if ((this.#writer.desiredSize ?? 0) > 0) {
          written.catch(() => {})
          return true
        }
        void this.#drainAfter(written)
        return false
      },
      end: () => void this.#writer.close().catch(() => {}),
      fail: (error) => void this.#writer.abort(error).catch(() => {}),
    })
  }

  async #drainAfter(written: Promise<void>): Promise<void> {
    try {
      await written
    } catch {
      // The stream was given up; the reader tells of it.
      return
    }
    if (!this.#cancelled) this.#source.drain()
  }

  async #pipe(sink: BodySink): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await this.#reader.read()
        if (this.#cancelled) return
        if (done) {
          sink.end()
          return
        }
        if (!sink.write(value)) await new Promise<void>((resolve) => (this.#room = resolve))
      }
    } catch (error) {
      if (!this.#cancelled) sink.fail(error instanceof Error ? error : new Error(String(error)))
    }
  }

  drain(): void {
    this.#room?.()
    this.#room = undefined
  }

  cancel(): void {
    if (this.#cancelled) return
    this.#cancelled = true
    this.#source.cancel()
    this.drain()
    this.#writer.abort().catch(() => {})
    this.#reader.cancel().catch(() => {})
  }
}
