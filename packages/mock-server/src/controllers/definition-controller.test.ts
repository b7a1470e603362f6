import { MemoryKV, type KubeObject, type Status } from '@freshread/core'
import { FakeClock } from '@freshread/core/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { createKubeServer, type KubeServer, type KubeServerOptions } from '../server.ts'

const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const group = 'shop.example.com'
const things = `/apis/${group}/v1/namespaces/default/things`

function definition(more: object = {}, plural = 'things', kind = 'Thing'): unknown {
  const schema = {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { size: { type: 'integer', default: 1 }, color: { type: 'string' } } },
    },
  }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind, shortNames: [plural.slice(0, 2)], categories: ['all'] },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, subresources: { status: {} } },
      ],
      ...more,
    },
  }
}

const thing = (name: string, metadata: object = {}): unknown => ({
  apiVersion: `${group}/v1`,
  kind: 'Thing',
  metadata: { name, ...metadata },
  spec: {},
})

let servers: KubeServer[] = []
afterEach(async () => {
  await Promise.all(servers.map((server) => server.close()))
  servers = []
})

function newServer(options: KubeServerOptions = {}): KubeServer {
  const server = createKubeServer(options)
  servers.push(server)
  return server
}

interface Answer {
  readonly status: number
  readonly body: KubeObject &
    Partial<Omit<Status, 'kind' | 'apiVersion' | 'metadata'>> & { readonly [field: string]: unknown }
}

async function call(
  server: KubeServer,
  method: string,
  path: string,
  body?: unknown,
  type = 'application/json',
): Promise<Answer> {
  const init =
    body === undefined ? { method } : { method, headers: { 'content-type': type }, body: JSON.stringify(body) }
  const response = await server.fetch(path, init)
  const text = await response.text()
  return { status: response.status, body: (text.startsWith('{') ? JSON.parse(text) : {}) as Answer['body'] }
}

const conditionsOf = (crd: Answer): string[] => {
  const { conditions } = crd.body['status'] as unknown as {
    conditions: { type: string; status: string; reason: string }[]
  }
  return conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`)
}

describe('a definition', () => {
  it('is established and served as soon as it has been created', async () => {
    const server = newServer()
    const created = await call(server, 'POST', definitionsPath, definition())
    expect(created.body['status']).toMatchObject({ conditions: null, storedVersions: ['v1'] })
    const crd = await call(server, 'GET', `${definitionsPath}/things.${group}`)
    expect(conditionsOf(crd)).toEqual(['NamesAccepted True NoConflicts', 'Established True InitialNamesAccepted'])
    const discovered = await call(server, 'GET', `/apis/${group}/v1`)
    expect((discovered.body['resources'] as { name: string }[]).map(({ name }) => name)).toEqual([
      'things',
      'things/status',
    ])
    expect((await call(server, 'POST', things, thing('a'))).body['spec']).toEqual({ size: 1 })
    expect((await call(server, 'GET', things)).body['items']).toHaveLength(1)
  })

  it('is taken out of service with all its objects', async () => {
    const server = newServer()
    await call(server, 'POST', definitionsPath, definition())
    await call(server, 'POST', things, thing('a'))
    const deleted = await call(server, 'DELETE', `${definitionsPath}/things.${group}`)
    expect(deleted.status).toBe(200)
    expect(deleted.body.metadata.finalizers).toEqual(['customresourcecleanup.apiextensions.k8s.io'])
    expect((await call(server, 'GET', `${definitionsPath}/things.${group}`)).status).toBe(404)
    expect((await call(server, 'GET', things)).status).toBe(404)
    await call(server, 'POST', definitionsPath, definition())
    await call(server, 'POST', things, thing('b'))
    expect((await call(server, 'GET', `${things}/a`)).status).toBe(404)
  })

  it('waits for objects that others hold, and takes no new ones meanwhile', async () => {
    const server = newServer()
    await call(server, 'POST', definitionsPath, definition())
    await call(server, 'POST', things, thing('held', { finalizers: ['example.com/hold'] }))
    await call(server, 'DELETE', `${definitionsPath}/things.${group}`)
    const crd = await call(server, 'GET', `${definitionsPath}/things.${group}`)
    expect(conditionsOf(crd)).toContain('Terminating True InstanceDeletionInProgress')
    const refused = await call(server, 'POST', things, thing('late'))
    expect(refused.body.message).toContain('create not allowed while custom resource definition is terminating')
    const free = { metadata: { finalizers: null } }
    await call(server, 'PATCH', `${things}/held`, free, 'application/merge-patch+json')
    expect((await call(server, 'GET', `${definitionsPath}/things.${group}`)).status).toBe(404)
  })

  it('ends watches of its objects a moment after it has gone', async () => {
    const clock = new FakeClock()
    const server = newServer({ clock })
    await server.ready()
    await call(server, 'POST', definitionsPath, definition())
    await call(server, 'POST', things, thing('a'))
    const response = await server.fetch(`${things}?watch=true&resourceVersion=0`)
    const text = response.text()
    await call(server, 'DELETE', `${definitionsPath}/things.${group}`)
    await clock.step(1100)
    const events = (await text)
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type)
    expect(events).toEqual(['ADDED', 'DELETED'])
  })

  it('serves by its new schema as soon as that is written', async () => {
    const server = newServer()
    await call(server, 'POST', definitionsPath, definition())
    await call(server, 'POST', things, thing('a'))
    const changed = definition() as {
      spec: { versions: { schema: { openAPIV3Schema: { properties: { spec: { properties: object } } } } }[] }
    }
    Object.assign(changed.spec.versions[0]!.schema.openAPIV3Schema.properties.spec.properties, {
      later: { type: 'string', default: 'new' },
    })
    await call(
      server,
      'PATCH',
      `${definitionsPath}/things.${group}`,
      { spec: changed.spec },
      'application/merge-patch+json',
    )
    expect((await call(server, 'GET', `${things}/a`)).body['spec']).toEqual({ size: 1, later: 'new' })
  })

  it('is served by every replica of a storage, and after a restart', async () => {
    const storage = new MemoryKV()
    const first = newServer({ storage })
    const second = newServer({ storage })
    await Promise.all([first.ready(), second.ready()])
    await call(first, 'POST', definitionsPath, definition())
    await expect.poll(async () => (await call(second, 'POST', things, thing('a'))).status).toBe(201)
    const third = newServer({ storage })
    expect((await call(third, 'GET', `${things}/a`)).status).toBe(200)
    await first.close()
    await second.close()
    await third.close()
    await storage.close()
  })

  it('goes with a reset', async () => {
    const server = newServer()
    await call(server, 'POST', definitionsPath, definition())
    await server.reset()
    expect((await call(server, 'GET', things)).status).toBe(404)
    expect((await call(server, 'POST', definitionsPath, definition())).status).toBe(201)
  })

  it('gets the names of another one when that has gone', async () => {
    const server = newServer()
    await call(server, 'POST', definitionsPath, definition())
    await call(server, 'POST', definitionsPath, definition({}, 'thinks', 'Thing'))
    const path = `${definitionsPath}/thinks.${group}`
    expect(conditionsOf(await call(server, 'GET', path))).toContain('Established False NotAccepted')
    await call(server, 'DELETE', `${definitionsPath}/things.${group}`)
    await expect
      .poll(async () => conditionsOf(await call(server, 'GET', path)))
      .toContain('Established True InitialNamesAccepted')
  })

  it('has an APIService for each version as long as that is served', async () => {
    const server = newServer()
    const path = `/apis/apiregistration.k8s.io/v1/apiservices/v1.${group}`
    await call(server, 'POST', definitionsPath, definition())
    const service = await call(server, 'GET', path)
    expect(service.body['spec']).toEqual({ group, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 })
    await call(server, 'DELETE', `${definitionsPath}/things.${group}`)
    expect((await call(server, 'GET', path)).status).toBe(404)
  })
})
