import { FieldSelector, goQuote } from '@freshread/core'
import { percentDecode, queryBoolean, firstValue, type Query } from './query.ts'

/**
 * What a request's method and path say (`pkg/endpoints/request/requestinfo.go: RequestInfo`). Strings are
 * empty where the path has nothing for them.
 */
export interface RequestInfo {
  readonly isResourceRequest: boolean
  /** The path, decoded. */
  readonly path: string
  /** `get`, `list`, `watch`, `create` …; the method in lower case for non-resource requests. */
  readonly verb: string
  /** `api` or `apis`. */
  readonly apiPrefix: string
  readonly apiGroup: string
  readonly apiVersion: string
  readonly namespace: string
  readonly resource: string
  readonly subresource: string
  readonly name: string
  /** The path from the resource on. */
  readonly parts: readonly string[]
  /** `/watch/…` or `/proxy/…` came before the resource. */
  readonly verbViaPathPrefix: boolean
  readonly fieldSelector: string
  readonly labelSelector: string
}

/** What a request is for, as the journal and authorizers name it. */
export interface RequestAttributes {
  /** `get`, `list`, `watch`, `create`, …; the method in lower case when the request is for no resource. */
  readonly verb: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
}

export function requestAttributes(info: RequestInfo): RequestAttributes {
  return {
    verb: info.verb,
    group: info.apiGroup,
    version: info.apiVersion,
    resource: info.resource,
    subresource: info.subresource,
    namespace: info.namespace,
    name: info.name,
  }
}

/** A path that no request info can be made of; answered with a plain-text 500. */
export class RequestInfoError extends Error {
  override readonly name: string = 'RequestInfoError'
}

const SPECIAL_VERBS = new Set(['proxy', 'watch'])
const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize'])
const VERBS_WITH_SELECTORS = new Set(['list', 'watch', 'deletecollection'])
const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
}

/** Decodes a request's path; `undefined` when it holds a broken escape (an HTTP server answers 400). */
export function decodePath(path: string): string | undefined {
  return percentDecode(path)
}

/** Segments of a path, without leading and trailing slashes; empty segments inside are kept. */
export function splitPath(path: string): readonly string[] {
  let start = 0
  let end = path.length
  while (start < end && path[start] === '/') start++
  while (end > start && path[end - 1] === '/') end--
  return start === end ? [] : path.slice(start, end).split('/')
}

/** Names that the path of an object cannot hold (`apimachinery: pkg/api/validation/path`). */
function isPathSegmentName(name: string): boolean {
  return name !== '.' && name !== '..' && !name.includes('/') && !name.includes('%')
}

/** The value that a field selector requires of `metadata.name`, if it does. */
function requiredName(selector: string): string | undefined {
  if (!selector.includes('metadata.name')) return undefined
  try {
    return FieldSelector.parse(selector).requiresExactMatch('metadata.name')
  } catch {
    return undefined
  }
}

/**
 * Reads method, decoded path and query. Throws a {@link RequestInfoError} for `/watch` and `/proxy` without
 * anything behind them.
 *
 * @param uri path and query as they came, for what an error says
 */
export function newRequestInfo(method: string, path: string, query: Query, uri: string = path): RequestInfo {
  const info = {
    isResourceRequest: false,
    path,
    verb: method.toLowerCase(),
    apiPrefix: '',
    apiGroup: '',
    apiVersion: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    parts: [] as readonly string[],
    verbViaPathPrefix: false,
    fieldSelector: '',
    labelSelector: '',
  }
  let parts = splitPath(path)
  if (parts.length < 3 || (parts[0] !== 'api' && parts[0] !== 'apis')) return info
  if (parts[0] === 'apis' && parts.length < 4) return { ...info, apiPrefix: 'apis' }
  info.apiPrefix = parts[0]
  info.isResourceRequest = true
  let next = 1
  if (info.apiPrefix === 'apis') info.apiGroup = parts[next++]!
  info.apiVersion = parts[next++]!
  parts = parts.slice(next)

  if (SPECIAL_VERBS.has(parts[0]!)) {
    if (parts.length < 2) {
      throw new RequestInfoError(
        `Internal Server Error: ${goQuote(uri)}: failed to create RequestInfo: unable to determine kind and namespace from url, ${uri}`,
      )
    }
    info.verb = parts[0]!
    info.verbViaPathPrefix = true
    parts = parts.slice(1)
  } else info.verb = Object.hasOwn(VERBS, method) ? VERBS[method]! : ''

  if (parts[0] === 'namespaces' && parts.length > 1) {
    info.namespace = parts[1]!
    if (parts.length > 2 && !NAMESPACE_SUBRESOURCES.has(parts[2]!)) parts = parts.slice(2)
  }
  info.parts = parts
  info.resource = parts[0] ?? ''
  info.name = parts[1] ?? ''
  if (info.verb !== 'proxy') info.subresource = parts[2] ?? ''

  if (info.name === '' && info.verb === 'get') {
    info.verb = queryBoolean(query, 'watch') === true ? 'watch' : 'list'
    const name = requiredName(firstValue(query, 'fieldSelector') ?? '')
    if (name !== undefined && isPathSegmentName(name)) info.name = name
  }
  if (info.name === '' && info.verb === 'delete') info.verb = 'deletecollection'
  if (!info.verbViaPathPrefix && VERBS_WITH_SELECTORS.has(info.verb)) {
    info.fieldSelector = firstValue(query, 'fieldSelector') ?? ''
    info.labelSelector = firstValue(query, 'labelSelector') ?? ''
  }
  return info
}
