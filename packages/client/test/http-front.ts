import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'

/** Puts a fetch on a port; what it rejects with breaks the connection. Answers the URL and how to end it. */
export async function listen(
  fetch: (request: Request) => Promise<Response>,
): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const gone = new AbortController()
      outgoing.on('close', () => gone.abort())
      try {
        const chunks: Uint8Array[] = []
        for await (const chunk of incoming) chunks.push(chunk as Uint8Array)
        const response = await fetch(
          new Request(`http://kube.test${incoming.url}`, {
            method: incoming.method!,
            headers: incoming.headers as Record<string, string>,
            body: chunks.length ? Buffer.concat(chunks) : null,
            signal: gone.signal,
          }),
        )
        outgoing.writeHead(response.status, Object.fromEntries(response.headers))
        outgoing.flushHeaders()
        if (!response.body) return outgoing.end()
        const body = Readable.fromWeb(response.body as never)
        body.on('error', () => outgoing.destroy())
        outgoing.on('close', () => body.destroy())
        body.pipe(outgoing)
      } catch {
        incoming.socket.destroy()
      }
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
