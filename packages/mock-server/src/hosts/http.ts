import { createServer, ServerResponse, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { MAX_BODY_BYTES, type BodySink, type BodyStream, type KubeRequest, type KubeResponse } from '../api/message.ts'
import { createKubeServer, type KubeServer, type KubeServerOptions } from '../server.ts'
import { checkGivenServer, checkHostOptions } from './check-server.ts'
import { corsHeaders, isPreflight } from './cors.ts'
import { mayControl, type ControlAccess } from './control-guard.ts'
import { CONTROL_PREFIX } from '../control/http.ts'
import { asksForWebSocket, canChooseUpgrades, watchOverWebSocket } from './websocket.ts'

/** How to put a server on a port. */
export interface ServeOptions extends KubeServerOptions {
  /** TCP port; 0, the default, takes a free one. */
  readonly port?: number
  /** Address to listen on. Default `127.0.0.1`. */
  readonly host?: string
  /** A server to put on the port, instead of a new one; it is not closed with the port. */
  readonly server?: KubeServer
  /**
   * Who may use `/_freshread/…`: `loopback` (default) takes it only from this machine and never from a web
   * page of another origin, `anyone` asks nothing, `off` answers 404.
   */
  readonly control?: ControlAccess
  /** Lets web pages of any origin use the API. Default true. */
  readonly cors?: boolean
}

/** A server on a port. */
export interface ServedKubeServer {
  /** `http://127.0.0.1:41234`, without a slash at its end. */
  readonly url: string
  readonly port: number
  readonly server: KubeServer
  /** Ends watches and connections and frees the port. Idempotent. */
  close(): Promise<void>
}

const options: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  port: (v) =>
    Number.isInteger(v) && (v as number) >= 0 && (v as number) < 65536 ? undefined : 'a port number, 0 to 65535',
  host: (v) => (typeof v === 'string' && v !== '' ? undefined : 'an address to listen on'),
  control: (v) => (['loopback', 'anyone', 'off'].includes(v as string) ? undefined : "'loopback', 'anyone' or 'off'"),
  cors: (v) => (typeof v === 'boolean' ? undefined : 'a boolean'),
}

/**
 * Serves a Kubernetes API on a real port, for kubectl, for clients in any language and for web pages.
 *
 * @throws TypeError when an option is wrong; the listening error (such as `EADDRINUSE`) when the port cannot be had
 */
export async function serve(given: ServeOptions = {}): Promise<ServedKubeServer> {
  checkHostOptions('serve', given)
  for (const [name, wrong] of Object.entries(options)) {
    const value = given[name as keyof ServeOptions]
    const expected = value === undefined ? undefined : wrong(value)
    if (expected !== undefined) throw new TypeError(`serve: option ${name} must be ${expected}, got ${String(value)}`)
  }
  const { port = 0, host = '127.0.0.1', control = 'loopback', cors = true, server: existing, ...rest } = given
  checkGivenServer('serve', existing, rest)
  const server = existing ?? createKubeServer(rest)
  const sockets = new Set<Socket>()
  const streams = new Set<BodyStream>()
  const limits = { keepAliveTimeout: 60_000, maxHeaderSize: 64 * 1024 }
  const http = createServer({ ...limits, shouldUpgradeCallback: asksForWebSocket }, (request, response) => {
    answer(server, request, response, { control, cors, streams }).catch((error: unknown) => {
      // The server's handle never rejects; what ends here is a broken connection.
      response.destroy(error instanceof Error ? error : undefined)
    })
  })
  if (canChooseUpgrades) {
    http.on('upgrade', (request, socket, head) => {
      upgrade(server, request, socket, head, { control, cors, streams }).catch((error: unknown) => {
        socket.destroy(error instanceof Error ? error : undefined)
      })
    })
  }
  http.on('connection', (socket: Socket) => {
    socket.setNoDelay(true)
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  try {
    await listen(http, port, host)
  } catch (error) {
    if (existing === undefined) await server.close()
    throw error
  }
  const address = http.address() as AddressInfo
  let closing: Promise<void> | undefined
  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => http.close(() => resolve()))
    for (const stream of streams) stream.cancel()
    for (const socket of sockets) socket.destroy()
    await closed
    if (existing === undefined) await server.close()
  }
  return {
    url: `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`,
    port: address.port,
    server,
    close: () => (closing ??= close()),
  }
}

function listen(http: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', reject)
    http.listen(port, host, () => {
      http.off('error', reject)
      resolve()
    })
  })
}

interface Host {
  readonly control: ControlAccess
  readonly cors: boolean
  readonly streams: Set<BodyStream>
}

async function answer(
  server: KubeServer,
  request: IncomingMessage,
  response: ServerResponse,
  host: Host,
): Promise<void> {
  const { headers } = request
  const extra = host.cors ? corsHeaders(headers.origin, headers['access-control-request-headers']) : {}
  if (host.cors && isPreflight(request.method ?? '', headers)) {
    response.writeHead(204, extra).end()
    return
  }
  const abort = new AbortController()
  response.once('close', () => {
    if (!response.writableEnded) abort.abort()
  })
  const target = request.url ?? '/'
  const cut = target.indexOf('?')
  const path = cut < 0 ? target : target.slice(0, cut)
  const isControl = path.startsWith(CONTROL_PREFIX)
  if (isControl && !mayControl(host.control, request.socket.remoteAddress ?? '', headers)) {
    const off = host.control === 'off'
    send(
      response,
      { status: off ? 404 : 403, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: refusal(off) },
      extra,
      host,
    )
    return
  }
  const message: KubeRequest = {
    method: request.method ?? 'GET',
    path,
    query: cut < 0 ? '' : target.slice(cut + 1),
    headers: flatten(headers),
    body: await readBody(request),
    signal: abort.signal,
  }
  const result = isControl ? await server.handleControl(message) : await server.handle(message)
  send(response, result, extra, host)
}

/** Answers a request for a WebSocket: a watch over one, anything else as if it had not been asked for. */
async function upgrade(
  server: KubeServer,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  host: Host,
): Promise<void> {
  const abort = new AbortController()
  socket.on('error', () => undefined)
  socket.once('close', () => abort.abort())
  const [path = '/', query = ''] = (request.url ?? '/').split(/\?(.*)/s)
  // Messages are not compressed.
  const headers = { ...flatten(request.headers), 'accept-encoding': undefined }
  const result = await server.handle({ method: 'GET', path, query, headers, signal: abort.signal })
  const watched = result.isWatch === true ? (result.body as BodyStream) : undefined
  if (watched !== undefined && request.headers.origin !== undefined) {
    host.streams.add(watched)
    socket.once('close', () => host.streams.delete(watched))
    watchOverWebSocket(request, socket, head, watched, String(result.headers['content-type']))
    return
  }
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(socket as Socket)
  response.once('finish', () => socket.end())
  watched?.cancel()
  // The handshake wants to know where the page comes from (`golang.org/x/net/websocket: checkOrigin`).
  send(response, watched === undefined ? result : { status: 403, headers: {} }, {}, host)
}

const encoder = new TextEncoder()

function refusal(off: boolean): Uint8Array {
  return encoder.encode(
    off ? '404 page not found\n' : 'control is open to this machine only, and not to web pages of another origin\n',
  )
}

function flatten(headers: IncomingMessage['headers']): Record<string, string | undefined> {
  const flat: Record<string, string | undefined> = {}
  for (const [name, value] of Object.entries(headers)) flat[name] = Array.isArray(value) ? value.join(', ') : value
  return flat
}

/** Reads one byte more than is allowed, so that the server can tell a body that is too large; the rest is thrown away. */
async function readBody(request: IncomingMessage): Promise<Uint8Array | undefined> {
  if (request.headers['content-length'] === undefined && request.headers['transfer-encoding'] === undefined)
    return undefined
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    if (size <= MAX_BODY_BYTES) chunks.push(chunk)
    size += chunk.length
  }
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
}

function send(response: ServerResponse, result: KubeResponse, extra: Record<string, string>, host: Host): void {
  const { body } = result
  if (response.destroyed) {
    if (body !== undefined && !(body instanceof Uint8Array)) body.cancel()
    return
  }
  const headers: Record<string, string | string[]> = {
    ...(result.headers as Record<string, string | string[]>),
    ...extra,
  }
  const vary = result.headers['vary']
  if (vary !== undefined && extra['vary'] !== undefined) headers['vary'] = `${String(vary)}, ${extra['vary']}`
  if (body === undefined || body instanceof Uint8Array) {
    headers['content-length'] = String(body?.length ?? 0)
    response.writeHead(result.status, headers)
    response.end(body)
    return
  }
  response.writeHead(result.status, headers)
  response.flushHeaders()
  stream(response, body, host.streams)
}

function stream(response: ServerResponse, body: BodyStream, streams: Set<BodyStream>): void {
  streams.add(body)
  let closed = false
  const sink: BodySink = {
    write(chunk, onSent) {
      if (closed) return true
      const sent = onSent && ((error?: Error | null) => (error ? undefined : onSent()))
      // What is large goes out at once, after what waits for the end of the turn.
      if (chunk.length >= DIRECT_BYTES) uncork(response)
      else cork(response)
      return response.write(chunk, sent)
    },
    end() {
      closed = true
      streams.delete(body)
      // Node drops what is still corked when a chunked body ends.
      uncork(response)
      response.end()
    },
    fail(error) {
      closed = true
      streams.delete(body)
      response.destroy(error)
    },
  }
  response.on('drain', () => body.drain())
  response.once('close', () => {
    closed = true
    if (streams.delete(body)) body.cancel()
  })
  // A broken connection is the client's affair; without a listener it would end the process.
  response.on('error', () => undefined)
  body.start(sink)
}

/** Writes from this size on gain nothing from being gathered. */
const DIRECT_BYTES = 64 * 1024

/**
 * Responses that were written to in this turn. All their writes leave together, one packet each: a burst of events
 * costs one system call a connection, not one an event.
 */
const corked = new Set<ServerResponse>()
/** Taken at import: fake timers installed by a test must not hold writes back. */
const realSetImmediate = globalThis.setImmediate

function cork(response: ServerResponse): void {
  if (corked.has(response)) return
  if (corked.size === 0) realSetImmediate(uncorkAll)
  corked.add(response)
  response.cork()
}

function uncork(response: ServerResponse): void {
  if (!corked.delete(response)) return
  // The socket is held a little longer, or the length of the chunk would leave in a packet of its own.
  const { socket } = response
  socket?.cork()
  response.uncork()
  socket?.uncork()
}

function uncorkAll(): void {
  for (const response of corked) uncork(response)
}
