import { describe, expect, it } from 'vitest'
import { StatusError } from '@freshread/core'
import type { ResourceRegistry } from '../resources/registry.ts'
import type { Resource, SubresourceInfo } from '../resources/resource.ts'
import { PlainTextError } from './errors.ts'
import { parseQuery } from './query.ts'
import { newRequestInfo } from './request-info.ts'
import { selectRoute, type RouteHeaders } from './routing.ts'
import { resourceOf } from './test-support.ts'

const sub = (name: string, verbs: readonly string[], kind = 'Pod'): [string, SubresourceInfo] => [
  name,
  { name, kind, group: '', version: 'v1', verbs },
]
const all: readonly Resource[] = [
  resourceOf({
    resource: 'pods',
    kind: 'Pod',
    subresources: new Map([
      sub('status', ['get', 'patch', 'update']),
      sub('proxy', ['create', 'get']),
      sub('log', ['get']),
      sub('eviction', ['create']),
    ]),
  }),
  resourceOf({
    resource: 'namespaces',
    kind: 'Namespace',
    namespaced: false,
    verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
    subresources: new Map([
      sub('finalize', ['update'], 'Namespace'),
      sub('status', ['get', 'patch', 'update'], 'Namespace'),
    ]),
  }),
  resourceOf({ resource: 'bindings', kind: 'Binding', verbs: ['create'] }),
  resourceOf({
    group: 'example.com',
    resource: 'widgets',
    kind: 'Widget',
    builtIn: false,
    subresources: new Map([sub('status', ['get'])]),
  }),
  resourceOf({ group: 'example.com', resource: 'worlds', kind: 'World', namespaced: false, builtIn: false }),
]
const registry: ResourceRegistry = {
  groups: () => [
    { name: '', versions: ['v1'], builtIn: true },
    { name: 'example.com', versions: ['v1'], builtIn: false },
  ],
  resources: (group) => all.filter((resource) => resource.group === group),
  find: (group, version, name) => all.find((r) => r.group === group && r.version === version && r.resource === name),
  generation: () => 1,
}

function route(method: string, path: string, headers: RouteHeaders = {}): string {
  const [name = '', query = ''] = path.split('?')
  try {
    const found = selectRoute(method, newRequestInfo(method, name, parseQuery(query)), registry, headers)
    const { verb, resource, subresource, namespace, subpath, watchPath } = found
    return [verb, resource.resource, subresource?.name, namespace, found.name, subpath, watchPath ? 'path' : '']
      .filter(Boolean)
      .join(' ')
  } catch (error) {
    if (error instanceof StatusError) return `${error.code} ${error.status.message}`
    if (error instanceof PlainTextError) return `${error.code} text`
    throw error
  }
}

const MISSING = '404 the server could not find the requested resource'
const NOT_ALLOWED = '405 the server does not allow this method on the requested resource'

describe('selectRoute', () => {
  it.each([
    ['GET', '/api/v1/pods', 'list pods'],
    ['GET', '/api/v1/pods?watch=1', 'watch pods'],
    ['GET', '/api/v1/namespaces/a/pods/', 'list pods a'],
    ['GET', '/api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Dx', 'list pods a x'],
    ['POST', '/api/v1/namespaces/a/pods', 'create pods a'],
    ['DELETE', '/api/v1/namespaces/a/pods', 'deletecollection pods a'],
    ['PUT', '/api/v1/namespaces/a/pods/b', 'update pods a b'],
    ['GET', '/api/v1/namespaces/a/pods/b/status', 'get pods status a b'],
    ['POST', '/api/v1/namespaces/a/pods/b/eviction', 'create pods eviction a b'],
    ['DELETE', '/api/v1/namespaces/a/pods/b/proxy/x/y', 'connect pods proxy a b x/y'],
    ['GET', '/api/v1/watch/pods', 'watch pods path'],
    ['GET', '/api/v1/watch/namespaces/a/pods/b', 'watch pods a b path'],
    ['GET', '/api/v1/watch/namespaces', 'watch namespaces path'],
    ['GET', '/api/v1/namespaces/a', 'get namespaces a'],
    ['PUT', '/api/v1/namespaces/a/finalize', 'update namespaces finalize a'],
    ['GET', '/api/v1/namespaces//pods', 'list pods'],
    ['POST', '/api/v1/namespaces/a/bindings', 'create bindings a'],
    ['GET', '/api/v1/namespaces/a/bindings', NOT_ALLOWED],
    ['GET', '/api/v1/bindings', MISSING],
    ['HEAD', '/api/v1/namespaces/a', NOT_ALLOWED],
    ['POST', '/api/v1/pods', NOT_ALLOWED],
    ['POST', '/api/v1/namespaces/a', NOT_ALLOWED],
    ['DELETE', '/api/v1/namespaces', NOT_ALLOWED],
    ['GET', '/api/v1/namespaces/a/pods/b/eviction', NOT_ALLOWED],
    ['GET', '/api/v1/pods/b', MISSING],
    ['GET', '/api/v1/namespaces/a/namespaces/b', MISSING],
    ['GET', '/api/v1/namespaces/a/pods/b/status/c', MISSING],
    ['GET', '/api/v1/namespaces/a/pods/b/nope', MISSING],
    ['GET', '/api/v1/widgets', MISSING],
    ['GET', '/api/v9/pods', MISSING],
    ['GET', '/api/v1/namespaces//pods/a', '400 Namespace parameter required.'],
    ['GET', '/api/v1/namespaces/a/pods//log', '400 name must be provided'],
    ['GET', '/apis/nope.example.com/v1/x', '404 text'],
    ['GET', '//api/v1/pods', '404 text'],
    ['GET', '/apis//v1/pods', '404 text'],
  ])('takes %s %s for: %s', (method, path, expected) => {
    expect(route(method, path, method === 'PATCH' ? { 'content-type': 'application/json-patch+json' } : {})).toBe(
      expected,
    )
  })

  it.each([
    ['GET', '/apis/example.com/v1/widgets', 'list widgets'],
    ['HEAD', '/apis/example.com/v1/namespaces/a/widgets/b', 'get widgets a b'],
    ['GET', '/apis/example.com/v1/watch/widgets', 'watch widgets path'],
    ['PUT', '/apis/example.com/v1/namespaces/a/widgets/b/status', 'update widgets status a b'],
    ['POST', '/apis/example.com/v1/widgets', '404 text'],
    ['GET', '/apis/example.com/v1/namespaces/a/worlds/b', '404 text'],
    ['GET', '/apis/example.com/v2/widgets', '404 text'],
    ['GET', '/apis/example.com/v1/namespaces/a/widgets/b/nope', '404 widgets.example.com "b" not found'],
    [
      'POST',
      '/apis/example.com/v1/namespaces/a/widgets/b/status',
      '405 create is not supported on resources of kind "widgets.example.com"',
    ],
  ])('takes %s %s of custom resources for: %s', (method, path, expected) => {
    expect(route(method, path)).toBe(expected)
  })

  it('refuses types before a handler is asked', () => {
    expect(route('PATCH', '/api/v1/namespaces/a', { 'content-type': 'application/json' })).toBe(
      '415 415: Unsupported Media Type',
    )
    expect(
      route('PATCH', '/api/v1/namespaces/a', { 'content-type': 'application/merge-patch+json; charset=utf-8' }),
    ).toBe('patch namespaces a')
    expect(
      route('PATCH', '/apis/example.com/v1/worlds/a', { 'content-type': 'application/strategic-merge-patch+json' }),
    ).toBe(
      '415 the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    )
    expect(route('GET', '/api/v1/namespaces/a', { accept: 'text/csv' })).toBe(
      '406 406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    )
    expect(route('GET', '/api/v1/namespaces', { accept: 'text/csv' })).toMatch(/protobuf;stream=watch$/)
    expect(route('GET', '/api/v1/namespaces/a/pods/b/log', { accept: 'text/plain' })).toBe('get pods log a b')
  })
})
