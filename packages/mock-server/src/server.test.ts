import { isConflict, MemoryKV, type KubeObject } from '@freshread/core'
import { FakeClock } from '@freshread/core/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createKubeServer, type KubeServer, type KubeServerOptions } from './index.ts'

async function setUp(options: KubeServerOptions = {}): Promise<{ kube: KubeServer; clock: FakeClock }> {
  const clock = (options.clock as FakeClock | undefined) ?? new FakeClock()
  const kube = createKubeServer({ clock, ...options })
  onTestFinished(() => kube.close())
  await kube.ready()
  return { kube, clock }
}

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'

function send(
  kube: KubeServer,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return kube.fetch(path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
}

async function json<T = KubeObject>(response: Promise<Response> | Response): Promise<T> {
  return (await (await response).json()) as T
}

const configMap = (name: string, data: Record<string, string> = { k: 'v' }): KubeObject => ({
  metadata: { name },
  data,
})

/** Lines of a watch as they come. */
function readLines(response: Response): { lines: string[]; ended: Promise<string> } {
  const lines: string[] = []
  const decoder = new TextDecoder()
  const read = async (): Promise<string> => {
    let rest = ''
    try {
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
        rest += decoder.decode(chunk, { stream: true })
        const parts = rest.split('\n')
        rest = parts.pop()!
        lines.push(...parts)
      }
      return 'ended'
    } catch {
      return 'broken'
    }
  }
  return { lines, ended: read() }
}

describe('options', () => {
  test.each<[string, Record<string, unknown>]>([
    ['storage', { storage: {} }],
    ['clock', { clock: { now: 5 } }],
    ['featureGates', { featureGates: { WatchList: 'yes' } }],
    ['emulatedVersion', { emulatedVersion: '1.2' }],
    ['controllers', { controllers: ['deployment'] }],
    ['minRequestTimeoutSeconds', { minRequestTimeoutSeconds: 0 }],
    ['journalLimit', { journalLimit: 1.5 }],
    ['user', { user: 'me' }],
    ['authorize', { authorize: true }],
    ['nope', { nope: 1 }],
  ])('that are wrong are named: %s', (name, options) => {
    expect(() => createKubeServer(options as KubeServerOptions)).toThrow(new RegExp(`option ${name}`))
  })

  test('name a feature gate that does not exist', () => {
    expect(() => createKubeServer({ featureGates: { Nope: true } })).toThrow(/unrecognized feature gate: Nope/)
  })
})

describe('a new server', () => {
  test('holds what a new control plane holds', async () => {
    const { kube } = await setUp()
    const { items } = await json<{ items: KubeObject[] }>(send(kube, 'GET', '/api/v1/namespaces'))
    expect(items.map(({ metadata }) => metadata.name)).toEqual([
      'default',
      'kube-node-lease',
      'kube-public',
      'kube-system',
    ])
    expect((await send(kube, 'GET', '/api/v1/namespaces/default/services/kubernetes')).status).toBe(200)
  })

  test('has all its history: a watch from the beginning sees what it was made with', async () => {
    const { kube, clock } = await setUp()
    const response = await send(kube, 'GET', '/api/v1/namespaces?watch=true&resourceVersion=1&timeoutSeconds=1')
    const { lines, ended } = readLines(response)
    await clock.step(1000)
    expect(await ended).toBe('ended')
    expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual([
      'ADDED',
      'ADDED',
      'ADDED',
      'ADDED',
    ])
  })

  test('answers before it is ready by waiting', async () => {
    const kube = createKubeServer()
    onTestFinished(() => kube.close())
    expect((await send(kube, 'GET', CONFIG_MAPS)).status).toBe(200)
  })
})

describe('a lagging cache', () => {
  test('keeps a pinned read waiting until it has caught up, and the journal tells', async () => {
    const { kube, clock } = await setUp()
    kube.control.freeze()
    const { metadata } = await json(send(kube, 'POST', CONFIG_MAPS, configMap('a')))
    const pinned = send(
      kube,
      'GET',
      `${CONFIG_MAPS}?resourceVersion=${metadata.resourceVersion!}&resourceVersionMatch=NotOlderThan`,
    )
    await clock.step(800)
    kube.control.thaw()
    const response = await pinned
    expect(response.status).toBe(200)
    expect(response.headers.get('server-timing')).toBe('cache, wait;dur=800')
    expect(kube.journal.reads({ resource: 'configmaps' }).at(-1)).toMatchObject({
      verb: 'list',
      source: 'cache',
      waitedMs: 800,
      resourceVersion: metadata.resourceVersion,
      givenResourceVersion: metadata.resourceVersion,
      status: 200,
    })
  })

  test('refuses a pinned read after three seconds', async () => {
    const { kube, clock } = await setUp()
    kube.control.freeze()
    const { metadata } = await json(send(kube, 'POST', CONFIG_MAPS, configMap('a')))
    const pinned = send(kube, 'GET', `${CONFIG_MAPS}/a?resourceVersion=${metadata.resourceVersion!}`)
    await clock.step(3000)
    const response = await pinned
    expect(response.status).toBe(504)
    expect(response.headers.get('retry-after')).toBe('1')
    expect(kube.journal.reads().at(-1)).toMatchObject({ status: 504, reason: 'Timeout', waitedMs: 3000 })
  })

  test('can be that of one resource alone', async () => {
    const { kube } = await setUp()
    kube.control.freeze({ resource: 'secrets' })
    await send(kube, 'POST', CONFIG_MAPS, configMap('a'))
    await send(kube, 'POST', '/api/v1/namespaces/default/secrets', { metadata: { name: 'a' } })
    const names = async (path: string): Promise<unknown[]> =>
      (await json<{ items: KubeObject[] }>(send(kube, 'GET', `${path}?resourceVersion=0`))).items.map(
        ({ metadata }) => metadata.name,
      )
    expect(await names(CONFIG_MAPS)).toEqual(['a'])
    expect(await names('/api/v1/namespaces/default/secrets')).toEqual([])
    const { resources, caches, pending, revision } = await kube.control.state()
    expect(resources).toEqual({ secrets: { frozen: true, lagMs: 0 } })
    expect(pending).toBe(1)
    expect(caches['secrets']).toBeLessThan(revision)
    expect(caches).toHaveProperty(['deployments.apps'])
  })

  test('names a resource that does not exist', async () => {
    const { kube } = await setUp()
    expect(() => kube.control.freeze({ resource: 'widgets' })).toThrow('freeze: no such resource: widgets')
    expect(() => kube.control.freeze('pods' as never)).toThrow('freeze: expected {resource}, got pods')
  })
})

describe('restart', () => {
  test('ends watches without an ERROR and keeps the objects and the freeze', async () => {
    const { kube } = await setUp()
    await send(kube, 'POST', CONFIG_MAPS, configMap('a'))
    const { lines, ended } = readLines(await send(kube, 'GET', `${CONFIG_MAPS}?watch=true&resourceVersion=0`))
    kube.control.freeze()
    await kube.control.restart()
    expect(await ended).toBe('ended')
    expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual(['ADDED'])
    expect((await send(kube, 'GET', `${CONFIG_MAPS}/a`)).status).toBe(200)
    expect((await kube.control.state()).frozen).toBe(true)
  })
})

describe('reset', () => {
  test('leaves nothing of what was there, not even the revision', async () => {
    const { kube } = await setUp()
    const fresh = (await kube.control.state()).revision
    await send(kube, 'POST', CONFIG_MAPS, configMap('a'))
    kube.control.freeze()
    kube.control.failNext({ status: 500 })
    await kube.reset()
    expect((await send(kube, 'GET', `${CONFIG_MAPS}/a`)).status).toBe(404)
    expect(await kube.control.state()).toMatchObject({ frozen: false, revision: fresh })
  })
})

describe('a snapshot', () => {
  test('takes the storage back, its revision too', async () => {
    const { kube } = await setUp()
    await send(kube, 'POST', CONFIG_MAPS, configMap('a'))
    const snapshot = kube.control.snapshot()
    await send(kube, 'POST', CONFIG_MAPS, configMap('b'))
    await kube.control.restore(snapshot)
    const list = await json<{ items: KubeObject[]; metadata: { resourceVersion: string } }>(
      send(kube, 'GET', CONFIG_MAPS),
    )
    expect(list.items.map(({ metadata }) => metadata.name)).toEqual(['a'])
    expect(list.metadata.resourceVersion).toBe(String(snapshot.revision))
  })
})

const WIDGETS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
}

describe('custom resources', () => {
  const path = '/apis/example.com/v1/namespaces/default/widgets'

  test('can be listed as soon as their definition is there', async () => {
    const { kube } = await setUp()
    await kube.load(WIDGETS)
    expect((await send(kube, 'GET', path)).status).toBe(200)
  })

  test('survive a restart and are gone after a reset', async () => {
    const { kube } = await setUp()
    await kube.load([
      WIDGETS,
      { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a', namespace: 'default' } },
    ])
    await kube.control.restart()
    expect((await send(kube, 'GET', `${path}/a`)).status).toBe(200)
    await kube.reset()
    expect((await send(kube, 'GET', path)).status).toBe(404)
  })

  test('go with a snapshot from before their definition', async () => {
    const { kube } = await setUp()
    const snapshot = kube.control.snapshot()
    await kube.load(WIDGETS)
    await kube.control.restore(snapshot)
    expect((await send(kube, 'GET', path)).status).toBe(404)
  })
})

describe('requests during a reset', () => {
  test('wait for it', async () => {
    const { kube } = await setUp()
    const resets = [kube.reset(), kube.control.restart(), kube.reset()]
    const statuses = await Promise.all(Array.from({ length: 5 }, () => send(kube, 'GET', CONFIG_MAPS)))
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    await Promise.all(resets)
  })

  test('to a shared storage wait too', async () => {
    const storage = new MemoryKV()
    const { kube } = await setUp({ storage })
    await send(kube, 'POST', CONFIG_MAPS, configMap('a'))
    const reset = kube.reset()
    expect((await send(kube, 'GET', `${CONFIG_MAPS}/a`)).status).toBe(404)
    await reset
    await storage.close()
  })
})

describe('faults', () => {
  test('hit the next request that matches, once', async () => {
    const { kube } = await setUp()
    kube.control.failNext({ status: 429, reason: 'TooManyRequests', retryAfterSeconds: 7, match: { verb: 'create' } })
    expect((await send(kube, 'GET', CONFIG_MAPS)).status).toBe(200)
    const refused = await send(kube, 'POST', CONFIG_MAPS, configMap('a'))
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('7')
    expect((await send(kube, 'POST', CONFIG_MAPS, configMap('a'))).status).toBe(201)
  })

  test('can be a function that answers, or lets pass', async () => {
    const { kube } = await setUp()
    kube.control.failNext(() => ({ status: 418, headers: {} }))
    expect((await send(kube, 'GET', CONFIG_MAPS)).status).toBe(418)
    kube.control.failNext(() => undefined)
    expect((await send(kube, 'GET', CONFIG_MAPS)).status).toBe(200)
  })

  test('that are wrong are named', async () => {
    const { kube } = await setUp()
    expect(() => kube.control.failNext({ status: 200 })).toThrow(/status must be/)
    expect(() => kube.control.failNext({ status: 500, time: 2 } as never)).toThrow(/unknown field time;/)
    expect(() => kube.control.failNext({ status: 500, match: { nope: '' } as never })).toThrow(/unknown field nope/)
    expect(() => kube.control.latency(-1)).toThrow(/ms must be/)
  })

  test('delay what matches', async () => {
    const { kube, clock } = await setUp()
    kube.control.latency(250, { resource: 'configmaps' })
    let answered = false
    const slow = send(kube, 'GET', CONFIG_MAPS).then(() => (answered = true))
    await clock.step(249)
    expect(answered).toBe(false)
    await clock.step(1)
    await slow
    expect(answered).toBe(true)
  })

  test('break watches as a lost connection does, or end them', async () => {
    const { kube } = await setUp()
    const broken = readLines(await send(kube, 'GET', `${CONFIG_MAPS}?watch=true&resourceVersion=0`))
    kube.control.dropWatches()
    expect(await broken.ended).toBe('broken')
    const ended = readLines(await send(kube, 'GET', `${CONFIG_MAPS}?watch=true&resourceVersion=0`))
    kube.control.dropWatches({ resource: 'secrets', clean: true })
    expect((await kube.control.state()).watches).toBe(1)
    kube.control.dropWatches({ resource: 'configmaps', clean: true })
    expect(await ended.ended).toBe('ended')
  })
})

describe('replicas', () => {
  test('share objects, and lag each by themselves', async () => {
    const storage = new MemoryKV()
    const { kube: one } = await setUp({ storage })
    const { kube: two } = await setUp({ storage })
    two.control.freeze()
    await send(one, 'POST', CONFIG_MAPS, configMap('a'))
    const names = async (kube: KubeServer, query: string): Promise<unknown[]> =>
      (await json<{ items: KubeObject[] }>(send(kube, 'GET', `${CONFIG_MAPS}${query}`))).items.map(
        ({ metadata }) => metadata.name,
      )
    expect(await names(one, '?resourceVersion=0')).toEqual(['a'])
    expect(await names(two, '?resourceVersion=0')).toEqual([])
    expect((await send(two, 'GET', `${CONFIG_MAPS}/a`)).status).toBe(200)
    two.control.thaw()
    expect(await names(two, '?resourceVersion=0')).toEqual(['a'])
    await storage.close()
  })
})

describe('load and dump', () => {
  test('take YAML, make namespaces, keep statuses and replace what is there', async () => {
    const { kube } = await setUp()
    const yaml = `
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: team}
spec: {containers: [{name: c, image: i}]}
status: {phase: Running}
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: team}, data: {k: v}}
`
    const [pod] = await kube.load(yaml)
    expect(pod!['status']).toMatchObject({ phase: 'Running' })
    await kube.load({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'team' },
      data: { k: 'w' },
    })
    const dumped = await kube.dump('configmaps')
    expect(dumped.find(({ metadata }) => metadata.name === 'a')!['data']).toEqual({ k: 'w' })
  })

  test('carry one server into another', async () => {
    const { kube: one } = await setUp()
    await one.load({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'default' },
      data: { k: 'v' },
    })
    const { kube: two } = await setUp()
    await two.load(await one.dump('configmaps'))
    expect((await send(two, 'GET', `${CONFIG_MAPS}/a`)).status).toBe(200)
  })

  test('refuse what is no object, or what the API refuses, by name', async () => {
    const { kube } = await setUp()
    await expect(kube.load('hello')).rejects.toThrow(TypeError)
    await expect(kube.load({ metadata: {} })).rejects.toThrow(/needs apiVersion and kind/)
    await expect(kube.load({ apiVersion: 'x/v1', kind: 'Nope', metadata: {} })).rejects.toThrow(
      /no resource serves kind Nope/,
    )
    await expect(kube.load({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'A_B' } })).rejects.toThrow(
      /load ConfigMap default\/A_B/,
    )
    await expect(kube.dump('nope')).rejects.toThrow('dump: no such resource: nope')
  })
})

describe('who may do what', () => {
  test('is asked of the authorizer', async () => {
    const { kube } = await setUp({
      user: { username: 'jane', groups: [] },
      authorize: ({ verb }) => (verb === 'create' ? 'read only' : true),
    })
    expect((await send(kube, 'GET', CONFIG_MAPS)).status).toBe(200)
    const refused = await send(kube, 'POST', CONFIG_MAPS, configMap('a'))
    expect(refused.status).toBe(403)
    expect(await refused.json()).toMatchObject({
      reason: 'Forbidden',
      message:
        'configmaps is forbidden: User "jane" cannot create resource "configmaps" in API group "" in the namespace "default": read only',
    })
  })
})

describe('deleted namespaces', () => {
  test('stay Terminating, as without controllers', async () => {
    const { kube } = await setUp()
    await send(kube, 'POST', '/api/v1/namespaces', { metadata: { name: 'n' } })
    await send(kube, 'DELETE', '/api/v1/namespaces/n')
    expect(await json(send(kube, 'GET', '/api/v1/namespaces/n'))).toMatchObject({ status: { phase: 'Terminating' } })
  })

  test('are emptied and ended by the namespace controller', async () => {
    const { kube, clock } = await setUp({ controllers: ['namespace'] })
    await kube.load([
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'n' } },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p', namespace: 'n' },
        spec: { nodeName: 'x', containers: [{ name: 'c', image: 'i' }] },
      },
    ])
    await send(kube, 'DELETE', '/api/v1/namespaces/n')
    await clock.step(0)
    expect((await send(kube, 'GET', '/api/v1/namespaces/n')).status).toBe(404)
    expect((await kube.dump('pods')).length).toBe(0)
  })

  test('wait for finalizers of what is in them', async () => {
    const { kube, clock } = await setUp({ controllers: ['namespace'] })
    await kube.load({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'n', finalizers: ['x.y/z'] },
    })
    await send(kube, 'DELETE', '/api/v1/namespaces/n')
    await clock.step(0)
    expect((await send(kube, 'GET', '/api/v1/namespaces/n')).status).toBe(200)
    await send(
      kube,
      'PATCH',
      '/api/v1/namespaces/n/configmaps/a',
      { metadata: { finalizers: null } },
      {
        'content-type': 'application/merge-patch+json',
      },
    )
    await clock.step(0)
    expect((await send(kube, 'GET', '/api/v1/namespaces/n')).status).toBe(404)
  })
})

describe('control over HTTP', () => {
  const control = (
    kube: KubeServer,
    method: string,
    path: string,
    query = '',
  ): ReturnType<KubeServer['handleControl']> =>
    kube.handleControl({
      method,
      path: `/_freshread/${path}`,
      query,
      headers: {},
      signal: new AbortController().signal,
    })
  const state = (body: unknown): unknown => JSON.parse(new TextDecoder().decode(body as Uint8Array))

  test('does what the methods do and answers the state', async () => {
    const { kube } = await setUp()
    expect(state((await control(kube, 'POST', 'freeze')).body)).toMatchObject({ frozen: true })
    expect(state((await control(kube, 'POST', 'lag', 'ms=20')).body)).toMatchObject({ frozen: true, lagMs: 20 })
    expect(state((await control(kube, 'POST', 'thaw')).body)).toMatchObject({ frozen: false, lagMs: 20 })
    expect(state((await control(kube, 'POST', 'reset')).body)).toMatchObject({ lagMs: 0 })
    expect(state((await control(kube, 'GET', 'state')).body)).toMatchObject({ watches: 0, pending: 0 })
  })

  test('refuses other names, methods and values', async () => {
    const { kube } = await setUp()
    expect((await control(kube, 'POST', 'constructor')).status).toBe(404)
    expect((await control(kube, 'GET', 'freeze')).status).toBe(405)
    expect((await control(kube, 'POST', 'lag', 'ms=x')).status).toBe(400)
    expect((await control(kube, 'POST', 'freeze', 'resource=nope')).status).toBe(400)
    expect((await control(kube, 'POST', 'compact', 'revision=999999')).status).toBe(400)
  })
})

describe('versions of one kind', () => {
  test('are the same objects: autoscalers', async () => {
    const { kube } = await setUp()
    const path = (version: string): string => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`
    const scaleTargetRef = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }
    const v1 = { metadata: { name: 'h' }, spec: { maxReplicas: 3, scaleTargetRef, targetCPUUtilizationPercentage: 70 } }
    expect((await send(kube, 'POST', path('v1'), v1)).status).toBe(201)
    const v2 = await json(send(kube, 'GET', `${path('v2')}/h`))
    expect(v2).toMatchObject({
      apiVersion: 'autoscaling/v2',
      spec: {
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } },
        ],
      },
    })
    const back = await json(send(kube, 'PUT', `${path('v2')}/h`, v2))
    expect(back.metadata.resourceVersion).toBe(v2.metadata.resourceVersion)
    expect(await json(send(kube, 'GET', `${path('v1')}/h`))).toMatchObject({
      spec: { targetCPUUtilizationPercentage: 70 },
    })
  })

  test('are the same objects: events', async () => {
    const { kube } = await setUp()
    const event = {
      metadata: { name: 'e' },
      involvedObject: { namespace: 'default', name: 'x' },
      message: 'hello',
      reason: 'r',
      type: 'Normal',
    }
    expect((await send(kube, 'POST', '/api/v1/namespaces/default/events', event)).status).toBe(201)
    expect(await json(send(kube, 'GET', '/apis/events.k8s.io/v1/namespaces/default/events/e'))).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      note: 'hello',
      regarding: { name: 'x' },
    })
  })
})

test('events are gone after an hour, and their watches hear of it', async () => {
  const { kube, clock } = await setUp()
  const events = '/api/v1/namespaces/default/events'
  const event = { metadata: { name: 'e' }, involvedObject: { namespace: 'default' }, reason: 'Tested', type: 'Normal' }
  expect((await send(kube, 'POST', events, event)).status).toBe(201)
  await clock.step(3_590_000)
  expect((await send(kube, 'GET', `${events}/e`)).status).toBe(200)
  const { lines } = readLines(await send(kube, 'GET', `${events}?watch=true`))
  // Events share leases of up to a minute more.
  await clock.step(80_000)
  expect((await send(kube, 'GET', `${events}/e`)).status).toBe(404)
  const watched = lines.map((line) => (JSON.parse(line) as { type: string }).type)
  expect(watched).toEqual(['ADDED', 'DELETED'])
})

describe('writes at the same time', () => {
  test('lose nothing: of two with the same resourceVersion one is refused', async () => {
    const { kube } = await setUp()
    const { metadata } = await json(send(kube, 'POST', CONFIG_MAPS, configMap('a')))
    const put = (v: string): Promise<Response> =>
      send(kube, 'PUT', `${CONFIG_MAPS}/a`, {
        metadata: { name: 'a', resourceVersion: metadata.resourceVersion },
        data: { v },
      })
    const statuses = (await Promise.all([put('1'), put('2')])).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, 409])
  })

  test('all take effect when they are patches', async () => {
    const { kube } = await setUp()
    await send(kube, 'POST', CONFIG_MAPS, configMap('a', {}))
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        send(
          kube,
          'PATCH',
          `${CONFIG_MAPS}/a`,
          { data: { [`k${i}`]: 'v' } },
          { 'content-type': 'application/merge-patch+json' },
        ),
      ),
    )
    const { data } = await json<{ data: object }>(send(kube, 'GET', `${CONFIG_MAPS}/a`))
    expect(Object.keys(data)).toHaveLength(20)
  })
})

test('a closed server ends its watches and leaves no timer', async () => {
  const clock = new FakeClock()
  const kube = createKubeServer({ clock })
  await kube.ready()
  const { ended } = readLines(await send(kube, 'GET', `${CONFIG_MAPS}?watch=true&resourceVersion=0`))
  await kube.close()
  expect(await ended).toBe('ended')
  expect(clock.pendingTimers).toBe(0)
  await kube.close()
})

test('an error of load is a StatusError', async () => {
  const { kube } = await setUp()
  await kube.load({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, type: 'a', immutable: true })
  const refused = await kube
    .load({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, type: 'b' })
    .catch((error: unknown) => error)
  expect(isConflict(refused)).toBe(false)
  expect(refused).toMatchObject({ code: 422 })
})

describe('an object that is too large for its storage', () => {
  const revisions = '/apis/apps/v1/namespaces/default/controllerrevisions'
  const revision = (name: string, size: number): KubeObject => ({
    metadata: { name },
    revision: 1,
    data: { x: 'x'.repeat(size) },
  })

  test.each([
    [1_600_000, 'etcdserver: request is too large'],
    [2_300_000, /^rpc error: code = ResourceExhausted desc = trying to send message larger than max \(2300\d{3} vs/],
  ])('is refused as the real server refuses it: %i bytes', async (size, message) => {
    const { kube } = await setUp()
    const refused = await send(kube, 'POST', revisions, revision('a', size))
    expect(refused.status).toBe(500)
    expect(await json(refused)).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: expect.stringMatching(message),
      code: 500,
    })
  })

  test('is stored when it fits without its managed fields', async () => {
    const { kube } = await setUp()
    // As large as what fits without managed fields, which are some 150 bytes more.
    const size = 1_572_864 - 400
    const created = await json(send(kube, 'POST', revisions, revision('a', size)))
    expect(created.metadata.resourceVersion).toMatch(/^\d+$/)
    expect(created.metadata.managedFields).toBeUndefined()

    const put = { ...created, metadata: { ...created.metadata, labels: { a: 'b' } } }
    const replaced = await json(send(kube, 'PUT', `${revisions}/a`, put))
    const headers = { 'content-type': 'application/merge-patch+json' }
    const patched = await json(send(kube, 'PATCH', `${revisions}/a`, { metadata: { labels: { a: 'c' } } }, headers))
    expect([replaced, patched].map(({ metadata }) => metadata.labels)).toEqual([{ a: 'b' }, { a: 'c' }])
    expect([replaced, patched].map(({ metadata }) => metadata.managedFields)).toEqual([undefined, undefined])
  })
})
