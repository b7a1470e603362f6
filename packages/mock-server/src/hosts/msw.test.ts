import { AppsV1Api, CoreV1Api, KubeConfig, Watch } from '@kubernetes/client-node'
import axios from 'axios'
import { http as mswHttp, HttpResponse } from 'msw'
import { fetch as undiciFetch } from 'undici'
import { afterEach, describe, expect, it } from 'vitest'
import { createKubeServer, type KubeServer } from '../server.ts'
import { kubeHandlers, setupKubeServer, type InterceptedKubeServer, type SetupKubeServerOptions } from './msw.ts'

const CLUSTER = 'https://any.cluster'
const CONFIG_MAPS = `${CLUSTER}/api/v1/namespaces/default/configmaps`

let kube: InterceptedKubeServer | undefined
afterEach(async () => {
  await kube?.close()
  kube = undefined
})

async function start(options?: SetupKubeServerOptions): Promise<InterceptedKubeServer> {
  kube = await setupKubeServer(options)
  return kube
}

function kubeConfig(server: string = CLUSTER): KubeConfig {
  const config = new KubeConfig()
  config.loadFromClusterAndUser({ name: 'test', server, skipTLSVerify: true }, { name: 'admin' })
  return config
}

describe('setupKubeServer', () => {
  it.each<[string, (url: string, body: unknown) => Promise<unknown>]>([
    [
      'fetch',
      async (url, body) =>
        (
          await fetch(url, {
            method: 'POST',
            body: JSON.stringify(body),
            headers: { 'content-type': 'application/json' },
          })
        ).json(),
    ],
    [
      'undici',
      async (url, body) =>
        (
          await undiciFetch(url, {
            method: 'POST',
            body: JSON.stringify(body),
            headers: { 'content-type': 'application/json' },
          })
        ).json(),
    ],
    ['axios over http', async (url, body) => (await axios.post<unknown>(url, body, { adapter: 'http' })).data],
    ['axios over fetch', async (url, body) => (await axios.post<unknown>(url, body, { adapter: 'fetch' })).data],
  ])('answers %s', async (_, post) => {
    await start()
    await expect(post(CONFIG_MAPS, { metadata: { name: 'a' }, data: { k: 'v' } })).resolves.toMatchObject({
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'default', uid: expect.any(String) },
    })
  })

  it('answers the generated APIs of client-node', async () => {
    await start()
    const core = kubeConfig().makeApiClient(CoreV1Api)
    await core.createNamespacedConfigMap({ namespace: 'default', body: { metadata: { name: 'a' }, data: { k: 'v' } } })
    const list = await core.listNamespacedConfigMap({ namespace: 'default' })
    expect(list.items.map((item) => item.metadata?.name)).toContain('a')
    const missing = kubeConfig()
      .makeApiClient(AppsV1Api)
      .readNamespacedDeployment({ namespace: 'default', name: 'nope' })
    await expect(missing).rejects.toMatchObject({ code: 404 })
  })

  it('streams a watch to client-node and ends it on abort', async () => {
    const server = await start()
    const seen: string[] = []
    let arrived: () => void
    const first = new Promise<void>((resolve) => (arrived = resolve))
    const controller = await new Watch(kubeConfig()).watch(
      '/api/v1/namespaces/default/configmaps',
      { resourceVersion: '1' },
      (type, object: { metadata: { name: string } }) => {
        seen.push(`${type} ${object.metadata.name}`)
        if (object.metadata.name === 'a') arrived()
      },
      () => undefined,
    )
    await axios.post(CONFIG_MAPS, { metadata: { name: 'a' } })
    await first
    expect(seen).toContain('ADDED a')
    controller.abort()
    await expect.poll(async () => (await server.control.state()).watches).toBe(0)
  })

  it('lets an aborted fetch watch go', async () => {
    const server = await start()
    const abort = new AbortController()
    const response = await fetch(`${CONFIG_MAPS}?watch=true&resourceVersion=1`, { signal: abort.signal })
    expect(response.headers.get('content-type')).toBe('application/json')
    expect((await server.control.state()).watches).toBe(1)
    abort.abort()
    await expect.poll(async () => (await server.control.state()).watches).toBe(0)
  })

  it('ends open watches cleanly on close', async () => {
    const server = await start()
    const response = await fetch(`${CONFIG_MAPS}?watch=true&resourceVersion=1`)
    const text = response.text()
    await server.close()
    await expect(text).resolves.toBe('')
  })

  it('serves several clusters by URL and leaves other hosts to other handlers', async () => {
    const other = createKubeServer()
    await start({
      baseUrl: CLUSTER,
      clusters: [{ server: other, baseUrl: 'https://rancher.example/k8s/clusters/c1' }],
      handlers: [mswHttp.get('https://shop.example/api/v1/orders', () => HttpResponse.json({ orders: [] }))],
      onUnhandledRequest: 'error',
    })
    await axios.post(CONFIG_MAPS, { metadata: { name: 'only-here' } })
    const names = async (base: string): Promise<string[]> => {
      const { data } = await axios.get<{ items: { metadata: { name: string } }[] }>(
        `${base}/api/v1/namespaces/default/configmaps`,
      )
      return data.items.map((item) => item.metadata.name)
    }
    expect(await names(CLUSTER)).toContain('only-here')
    expect(await names('https://rancher.example/k8s/clusters/c1')).not.toContain('only-here')
    expect((await axios.get('https://shop.example/api/v1/orders')).data).toEqual({ orders: [] })
    await expect(fetch('https://nobody.example/a.json')).rejects.toThrow(TypeError)
    await other.close()
  })

  it.each<[string, unknown]>([
    ['onUnhandledRequest', { onUnhandledRequest: 'warn' }],
    ['baseUrl', { baseUrl: 'not a url' }],
    ['options', null],
    ['server', { server: {} }],
    ['journalLimit', { server: createKubeServer(), journalLimit: 5 }],
    ['clusters\\[0\\]\\.server', { clusters: [{ baseUrl: 'https://my.cluster' }] }],
    ['clusters\\[0\\]\\.baseUrl', { clusters: [{ server: createKubeServer() }] }],
  ])('refuses a wrong %s and names it', async (name, options) => {
    await expect(setupKubeServer(options as SetupKubeServerOptions)).rejects.toThrow(new RegExp(`^.*${name}\\b`))
  })

  it('has no handlers for what is no server', () => {
    expect(() => kubeHandlers(undefined as never)).toThrow('kubeHandlers: server must be a server')
  })

  it('closes twice without an error and intercepts nothing afterwards', async () => {
    const server = await start({ onUnhandledRequest: 'error' })
    await server.close()
    await server.close()
    await expect(fetch('http://127.0.0.1:9/api/v1/namespaces')).rejects.toThrow(TypeError)
  })

  it('leaves an existing server running', async () => {
    const server: KubeServer = createKubeServer()
    const first = await setupKubeServer({ server })
    await axios.post(CONFIG_MAPS, { metadata: { name: 'kept' } })
    await first.close()
    await start({ server })
    expect((await axios.get(`${CONFIG_MAPS}/kept`)).status).toBe(200)
    await kube?.close()
    await server.close()
  })
})
