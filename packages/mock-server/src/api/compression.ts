import type { BodySink, BodyStream } from './message.ts'

/** Smaller bodies are not compressed (`pkg/endpoints/handlers/responsewriters: defaultGzipThresholdBytes`). */
export const GZIP_THRESHOLD_BYTES: number = 128 * 1024

/** A gzip member of no bytes: its header, one empty final block, and the checksum and length of nothing. */
const EMPTY_MEMBER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0)

/**
 * Compresses bytes so that a reader of a stream that goes on has them at once. Go's reader keeps what a member's last
 * block holds until it has read the header of the next member; hence an empty member follows
 * (`pkg/endpoints/handlers/watch.go: perFlushGzipWriter` writes an empty last block to the same end).
 */
export async function gzipFlushed(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new CompressionStream('gzip'))
  const member = new Uint8Array(await new Response(stream).arrayBuffer())
  const flushed = new Uint8Array(member.length + EMPTY_MEMBER.length)
  flushed.set(member)
  flushed.set(EMPTY_MEMBER, member.length)
  return flushed
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
