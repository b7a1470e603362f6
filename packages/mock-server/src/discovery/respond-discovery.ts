import type { KubeResponse } from '../api/message.ts'
import {
  newPageNotFound,
  newPathMethodNotAllowed,
  newPathNotFound,
  newRouteNotAcceptable,
  newRouteUnsupportedMediaType,
} from '../api/errors.ts'
import { parseAccept, routeAccepts, routeConsumes } from '../api/media-type.ts'
import {
  allCodecs,
  MEDIA_TYPES,
  negotiateOutput,
  noTransform,
  type ConvertTarget,
  type Negotiated,
} from '../api/negotiation.ts'
import { firstValue } from '../api/query.ts'
import { splitPath } from '../api/request-info.ts'
import { acceptsGzip, answerHeaders, type ResponseContext } from '../api/response-context.ts'
import { encodeValue } from '../api/serialize.ts'
import { respondText } from '../api/status.ts'
import { GZIP_THRESHOLD_BYTES, GzipBody } from '../api/compression.ts'
import { ChunkedBody } from '../api/body-stream.ts'
import type { ResourceRegistry } from '../resources/registry.ts'
import { apiGroup, apiGroupDiscoveryList, apiGroupList, apiResourceList, apiVersions } from './api-lists.ts'
import { contentHash } from './content-hash.ts'
import { checkHealth, type HealthProbe } from './health.ts'
import type { OpenApiV2 } from './openapi-v2.ts'
import type { OpenApiV3 } from './openapi-v3.ts'
import { rootPaths } from './root-paths.ts'
import type { VersionInfo } from './version.ts'

/** What the paths beside resources are answered from. */
export interface DiscoverySources {
  readonly registry: ResourceRegistry
  readonly openApiV2: OpenApiV2
  readonly openApiV3: OpenApiV3
  readonly version: VersionInfo
  /** `host:port` that clients are told. */
  readonly serverAddress: string
  /** Metrics in Prometheus' text format. */
  readonly metrics: () => string
  readonly health: HealthProbe
}

const encoder = new TextEncoder()
const PROTOBUF = 'application/vnd.kubernetes.protobuf'

/**
 * Answers a request that is not for a resource: discovery, OpenAPI, version, health, metrics, `/`. Throws
 * the Status or plain text for paths and methods that are not served.
 *
 * @param path decoded
 */
export function respondDiscovery(
  context: ResponseContext,
  method: string,
  path: string,
  sources: DiscoverySources,
): KubeResponse {
  const { registry } = sources
  const health = checkHealth(path, context.query, sources.health)
  if (health) return respondText(context, health.status, health.text)
  switch (path) {
    case '/':
    case '/index.html':
      return respondDocument(context, { paths: rootPaths(registry) }, { mediaType: 'application/json', pretty: true })
    case '/flagz':
    case '/statusz':
      return {
        status: 200,
        headers: answerHeaders(context, { 'content-type': 'text/plain; charset=utf-8' }),
        body: encoder.encode(debugPage(path, sources.version)),
      }
    case '/metrics':
    case '/metrics/slis':
      return {
        status: 200,
        headers: answerHeaders(context, {
          'content-type': 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores',
        }),
        body: encoder.encode(path === '/metrics' ? sources.metrics() : ''),
      }
    case '/openapi/v3':
      return respondFile(context, method, sources.openApiV3.index(), 'text/plain; charset=utf-8')
    case '/openapi/v2':
      return respondOpenApiV2(context, method, sources)
    case '/apis':
    case '/apis/':
      return respondGroups(context, () => apiGroupList(registry), false, registry)
  }
  if (path.startsWith('/openapi/v3/'))
    return respondOpenApiV3(context, method, path.slice('/openapi/v3/'.length), sources)

  const trimmed = path.endsWith('/') ? path.slice(0, -1) : path
  const issuer = 'https://kubernetes.default.svc'
  switch (trimmed) {
    case '/version':
      assertRoute(context, method, ['application/json'])
      return respondDocument(context, sources.version, { mediaType: 'application/json', pretty: true })
    case '/api':
      assertRoute(context, method, MEDIA_TYPES)
      return respondGroups(context, () => apiVersions(sources.serverAddress), true, registry)
    case '/.well-known/openid-configuration':
      assertRoute(context, method, ['application/json'], [])
      return respondKeys(context, 'application/json', {
        issuer,
        jwks_uri: `https://${sources.serverAddress}/openid/v1/jwks`,
        response_types_supported: ['id_token'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      })
    case '/openid/v1/jwks':
      assertRoute(context, method, ['application/jwk-set+json'], [])
      return respondKeys(context, 'application/jwk-set+json', { keys: [] })
  }
  return respondGroupPath(context, method, path, registry)
}

/** The pages for people that debug a server; this one has no flags to tell. */
function debugPage(path: string, version: VersionInfo): string {
  const title = path === '/flagz' ? 'apiserver flagz' : 'apiserver statusz'
  const lines =
    path === '/flagz'
      ? []
      : [
          '',
          `Binary version= ${version.gitVersion.slice(1)}`,
          `Emulation version= ${version.emulationMajor}.${version.emulationMinor}`,
          'Paths= /flagz /healthz /livez /metrics /readyz /statusz /version',
        ]
  return ['', title, ...lines, ''].join('\n')
}

/** What the router answers below: with a Status, not with plain text. */
const ROUTED = ['/version/', '/openid/v1/jwks/', '/.well-known/openid-configuration/']

/** `/api/VERSION`, `/apis/GROUP`, `/apis/GROUP/VERSION`. */
function respondGroupPath(
  context: ResponseContext,
  method: string,
  path: string,
  registry: ResourceRegistry,
): KubeResponse {
  const [prefix, ...rest] = splitPath(path)
  if (ROUTED.some((root) => path.startsWith(root))) throw newPathNotFound()
  // Only a path that begins with one slash is a known one.
  if (path.startsWith('//') || (prefix !== 'api' && prefix !== 'apis')) throw newPageNotFound()
  const name = prefix === 'api' ? '' : rest.shift()!
  const group = registry.groups().find((candidate) => candidate.name === name)
  if (!group) throw newPageNotFound()
  const [version, ...more] = rest
  if (version === undefined) return respondNegotiated(context, apiGroup(group))
  if (more.length > 0 || !group.versions.includes(version)) throw group.builtIn ? newPathNotFound() : newPageNotFound()
  if (group.builtIn) assertRoute(context, method, MEDIA_TYPES)
  return respondNegotiated(context, apiResourceList(name, version, registry.resources(name, version)))
}

/** What the router checks before a handler runs; what a route may be sent is what it may answer, where that is said. */
function assertRoute(
  context: ResponseContext,
  method: string,
  produces: readonly string[],
  consumes: readonly string[] = produces,
): void {
  if (method !== 'GET') throw newPathMethodNotAllowed()
  const contentType = context.requestHeaders['content-type'] ?? ''
  if (contentType !== '' && consumes.length > 0 && !routeConsumes(contentType, consumes)) {
    throw newRouteUnsupportedMediaType()
  }
  if (!routeAccepts(context.requestHeaders['accept'] ?? '', produces)) throw newRouteNotAcceptable(produces)
}

function negotiate(
  context: ResponseContext,
  allows: (convert: ConvertTarget | undefined) => boolean,
  codecs?: ReadonlySet<string>,
): Negotiated {
  const { accept, 'user-agent': userAgent } = context.requestHeaders
  return negotiateOutput({ accept, 'user-agent': userAgent }, context.query, {
    allows: (_type, convert) => allows(convert),
    ...(codecs && { codecs }),
  })
}

function respondNegotiated(context: ResponseContext, document: Readonly<Record<string, unknown>>): KubeResponse {
  const format = negotiate(context, (convert) => noTransform('application/json', convert), allCodecs)
  // Some documents never say that they are v1; their messages are.
  return respondDocument(context, format.mediaType === PROTOBUF ? { apiVersion: 'v1', ...document } : document, format)
}

function respondDocument(
  context: ResponseContext,
  document: unknown,
  format: Pick<Negotiated, 'mediaType' | 'pretty'>,
  headers: Readonly<Record<string, string>> = {},
): KubeResponse {
  const body = encodeValue(document, format)
  const all = answerHeaders(context, { 'content-type': format.mediaType, ...headers })
  if (body.length <= GZIP_THRESHOLD_BYTES || !acceptsGzip(context)) return { status: 200, headers: all, body }
  const vary = headers['vary'] === undefined ? 'Accept-Encoding' : `${headers['vary']}, Accept-Encoding`
  return {
    status: 200,
    headers: { ...all, 'content-encoding': 'gzip', vary },
    body: new GzipBody(new ChunkedBody([body])),
  }
}

interface Aggregated {
  readonly generation: number
  readonly document: Readonly<Record<string, unknown>>
  readonly etag: string
}

const aggregatedDocuments = new WeakMap<ResourceRegistry, Map<boolean, Aggregated>>()

/** The aggregated document of all groups, or of the core group; made once for each state of the registry. */
function aggregated(registry: ResourceRegistry, core: boolean): Aggregated {
  let documents = aggregatedDocuments.get(registry)
  if (!documents) aggregatedDocuments.set(registry, (documents = new Map()))
  const known = documents.get(core)
  const generation = registry.generation()
  if (known?.generation === generation) return known
  const document = apiGroupDiscoveryList(registry, core)
  const made = { generation, document, etag: `"${contentHash(JSON.stringify(document))}"` }
  documents.set(core, made)
  return made
}

const isAggregated = (convert: ConvertTarget | undefined): boolean =>
  convert?.group === 'apidiscovery.k8s.io' && convert.version === 'v2' && convert.kind === 'APIGroupDiscoveryList'

/** `/api` and `/apis`: the old form, or everything at once for those who ask for it (`pkg/endpoints/discovery/aggregated/wrapper.go`). */
function respondGroups(
  context: ResponseContext,
  legacy: () => Readonly<Record<string, unknown>>,
  core: boolean,
  registry: ResourceRegistry,
): KubeResponse {
  if (
    !parseAccept(context.requestHeaders['accept'] ?? '').some(
      (clause) => clause.params['as'] === 'APIGroupDiscoveryList',
    )
  ) {
    return respondNegotiated(context, legacy())
  }
  let format: Negotiated
  try {
    format = negotiate(context, isAggregated)
  } catch {
    return respondNegotiated(context, legacy())
  }
  const { document, etag } = aggregated(registry, core)
  const headers = { 'cache-control': 'public', etag, vary: 'Accept' }
  if (context.requestHeaders['if-none-match'] === etag) return { status: 304, headers: answerHeaders(context, headers) }
  const { kind, group, version } = format.convert!
  const contentType = `${format.mediaType};g=${group};v=${version};as=${kind}`
  return respondDocument(context, document, format, { ...headers, 'content-type': contentType })
}

function respondKeys(context: ResponseContext, contentType: string, document: unknown): KubeResponse {
  return {
    status: 200,
    headers: answerHeaders(context, { 'cache-control': 'public, max-age=3600', 'content-type': contentType }),
    body: encoder.encode(JSON.stringify(document)),
  }
}

/** A document as a file server sends it (`http.ServeContent`): with an ETag, and 304 to who has it. */
function respondFile(
  context: ResponseContext,
  method: string,
  content: string | Uint8Array,
  contentType: string,
  headers: Readonly<Record<string, string>> = {},
): KubeResponse {
  const all = answerHeaders(context, { 'accept-ranges': 'bytes', 'content-type': contentType, ...headers })
  const etag = headers['etag']
  if (
    etag !== undefined &&
    context.requestHeaders['if-none-match'] === etag &&
    (method === 'GET' || method === 'HEAD')
  ) {
    const { 'content-type': _type, 'accept-ranges': _ranges, ...rest } = all
    return { status: 304, headers: rest }
  }
  const body = typeof content === 'string' ? encoder.encode(content) : content
  return { status: 200, headers: all, body }
}

function respondOpenApiV3(
  context: ResponseContext,
  method: string,
  name: string,
  sources: DiscoverySources,
): KubeResponse {
  const vary = { vary: 'Accept' }
  const document = sources.openApiV3.document(name)
  if (!document) return { status: 404, headers: answerHeaders(context, {}), body: new Uint8Array() }
  if (!acceptsJson(context)) return { status: 406, headers: answerHeaders(context, vary), body: new Uint8Array() }
  const etag = `"${document.hash}"`
  const headers = { ...vary, etag }
  const hash = firstValue(context.query, 'hash') ?? ''
  if (hash === '') return respondFile(context, method, document.text, 'application/json', headers)
  if (hash !== document.hash) {
    const location = `/openapi/v3/${name}?hash=${document.hash}`
    const redirect = { ...headers, 'content-type': 'application/json', location }
    return { status: 301, headers: answerHeaders(context, redirect), body: new Uint8Array() }
  }
  const expires = new Date(context.clock.now() + 365 * 86_400_000).toUTCString()
  return respondFile(context, method, document.text, 'application/json', {
    ...headers,
    'cache-control': 'public, immutable',
    expires,
  })
}

function acceptsJson(context: ResponseContext): boolean {
  return parseAccept(context.requestHeaders['accept'] ?? '*/*').some(
    ({ type, subType }) => (type === '*' || type === 'application') && (subType === '*' || subType === 'json'),
  )
}

function respondOpenApiV2(context: ResponseContext, method: string, sources: DiscoverySources): KubeResponse {
  const accept = context.requestHeaders['accept'] ?? ''
  const vary = { vary: 'Accept-Encoding, Accept' }
  for (const { type, subType } of parseAccept(accept === '' ? '*/*' : accept)) {
    if (type !== '*' && type !== 'application') continue
    if (subType === 'json' || subType === '*') {
      const { text, hash } = sources.openApiV2.json()
      return respondFile(context, method, text, 'application/json', { ...vary, etag: `"${hash}"` })
    }
    if (
      subType === 'com.github.proto-openapi.spec.v2@v1.0+protobuf' ||
      subType === 'com.github.proto-openapi.spec.v2.v1.0+protobuf'
    ) {
      const { bytes, hash } = sources.openApiV2.protobuf()
      const contentType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'
      return respondFile(context, method, bytes, contentType, { ...vary, etag: `"${hash}"` })
    }
  }
  return { status: 406, headers: answerHeaders(context, vary), body: new Uint8Array() }
}
