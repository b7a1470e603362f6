import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { BodyStream } from '../api/message.ts'

/** Text waits in a socket up to this many bytes before a watch is told to wait. */
const HIGH_WATER_BYTES = 1024 * 1024
/** A token that a browser hides among the protocols it offers (`wsstream: bearerProtocolPrefix`). */
const BEARER_PREFIX = 'base64url.bearer.authorization.k8s.io.'

const handshakes = new WebSocketServer({
  noServer: true,
  perMessageDeflate: false,
  handleProtocols: (offered) => [...offered].find((name) => !name.startsWith(BEARER_PREFIX)) ?? false,
})

/** Whether Node lets a server leave all other upgrades, such as `h2c`, alone; without that none are taken. */
export const canChooseUpgrades: boolean = (() => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  return major > 24 || (major === 24 && minor >= 9)
})()

/** Whether a request asks for a WebSocket (`apimachinery: pkg/util/httpstream/wsstream: IsWebSocketRequest`). */
export function asksForWebSocket(request: IncomingMessage): boolean {
  return request.method === 'GET' && request.headers.upgrade?.toLowerCase() === 'websocket'
}

/**
 * Sends a watch over a WebSocket, one message an event: text for JSON, binary for protobuf
 * (`pkg/endpoints/handlers/watch.go: HandleWS`). What the client sends is ignored, as upstream does.
 *
 * @param contentType of the answer, which says how events are framed in `body`
 */
export function watchOverWebSocket(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  body: BodyStream,
  contentType: string,
): void {
  const text = contentType.startsWith('application/json')
  const frames = text ? lines : lengthPrefixed
  // Also where the handshake fails.
  socket.once('close', () => body.cancel())
  handshakes.handleUpgrade(request, socket, head, (client) => {
    client.on('error', () => undefined)
    let full = false
    const relieve = (): void => {
      if (!full || client.bufferedAmount >= HIGH_WATER_BYTES) return
      full = false
      body.drain()
    }
    body.start({
      write(chunk) {
        for (const frame of frames(chunk)) client.send(frame, { binary: !text }, relieve)
        full = client.bufferedAmount >= HIGH_WATER_BYTES
        return !full
      },
      end: () => client.close(1000),
      fail: () => client.terminate(),
    })
  })
}

/** Events of JSON, each with its newline; a chunk holds whole events. */
function* lines(chunk: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < chunk.length;) {
    const newline = chunk.indexOf(0x0a, start)
    const end = newline < 0 ? chunk.length : newline + 1
    yield chunk.subarray(start, end)
    start = end
  }
}

/** Events behind their length, which a message does not need. */
function* lengthPrefixed(chunk: Uint8Array): Generator<Uint8Array> {
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  for (let start = 0; start < chunk.length;) {
    const end = start + 4 + view.getUint32(start)
    yield chunk.subarray(start + 4, end)
    start = end
  }
}
