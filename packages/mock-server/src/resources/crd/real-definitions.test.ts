import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { KubeObject, Status } from '@freshread/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKubeServer, type KubeServer } from '../../server.ts'
import type { CustomResourceDefinition } from './types.ts'

/*
 * Definitions that the world uses, as their projects publish them (all Apache-2.0), without descriptions:
 * cert-manager's Certificate, Prometheus' ServiceMonitor, Argo CD's Application, Gateway API's HTTPRoute, Cluster
 * API's Machine.
 */
const compressed = readFileSync(new URL('real-definitions.json.gz', import.meta.url))
const definitions = JSON.parse(gunzipSync(compressed).toString()) as Record<string, CustomResourceDefinition>

interface Example {
  readonly definition: string
  readonly version: string
  readonly good: Record<string, unknown>
  readonly bad: Record<string, unknown>
  /** What is wrong with the bad one. */
  readonly causes: readonly string[]
  /** Something that defaults give. */
  readonly defaulted?: readonly [path: readonly (string | number)[], value: unknown]
}

const examples: readonly Example[] = [
  {
    definition: 'cert-manager v1.18.2',
    version: 'v1',
    good: {
      spec: {
        secretName: 'tls',
        dnsNames: ['example.com'],
        duration: '2160h0m0s',
        issuerRef: { name: 'ca', kind: 'ClusterIssuer' },
        privateKey: { algorithm: 'ECDSA', size: 256, rotationPolicy: 'Always' },
      },
    },
    bad: { spec: { dnsNames: 'example.com', issuerRef: {}, privateKey: { algorithm: 'DSA' } } },
    causes: [
      'spec.secretName: Required value',
      'spec.issuerRef.name: Required value',
      'spec.dnsNames: Invalid value: "string": spec.dnsNames in body must be of type array: "string"',
      'spec.privateKey.algorithm: Unsupported value: "DSA": supported values: "RSA", "ECDSA", "Ed25519"',
    ],
  },
  {
    definition: 'prometheus-operator v0.85.0',
    version: 'v1',
    good: { spec: { selector: { matchLabels: { app: 'web' } }, endpoints: [{ port: 'http', interval: '30s' }] } },
    bad: { spec: { selector: {}, endpoints: [{ port: 'http', interval: 'often' }] } },
    causes: [
      'spec.endpoints[0].interval: Invalid value: "often": spec.endpoints[0].interval in body should match \'^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$\'',
    ],
  },
  {
    definition: 'argo-cd v3.1.5',
    version: 'v1alpha1',
    good: {
      spec: {
        project: 'default',
        source: { repoURL: 'https://example.com/repo.git', path: 'apps', targetRevision: 'HEAD' },
        destination: { server: 'https://kubernetes.default.svc', namespace: 'web' },
        syncPolicy: { automated: { prune: true }, retry: { limit: 3, backoff: { factor: 2, duration: '5s' } } },
      },
    },
    bad: { spec: { source: { path: 'apps' }, destination: {}, syncPolicy: { retry: { limit: 'three' } } } },
    causes: [
      'spec.project: Required value',
      'spec.source.repoURL: Required value',
      'spec.syncPolicy.retry.limit: Invalid value: "string": spec.syncPolicy.retry.limit in body must be of type integer: "string"',
    ],
  },
  {
    definition: 'gateway-api v1.4.0',
    version: 'v1',
    good: {
      spec: {
        parentRefs: [{ name: 'gateway' }],
        hostnames: ['example.com'],
        rules: [
          { matches: [{ path: { type: 'PathPrefix', value: '/app' } }], backendRefs: [{ name: 'web', port: 80 }] },
        ],
      },
    },
    bad: {
      spec: {
        hostnames: ['-bad-'],
        rules: [
          {
            matches: [{ path: { type: 'PathPrefix', value: 'no-slash' } }],
            backendRefs: [{ name: 'web' }],
          },
        ],
      },
    },
    causes: [
      `spec.hostnames[0]: Invalid value: "-bad-": spec.hostnames[0] in body should match '^(\\*\\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$'`,
      "spec.rules[0].matches[0].path: Invalid value: value must be an absolute path and start with '/' when type one of ['Exact', 'PathPrefix']",
      'spec.rules[0].backendRefs[0]: Invalid value: Must have port for Service reference',
    ],
    defaulted: [['spec', 'rules', 0, 'backendRefs', 0, 'weight'], 1],
  },
  {
    definition: 'cluster-api v1.11.2',
    version: 'v1beta2',
    good: {
      spec: {
        clusterName: 'c',
        bootstrap: { dataSecretName: 'secret' },
        infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'DockerMachine', name: 'm' },
      },
    },
    bad: { spec: { bootstrap: {}, infrastructureRef: { apiGroup: 'x.io', kind: 'bad kind', name: 'm' } } },
    causes: ['spec.clusterName: Required value'],
  },
]

describe.each(examples)('$definition', (example) => {
  const crd = definitions[example.definition]!
  const { group, names } = crd.spec!
  const { kind, plural } = names!
  const collection = `/apis/${group}/${example.version}/namespaces/default/${plural}`
  let server: KubeServer

  const call = async (
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: KubeObject & Partial<Status> }> => {
    const headers = { 'content-type': 'application/json' }
    const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) }
    const response = await server.fetch(path, init)
    return { status: response.status, body: (await response.json()) as KubeObject & Partial<Status> }
  }
  const object = (name: string, fields: Record<string, unknown>): unknown => ({
    apiVersion: `${group}/${example.version}`,
    kind,
    metadata: { name },
    ...fields,
  })

  beforeAll(async () => {
    server = createKubeServer()
    await call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd)
  })
  afterAll(() => server.close())

  it('is installed without complaints', async () => {
    const stored = await call('GET', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.${group}`)
    const { conditions } = stored.body['status'] as unknown as { conditions: { type: string; status: string }[] }
    expect(conditions.map(({ status }) => status)).not.toContain('False')
    expect(conditions.map(({ type }) => type)).toContain('Established')
  })

  it('is served and takes a real object', async () => {
    const created = await call('POST', `${collection}?fieldValidation=Strict`, object('good', example.good))
    expect(created.body.message).toBeUndefined()
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject(example.good)
    const [path, value] = example.defaulted ?? [['kind'], kind]
    expect(path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], created.body)).toEqual(value)
  })

  it('refuses a broken object', async () => {
    const refused = await call('POST', collection, object('bad', example.bad))
    expect(refused.status).toBe(422)
    const texts = (refused.body.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`)
    for (const cause of example.causes) expect(texts).toContain(cause)
  })

  it('refuses fields that nobody knows', async () => {
    const refused = await call(
      'POST',
      `${collection}?fieldValidation=Strict`,
      object('x', { ...example.good, bogus: 1 }),
    )
    expect(refused.status).toBe(400)
    expect(refused.body.message).toContain('unknown field "bogus"')
  })
})
