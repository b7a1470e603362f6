/** A request as the server's heart takes it, whichever host it came through. */
export interface KubeRequest {
  readonly method: string
  /** Path as sent, still percent-encoded, without the query: `/api/v1/namespaces/default/pods`. */
  readonly path: string
  /** The raw query string, without `?`. */
  readonly query: string
  /** Names in lower case; several values joined by `, `. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The whole body; absent when there is none. Read by the host, at most {@link MAX_BODY_BYTES} + 1 bytes of it. */
  readonly body?: Uint8Array | undefined
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal
  /** The answer stays in this process: it is not compressed, and no list is streamed. Default false. */
  readonly local?: boolean | undefined
}

/** Where a streamed body goes. */
export interface BodySink {
  /**
   * Takes a chunk; false asks the writer to wait for {@link BodyStream}'s `drain`. Nothing is lost when it does not.
   *
   * @param onSent called when the bytes are out, so that the array may be filled anew; never by a sink that hands the
   *   array on
   */
  write(chunk: Uint8Array, onSent?: () => void): boolean
  /** Ends the body cleanly. */
  end(): void
  /** Breaks the connection, so that the client sees an incomplete body. */
  fail(error: Error): void
}

/** A body that comes in pieces: a watch, or a list too long for one piece. */
export interface BodyStream {
  /** Begins to write; called once, by the host, when the headers are out. */
  start(sink: BodySink): void
  /** The sink has room again. */
  drain(): void
  /** The client is gone or the host is closing: nothing must be written any more. Idempotent. */
  cancel(): void
}

/** An answer, for a host to send. */
export interface KubeResponse {
  readonly status: number
  /** Names in lower case; a list for a header that is sent several times (`warning`). */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body?: Uint8Array | BodyStream | undefined
  /** The body is a stream of events, each chunk of it whole events. */
  readonly isWatch?: true | undefined
}

/** Larger request bodies are refused with 413 (`pkg/server/config.go: MaxRequestBodyBytes`). */
export const MAX_BODY_BYTES: number = 3 * 1024 * 1024
