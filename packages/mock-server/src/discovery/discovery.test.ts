import { readFileSync } from 'node:fs'
import { systemClock } from '@freshread/core'
import { describe, expect, it } from 'vitest'
import { WarningRecorder } from '../api/headers.ts'
import type { KubeResponse } from '../api/message.ts'
import { parseQuery } from '../api/query.ts'
import type { ResponseContext } from '../api/response-context.ts'
import { respondError } from '../api/status.ts'
import { builtInGroups, builtInResources, builtInSchemas } from '../resources/catalogue.ts'
import type { ResourceRegistry } from '../resources/registry.ts'
import { OpenApiV2 } from './openapi-v2.ts'
import { OpenApiV3 } from './openapi-v3.ts'
import { respondDiscovery, type DiscoverySources } from './respond-discovery.ts'
import { versionInfo } from './version.ts'

interface Recording {
  readonly steps: readonly {
    readonly id: string
    readonly path: string
    readonly headers?: Readonly<Record<string, string>>
  }[]
  readonly expect: readonly {
    readonly id: string
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: Readonly<Record<string, unknown>>
  }[]
}

const resources = builtInResources({
  strategyFor: () => ({}),
  printerFor: () => ({ columns: [], cells: () => [] }),
})
const registry: ResourceRegistry = {
  groups: () => builtInGroups.map((group) => ({ ...group, builtIn: true })),
  resources: (group, version) => resources.filter((r) => r.group === group && r.version === version),
  find: (group, version, name) =>
    resources.find((r) => r.group === group && r.version === version && r.resource === name),
  generation: () => 1,
}
const openApiV3 = new OpenApiV3(registry, builtInSchemas)
const sources: DiscoverySources = {
  registry,
  openApiV3,
  openApiV2: new OpenApiV2(openApiV3),
  version: versionInfo(),
  serverAddress: '127.0.0.1:6443',
  metrics: () => 'up 1\n',
  health: () => undefined,
}

function ask(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): KubeResponse {
  const [name = '', query = ''] = path.split('?')
  const context: ResponseContext = {
    requestHeaders: headers,
    query: parseQuery(query),
    headers: { 'cache-control': 'no-cache, private' },
    warnings: new WarningRecorder(),
    clock: systemClock,
  }
  try {
    return respondDiscovery(context, method, name, sources)
  } catch (error) {
    return respondError(context, error)
  }
}

const text = (response: KubeResponse): string => new TextDecoder().decode(response.body as Uint8Array)
const json = (response: KubeResponse): Record<string, unknown> => JSON.parse(text(response)) as Record<string, unknown>

const recording = JSON.parse(
  readFileSync(new URL('../../../../conformance/recordings/discovery/discovery.json', import.meta.url), 'utf8'),
) as Recording

describe('discovery', () => {
  it.each(recording.steps.filter(({ id }) => !['version', 'root', 'openapi-v3', 'api'].includes(id)))(
    'answers $path as recorded ($id)',
    ({ id, path, headers }) => {
      const want = recording.expect.find((step) => step.id === id)!
      const got = ask(path, headers)
      expect(got.status).toBe(want.status)
      expect(got.headers['content-type']).toBe(want.headers['content-type'])
      expect(got.headers['cache-control']).toBe(want.headers['cache-control'])
      expect(json(got)).toEqual(want.body)
    },
  )

  it('lists the recorded root paths', () => {
    const want = recording.expect.find((step) => step.id === 'root')!.body['paths'] as string[]
    const got = json(ask('/'))['paths'] as string[]
    expect(got).toEqual(want)
  })

  it('indexes the recorded OpenAPI documents', () => {
    const want = JSON.parse(recording.expect.find((step) => step.id === 'openapi-v3')!.body['$text'] as string) as {
      paths: object
    }
    expect(Object.keys(json(ask('/openapi/v3'))['paths'] as object)).toEqual(Object.keys(want.paths))
  })

  it('answers 304 to who has the aggregated document', () => {
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
    const etag = ask('/apis', { accept }).headers['etag'] as string
    const again = ask('/apis', { accept, 'if-none-match': etag })
    expect(again.status).toBe(304)
    expect(again.body).toBeUndefined()
  })

  it('tells paths below known groups from others', () => {
    expect(ask('/api/v9').status).toBe(404)
    expect(ask('/api/v9').headers['content-type']).toBe('application/json')
    expect(text(ask('/apis/nope.example.com/v1'))).toBe('404 page not found\n')
    expect(ask('/version/x').headers['content-type']).toBe('application/json')
    expect(text(ask('//api/v1'))).toBe('404 page not found\n')
    expect(text(ask('/healthz/nope'))).toBe('404 page not found\n')
    expect(ask('/api/v1', {}, 'POST').status).toBe(405)
    expect(ask('/apis/apps', {}, 'POST').status).toBe(200)
  })

  it('refuses types that it neither takes nor gives', () => {
    expect(ask('/api/v1', { 'content-type': 'text/plain' }).status).toBe(415)
    expect(ask('/version', { 'content-type': 'application/yaml' }).status).toBe(415)
    expect(ask('/apis/apps', { 'content-type': 'text/plain' }).status).toBe(200)
    expect(json(ask('/api/v1', { accept: 'text/csv' }))['message']).toMatch(/^406: Not Acceptable\n\nAvailable/)
    expect(json(ask('/apis/apps', { accept: 'text/csv' }))['message']).toMatch(/^only the following media types/)
  })
})

describe('openapi', () => {
  const document = json(ask('/openapi/v3/apis/apps/v1')) as {
    paths: Record<string, Record<string, { parameters?: { name: string }[] } & Record<string, unknown>>>
    components: { schemas: Record<string, unknown> }
  }

  it('tells the parameters and the kind of a patch', () => {
    const { patch } = document.paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}']!
    expect(patch!.parameters!.map(({ name }) => name)).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force'])
    expect(patch!['x-kubernetes-group-version-kind']).toEqual({ group: 'apps', version: 'v1', kind: 'Deployment' })
    expect(patch!['x-kubernetes-action']).toBe('patch')
    expect(patch!['operationId']).toBe('patchAppsV1NamespacedDeployment')
  })

  it('holds every schema that is referred to', () => {
    const references = JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)
    const missing = [...new Set([...references].map((match) => match[1]!))].filter(
      (name) => !(name in document.components.schemas),
    )
    expect(missing).toEqual([])
    expect(Object.keys(document.components.schemas).length).toBeGreaterThan(150)
  })

  it('redirects to the document of today', () => {
    const index = json(ask('/openapi/v3'))['paths'] as Record<string, { serverRelativeURL: string }>
    const url = index['apis/apps/v1']!.serverRelativeURL
    expect(ask(url).headers['cache-control']).toBe('public, immutable')
    const old = ask('/openapi/v3/apis/apps/v1?hash=00')
    expect([old.status, old.headers['location']]).toEqual([301, url])
  })

  it('makes a v2 document whose references lead somewhere', () => {
    const v2 = json(ask('/openapi/v2')) as { definitions: Record<string, { properties?: Record<string, unknown> }> }
    expect(v2.definitions['io.k8s.api.apps.v1.DeploymentSpec']!.properties!['strategy']).toEqual({
      $ref: '#/definitions/io.k8s.api.apps.v1.DeploymentStrategy',
      'x-kubernetes-patch-strategy': 'retainKeys',
    })
    expect(v2.definitions['io.k8s.apimachinery.pkg.util.intstr.IntOrString']).toEqual({
      type: 'string',
      format: 'int-or-string',
    })
    const missing = [...JSON.stringify(v2).matchAll(/"#\/definitions\/([^"]+)"/g)].filter(
      (match) => !Object.hasOwn(v2.definitions, match[1]!),
    )
    expect(missing).toEqual([])
  })

  it('has a protobuf form of the v2 document', () => {
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'
    const response = ask('/openapi/v2', { accept })
    expect(response.headers['content-type']).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf')
    expect([...(response.body as Uint8Array).subarray(0, 5)]).toEqual([0x0a, 3, 0x32, 0x2e, 0x30])
  })
})

describe('health', () => {
  it('tells each check when asked, and which failed', () => {
    expect(text(ask('/readyz'))).toBe('ok')
    expect(text(ask('/livez/ping'))).toBe('ok')
    expect(text(ask('/readyz?verbose&exclude=ping'))).toMatch(
      /^\[\+\]ping excluded: ok\n\[\+\]log ok\n[^]*readyz check passed\n$/,
    )
    const failing = respondDiscovery(
      { requestHeaders: {}, query: parseQuery(''), headers: {}, warnings: new WarningRecorder(), clock: systemClock },
      'GET',
      '/readyz',
      { ...sources, health: (_endpoint, check) => (check === 'etcd' ? 'no route' : undefined) },
    )
    expect(failing.status).toBe(500)
    expect(text(failing)).toContain('[-]etcd failed: reason withheld\n')
  })
})
