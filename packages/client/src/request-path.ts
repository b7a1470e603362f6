/** What a request does, as RBAC names it; `apply` is a patch of type apply. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'apply' | 'delete' | 'deletecollection'

/** What a method and a URL ask of a Kubernetes API server. */
export interface RequestInfo {
  readonly verb: Verb
  /** Where the API server is: origin and path prefix, `https://host:6443/k8s/clusters/x`. */
  readonly server: string
  /** `''` for the core group. */
  readonly group: string
  readonly version: string
  readonly resource: string
  /** `''` for cluster-scoped objects and for all namespaces. */
  readonly namespace: string
  /** `''` for a whole collection. */
  readonly name: string
  readonly subresource: string
  readonly query: URLSearchParams
}

const WRITES: Readonly<Record<string, Verb>> = { POST: 'create', PUT: 'update', PATCH: 'patch' }

/** These belong to a namespace object itself, not to something in it (`pkg/endpoints/request/requestinfo.go`). */
const NAMESPACE_SUBRESOURCES = ['status', 'finalize']

/**
 * Reads a request as `pkg/endpoints/request/requestinfo.go` does. `undefined` for what is not about a
 * resource: discovery, health, other software on the same origin. A relative URL belongs to the page's origin.
 */
export function parseRequest(method: string, url: string, contentType?: string | null): RequestInfo | undefined {
  const base = (globalThis as { location?: { href?: string } }).location?.href ?? 'http://localhost'
  let parsed: URL
  let raw: string[]
  let segments: string[]
  try {
    parsed = new URL(url, base)
    raw = parsed.pathname.split('/')
    segments = raw.map(decodeURIComponent)
  } catch {
    return undefined
  }
  // The API may live below a prefix, and a name further on may itself be "api": the first match counts.
  const at = segments.findIndex(
    (part, i) =>
      (part === 'api' && /^v\d+((alpha|beta)\d+)?$/.test(segments[i + 1] ?? '')) ||
      (part === 'apis' && !!segments[i + 2]),
  )
  if (at < 0) return undefined
  const core = segments[at] === 'api'
  const group = core ? '' : segments[at + 1]!
  const rest = segments.slice(at + (core ? 1 : 2))
  const version = rest.shift()!
  const legacyWatch = rest[0] === 'watch'
  if (legacyWatch) rest.shift()
  let namespace = ''
  if (rest[0] === 'namespaces' && rest[1]) {
    if (rest[2] && !NAMESPACE_SUBRESOURCES.includes(rest[2])) [, namespace] = rest.splice(0, 2) as [string, string]
    // RBAC counts a namespace object as being in itself; for pins it is an object like any other.
  }
  const [resource = '', name = '', subresource = ''] = rest
  if (!resource) return undefined

  const query = parsed.searchParams
  let verb = WRITES[method.toUpperCase()]
  if (verb === 'patch' && contentType?.includes('apply-patch')) verb = 'apply'
  if (method.toUpperCase() === 'DELETE') verb = name ? 'delete' : 'deletecollection'
  verb ??= legacyWatch || isTrue(query.get('watch')) ? 'watch' : name ? 'get' : 'list'
  const server = parsed.origin + raw.slice(0, at).join('/')
  return { verb, server, group, version, resource, namespace, name, subresource, query }
}

/** A boolean query parameter as apimachinery reads it: given without a value it is true. */
export function isTrue(value: string | null): boolean {
  return value !== null && !/^(false|0)$/i.test(value)
}

/**
 * The URL with another `resourceVersion` (`''` takes it out); a `match` of `undefined` keeps the caller's.
 * The rest of the query stays as it was written; a fragment is never sent.
 */
export function withResourceVersion(url: string, resourceVersion: string, match?: string): string {
  const [, path, query] = /^([^?#]*)\??([^#]*)/.exec(url)!
  const drop = match === undefined ? /^resourceVersion(=|$)/ : /^resourceVersion(Match)?(=|$)/
  const parts = query!.split('&').filter((part) => part && !drop.test(part))
  if (resourceVersion) parts.push(`resourceVersion=${resourceVersion}`)
  if (match) parts.push(`resourceVersionMatch=${match}`)
  return parts.length ? `${path}?${parts.join('&')}` : path!
}
