import type { BodySink, BodyStream } from '../api/message.ts'
import type { Resource } from '../resources/resource.ts'

/** The bodies that are being streamed to clients, so that they can be ended. */
export class OpenStreams {
  readonly #streams = new Map<TrackedStream, Resource>()

  get size(): number {
    return this.#streams.size
  }

  /** The same body, known from now until it ends. */
  track(body: BodyStream, resource: Resource): BodyStream {
    const stream = new TrackedStream(body, () => this.#streams.delete(stream))
    this.#streams.set(stream, resource)
    return stream
  }

  /** Ends streams: cleanly, or as a connection that breaks. */
  drop(filter: ((resource: Resource) => boolean) | undefined, clean: boolean): void {
    for (const [stream, resource] of this.#streams) {
      if (filter === undefined || filter(resource)) stream.drop(clean)
    }
  }
}

class TrackedStream implements BodyStream, BodySink {
  readonly #body: BodyStream
  readonly #forget: () => void
  #sink: BodySink | undefined
  #dropped: 'clean' | 'broken' | undefined
  #over = false

  constructor(body: BodyStream, forget: () => void) {
    this.#body = body
    this.#forget = forget
  }

  start(sink: BodySink): void {
    this.#sink = sink
    if (this.#dropped === undefined) this.#body.start(this)
    else this.#finish(this.#dropped)
  }

  drain(): void {
    if (!this.#over) this.#body.drain()
  }

  cancel(): void {
    if (this.#over) return
    this.#over = true
    this.#forget()
    this.#body.cancel()
  }

  write(chunk: Uint8Array, onSent?: () => void): boolean {
    return this.#over || this.#sink!.write(chunk, onSent)
  }

  end(): void {
    this.#finish('clean')
  }

  fail(error: Error): void {
    if (this.#over) return
    this.#over = true
    this.#forget()
    this.#sink?.fail(error)
  }

  drop(clean: boolean): void {
    if (this.#over || this.#dropped !== undefined) return
    this.#dropped = clean ? 'clean' : 'broken'
    this.#body.cancel()
    // One whose headers are not out yet ends as soon as they are.
    if (this.#sink === undefined) this.#forget()
    else this.#finish(this.#dropped)
  }

  #finish(how: 'clean' | 'broken'): void {
    if (this.#over) return
    this.#over = true
    this.#forget()
    if (how === 'clean') this.#sink?.end()
    else this.#sink?.fail(new Error('the connection was dropped'))
  }
}
