import { describe, expect, it } from 'vitest'
import { parseQuery } from './query.ts'
import { decodePath, newRequestInfo, RequestInfoError } from './request-info.ts'

const info = (method: string, path: string, query = '') => newRequestInfo(method, path, parseQuery(query))

describe('newRequestInfo', () => {
  // method, path, query → verb, group, version, namespace, resource, subresource, name
  it.each([
    ['GET', '/api/v1/namespaces', '', ['list', '', 'v1', '', 'namespaces', '', '']],
    ['GET', '/api/v1/namespaces/other', '', ['get', '', 'v1', 'other', 'namespaces', '', 'other']],
    ['GET', '/api/v1/namespaces/other/pods', '', ['list', '', 'v1', 'other', 'pods', '', '']],
    ['GET', '/api/v1/namespaces/other/pods/foo', '', ['get', '', 'v1', 'other', 'pods', '', 'foo']],
    ['HEAD', '/api/v1/namespaces/other/pods/foo', '', ['get', '', 'v1', 'other', 'pods', '', 'foo']],
    ['GET', '/api/v1/pods', '', ['list', '', 'v1', '', 'pods', '', '']],
    ['HEAD', '/api/v1/pods', '', ['list', '', 'v1', '', 'pods', '', '']],
    ['GET', '/api/v1/namespaces/other/pods/foo/log', '', ['get', '', 'v1', 'other', 'pods', 'log', 'foo']],
    ['PUT', '/api/v1/namespaces/x/finalize', '', ['update', '', 'v1', 'x', 'namespaces', 'finalize', 'x']],
    ['PUT', '/api/v1/namespaces/x/status', '', ['update', '', 'v1', 'x', 'namespaces', 'status', 'x']],
    ['GET', '/api/v1/watch/pods', '', ['watch', '', 'v1', '', 'pods', '', '']],
    ['GET', '/api/v1/watch/namespaces/other/pods/foo', '', ['watch', '', 'v1', 'other', 'pods', '', 'foo']],
    ['GET', '/api/v1/pods', 'watch=false', ['list', '', 'v1', '', 'pods', '', '']],
    ['GET', '/api/v1/pods', 'watch=true', ['watch', '', 'v1', '', 'pods', '', '']],
    ['GET', '/api/v1/pods', 'watch', ['watch', '', 'v1', '', 'pods', '', '']],
    ['GET', '/api/v1/pods', 'fieldSelector=metadata.name=foo', ['list', '', 'v1', '', 'pods', '', 'foo']],
    ['GET', '/api/v1/pods', 'fieldSelector=metadata.name%21=foo', ['list', '', 'v1', '', 'pods', '', '']],
    ['GET', '/api/v1/pods', 'fieldSelector=metadata.name=a/b', ['list', '', 'v1', '', 'pods', '', '']],
    ['GET', '/api/v1/pods', 'watch=1&fieldSelector=a=b,metadata.name==foo', ['watch', '', 'v1', '', 'pods', '', 'foo']],
    ['POST', '/apis/apps/v1/namespaces/ns/deployments', '', ['create', 'apps', 'v1', 'ns', 'deployments', '', '']],
    [
      'PATCH',
      '/apis/apps/v1/namespaces/ns/deployments/d/scale',
      '',
      ['patch', 'apps', 'v1', 'ns', 'deployments', 'scale', 'd'],
    ],
    [
      'DELETE',
      '/apis/apps/v1/namespaces/ns/deployments',
      '',
      ['deletecollection', 'apps', 'v1', 'ns', 'deployments', '', ''],
    ],
    [
      'DELETE',
      '/apis/apps/v1/namespaces/ns/deployments/d/',
      '',
      ['delete', 'apps', 'v1', 'ns', 'deployments', '', 'd'],
    ],
    ['OPTIONS', '/api/v1/pods', '', ['', '', 'v1', '', 'pods', '', '']],
  ])('reads %s %s?%s', (method, path, query, expected) => {
    const got = info(method, path, query)
    expect(got.isResourceRequest).toBe(true)
    expect([got.verb, got.apiGroup, got.apiVersion, got.namespace, got.resource, got.subresource, got.name]).toEqual(
      expected,
    )
  })

  it.each([
    '/',
    '/api',
    '/api/v1',
    '/api/v1/',
    '/apis',
    '/apis/apps',
    '/apis/apps/v1',
    '/version',
    '/healthz/etcd/x',
    '/foo/v1/pods',
  ])('takes %s for a non-resource request', (path) => {
    const got = info('GET', path)
    expect(got.isResourceRequest).toBe(false)
    expect(got.verb).toBe('get')
  })

  it('keeps selectors of lists and watches, but not those of legacy watch paths', () => {
    expect(info('GET', '/api/v1/pods', 'labelSelector=a%3Db').labelSelector).toBe('a=b')
    expect(info('GET', '/api/v1/watch/pods', 'labelSelector=a%3Db').labelSelector).toBe('')
  })

  it('refuses a legacy watch path with nothing behind it', () => {
    expect(() => info('GET', '/api/v1/watch')).toThrow(RequestInfoError)
  })
})

describe('decodePath', () => {
  it('decodes escapes and tells broken ones', () => {
    expect(decodePath('/api/v1/namespaces/def%61ult')).toBe('/api/v1/namespaces/default')
    expect(decodePath('/api/v1/%zz')).toBeUndefined()
    expect(decodePath('/%')).toBeUndefined()
    expect(decodePath('/caf%C3%A9')).toBe('/café')
  })
})

describe('parseQuery', () => {
  it('drops pairs that Go drops and keeps the order of the rest', () => {
    const query = parseQuery('a=1&b=%zz&a=2&c;d=3&e=x+y&=z&f')
    expect([...query]).toEqual([
      ['a', ['1', '2']],
      ['e', ['x y']],
      ['', ['z']],
      ['f', ['']],
    ])
  })
})
