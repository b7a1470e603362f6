import { newBadRequest, newMethodNotSupported, newNotFound, newUnsupportedMediaType } from '@freshread/core'
import type { ResourceRegistry } from '../resources/registry.ts'
import type { Resource, SubresourceInfo } from '../resources/resource.ts'
import {
  newPageNotFound,
  newPathMethodNotAllowed,
  newPathNotFound,
  newRouteNotAcceptable,
  newRouteUnsupportedMediaType,
} from './errors.ts'
import { routeAccepts, routeConsumes } from './media-type.ts'
import { MEDIA_TYPES, STREAM_MEDIA_TYPES } from './negotiation.ts'
import type { RequestInfo } from './request-info.ts'

/** What a request wants done. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection' | 'connect'

/** The handler that a request was routed to. */
export interface Route {
  readonly verb: Verb
  readonly resource: Resource
  /** `undefined` for the object itself. */
  readonly subresource: SubresourceInfo | undefined
  /** `''` for cluster-wide requests. */
  readonly namespace: string
  /** `''` for collections. */
  readonly name: string
  /** What follows a subresource that takes paths (`proxy`). */
  readonly subpath: string
  /** Came by a deprecated `/watch/` path: a watch whatever the query says, without list defaulting. */
  readonly watchPath: boolean
}

/** What the router looks at beside the path. */
export interface RouteHeaders {
  readonly accept?: string | undefined
  readonly 'content-type'?: string | undefined
}

/** Patch types of the built-in kinds, in the order that errors tell them. */
export const PATCH_TYPES: readonly string[] = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
]

/** Patch types of custom resources, which have no strategic merge. */
export const CUSTOM_PATCH_TYPES: readonly string[] = PATCH_TYPES.filter((type) => !type.includes('strategic'))

/** Subresources that connect somewhere instead of giving an object, with the methods they take. */
export const CONNECT_METHODS: Readonly<Record<string, readonly string[]>> = {
  attach: ['GET', 'POST'],
  exec: ['GET', 'POST'],
  portforward: ['GET', 'POST'],
  proxy: ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH'],
}
const CONNECT_PATHS = new Set(['proxy'])

interface Methods {
  [method: string]: Verb
}

const has = (resource: { readonly verbs: readonly string[] }, verb: string): boolean => resource.verbs.includes(verb)

function collectionMethods(resource: Resource): Methods {
  return {
    ...(has(resource, 'list') && { GET: 'list' }),
    ...(has(resource, 'create') && { POST: 'create' }),
    ...(has(resource, 'deletecollection') && { DELETE: 'deletecollection' }),
  }
}

function itemMethods(resource: { readonly verbs: readonly string[] }): Methods {
  return {
    ...(has(resource, 'get') && { GET: 'get' }),
    ...(has(resource, 'update') && { PUT: 'update' }),
    ...(has(resource, 'patch') && { PATCH: 'patch' }),
    ...(has(resource, 'delete') && { DELETE: 'delete' }),
  }
}

function subresourceMethods(subresource: SubresourceInfo): Methods {
  const methods = CONNECT_METHODS[subresource.name]
  if (methods) return Object.fromEntries(methods.map((method) => [method, 'connect']))
  return { ...itemMethods(subresource), ...(has(subresource, 'create') && { POST: 'create' }) }
}

interface Match {
  readonly methods: Methods
  readonly resource: Resource
  readonly subresource?: SubresourceInfo | undefined
  readonly namespace?: string
  readonly name?: string
  readonly subpath?: string
  readonly watchPath?: boolean
}

/** Finds the path among those that a built-in group version registers (`pkg/endpoints/installer.go`). */
function matchPath(tokens: readonly string[], find: (name: string) => Resource | undefined): Match | undefined {
  if (tokens[0] === 'watch' && tokens.length > 1) {
    const match = matchPath(tokens.slice(1), find)
    if (!match || match.subresource || !has(match.resource, 'watch')) return undefined
    return { ...match, methods: { GET: 'watch' }, watchPath: true }
  }
  if (tokens[0] === 'namespaces' && tokens.length > 2) {
    const namespaces = find('namespaces')
    const subresource = tokens.length === 3 ? namespaces?.subresources.get(tokens[2]!) : undefined
    if (namespaces && subresource) {
      return { methods: subresourceMethods(subresource), resource: namespaces, subresource, name: tokens[1]! }
    }
    const resource = find(tokens[2]!)
    if (!resource?.namespaced) return undefined
    return matchInScope(resource, tokens.slice(3), tokens[1]!)
  }
  const resource = find(tokens[0]!)
  if (!resource) return undefined
  if (!resource.namespaced) return matchInScope(resource, tokens.slice(1), '')
  if (tokens.length > 1 || !has(resource, 'list')) return undefined
  return { methods: { GET: 'list' }, resource }
}

function matchInScope(resource: Resource, rest: readonly string[], namespace: string): Match | undefined {
  const [name, sub, ...path] = rest
  if (name === undefined) return { methods: collectionMethods(resource), resource, namespace }
  if (sub === undefined) return { methods: itemMethods(resource), resource, namespace, name }
  const subresource = resource.subresources.get(sub)
  if (!subresource || (path.length > 0 && !CONNECT_PATHS.has(sub))) return undefined
  return { methods: subresourceMethods(subresource), resource, subresource, namespace, name, subpath: path.join('/') }
}

/** Types that a built-in route produces. */
function produces(verb: Verb, subresource: SubresourceInfo | undefined): readonly string[] {
  if (verb === 'connect') return ['*/*']
  if (verb === 'list' || verb === 'watch') return [...MEDIA_TYPES, ...STREAM_MEDIA_TYPES]
  return subresource?.name === 'log' ? ['text/plain', ...MEDIA_TYPES] : MEDIA_TYPES
}

function routeBuiltIn(method: string, info: RequestInfo, registry: ResourceRegistry, headers: RouteHeaders): Route {
  // Parts of the request info are not enough: the router wants the path to be one it knows, token by token.
  const tokens = pathTokens(info)
  const match = matchPath(tokens, (name) => registry.find(info.apiGroup, info.apiVersion, name))
  if (!match || Object.keys(match.methods).length === 0) throw newPathNotFound()
  let verb = Object.hasOwn(match.methods, method) ? match.methods[method] : undefined
  if (verb === undefined) throw newPathMethodNotAllowed()
  if (verb === 'patch' && !routeConsumes(headers['content-type'] ?? '', PATCH_TYPES)) {
    throw newRouteUnsupportedMediaType()
  }
  const available = produces(verb, match.subresource)
  if (!routeAccepts(headers.accept ?? '', available)) throw newRouteNotAcceptable(available)
  if (verb === 'list' && info.verb === 'watch') verb = 'watch'
  // The router takes empty segments for names; handlers do not.
  if (match.name === '') throw newBadRequest('name must be provided')
  if (match.name !== undefined && match.resource.namespaced && match.namespace === '') {
    throw newBadRequest('Namespace parameter required.')
  }
  return {
    verb,
    resource: match.resource,
    subresource: match.subresource,
    namespace: match.namespace ?? '',
    name: match.name ?? info.name,
    subpath: match.subpath ?? '',
    watchPath: match.watchPath ?? false,
  }
}

function pathTokens(info: RequestInfo): readonly string[] {
  const trimmed = info.path.replace(/^\/+|\/+$/g, '').split('/')
  return trimmed.slice(info.apiPrefix === 'api' ? 2 : 3)
}

/** Custom resources are routed by request info alone (`apiextensions: customresource_handler.go`). */
function routeCustom(info: RequestInfo, registry: ResourceRegistry, headers: RouteHeaders): Route {
  const resource = registry.find(info.apiGroup, info.apiVersion, info.resource)
  if (!resource) throw newPageNotFound()
  if (!resource.namespaced && info.namespace !== '') throw newPageNotFound()
  if (resource.namespaced && info.namespace === '' && info.verb !== 'list' && info.verb !== 'watch') {
    throw newPageNotFound()
  }
  const subresource = info.subresource === '' ? undefined : resource.subresources.get(info.subresource)
  if (info.subresource !== '' && !subresource) throw newNotFound(resource, info.name)
  const verbs: readonly string[] = subresource
    ? ['get', 'update', 'patch']
    : ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection']
  if (!verbs.includes(info.verb)) throw newMethodNotSupported(resource, info.verb)
  if (info.verb === 'patch') {
    const contentType = (headers['content-type'] ?? '').split(';')[0]!
    if (!CUSTOM_PATCH_TYPES.includes(contentType)) throw newUnsupportedMediaType(CUSTOM_PATCH_TYPES)
  }
  return {
    verb: info.verb as Verb,
    resource,
    subresource,
    namespace: info.namespace,
    name: info.name,
    subpath: '',
    watchPath: info.verbViaPathPrefix,
  }
}

/**
 * Finds what serves a resource request. Throws the Status or the plain-text answer that a request gets
 * which nothing serves: 404, 405, 406 or 415.
 */
export function selectRoute(
  method: string,
  info: RequestInfo,
  registry: ResourceRegistry,
  headers: RouteHeaders,
): Route {
  // Request info trims slashes that the router minds.
  if (info.path.startsWith('//')) throw newPageNotFound()
  if (info.apiPrefix === 'api') return routeBuiltIn(method, info, registry, headers)
  const group = registry.groups().find((candidate) => candidate.name === info.apiGroup)
  if (!group || group.name === '') throw newPageNotFound()
  return group.builtIn ? routeBuiltIn(method, info, registry, headers) : routeCustom(info, registry, headers)
}
