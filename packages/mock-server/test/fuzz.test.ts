import { MemoryKV } from '@freshread/core'
import { FakeClock } from '@freshread/core/testing'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createKubeServer, type KubeRequest, type KubeResponse, type KubeServer } from '../src/index.ts'

/*
 * Whatever a client sends: an answer comes, it is one that the API gives, it tells nothing of the server's inside, and
 * what is refused has changed nothing. FUZZ_MS=300000 runs for five minutes instead of a moment.
 */

const fuzzMs = Number(process.env['FUZZ_MS'] ?? 0)
const limits = fuzzMs > 0 ? { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: fuzzMs } : { numRuns: 300 }
const timeout = fuzzMs > 0 ? fuzzMs + 60_000 : undefined

const clock = new FakeClock()
const kv = new MemoryKV({ clock })
let server: KubeServer
const encoder = new TextEncoder()
const decoder = new TextDecoder()

const seeds = [
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'default', labels: { l: 'm' } },
    data: { k: 'v' },
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'a', namespace: 'default', finalizers: ['x.y/z'] },
    data: { k: 'dg==' },
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', namespace: 'default' },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'a', namespace: 'default' },
    spec: { ports: [{ port: 80 }], selector: { a: 'b' } },
  },
  { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' }, spec: {} },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a', namespace: 'default' },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  },
  {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'a', namespace: 'default' },
    spec: { holderIdentity: 'me' },
  },
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: { type: 'object', properties: { size: { type: 'integer', minimum: 0 } } },
                status: { type: 'object', properties: { size: { type: 'integer' } } },
              },
            },
          },
        },
      ],
    },
  },
  { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a', namespace: 'default' }, spec: { size: 1 } },
]
const collections = [
  '/api/v1/namespaces/default/configmaps',
  '/api/v1/namespaces/default/secrets',
  '/api/v1/namespaces/default/pods',
  '/api/v1/namespaces/default/services',
  '/api/v1/nodes',
  '/apis/apps/v1/namespaces/default/deployments',
  '/apis/coordination.k8s.io/v1/namespaces/default/leases',
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  '/apis/example.com/v1/namespaces/default/widgets',
  '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers',
  '/apis/events.k8s.io/v1/namespaces/default/events',
  '/api/v1/namespaces',
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
]
const words = [
  'api',
  'apis',
  'v1',
  'namespaces',
  'default',
  'pods',
  'a',
  'status',
  'scale',
  'log',
  'exec',
  'binding',
  'eviction',
  'proxy',
  'watch',
  'apps',
  'deployments',
  'finalize',
  'token',
  'widgets',
  'example.com',
  'openapi',
  'v3',
  'version',
  'healthz',
  '..',
  '.',
  '',
  '%2e',
  '%00',
  '%zz',
  '%',
  '%ff',
  'ä',
  '\u{1f600}',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '~1',
  ' ',
  '*',
]
const parameters = [
  'watch',
  'limit',
  'continue',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'allowWatchBookmarks',
  'labelSelector',
  'fieldSelector',
  'timeoutSeconds',
  'timeout',
  'dryRun',
  'fieldManager',
  'fieldValidation',
  'force',
  'pretty',
  'propagationPolicy',
  'orphanDependents',
  'gracePeriodSeconds',
  'includeObject',
  'container',
  '__proto__',
  '',
]
const values = [
  '',
  '0',
  '1',
  '-1',
  '00',
  'true',
  'false',
  'abc',
  '9'.repeat(25),
  '18446744073709551615',
  'All',
  'Exact',
  'NotOlderThan',
  'a=b',
  'a in (b,c)',
  '!a',
  'a=',
  'metadata.name=a',
  'spec.nodeName=x',
  'metadata.name in (a)',
  'Strict',
  'Warn',
  'Orphan',
  'Foreground',
  '1s',
  '-5m',
  'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIvYSJ9',
  '%',
  '\u0000',
  'a'.repeat(300),
  '\\',
  'a\\,b',
  ',,',
  '(',
]
const mediaTypes = [
  'application/json',
  'application/yaml',
  'application/merge-patch+json',
  'application/json-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/vnd.kubernetes.protobuf',
  'text/plain',
  '',
  ';',
  '*/*',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  'application/json;stream=watch',
]

const anything = fc.anything({
  withDate: false,
  withBigInt: false,
  maxDepth: 3,
  key: fc.constantFrom('a', 'name', 'metadata', 'spec', '__proto__', 'labels', ''),
})
const json = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>(null, [], {}, '', 0, -1, 1e300, 'x'.repeat(1000), { __proto__: 1 }),
  },
)

/** A valid object with something in it replaced, removed or added. */
const mutated = fc
  .tuple(fc.constantFrom(...seeds), fc.array(fc.tuple(fc.nat(40), json, fc.nat(3)), { maxLength: 3 }))
  .map(([seed, changes]) => {
    let object: unknown = structuredClone(seed)
    for (const [where, value, how] of changes) {
      const places: [Record<string, unknown>, string][] = []
      const walk = (node: unknown): void => {
        if (typeof node !== 'object' || node === null) return
        for (const key of Object.keys(node)) {
          places.push([node as Record<string, unknown>, key])
          walk((node as Record<string, unknown>)[key])
        }
      }
      walk(object)
      const place = places[where % Math.max(1, places.length)]
      if (place === undefined) object = value
      else if (how === 0) delete place[0][place[1]]
      else if (how === 1) place[0][`${place[1]}x`] = value
      else place[0][place[1]] = value
    }
    return JSON.stringify(object)
  })

const patchOperation = fc.record({
  op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test', 'nope'),
  path: fc.constantFrom(
    '',
    '/',
    '/metadata/labels/l',
    '/data/k',
    '/metadata',
    '/spec/template',
    '/a/b/c',
    '/metadata/finalizers/-',
    '/metadata/finalizers/0',
    'x',
  ),
  from: fc.constantFrom('/data/k', '', '/metadata/labels'),
  value: json,
})

const body = fc.oneof(
  { weight: 5, arbitrary: mutated.map((text) => encoder.encode(text)) },
  { weight: 2, arbitrary: json.map((value) => encoder.encode(JSON.stringify(value))) },
  {
    weight: 2,
    arbitrary: fc.array(patchOperation, { maxLength: 3 }).map((patch) => encoder.encode(JSON.stringify(patch))),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 60, unit: 'grapheme' }).map((text) => encoder.encode(text)) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('{', '[[[[', 'a: &a [*a]', '{"a":1,"a":2}', '%YAML 9', '"\\ud800"', `${'['.repeat(20_000)}`)
      .map((text) => encoder.encode(text)),
  },
  { weight: 1, arbitrary: anything.map((value) => encoder.encode(String(JSON.stringify(value)))) },
)

const path = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...collections),
        fc.constantFrom('', '/a', '/a', '/kubernetes', '/b'),
        fc.constantFrom('', '', '', '/status', '/scale', '/binding', '/eviction', '/finalize', '/log', '/token', '/x'),
      )
      .map((parts) => parts.join('')),
  },
  { weight: 2, arbitrary: fc.array(fc.constantFrom(...words), { maxLength: 8 }).map((parts) => `/${parts.join('/')}`) },
  { weight: 1, arbitrary: fc.string({ maxLength: 40 }).map((text) => `/${encodeURI(text.toWellFormed())}`) },
)

const query = fc
  .array(fc.tuple(fc.constantFrom(...parameters), fc.constantFrom(...values)), { maxLength: 3 })
  .map((pairs) => pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&'))

const request = fc.record({
  method: fc.constantFrom(
    'GET',
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'GET',
    'POST',
    'PATCH',
    'HEAD',
    'OPTIONS',
    'NOPE',
    'constructor',
  ),
  path,
  query: fc.oneof({ weight: 4, arbitrary: query }, { weight: 1, arbitrary: fc.string({ maxLength: 30 }) }),
  headers: fc.record({
    accept: fc.oneof(fc.constant(undefined), fc.constantFrom(...mediaTypes), fc.string({ maxLength: 20 })),
    'content-type': fc.oneof(fc.constantFrom(...mediaTypes), fc.string({ maxLength: 20 })),
    'user-agent': fc.constantFrom(undefined, 'fuzz/1', 'ä\u0007/x', ''),
    'accept-encoding': fc.constantFrom(undefined, 'gzip'),
  }),
  body: fc.option(body, { nil: undefined }),
})

/** 5xx that a real API server gives for such requests too. */
const expected500 = [
  /^resourceVersion: Invalid value/,
  /strconv\.Parse/,
  /^resourceVersion should not be set/,
  /^unable to determine kind and namespace from url/,
  /^failed to create typed patch object/,
  /^(failed to decode|unable to find|map: map|unrecognized type|cannot convert|delete patch|unrecognized patch|\[?target\.)/,
  /^Internal error occurred/,
  /^invalid key|^empty key/,
  /^Internal Server Error: .* unable to determine kind and namespace from url/,
]

async function send(given: {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: KubeRequest['headers']
  readonly body?: Uint8Array | undefined
}): Promise<KubeResponse> {
  const abort = new AbortController()
  const answer: { response?: KubeResponse } = {}
  const answered = server.handle({ ...given, signal: abort.signal }).then((value) => (answer.response = value))
  // Reads may wait for three seconds, deadlines may be set to more: nothing takes longer than this.
  for (let i = 0; i < 8 && answer.response === undefined; i++) await clock.step(i === 0 ? 0 : 10_000)
  if (answer.response === undefined) throw new Error('no answer')
  const response = await answered
  abort.abort()
  return response
}

async function textOf({ body: given }: KubeResponse): Promise<string> {
  if (given === undefined) return ''
  if (given instanceof Uint8Array) return decoder.decode(given)
  const chunks: Uint8Array[] = []
  given.start({ write: (chunk) => chunks.push(chunk) > 0, end: () => undefined, fail: () => undefined })
  await clock.step(0)
  given.cancel()
  return decoder.decode(Buffer.concat(chunks))
}

const STATUSES = new Set([
  200, 201, 202, 204, 301, 304, 400, 403, 404, 405, 406, 409, 410, 413, 415, 422, 429, 500, 503, 504,
])

/** Whether anything was written since, but for the note that the storage's own compaction takes every five minutes. */
async function hasChanged(before: number): Promise<boolean> {
  if (kv.revision === before) return false
  const note = (await kv.get('compact_rev_key')).kv
  return kv.revision - before > (note !== undefined && note.modRevision > before ? 1 : 0)
}

/** Refusals of the form that an answer was asked for in. */
const SHOWN_AFTERWARDS =
  /Unable to convert to Table as requested: includeObject|you requested PartialObjectMetadata(List)?, but the requested object is/

/** What is wrong with an answer. */
function problemsOf(
  given: { readonly method: string; readonly query: string },
  { status }: KubeResponse,
  text: string,
  changed: boolean,
): string[] {
  const problems: string[] = []
  if (!STATUSES.has(status)) problems.push('no status that the API has')
  if (/\.ts:\d+|\n {4}at /.test(text)) problems.push('tells of the inside')
  if (/undefined|\[object Object\]|NaN/.test(text)) problems.push('prints what is no value')
  const reads = given.method === 'GET' || given.method === 'HEAD'
  const dry = /(^|&)dryRun=All(&|$)/.test(given.query) && given.method !== 'DELETE'
  // How an answer is to be shown is looked at when what it is about has been done: the real server's writes stay too.
  const refused = status >= 400 && !SHOWN_AFTERWARDS.test(text)
  if (changed && (refused || reads || dry)) problems.push('has changed something')
  if (status === 500 && given.method !== 'HEAD') {
    // JSON is YAML, and a long message is folded there.
    const isStatus = text.startsWith('{') || text.startsWith('apiVersion:')
    const message = isStatus ? String((parse(text) as { message?: string }).message) : text
    if (!expected500.some((known) => known.test(message))) problems.push('an error that a real server does not have')
  }
  return problems
}

beforeAll(async () => {
  server = createKubeServer({ clock, storage: kv })
  await server.ready()
  await server.load(seeds)
})

afterAll(() => server.close())

describe('whatever a client sends', () => {
  test(
    'is answered by what the API answers, and what is refused changes nothing',
    async () => {
      await fc.assert(
        fc.asyncProperty(request, async (given) => {
          const before = kv.revision
          const response = await send(given)
          const text = await textOf(response)
          expect(
            problemsOf(given, response, text, await hasChanged(before)),
            `${response.status} ${text.slice(0, 600)}`,
          ).toEqual([])
        }),
        limits,
      )
    },
    timeout,
  )

  test('leaves the server working', async () => {
    const list = await send({ method: 'GET', path: '/api/v1/namespaces', query: '', headers: {} })
    expect(list.status).toBe(200)
    const health = await send({ method: 'GET', path: '/readyz', query: '', headers: {} })
    expect(decoder.decode(health.body as Uint8Array)).toBe('ok')
  })
})
