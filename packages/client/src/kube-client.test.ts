import { create } from 'axios'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CONFIG_MAPS, type Cluster, settle, startCluster } from '../test/cluster.ts'
import { type ConfigMap, clientOf } from '../test/kube.ts'
import { triesOf } from './exchange.ts'
import { KubeClient } from './kube-client.ts'
import { KubeError, isConflict, isGone, isNotFound } from './kube-error.ts'
import type { KubeObject } from './kube-types.ts'
import type { Page, ResourceClient } from './resource-client.ts'
import { retryOnConflict } from './retry-on-conflict.ts'
import { FreshReadSession } from './session.ts'
import { waitFor } from './wait-for.ts'

let cluster: Cluster
let kube: KubeClient
let maps: ResourceClient<ConfigMap>
const run = <T>(promise: Promise<T>): Promise<T> => settle(cluster.clock, promise)
const map = (name: string, data: Record<string, string> = {}): ConfigMap => ({ metadata: { name }, data })

const applied = (name: string, data: Record<string, string>): ConfigMap => ({ kind: 'ConfigMap', ...map(name, data) })

beforeEach(async () => {
  cluster = await startCluster()
  kube = clientOf(cluster)
  maps = kube.resource<ConfigMap>('v1', 'configmaps', { namespace: 'default' })
})
afterEach(() => cluster.close())

async function collect<T>(iterable: AsyncIterable<T>, count = Infinity): Promise<T[]> {
  const all: T[] = []
  for await (const value of iterable) if (all.push(value) === count) break
  return all
}

describe('KubeClient', () => {
  it('refuses wrong options by name', () => {
    expect(() => new KubeClient({ baseURL: 'https://c', baseUrl: 'https://c' } as never)).toThrow('option baseUrl')
    expect(() => new KubeClient({})).toThrow('option baseURL is missing')
    expect(() => new KubeClient({ baseURL: 'https://c', session: {} as never })).toThrow('option session')
    expect(() => kube.resource('v1', 'pods', { ns: 'default' } as never)).toThrow('unknown option ns')
    expect(() => kube.resource('', 'pods')).toThrow("apiVersion: must be like v1 or apps/v1, got ''")
    expect(() => maps.patch('a', {}, 'replace' as never)).toThrow('type must be one of')
  })

  it('takes no name for no object, and not for all of them', async () => {
    await run(maps.create(map('a')))
    for (const name of ['', undefined as never]) {
      expect(() => maps.get(name)).toThrow('name: must be the name of an object')
      expect(() => maps.delete(name)).toThrow('name: must be the name of an object')
      expect(() => maps.status.get(name)).toThrow('name: must be the name of an object')
    }
    expect((await run(maps.get('a'))).metadata.name).toBe('a')
  })

  it('creates, gets, updates, patches and deletes', async () => {
    const created = await run(maps.create(map('a', { k: '1' })))
    expect(created).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } })
    expect(await run(maps.get('a'))).toEqual(created)
    const updated = await run(maps.update({ ...created, data: { k: '2' } }))
    expect(updated.data).toEqual({ k: '2' })
    expect((await run(maps.patch('a', { data: { m: '3' } }))).data).toEqual({ k: '2', m: '3' })
    expect((await run(maps.patch('a', { data: { s: '4' } }, 'strategic'))).data).toMatchObject({ s: '4' })
    expect((await run(maps.patch('a', [{ op: 'remove', path: '/data/k' }], 'json'))).data).toEqual({ m: '3', s: '4' })
    expect(await run(maps.delete('a', { propagationPolicy: 'Background' }))).toMatchObject({ status: 'Success' })
    await expect(run(maps.get('a'))).rejects.toMatchObject({ name: 'KubeError', code: 404, reason: 'NotFound' })
  })

  it('applies', async () => {
    const first = await run(maps.apply(applied('a', { k: '1' }), { fieldManager: 'me' }))
    expect(first.data).toEqual({ k: '1' })
    await expect(run(maps.apply(applied('a', { k: '2' }), { fieldManager: 'you' }))).rejects.toMatchObject({
      code: 409,
    })
    expect((await run(maps.apply(applied('a', { k: '2' }), { fieldManager: 'you', force: true }))).data).toEqual({
      k: '2',
    })
  })

  it('scales and writes status', async () => {
    const deployments = kube.resource<KubeObject & { spec: object; status?: object }>('apps/v1', 'deployments', {
      namespace: 'default',
    })
    await run(
      deployments.create({
        metadata: { name: 'd' },
        spec: {
          replicas: 1,
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        },
      }),
    )
    const scale = await run(deployments.scale.get('d'))
    expect(scale.spec).toEqual({ replicas: 1 })
    await run(deployments.scale.update({ ...scale, spec: { replicas: 3 } }))
    expect(await run(deployments.scale.patch('d', { spec: { replicas: 4 } }))).toMatchObject({ spec: { replicas: 4 } })
    expect((await run(deployments.status.patch('d', { status: { observedGeneration: 9 } }))).status).toMatchObject({
      observedGeneration: 9,
    })
    expect(Object.values(kube.session.exportPins().servers)).toEqual([
      { 'deployments.apps': (await run(deployments.get('d'))).metadata!.resourceVersion },
    ])
  })

  it('deletes a collection', async () => {
    for (const name of ['a', 'b']) await run(maps.create({ ...map(name), metadata: { name, labels: { name } } }))
    await run(maps.deleteCollection({ labelSelector: 'name=a' }))
    expect((await run(maps.list({ labelSelector: 'name' }).all())).items.map(({ metadata }) => metadata.name)).toEqual([
      'b',
    ])
  })

  it('reads what it wrote while the cache lags', async () => {
    cluster.kube.control.lag(500)
    await run(maps.create(map('a')))
    expect((await run(maps.get('a', { resourceVersion: '0' }))).metadata.name).toBe('a')
    expect(cluster.sent.at(-1)).toMatch(/resourceVersion=[1-9]/)
    await run(maps.get('a', { pin: false }))
    expect(cluster.sent.at(-1)).toBe(`${CONFIG_MAPS}/a`)
  })

  it('writes where the object says when it is for all namespaces', async () => {
    const all = kube.resource<ConfigMap>('v1', 'configmaps')
    await run(all.create({ metadata: { name: 'a', namespace: 'default' } }))
    expect(cluster.sent.at(-1)).toBe(`POST ${CONFIG_MAPS}`)
    expect((await run(all.list({ fieldSelector: 'metadata.name=a' }).all())).items).toHaveLength(1)
    await run(all.list().all())
    expect(cluster.sent.at(-1)).toMatch(/^\/api\/v1\/configmaps\?/)
  })

  it('lists page by page', async () => {
    for (const name of ['a', 'b', 'c']) await run(maps.create(map(name)))
    const pages = await run(collect(maps.list({ limit: 2 })))
    expect(pages.map(({ items }) => items.map(({ metadata }) => metadata.name))).toEqual([
      ['a', 'b'],
      ['c', 'kube-root-ca.crt'].slice(0, pages[1]!.items.length),
    ])
    const all = await run(maps.list({ limit: 1 }).all())
    expect(all.items.slice(0, 3).map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c'])
    expect(all.metadata).toEqual({ resourceVersion: pages[0]!.metadata.resourceVersion })
  })

  it('begins a list anew when its token has grown too old', async () => {
    for (const name of ['a', 'b', 'c']) await run(maps.create(map(name)))
    const expired = (): Response =>
      Response.json({ kind: 'Status', code: 410, reason: 'Expired', metadata: { continue: 'x' } }, { status: 410 })
    const pages: Page<ConfigMap>[] = []
    for (const pageOf of [maps.list({ limit: 2 })]) {
      const pager = pageOf[Symbol.asyncIterator]()
      pages.push((await run(pager.next())).value as Page<ConfigMap>)
      cluster.instead.push(expired)
      for (let next = await run(pager.next()); !next.done; next = await run(pager.next())) pages.push(next.value)
    }
    expect(pages.map(({ restarted }) => restarted)).toEqual([false, true, false])
    expect(pages[1]!.items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b'])

    const all = maps.list({ limit: 2 }).all()
    cluster.instead.push((request) => cluster.kube.fetch(request), expired)
    expect((await run(all)).items.slice(0, 3).map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c'])
  })

  it('gives up on a list whose token is always too old', async () => {
    for (const name of ['a', 'b']) await run(maps.create(map(name)))
    const expired = (): Response => Response.json({ kind: 'Status', code: 410 }, { status: 410 })
    for (let i = 0; i < 4; i++) cluster.instead.push((request) => cluster.kube.fetch(request), expired)
    const error: unknown = await run(maps.list({ limit: 1 }).all()).catch((error: unknown) => error)
    expect(isGone(error)).toBe(true)
  })

  it('watches until told to stop, and lets go of the connection', async () => {
    const { resourceVersion } = (await run(maps.create(map('a')))).metadata
    const watching = collect(maps.watch({ resourceVersion: resourceVersion! }), 2)
    await run(maps.create(map('b')))
    await run(maps.delete('b'))
    expect((await run(watching)).map(({ type }) => type)).toEqual(['ADDED', 'DELETED'])
    await cluster.clock.step(100)
    expect((await run(cluster.kube.control.state())).watches).toBe(0)
  })

  it('ends a watch with its signal', async () => {
    const controller = new AbortController()
    const watching = collect(maps.watch({ resourceVersion: '0', signal: controller.signal }))
    watching.catch(() => {})
    await cluster.clock.step(100)
    controller.abort(new Error('enough'))
    await expect(run(watching)).rejects.toThrow('enough')
  })

  it('throws what a watch is refused with', async () => {
    const error: unknown = await run(collect(maps.watch({ resourceVersion: 'x' }))).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(KubeError)
    expect((error as KubeError).status?.message).toContain('resource')
  })

  it('attaches the history to what it throws', async () => {
    kube = clientOf(cluster, { fallback: 'error' })
    maps = kube.resource('v1', 'configmaps', { namespace: 'default' })
    cluster.kube.control.freeze()
    await run(maps.create(map('a')))
    const error: unknown = await run(maps.get('a')).catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 504, reason: 'Timeout' })
    expect(triesOf(error)).toHaveLength(2)
  })

  it('ends a call at its deadline, and leaves no timer', async () => {
    cluster.kube.control.freeze()
    await run(maps.create(map('a')))
    const timers = cluster.clock.pendingTimers
    const began = cluster.clock.now()
    await expect(run(maps.get('a', { timeoutMs: 5000 }))).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(cluster.clock.now() - began).toBeLessThanOrEqual(5100)
    await cluster.clock.step(3000)
    expect(cluster.clock.pendingTimers).toBeLessThanOrEqual(timers + 1)
  })

  it('surfaces a hint that goes beyond its deadline', async () => {
    cluster.kube.control.freeze()
    await run(maps.create(map('a')))
    await expect(run(maps.get('a', { timeoutMs: 3500 }))).rejects.toMatchObject({ code: 504 })
  })

  it('warns of a deadline that hides the server’s own', async () => {
    const warn = vi.fn()
    const own = clientOf(cluster, { warn }).resource('v1', 'configmaps', { namespace: 'default' })
    await run(own.get('a', { timeoutMs: 2000 })).catch(() => {})
    await run(own.get('a', { timeoutMs: 2000 })).catch(() => {})
    expect(warn).toHaveBeenCalledOnce()
  })

  it('refuses what is no Kubernetes object', async () => {
    cluster.instead.push(() => new Response('<html>', { headers: { 'content-type': 'text/html' } }))
    await expect(run(maps.get('a'))).rejects.toThrow('not a Kubernetes object')
    cluster.instead.push(() => Response.json({}))
    await expect(run(maps.list().all())).rejects.toThrow('not a list')
  })

  it('sends headers and keeps a path prefix', async () => {
    const seen: Request[] = []
    const fetch = (input: Request | string, init?: RequestInit): Promise<Response> => {
      seen.push(new Request(input, init))
      return Promise.resolve(Response.json({ metadata: {} }))
    }
    const instance = create({ adapter: 'fetch', env: { fetch } } as never)
    const own = new KubeClient({
      baseURL: 'https://h/k8s/clusters/c',
      headers: { authorization: 'Bearer t' },
      axios: instance,
    })
    await own.resource('apps/v1', 'deployments', { namespace: 'a b' }).get('x/y')
    expect(seen[0]!.url).toBe('https://h/k8s/clusters/c/apis/apps/v1/namespaces/a%20b/deployments/x%2Fy')
    expect(seen[0]!.headers.get('authorization')).toBe('Bearer t')
  })

  it('refuses bad input, naming it', () => {
    expect(() => new KubeClient({})).toThrow('baseURL')
    expect(() => kube.resource('a/b/c', 'pods')).toThrow('apiVersion')
    expect(() => kube.resource('v1', '')).toThrow('resource')
    expect(() => maps.update({ metadata: {} })).toThrow('metadata.name')
  })

  it('has a session of its own by default', () => {
    expect(new KubeClient({ baseURL: 'http://h' }).session).toBeInstanceOf(FreshReadSession)
  })
})

describe('retryOnConflict', () => {
  const increase = async (): Promise<ConfigMap> => {
    const object = await maps.get('a', { resourceVersion: '0' })
    return maps.update({ ...object, data: { n: String(Number(object.data!['n']) + 1) } })
  }

  it('reads what is current after a conflict, though the cache stands still', async () => {
    await run(maps.create(map('a', { n: '0' })))
    await run(maps.get('a'))
    cluster.kube.control.freeze()
    const other = clientOf(cluster).resource<ConfigMap>('v1', 'configmaps', { namespace: 'default' })
    await run(other.patch('a', { data: { n: '10' } }))
    const began = cluster.clock.now()
    const result = await run(retryOnConflict(increase, { clock: cluster.clock }))
    expect(result.data).toEqual({ n: '11' })
    expect(cluster.clock.now() - began).toBeLessThan(1000)
  })

  it('gives up after its tries, with the conflict', async () => {
    let calls = 0
    const conflict = new KubeError(409, { kind: 'Status', reason: 'Conflict' })
    const failing = retryOnConflict(async () => Promise.reject(++calls && conflict), { tries: 3, clock: cluster.clock })
    await expect(run(failing)).rejects.toBe(conflict)
    expect(calls).toBe(3)
  })

  it('ends with anything else at once', async () => {
    let calls = 0
    for (const error of [
      new KubeError(409, { kind: 'Status', reason: 'AlreadyExists' }),
      new KubeError(404, undefined),
      new TypeError('x'),
    ]) {
      await expect(
        run(retryOnConflict(async () => Promise.reject(++calls && error), { clock: cluster.clock })),
      ).rejects.toBe(error)
    }
    expect(calls).toBe(3)
  })

  it('ends with its signal during a wait', async () => {
    const controller = new AbortController()
    const timers = cluster.clock.pendingTimers
    const failing = retryOnConflict(() => Promise.reject(new KubeError(409, undefined)), {
      clock: cluster.clock,
      signal: controller.signal,
    })
    failing.catch(() => {})
    while (cluster.clock.pendingTimers === timers) await Promise.resolve()
    controller.abort(new Error('enough'))
    await expect(failing).rejects.toThrow('enough')
    expect(cluster.clock.pendingTimers).toBe(timers)
  })

  it('refuses bad tries', () => {
    expect(() => retryOnConflict(async () => {}, { tries: 0 })).toThrow('tries')
  })
})

describe('errors', () => {
  it.each([
    ['this package’s', new KubeError(409, { kind: 'Status', reason: 'Conflict' })],
    ['axios’', { response: { status: 409, data: { kind: 'Status', reason: 'Conflict' } } }],
    ['client-node’s', { code: 409, body: '{"kind":"Status","reason":"Conflict"}' }],
  ])('are told by %s', (_, error) => {
    expect([isConflict(error), isNotFound(error), isGone(error)]).toEqual([true, false, false])
  })

  it('are not conflicts when the object exists already', () => {
    expect(isConflict({ code: 409, body: '{"kind":"Status","reason":"AlreadyExists"}' })).toBe(false)
    expect(isConflict(undefined)).toBe(false)
    expect(isConflict({ code: 409, body: '<html>' })).toBe(true)
  })
})

describe('waitFor', () => {
  it('answers the object as soon as it is as wanted', async () => {
    const waiting = waitFor(maps, 'a', (object) => object?.data?.['ready'] === 'yes')
    await cluster.clock.step(200)
    await run(maps.create(map('a')))
    await run(maps.patch('a', { data: { ready: 'yes' } }))
    expect((await run(waiting))?.data).toEqual({ ready: 'yes' })
    await cluster.clock.step(500)
    expect((await run(cluster.kube.control.state())).watches).toBe(0)
  })

  it('can wait for an object to go', async () => {
    await run(maps.create(map('a')))
    const waiting = waitFor(maps, 'a', (object) => object === undefined)
    await cluster.clock.step(200)
    await run(maps.delete('a'))
    expect(await run(waiting)).toBeUndefined()
  })

  it('ends at its deadline, with its signal, and with what the condition throws', async () => {
    await expect(run(waitFor(maps, 'a', () => false, { timeoutMs: 1000 }))).rejects.toMatchObject({
      name: 'TimeoutError',
    })
    await expect(
      run(waitFor(maps, 'a', () => false, { signal: AbortSignal.abort(new Error('enough')) })),
    ).rejects.toThrow('enough')
    const failing = waitFor(maps, 'a', () => {
      throw new Error('condition')
    })
    await expect(run(failing)).rejects.toThrow('condition')
  })
})
