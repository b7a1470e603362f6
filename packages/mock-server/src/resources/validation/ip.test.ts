import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatIP, isStrictSubnet, parseCIDR, parseIP } from './ip.ts'

describe('parseIP', () => {
  it('reads back what is written', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const address = parseIP(text)
        expect(address).toBeDefined()
        expect(parseIP(formatIP(address!))).toEqual(address)
      }),
    )
  })

  it.each(['', '1.2.3', '256.1.1.1', '1.2.3.4.5', ':::', '1::2::3', 'fe80::1%eth0', 'x'])('refuses %j', (text) => {
    expect(parseIP(text)).toBeUndefined()
  })
})

describe('parseCIDR', () => {
  it('knows which network lies within another', () => {
    const subnet = (a: string, b: string): boolean => isStrictSubnet(parseCIDR(a)!, parseCIDR(b)!)
    expect(subnet('10.1.0.0/16', '10.0.0.0/8')).toBe(true)
    expect(subnet('10.0.0.0/8', '10.0.0.0/8')).toBe(false)
    expect(subnet('11.0.0.0/16', '10.0.0.0/8')).toBe(false)
    expect(parseCIDR('10.0.0.0/33')).toBeUndefined()
    expect(parseCIDR('10.0.0.0')).toBeUndefined()
  })
})
