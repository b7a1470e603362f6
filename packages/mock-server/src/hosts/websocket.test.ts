import { request as httpRequest } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { decodeProtobuf } from '../api/protobuf/envelope.ts'
import { serve, type ServedKubeServer } from './http.ts'
import { canChooseUpgrades } from './websocket.ts'

let served: ServedKubeServer | undefined
afterEach(async () => {
  await served?.close()
  served = undefined
})

const MAPS = '/api/v1/namespaces/default/configmaps'

async function start(): Promise<ServedKubeServer> {
  served = await serve()
  return served
}

function create(name: string): Promise<Response> {
  return fetch(served!.url + MAPS, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ metadata: { name }, data: { line: 'a\nb' } }),
  })
}

interface Message {
  readonly data: Buffer
  readonly isBinary: boolean
}

function open(query: string, headers: Record<string, string> = {}): { client: WebSocket; messages: Message[] } {
  const client = new WebSocket(`${served!.url.replace('http', 'ws')}${MAPS}?watch=true${query}`, {
    origin: 'https://page.example',
    headers,
  })
  const messages: Message[] = []
  client.on('message', (data, isBinary) => messages.push({ data: data as Buffer, isBinary }))
  return { client, messages }
}

const closed = (client: WebSocket): Promise<number> => new Promise((resolve) => client.once('close', resolve))
const refused = (client: WebSocket): Promise<number | undefined> =>
  new Promise((resolve) => {
    client.on('error', () => undefined)
    client.once('unexpected-response', (_, response) => resolve(response.statusCode))
  })

describe.runIf(canChooseUpgrades)('a watch over a WebSocket', () => {
  it('has one message of text for each event, those of one burst too', async () => {
    await start()
    await create('a')
    await create('b')
    const { client, messages } = open('&resourceVersion=1')
    await expect.poll(() => messages.length).toBe(2)
    await create('c')
    await expect.poll(() => messages.length).toBe(3)
    const events = messages.map(({ data }) => JSON.parse(data.toString()) as { object: { metadata: { name: string } } })
    expect(events.map((event) => event.object.metadata.name)).toEqual(['a', 'b', 'c'])
    expect(messages.some((message) => message.isBinary)).toBe(false)
    client.close()
    await closed(client)
    await expect.poll(async () => (await served!.server.control.state()).watches).toBe(0)
  })

  it('has binary messages without lengths for protobuf, uncompressed also where a list comes first', async () => {
    await start()
    await create('a')
    const list = '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
    const { messages } = open(list, { accept: 'application/vnd.kubernetes.protobuf', 'accept-encoding': 'gzip' })
    await expect.poll(() => messages.length).toBe(2)
    const { data, isBinary } = messages[0]!
    expect(isBinary).toBe(true)
    // `{1 type, 2 {1 raw}}`
    expect(data.subarray(2, 7).toString()).toBe('ADDED')
    const envelope = data.subarray(data.indexOf('k8s\0'))
    expect(decodeProtobuf(envelope)).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'a' } })
  })

  it('closes normally when the watch ends', async () => {
    await start()
    const { client } = open('&timeoutSeconds=1')
    await expect(closed(client)).resolves.toBe(1000)
  })

  it('is broken off with its server', async () => {
    await start()
    const { client } = open('')
    await new Promise((resolve) => client.once('open', resolve))
    client.on('error', () => undefined)
    const end = closed(client)
    await served!.close()
    await expect(end).resolves.toBe(1006)
  })

  it('is refused as any request is, and to whoever does not say where it comes from', async () => {
    await start()
    expect(await refused(open('&labelSelector=a%20in').client)).toBe(400)
    expect(await refused(new WebSocket(`${served!.url.replace('http', 'ws')}${MAPS}?watch=true`))).toBe(403)
    await expect.poll(async () => (await served!.server.control.state()).watches).toBe(0)
  })

  it('leaves other upgrades alone', async () => {
    const { url } = await start()
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' }
      httpRequest(url + MAPS, { headers }, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end()
    })
    expect(status).toBe(200)
  })
})
