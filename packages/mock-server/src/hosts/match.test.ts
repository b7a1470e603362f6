import { describe, expect, it } from 'vitest'
import { urlMatcher } from './match.ts'

const on = (address: Parameters<typeof urlMatcher>[0], url: string): string | undefined =>
  urlMatcher(address)(new URL(url))

describe('which requests go to the server', () => {
  it('takes Kubernetes paths of any host without an address', () => {
    expect(on(undefined, 'https://any.cluster/api/v1/namespaces/default/pods?watch=1')).toBe(
      '/api/v1/namespaces/default/pods',
    )
    expect(on(undefined, 'https://any.cluster/apis/apps/v1/deployments')).toBe('/apis/apps/v1/deployments')
    expect(on(undefined, 'https://any.cluster/version')).toBe('/version')
    expect(on(undefined, 'https://shop.example/api/orders')).toBeUndefined()
    expect(on(undefined, 'https://shop.example/apiary')).toBeUndefined()
    expect(on(undefined, 'https://shop.example/api/v10/x')).toBeUndefined()
  })

  it('takes everything below a URL and cuts its path off', () => {
    const address = 'https://rancher.example/k8s/clusters/c1/'
    expect(on(address, 'https://rancher.example/k8s/clusters/c1/api/v1/pods')).toBe('/api/v1/pods')
    expect(on(address, 'https://rancher.example/k8s/clusters/c1')).toBe('/')
    expect(on(address, 'https://rancher.example/k8s/clusters/c10/api/v1/pods')).toBeUndefined()
    expect(on('https://a.example', 'https://b.example/api/v1/pods')).toBeUndefined()
    expect(on('https://a.example', 'https://a.example/metrics')).toBe('/metrics')
  })

  it('asks a pattern or a function', () => {
    expect(on(/\.cluster\//, 'https://x.cluster/api')).toBe('/api')
    expect(on((url) => url.port === '6443', 'https://x.cluster:6443/api')).toBe('/api')
    expect(on((url) => url.port === '6443', 'https://x.cluster/api')).toBeUndefined()
  })

  it('keeps the percent-encoding of a path', () => {
    expect(on('https://a.example/p', 'https://a.example/p/api/v1/%2e%2e%2fx')).toBe('/api/v1/%2e%2e%2fx')
  })

  it('refuses an address of another form', () => {
    expect(() => urlMatcher('not a url')).toThrow(TypeError)
    expect(() => urlMatcher(7 as never)).toThrow('baseUrl')
  })
})
