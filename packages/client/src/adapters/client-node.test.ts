import {
  ApiException,
  AppsV1Api,
  CoreV1Api,
  KubeConfig,
  createConfiguration,
  ServerConfiguration,
} from '@kubernetes/client-node'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Cluster, settle, startCluster } from '../../test/cluster.ts'
import { listen } from '../../test/http-front.ts'
import type { ConfigMap } from '../../test/kube.ts'
import { triesOf } from '../exchange.ts'
import { retryOnConflict } from '../retry-on-conflict.ts'
import { FreshReadSession } from '../session.ts'
import { freshReadHttpLibrary, makeApi, makeKubeClient } from './client-node.ts'

const namespace = 'default'
let cluster: Cluster
let front: Awaited<ReturnType<typeof listen>>
let kubeConfig: KubeConfig
let session: FreshReadSession
const run = <T>(promise: Promise<T>): Promise<T> => settle(cluster.clock, promise, 2)

function configFor(server: string): KubeConfig {
  const config = new KubeConfig()
  config.loadFromOptions({
    clusters: [{ name: 'c', server, skipTLSVerify: true }],
    users: [{ name: 'u', token: 'secret' }],
    contexts: [{ name: 'x', cluster: 'c', user: 'u' }],
    currentContext: 'x',
  })
  return config
}

let headers: Headers[]
beforeEach(async () => {
  cluster = await startCluster()
  headers = []
  front = await listen((request) => {
    headers.push(request.headers)
    return cluster.fetch(request)
  })
  kubeConfig = configFor(front.url)
  session = new FreshReadSession({ clock: cluster.clock, random: () => 0 })
})
afterEach(async () => {
  await front.close()
  await cluster.close()
})

describe('makeApi', () => {
  it('makes any generated API read what it wrote', async () => {
    cluster.kube.control.lag(500)
    const core = makeApi(kubeConfig, CoreV1Api, session)
    await run(core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'a' } } }))
    const { items } = await run(core.listNamespacedConfigMap({ namespace, resourceVersion: '0' }))
    expect(items.map(({ metadata }) => metadata?.name)).toContain('a')
    expect((await run(core.readNamespacedConfigMap({ namespace, name: 'a' }))).metadata?.name).toBe('a')
    expect(cluster.sent.at(-1)).toMatch(/configmaps\/a\?resourceVersion=\d+$/)
    const apps = makeApi(kubeConfig, AppsV1Api, session)
    expect((await run(apps.listNamespacedDeployment({ namespace }))).items).toEqual([])
  })

  it('keeps the credentials and the user agent', async () => {
    await run(makeApi(kubeConfig, CoreV1Api, session).listNamespacedConfigMap({ namespace }))
    expect(headers.at(-1)!.get('authorization')).toBe('Bearer secret')
    expect(headers.at(-1)!.get('user-agent')).toContain('kubernetes')
  })

  it('throws client-node’s ApiException, with the history of tries', async () => {
    cluster.kube.control.freeze()
    const strict = new FreshReadSession({ clock: cluster.clock, random: () => 0, fallback: 'error' })
    const core = makeApi(kubeConfig, CoreV1Api, strict)
    await run(core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'a' } } }))
    const error: unknown = await run(
      core.readNamespacedConfigMap({ namespace, name: 'a' }).catch((error: unknown) => error),
    )
    expect(error).toBeInstanceOf(ApiException)
    expect(error).toMatchObject({ code: 504 })
    expect(triesOf(error)).toHaveLength(2)
    await expect(run(core.readNamespacedConfigMap({ namespace, name: 'nope' }))).rejects.toMatchObject({
      code: expect.any(Number) as number,
    })
  })

  it('works with retryOnConflict', async () => {
    const core = makeApi(kubeConfig, CoreV1Api, session)
    const other = makeApi(kubeConfig, CoreV1Api, new FreshReadSession({ clock: cluster.clock }))
    await run(core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'a' }, data: { n: '0' } } }))
    cluster.kube.control.freeze()
    const mine = await run(core.readNamespacedConfigMap({ namespace, name: 'a' }))
    await run(other.replaceNamespacedConfigMap({ namespace, name: 'a', body: { ...mine, data: { n: '10' } } }))
    let read = mine
    const result = await run(
      retryOnConflict(
        async (attempt) => {
          if (attempt > 1) read = await core.readNamespacedConfigMap({ namespace, name: 'a' })
          return core.replaceNamespacedConfigMap({
            namespace,
            name: 'a',
            body: { ...read, data: { n: `${read.data!['n']}+1` } },
          })
        },
        { clock: cluster.clock },
      ),
    )
    expect(result.data).toEqual({ n: '10+1' })
  })

  it('refuses a KubeConfig without a cluster', () => {
    expect(() => makeApi(new KubeConfig(), CoreV1Api, session)).toThrow('No active cluster')
    expect(() => makeKubeClient(new KubeConfig())).toThrow('no active cluster')
  })
})

describe('freshReadHttpLibrary', () => {
  it('goes into a configuration made by hand', async () => {
    const configuration = createConfiguration({
      baseServer: new ServerConfiguration(front.url, {}),
      httpApi: freshReadHttpLibrary(session),
    })
    const core = new CoreV1Api(configuration)
    const [a, b] = await run(
      Promise.all([core.listNamespacedConfigMap({ namespace }), core.listNamespacedConfigMap({ namespace })]),
    )
    expect(a).toEqual(b)
    expect(session.stats()).toMatchObject({ sent: 1, shared: 1 })
  })
})

describe('makeKubeClient', () => {
  it('makes a KubeClient for the current context', async () => {
    cluster.kube.control.lag(500)
    const maps = makeKubeClient(kubeConfig, { session }).resource<ConfigMap>('v1', 'configmaps', { namespace })
    await run(maps.create({ metadata: { name: 'a' } }))
    expect((await run(maps.get('a', { resourceVersion: '0' }))).metadata.name).toBe('a')
    expect(headers.at(-1)!.get('authorization')).toBe('Bearer secret')
  })

  it('watches, and lets go of the connection', async () => {
    const maps = makeKubeClient(kubeConfig, { session }).resource<ConfigMap>('v1', 'configmaps', { namespace })
    await run(maps.create({ metadata: { name: 'a' } }))
    const seen: string[] = []
    const watching = (async () => {
      for await (const event of maps.watch({ resourceVersion: '0' })) {
        seen.push(event.type)
        if (event.type === 'ADDED' && (event.object as ConfigMap).metadata.name === 'a') break
      }
    })()
    await run(watching)
    expect(seen).toContain('ADDED')
    for (let i = 0; i < 50 && (await run(cluster.kube.control.state())).watches; i++)
      await new Promise((resolve) => setTimeout(resolve, 2))
    expect((await run(cluster.kube.control.state())).watches).toBe(0)
  })
})
