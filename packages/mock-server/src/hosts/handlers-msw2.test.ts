import { http as mswHttp, HttpResponse } from 'msw-v2'
import { setupServer } from 'msw-v2/node'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { createKubeServer } from '../server.ts'

vi.mock('msw', () => import('msw-v2'))
const { kubeHandlers } = await import('./handlers.ts')

const server = createKubeServer()
const mine = mswHttp.get('https://shop.example/api/orders', () => HttpResponse.json({ orders: [] }))
const network = setupServer(...(kubeHandlers(server) as unknown as (typeof mine)[]), mine)

beforeAll(() => network.listen({ onUnhandledRequest: 'error' }))
afterEach(() => server.reset())
afterAll(async () => {
  network.close()
  await server.close()
})

it('answers inside a set-up of msw 2 and leaves the rest to its other handlers', async () => {
  const created = await fetch('https://any.cluster/api/v1/namespaces/default/configmaps', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ metadata: { name: 'a' }, data: { k: 'v' } }),
  })
  expect(created.status).toBe(201)
  const read = await fetch('https://any.cluster/api/v1/namespaces/default/configmaps/a')
  expect(await read.json()).toMatchObject({ kind: 'ConfigMap', data: { k: 'v' } })
  expect(await (await fetch('https://shop.example/api/orders')).json()).toEqual({ orders: [] })
})

it('streams a watch through msw 2', async () => {
  const abort = new AbortController()
  const response = await fetch(
    'https://any.cluster/api/v1/namespaces/default/configmaps?watch=true&resourceVersion=1',
    {
      signal: abort.signal,
    },
  )
  const reader = response.body!.getReader()
  await fetch('https://any.cluster/api/v1/namespaces/default/configmaps', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ metadata: { name: 'b' } }),
  })
  let text = ''
  while (!text.includes('\n')) text += new TextDecoder().decode((await reader.read()).value)
  expect(JSON.parse(text.split('\n')[0]!)).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'b' } } })
  // Not the reader's cancel: MSW 2 keeps a clone of the response for its log, and waits for that to be read.
  abort.abort()
  await expect.poll(async () => (await server.control.state()).watches).toBe(0)
})
