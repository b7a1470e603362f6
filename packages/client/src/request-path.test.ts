import { describe, expect, it } from 'vitest'
import { parseRequest, withResourceVersion } from './request-path.ts'

const of = (method: string, url: string, type?: string): object | undefined => {
  const info = parseRequest(method, url, type)
  if (!info) return undefined
  const { query: _, ...rest } = info
  return rest
}
const core = { server: 'https://h:6443', group: '', version: 'v1', namespace: '', name: '', subresource: '' }

describe('parseRequest', () => {
  it.each([
    ['GET', '/api/v1/pods', { verb: 'list', resource: 'pods' }],
    ['GET', '/api/v1/namespaces/a/pods', { verb: 'list', resource: 'pods', namespace: 'a' }],
    ['GET', '/api/v1/namespaces/a/pods/p', { verb: 'get', resource: 'pods', namespace: 'a', name: 'p' }],
    [
      'GET',
      '/api/v1/namespaces/a/pods/p/log',
      { verb: 'get', resource: 'pods', namespace: 'a', name: 'p', subresource: 'log' },
    ],
    ['GET', '/api/v1/namespaces/a/pods?watch=1', { verb: 'watch', resource: 'pods', namespace: 'a' }],
    ['GET', '/api/v1/namespaces/a/pods?watch', { verb: 'watch', resource: 'pods', namespace: 'a' }],
    ['GET', '/api/v1/namespaces/a/pods?watch=false', { verb: 'list', resource: 'pods', namespace: 'a' }],
    ['GET', '/api/v1/watch/namespaces/a/pods', { verb: 'watch', resource: 'pods', namespace: 'a' }],
    ['GET', '/api/v1/namespaces', { verb: 'list', resource: 'namespaces' }],
    ['GET', '/api/v1/namespaces/a', { verb: 'get', resource: 'namespaces', name: 'a' }],
    [
      'PUT',
      '/api/v1/namespaces/a/finalize',
      { verb: 'update', resource: 'namespaces', name: 'a', subresource: 'finalize' },
    ],
    ['GET', '/api/v1/namespaces/a/status', { verb: 'get', resource: 'namespaces', name: 'a', subresource: 'status' }],
    ['post', '/api/v1/namespaces/a/pods', { verb: 'create', resource: 'pods', namespace: 'a' }],
    [
      'POST',
      '/api/v1/namespaces/a/pods/p/eviction',
      { verb: 'create', resource: 'pods', namespace: 'a', name: 'p', subresource: 'eviction' },
    ],
    ['PUT', '/api/v1/nodes/n/status', { verb: 'update', resource: 'nodes', name: 'n', subresource: 'status' }],
    ['PATCH', '/api/v1/nodes/n', { verb: 'patch', resource: 'nodes', name: 'n' }],
    ['DELETE', '/api/v1/nodes/n', { verb: 'delete', resource: 'nodes', name: 'n' }],
    ['DELETE', '/api/v1/nodes?labelSelector=x', { verb: 'deletecollection', resource: 'nodes' }],
    ['GET', '/api/v1/nodes/a%2Fb', { verb: 'get', resource: 'nodes', name: 'a/b' }],
  ])('reads %s %s', (method, path, expected) => {
    expect(of(method, `https://h:6443${path}`)).toEqual({ ...core, ...expected })
  })

  it('reads groups', () => {
    expect(of('GET', 'https://h:6443/apis/apps/v1/namespaces/a/deployments/d/scale')).toEqual({
      ...core,
      verb: 'get',
      group: 'apps',
      resource: 'deployments',
      namespace: 'a',
      name: 'd',
      subresource: 'scale',
    })
    expect(of('GET', 'https://h:6443/apis/ex.com/v1beta1/foos')).toMatchObject({ group: 'ex.com', version: 'v1beta1' })
  })

  it('calls a patch of type apply an apply', () => {
    expect(of('PATCH', 'https://h/api/v1/nodes/n', 'application/apply-patch+yaml')).toMatchObject({ verb: 'apply' })
  })

  it('finds clusters behind a path prefix', () => {
    expect(of('GET', 'https://h/k8s/clusters/x/api/v1/namespaces/a/pods')).toMatchObject({
      server: 'https://h/k8s/clusters/x',
      resource: 'pods',
      namespace: 'a',
    })
    expect(of('GET', 'https://h/k8s/apis/proxy/apis/apps/v1/deployments')).toMatchObject({ server: 'https://h/k8s' })
    expect(of('GET', 'https://h/api/kube/api/v1/pods')).toMatchObject({
      server: 'https://h/api/kube',
      resource: 'pods',
    })
  })

  it('is not led astray by names', () => {
    expect(of('GET', 'https://h/api/v1/namespaces/api/services/v1/proxy/api/v1/pods')).toMatchObject({
      server: 'https://h',
      resource: 'services',
      namespace: 'api',
      name: 'v1',
      subresource: 'proxy',
    })
  })

  it.each([
    '/',
    '/healthz',
    '/version',
    '/api',
    '/api/v1',
    '/apis',
    '/apis/apps',
    '/apis/apps/v1',
    '/openapi/v3/apis',
    '/api/users/1',
    '/%zz/api/v1/pods',
  ])('leaves %s alone', (path) => {
    expect(of('GET', `https://h${path}`)).toBeUndefined()
  })

  it('leaves what is no URL alone', () => {
    expect(of('GET', 'http://')).toBeUndefined()
  })
})

describe('withResourceVersion', () => {
  it('changes only the resource version', () => {
    expect(withResourceVersion('/a?x=%41&resourceVersion=0&y=b+c#f', '7', '')).toBe('/a?x=%41&y=b+c&resourceVersion=7')
    expect(withResourceVersion('/a', '7', 'NotOlderThan')).toBe(
      '/a?resourceVersion=7&resourceVersionMatch=NotOlderThan',
    )
  })

  it('takes it out, with or without its match', () => {
    const url = '/a?resourceVersion=0&resourceVersionMatch=NotOlderThan'
    expect(withResourceVersion(url, '', '')).toBe('/a')
    expect(withResourceVersion(url, '')).toBe('/a?resourceVersionMatch=NotOlderThan')
    expect(withResourceVersion('/a?', '')).toBe('/a')
  })
})
