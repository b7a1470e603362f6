import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { FakeClock } from '@freshread/core/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { MAX_BODY_BYTES, type BodyStream } from '../api/message.ts'
import { createKubeServer, type KubeServer } from '../server.ts'
import { serve, type ServedKubeServer, type ServeOptions } from './http.ts'

let served: ServedKubeServer | undefined
afterEach(async () => {
  await served?.close()
  served = undefined
})

async function start(options?: ServeOptions): Promise<ServedKubeServer> {
  served = await serve(options)
  return served
}

const json = { 'content-type': 'application/json' }
const post = (url: string, body: unknown): Promise<Response> =>
  fetch(url, { method: 'POST', headers: json, body: JSON.stringify(body) })

describe('serve', () => {
  it('answers writes, reads and watches on a real port', async () => {
    const { url } = await start()
    const maps = `${url}/api/v1/namespaces/default/configmaps`
    const watching = await fetch(`${maps}?watch=true&resourceVersion=1`)
    expect((await post(maps, { metadata: { name: 'a' } })).status).toBe(201)
    expect((await (await fetch(`${maps}/a`)).json()) as object).toMatchObject({
      kind: 'ConfigMap',
      metadata: { name: 'a' },
    })
    const reader = watching.body!.getReader()
    let text = ''
    while (!text.includes('"name":"a"')) text += new TextDecoder().decode((await reader.read()).value)
    expect(text).toContain('"type":"ADDED"')
    await reader.cancel()
    await expect.poll(async () => (await served!.server.control.state()).watches).toBe(0)
  })

  it('takes control from this machine and refuses a page of another origin', async () => {
    const { url } = await start()
    const freeze = (headers: Record<string, string>): Promise<number> =>
      fetch(`${url}/_freshread/freeze`, { method: 'POST', headers }).then((response) => response.status)
    expect(await freeze({ origin: 'https://evil.example' })).toBe(403)
    expect((await served!.server.control.state()).frozen).toBe(false)
    expect(await freeze({})).toBe(200)
    expect((await served!.server.control.state()).frozen).toBe(true)
  })

  it('has no control paths when they are off', async () => {
    const { url } = await start({ control: 'off' })
    expect((await fetch(`${url}/_freshread/freeze`, { method: 'POST' })).status).toBe(404)
  })

  it('answers a preflight and exposes what a page must read', async () => {
    const { url } = await start()
    const headers = {
      origin: 'http://page.example',
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'content-type',
    }
    const preflight = await fetch(`${url}/api/v1/pods`, { method: 'OPTIONS', headers })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-methods')).toContain('PATCH')
    expect(preflight.headers.get('access-control-allow-headers')).toBe('content-type')
    const answer = await fetch(`${url}/api/v1/pods`, { headers: { origin: 'http://page.example' } })
    expect(answer.headers.get('access-control-allow-origin')).toBe('http://page.example')
    expect(answer.headers.get('access-control-expose-headers')).toContain('Retry-After')
    expect(answer.headers.get('access-control-expose-headers')).toContain('Server-Timing')
    await answer.text()
  })

  it('refuses a body beyond three MiB with 413', async () => {
    const { url } = await start()
    const answer = await post(`${url}/api/v1/namespaces/default/configmaps`, {
      metadata: { name: 'a' },
      data: { k: 'x'.repeat(MAX_BODY_BYTES) },
    })
    expect(answer.status).toBe(413)
    expect(await answer.json()).toMatchObject({ kind: 'Status', reason: 'RequestEntityTooLarge' })
  })

  it('survives a client that goes away in the middle of its body', async () => {
    const { url, port } = await start()
    await new Promise<void>((resolve) => {
      const request = httpRequest({
        port,
        method: 'POST',
        path: '/api/v1/namespaces/default/configmaps',
        headers: { ...json, 'content-length': '1000' },
      })
      request.on('error', () => resolve())
      request.write('{"metadata"')
      setImmediate(() => request.destroy(new Error('gone')))
    })
    expect((await fetch(`${url}/version`)).status).toBe(200)
  })

  it('frees the port on close, with watches open', async () => {
    const first = await start()
    const watching = await fetch(`${first.url}/api/v1/pods?watch=true&resourceVersion=1`)
    const ended = watching.text().catch(() => 'broken')
    await first.close()
    await ended
    const second = await serve({ port: first.port })
    expect(second.port).toBe(first.port)
    await second.close()
    await first.close()
  })

  it.each<[string, object]>([
    ['port', { port: 70_000 }],
    ['host', { host: '' }],
    ['control', { control: 'everyone' }],
    ['cors', { cors: 'yes' }],
  ])('refuses a wrong %s and names it', async (name, options) => {
    await expect(serve(options as ServeOptions)).rejects.toThrow(new RegExp(`option ${name}`))
  })

  it('sends what a turn wrote in order: small chunks as one, large ones at once', async () => {
    const large = new Uint8Array(300_000).fill(0x78)
    let sent = 0
    const body: BodyStream = {
      start(sink) {
        for (const text of ['a', 'bc']) sink.write(new TextEncoder().encode(text))
        sink.write(large, () => void sent++)
        for (const text of ['d', 'e']) sink.write(new TextEncoder().encode(text))
        setImmediate(() => sink.end())
      },
      drain: () => undefined,
      cancel: () => undefined,
    }
    const server = { handle: async () => ({ status: 200, headers: {}, body }) } as unknown as KubeServer
    const { port } = await start({ server })
    const socket = connect(port, '127.0.0.1')
    socket.write('GET /api HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    let text = ''
    for await (const chunk of socket) text += String(chunk)
    const frames = text.slice(text.indexOf('\r\n\r\n') + 4).replace(/x+/, 'x')
    expect(frames).toBe(`3\r\nabc\r\n${large.length.toString(16)}\r\nx\r\n2\r\nde\r\n0\r\n\r\n`)
    expect(sent).toBe(1)
  })

  it.each<[string, unknown]>([
    ['port', { port: 65_536 }],
    ['server', { server: 1 }],
    ['clock', { server: createKubeServer(), clock: new FakeClock() }],
    ['prot', { prot: 1 }],
  ])('refuses a wrong %s and names it', async (name, options) => {
    await expect(serve(options as ServeOptions)).rejects.toThrow(new RegExp(`option ${name}\\b`))
  })

  it('rejects when the port is taken', async () => {
    const { port } = await start()
    await expect(serve({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })
})
