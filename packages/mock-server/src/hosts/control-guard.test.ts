import { describe, expect, it } from 'vitest'
import { mayControl } from './control-guard.ts'

describe('control over HTTP', () => {
  it.each([
    ['a local program', '127.0.0.1', { host: '127.0.0.1:8001' }, true],
    ['a local program over IPv6', '::1', { host: '[::1]:8001' }, true],
    ['a mapped IPv4 address', '::ffff:127.0.0.1', { host: 'localhost:8001' }, true],
    ['the server’s own page', '127.0.0.1', { host: 'localhost:8001', origin: 'http://localhost:8001' }, true],
    ['a page of another site', '127.0.0.1', { host: 'localhost:8001', origin: 'https://evil.example' }, false],
    ['a page on another local port', '127.0.0.1', { host: 'localhost:8001', origin: 'http://localhost:3000' }, false],
    ['a sandboxed page', '127.0.0.1', { host: 'localhost:8001', origin: 'null' }, false],
    ['a rebound host name', '127.0.0.1', { host: 'evil.example:8001' }, false],
    ['a name that only begins like loopback', '127.0.0.1', { host: '127.0.0.1.evil.example' }, false],
    ['another machine', '10.0.0.7', { host: '127.0.0.1:8001' }, false],
    ['a request without Host', '127.0.0.1', {}, false],
  ])('answers %s', (_, address, headers, allowed) => {
    expect(mayControl('loopback', address, headers)).toBe(allowed)
  })

  it('asks nothing when open to anyone and refuses everybody when off', () => {
    expect(mayControl('anyone', '10.0.0.7', { host: 'x', origin: 'https://evil.example' })).toBe(true)
    expect(mayControl('off', '127.0.0.1', { host: '127.0.0.1' })).toBe(false)
  })
})
