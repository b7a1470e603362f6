import type { Clock, ReadTrace, TimerHandle, Watch, WatchEvent } from '@freshread/core'
import type { Resource } from '../resources/resource.ts'
import { concatBytes } from './body-stream.ts'
import { gzipFlushed } from './compression.ts'
import type { OutputFormat } from './encode.ts'
import type { BodySink, BodyStream, KubeResponse } from './message.ts'
import { assertStreams } from './negotiation.ts'
import { acceptsGzip, answerHeaders, type ResponseContext } from './response-context.ts'
import { serverTiming } from './server-timing.ts'
import { includeObjectOption } from './table.ts'
import { WatchEncoder } from './watch-frames.ts'

/** Events are gathered into writes of about this size when many are waiting. */
const FLUSH_BYTES = 64 * 1024

/** Told of what a watch sends. */
export interface WatchObserver {
  /** An event of that many bytes, before compression. */
  sent(bytes: number): void
  /** All initial events of a watch-list are out. */
  initialEventsEnd(): void
}

/** What a watch's answer depends on beside its events. */
export interface WatchResponseOptions {
  readonly format: OutputFormat
  /** When the watch ends by itself, in milliseconds from now; `undefined` for never. */
  readonly timeoutMs?: number | undefined
  /** The watch lists first (`sendInitialEvents`, also by defaulting) and takes bookmarks: compressed for clients that accept it. */
  readonly isWatchList?: boolean | undefined
  readonly trace?: ReadTrace | undefined
  readonly observer?: WatchObserver | undefined
  /** Told once when the stream has ended, however it did. */
  readonly onEnd?: (() => void) | undefined
}

/**
 * Answers a watch (`pkg/endpoints/handlers/watch.go: HandleHTTP`): the headers at once, then one JSON
 * document per line and event. The body ends cleanly when the watch does, at its timeout, and when the
 * client is gone.
 */
export function respondWatch(
  context: ResponseContext,
  watch: Watch,
  resource: Resource,
  options: WatchResponseOptions,
): KubeResponse {
  const format = watchFormat(context, watch, options.format)
  const compress = options.isWatchList === true && acceptsGzip(context)
  const timing = options.trace && serverTiming(options.trace)
  const { clock } = context
  const encoder = new WatchEncoder(resource, format, () => clock.now())
  return {
    status: 200,
    headers: answerHeaders(context, {
      'content-type': format.mediaType === 'application/json' ? format.mediaType : `${format.mediaType};stream=watch`,
      ...(timing !== undefined && { 'server-timing': timing }),
      ...(compress && { 'content-encoding': 'gzip', vary: 'Accept-Encoding' }),
    }),
    isWatch: true,
    body: new WatchBody(watch, encoder, clock, {
      compress,
      timeoutMs: options.timeoutMs,
      observer: options.observer,
      onEnd: options.onEnd,
    }),
  }
}

/** How events are written. What stands against it is only looked at once the watch has begun, which then ends. */
function watchFormat(context: ResponseContext, watch: Watch, format: OutputFormat): OutputFormat {
  try {
    const table = format.convert?.kind === 'Table'
    const checked = table ? { ...format, includeObject: includeObjectOption(context.query) } : format
    assertStreams(checked)
    return checked
  } catch (error) {
    watch.stop()
    throw error
  }
}

interface WatchBodyOptions {
  readonly compress: boolean
  readonly timeoutMs: number | undefined
  readonly observer: WatchObserver | undefined
  readonly onEnd: (() => void) | undefined
}

/** Moves events from a watch to a sink, no faster than the sink takes them. */
class WatchBody implements BodyStream {
  readonly #watch: Watch
  readonly #encoder: WatchEncoder
  readonly #clock: Clock
  readonly #options: WatchBodyOptions
  #sink: BodySink | undefined
  #timer: TimerHandle
  #full = false
  #pumping = false
  #finished = false
  /** Compressed members still on their way, in order. */
  #compressing: Promise<void> | undefined

  constructor(watch: Watch, encoder: WatchEncoder, clock: Clock, options: WatchBodyOptions) {
    this.#watch = watch
    this.#encoder = encoder
    this.#clock = clock
    this.#options = options
  }

  start(sink: BodySink): void {
    if (this.#finished) return
    this.#sink = sink
    const { timeoutMs } = this.#options
    if (timeoutMs !== undefined) this.#timer = this.#clock.setTimeout(() => this.#end(), Math.max(0, timeoutMs))
    this.#watch.onReadable = () => this.#pump()
    this.#pump()
  }

  drain(): void {
    this.#full = false
    this.#pump()
  }

  cancel(): void {
    this.#sink = undefined
    this.#finish()
  }

  #pump(): void {
    // Writing may drain at once; the loop that runs sees that by itself.
    if (this.#pumping || this.#compressing) return
    this.#pumping = true
    try {
      while (this.#sink && !this.#full) {
        const bytes = this.#take()
        if (bytes === undefined) {
          if (this.#watch.ended) this.#end()
          return
        }
        if (this.#options.compress) {
          this.#compress(bytes)
          return
        }
        this.#write(bytes)
      }
    } catch {
      // An event that cannot be encoded ends the watch, as it does upstream.
      this.#end()
    } finally {
      this.#pumping = false
    }
  }

  /** What is there to write now: one shared frame, or many joined. */
  #take(): Uint8Array | undefined {
    const event = this.#watch.poll()
    if (!event) return undefined
    const first = this.#frame(event)
    if (first.length >= FLUSH_BYTES) return first
    const parts = [first]
    for (let size = first.length; size < FLUSH_BYTES;) {
      const more = this.#watch.poll()
      if (!more) break
      const bytes = this.#frame(more)
      parts.push(bytes)
      size += bytes.length
    }
    return parts.length === 1 ? first : concatBytes(parts)
  }

  #frame(event: WatchEvent): Uint8Array {
    const bytes = this.#encoder.frame(event)
    const { observer } = this.#options
    if (observer) {
      observer.sent(bytes.length)
      if (event.type === 'BOOKMARK' && event.initialEventsEnd) observer.initialEventsEnd()
    }
    return bytes
  }

  #write(bytes: Uint8Array): void {
    if (this.#sink?.write(bytes) === false) this.#full = true
  }

  #compress(bytes: Uint8Array): void {
    this.#compressing = gzipFlushed(bytes).then(
      (member) => {
        this.#compressing = undefined
        this.#write(member)
        this.#pump()
      },
      (error: unknown) => {
        this.#compressing = undefined
        const sink = this.#sink
        this.#finish()
        sink?.fail(error instanceof Error ? error : new Error(String(error)))
      },
    )
  }

  #end(): void {
    const sink = this.#sink
    this.#finish()
    if (this.#compressing) void this.#compressing.then(() => sink?.end())
    else sink?.end()
  }

  #finish(): void {
    if (this.#finished) return
    this.#finished = true
    this.#sink = undefined
    this.#watch.onReadable = undefined
    this.#watch.stop()
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer)
    this.#options.onEnd?.()
  }
}
