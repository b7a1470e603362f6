import { CONTROL_PREFIX } from '../control/http.ts'
import { MAX_BODY_BYTES, type BodySink, type BodyStream, type KubeRequest, type KubeResponse } from './message.ts'

/** What answers requests: a server. */
export interface RequestHandler {
  handle(request: KubeRequest): Promise<KubeResponse>
  handleControl(request: KubeRequest): Promise<KubeResponse>
}

/** Statuses whose Response must have no body. */
const BODILESS = new Set([101, 204, 205, 304])

/**
 * Lets a server answer a fetch Request: the bridge for hosts that speak Request and Response. Who can call it is in
 * the server's own process, so the control paths are open.
 *
 * @param path path within the cluster, still encoded; default the URL's own
 */
export async function fetchThrough(server: RequestHandler, request: Request, path?: string): Promise<Response> {
  const url = new URL(request.url)
  const message: KubeRequest = {
    method: request.method,
    path: path ?? url.pathname,
    query: url.search.slice(1),
    headers: Object.fromEntries(request.headers),
    body: await readBody(request),
    signal: request.signal,
    local: true,
  }
  const isControl = message.path.startsWith(CONTROL_PREFIX)
  const { status, headers: given, body } = await (isControl ? server.handleControl(message) : server.handle(message))
  const headers = new Headers()
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === 'string') headers.set(name, value)
    else for (const one of value) headers.append(name, one)
  }
  if (body === undefined || body instanceof Uint8Array) {
    return new Response(BODILESS.has(status) || body === undefined ? null : (body as Uint8Array<ArrayBuffer>), {
      status,
      headers,
    })
  }
  // Without it an interceptor takes an error in the stream for a clean end.
  headers.set('transfer-encoding', 'chunked')
  return new Response(readable(body, request.signal), { status, headers })
}

async function readBody(request: Request): Promise<Uint8Array | undefined> {
  if (request.body === null) return undefined
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    if (size <= MAX_BODY_BYTES) chunks.push(chunk)
    size += chunk.length
  }
  if (chunks.length === 1) return chunks[0]
  const whole = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.length
  }
  return whole
}

/** The stream's end comes as the reader's cancel or as the request's abort, depending on the host. */
function readable(body: BodyStream, signal: AbortSignal): ReadableStream<Uint8Array<ArrayBuffer>> {
  let done = false
  let abort: (() => void) | undefined
  const finish = (): boolean => {
    if (done) return false
    done = true
    if (abort) signal.removeEventListener('abort', abort)
    return true
  }
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      // Headers are held back until the first chunk; a quiet watch would look hung.
      controller.enqueue(new Uint8Array(0))
      const sink: BodySink = {
        write(chunk) {
          if (!done) controller.enqueue(chunk as Uint8Array<ArrayBuffer>)
          return true
        },
        end() {
          if (finish()) controller.close()
        },
        fail(error) {
          if (finish()) controller.error(error)
        },
      }
      abort = () => {
        if (!finish()) return
        body.cancel()
        controller.error(signal.reason)
      }
      if (signal.aborted) return abort()
      signal.addEventListener('abort', abort, { once: true })
      body.start(sink)
    },
    cancel() {
      if (finish()) body.cancel()
    },
  })
}
