// What plain node:http can do for the same bytes, without any semantics: the bound that a server is measured by.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Entry {
  readonly object: Record<string, unknown>
  readonly bytes: Buffer
  readonly app: string
}

/** What defaults and managed fields add to a pod. */
const padding = 'x'.repeat(1_480)
const comma = Buffer.from(',')

/** Starts one; keeps pods of a single namespace. */
export function startBareServer(): Promise<number> {
  const pods = new Map<string, Entry>()
  const names: string[] = []
  const watchers = new Set<ServerResponse>()
  let revision = 1

  const send = (response: ServerResponse, status: number, bytes: Buffer): void => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length })
    response.end(bytes)
  }
  const store = (object: Record<string, unknown>): Entry => {
    const metadata = object['metadata'] as { name: string; resourceVersion: string; labels: { app: string } }
    metadata.resourceVersion = String(++revision)
    const entry = { object, bytes: Buffer.from(JSON.stringify(object)), app: metadata.labels.app }
    if (!pods.has(metadata.name)) names.push(metadata.name)
    pods.set(metadata.name, entry)
    return entry
  }
  const list = (response: ServerResponse, from: number, limit: number, app: string | undefined): void => {
    const items: Buffer[] = []
    const end = Math.min(names.length, from + limit)
    for (let i = from; i < end; i++) {
      const entry = pods.get(names[i]!)!
      if (app === undefined || entry.app === app) items.push(entry.bytes, comma)
    }
    items.pop()
    const next = end < names.length ? String(end) : ''
    const head = Buffer.from(`{"metadata":{"resourceVersion":"${revision}","continue":"${next}"},"items":[`)
    send(response, 200, Buffer.concat([head, ...items, Buffer.from(']}')]))
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const url = request.url!
      const cut = url.indexOf('?')
      const name = url.slice(0, cut < 0 ? undefined : cut).split('/pods/')[1]
      const query = new URLSearchParams(cut < 0 ? '' : url.slice(cut + 1))
      const body = (): Record<string, unknown> => JSON.parse(Buffer.concat(chunks).toString()) as never
      if (request.method === 'POST') {
        if (!url.includes('/pods')) return send(response, 201, Buffer.from('{}'))
        return send(response, 201, store({ ...body(), padding }).bytes)
      }
      if (request.method === 'PATCH') {
        const { object } = pods.get(name!)!
        const patch = body() as { metadata: { annotations: object } }
        Object.assign((object['metadata'] as { annotations: object }).annotations, patch.metadata.annotations)
        const { bytes } = store(object)
        const line = Buffer.concat([Buffer.from('{"type":"MODIFIED","object":'), bytes, Buffer.from('}\n')])
        for (const watcher of watchers) watcher.write(line)
        return send(response, 200, bytes)
      }
      if (name !== undefined) return send(response, 200, pods.get(name)!.bytes)
      if (query.has('watch')) {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.flushHeaders()
        watchers.add(response)
        response.on('close', () => watchers.delete(response))
        return
      }
      const limit = Number(query.get('limit') ?? Infinity)
      list(response, Number(query.get('continue') ?? 0), limit, query.get('labelSelector')?.split('=')[1])
    })
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)))
}
