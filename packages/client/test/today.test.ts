import { ApiException, CoreV1Api, KubeConfig } from '@kubernetes/client-node'
import { type AxiosInstance, type AxiosResponse, create } from 'axios'
import { afterEach, describe, expect, it } from 'vitest'
import { attachFreshRead } from '../src/adapters/axios.ts'
import { makeApi } from '../src/adapters/client-node.ts'
import { isConflict } from '../src/kube-error.ts'
import { retryOnConflict } from '../src/retry-on-conflict.ts'
import { FreshReadSession } from '../src/session.ts'
import { BASE, CONFIG_MAPS, type Cluster, settle, startCluster } from './cluster.ts'
import { listen } from './http-front.ts'
import type { ConfigMap } from './kube.ts'

// Each test shows what a client does without FreshRead, and then what the same client does with it. The
// README's table names them.

const namespace = 'default'
const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

interface Bench {
  readonly cluster: Cluster
  readonly today: AxiosInstance
  readonly fresh: AxiosInstance
  readonly session: FreshReadSession
  run<T>(promise: Promise<T>): Promise<T>
}

async function start(options: Parameters<typeof startCluster>[0] = {}): Promise<Bench> {
  const cluster = await startCluster(options)
  open.push(() => cluster.close())
  const fetch = (input: Request | URL | string, init?: RequestInit): Promise<Response> =>
    cluster.fetch(new Request(input, init))
  const make = (): AxiosInstance => create({ baseURL: BASE, adapter: 'fetch', env: { fetch } })
  const session = new FreshReadSession({ clock: cluster.clock, random: () => 0.5 })
  const fresh = make()
  attachFreshRead(fresh, session)
  return { cluster, today: make(), fresh, session, run: (promise) => settle(cluster.clock, promise) }
}

const post = (client: AxiosInstance, name: string): Promise<AxiosResponse<ConfigMap>> =>
  client.post<ConfigMap>(CONFIG_MAPS, { metadata: { name }, data: { n: '0' } })
const code = (error: unknown): number | undefined =>
  (error as { response?: { status: number }; code?: number }).response?.status ?? (error as { code?: number }).code
const failing = (promise: Promise<unknown>): Promise<number | undefined> => promise.then(() => 200, code)
const names = ({ data }: AxiosResponse<{ items: ConfigMap[] }>): string[] =>
  data.items.map(({ metadata }) => metadata.name!).filter((name) => !name.startsWith('kube-'))

describe('today, and with FreshRead', () => {
  it('a cheap read after a write shows the state before it; it shows the write', async () => {
    const { cluster, today, fresh, run } = await start()
    cluster.kube.control.lag(500)
    await run(post(today, 'a'))
    expect(names(await run(today.get(`${CONFIG_MAPS}?resourceVersion=0`)))).toEqual([])
    await run(post(fresh, 'b'))
    expect(names(await run(fresh.get(`${CONFIG_MAPS}?resourceVersion=0`)))).toContain('b')
  })

  it('a read that asks for at least what was written fails after three seconds; it is answered', async () => {
    const { cluster, today, fresh, run } = await start()
    cluster.kube.control.freeze()
    const { resourceVersion } = (await run(post(today, 'a'))).data.metadata
    expect(await run(failing(today.get(`${CONFIG_MAPS}/a?resourceVersion=${resourceVersion}`)))).toBe(504)
    await run(post(fresh, 'b'))
    expect(await run(failing(fresh.get(`${CONFIG_MAPS}/b`)))).toBe(200)
  })

  it('client-node rejects the same with an ApiException; its generated APIs are answered', async () => {
    const cluster = await startCluster()
    open.push(() => cluster.close())
    const front = await listen(cluster.fetch)
    open.unshift(() => front.close())
    const config = new KubeConfig()
    config.loadFromClusterAndUser({ name: 'c', server: front.url, skipTLSVerify: true }, { name: 'u' })
    const run = <T>(promise: Promise<T>): Promise<T> => settle(cluster.clock, promise, 2)
    cluster.kube.control.freeze()

    const today = config.makeApiClient(CoreV1Api)
    const { metadata } = await run(today.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'a' } } }))
    const query = { namespace, resourceVersion: metadata!.resourceVersion!, resourceVersionMatch: 'NotOlderThan' }
    await expect(run(today.listNamespacedConfigMap(query))).rejects.toBeInstanceOf(ApiException)

    const session = new FreshReadSession({ clock: cluster.clock, random: () => 0.5 })
    const fresh = makeApi(config, CoreV1Api, session)
    await run(fresh.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'b' } } }))
    const { items } = await run(fresh.listNamespacedConfigMap({ namespace }))
    expect(items.map((item) => item.metadata?.name)).toContain('b')
  })

  it('a read pinned by hand at the create brings a deleted object back; it stays deleted', async () => {
    const { cluster, today, fresh, run } = await start()
    const { resourceVersion } = (await run(post(today, 'a'))).data.metadata
    await run(today.get(`${CONFIG_MAPS}/a?resourceVersion=${resourceVersion}`))
    await run(post(fresh, 'b'))
    await run(fresh.get(`${CONFIG_MAPS}/b`))
    cluster.kube.control.freeze()
    await run(today.delete(`${CONFIG_MAPS}/a`))
    expect(await run(failing(today.get(`${CONFIG_MAPS}/a?resourceVersion=${resourceVersion}`)))).toBe(200)
    await run(fresh.delete(`${CONFIG_MAPS}/b`))
    expect(await run(failing(fresh.get(`${CONFIG_MAPS}/b?resourceVersion=0`)))).toBe(404)
  })

  it('replicas show a write and then the time before it again; they never do', async () => {
    const { cluster, today, fresh, run } = await start({ replicas: 2 })
    cluster.servers[1]!.control.lag(1000)
    const seen = async (client: AxiosInstance, name: string): Promise<boolean[]> => {
      await run(post(client, name))
      const all: boolean[] = []
      for (let i = 0; i < 3; i++)
        all.push(names(await run(client.get(`${CONFIG_MAPS}?resourceVersion=0`))).includes(name))
      return all
    }
    await run(today.get(CONFIG_MAPS))
    expect(await seen(today, 'a')).toEqual([true, false, true])
    expect(await seen(fresh, 'b')).toEqual([true, true, true])
  })

  it('a list of a server that spares etcd fails with 429; it is answered when the cache is back', async () => {
    const { cluster, today, fresh, run } = await start({
      featureGates: { ConsistentListFromCacheSkipTimeoutFallback: true },
    })
    cluster.kube.control.freeze()
    await run(post(today, 'a'))
    expect(await run(failing(today.get(CONFIG_MAPS)))).toBe(429)
    cluster.clock.setTimeout(() => cluster.kube.control.thaw(), 5000)
    expect(names(await run(fresh.get(CONFIG_MAPS)))).toEqual(['a'])
  })

  it('a write that is told to slow down fails; it is sent again in time', async () => {
    const { cluster, today, fresh, run } = await start()
    const slowDown = (): Response =>
      new Response('Too many requests, please try again later.', {
        status: 429,
        headers: { 'content-type': 'text/plain', 'retry-after': '1' },
      })
    cluster.instead.push(slowDown)
    expect(await run(failing(post(today, 'a')))).toBe(429)
    cluster.instead.push(slowDown)
    expect(await run(failing(post(fresh, 'a')))).toBe(200)
  })

  it('re-reading after a conflict finds the same stale object for ever; it finds the current one', async () => {
    const { cluster, today, fresh, run } = await start()
    await run(post(today, 'a'))
    await run(today.get(`${CONFIG_MAPS}/a?resourceVersion=0`))
    await cluster.clock.step(100)
    cluster.kube.control.freeze()
    await run(
      today.patch(
        `${CONFIG_MAPS}/a`,
        { data: { n: '10' } },
        { headers: { 'content-type': 'application/merge-patch+json' } },
      ),
    )
    const increase = (client: AxiosInstance) => async (): Promise<string> => {
      const { data } = await client.get<ConfigMap>(`${CONFIG_MAPS}/a?resourceVersion=0`)
      const n = String(Number(data.data!['n']) + 1)
      return (await client.put<ConfigMap>(`${CONFIG_MAPS}/a`, { ...data, data: { n } })).data.data!['n']!
    }
    const error: unknown = await run(
      retryOnConflict(increase(today), { clock: cluster.clock }).catch((error: unknown) => error),
    )
    expect(isConflict(error)).toBe(true)
    expect(await run(retryOnConflict(increase(fresh), { clock: cluster.clock }))).toBe('11')
  })

  it('after a restored backup a pinned read fails for ever; the pins go, and it is answered', async () => {
    const { cluster, today, fresh, session, run } = await start()
    const backup = cluster.kube.control.snapshot()
    const { resourceVersion } = (await run(post(today, 'a'))).data.metadata
    await run(post(fresh, 'b'))
    await run(cluster.kube.control.restore(backup))
    for (let i = 0; i < 3; i++) {
      expect(await run(failing(today.get(`${CONFIG_MAPS}?resourceVersion=${resourceVersion}`)))).toBe(504)
    }
    expect(names(await run(fresh.get(CONFIG_MAPS)))).toEqual([])
    expect(session.exportPins().servers).toEqual({})
  })

  it('ten components that list the same make ten requests; they make one', async () => {
    const { cluster, today, fresh, run } = await start()
    const ten = (client: AxiosInstance): Promise<unknown> =>
      Promise.all(Array.from({ length: 10 }, () => client.get(CONFIG_MAPS)))
    await run(ten(today))
    expect(cluster.sent).toHaveLength(10)
    await run(ten(fresh))
    expect(cluster.sent).toHaveLength(11)
  })
})
