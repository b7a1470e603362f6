import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Quantity } from './quantity.ts'

const suffixes = ['', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'Ki', 'Mi', 'Gi', 'Ti', 'e3', 'E-2']
const quantities = fc
  .tuple(fc.integer({ min: -100_000, max: 100_000 }), fc.integer({ min: 0, max: 999 }), fc.constantFrom(...suffixes))
  .map(([whole, fraction, suffix]) => `${whole}.${fraction}${suffix}`)

describe('Quantity', () => {
  it.each([
    ['1000m', '1'],
    ['0.5', '500m'],
    ['1.5Gi', '1536Mi'],
    ['1024', '1024'],
    ['1024Ki', '1Mi'],
    ['1e3', '1e3'],
    ['1500e-3', '1500e-3'],
    ['100k', '100k'],
    ['1000k', '1M'],
    ['-1', '-1'],
    ['+1', '1'],
    ['.5', '500m'],
    ['1.', '1'],
    ['0', '0'],
    ['0.000000000123', '1n'],
    ['0.1Ki', '102400m'],
    ['0.1Gi', '107374182400m'],
  ])('writes %s as %s', (text, canonical) => {
    expect(Quantity.parse(text).toString()).toBe(canonical)
  })

  it.each(['', 'x', '1x', '1 Gi', '1.2.3', '--1', 'Gi', '1KiB'])('refuses %j', (text) => {
    expect(() => Quantity.parse(text)).toThrow(/quantit|suffix/)
    expect(Quantity.tryParse(text)).toBeUndefined()
  })

  it('leaves what it has written as it is', () => {
    fc.assert(
      fc.property(quantities, (text) => {
        const once = Quantity.parse(text)
        const again = Quantity.parse(once.toString())
        expect(again.toString()).toBe(once.toString())
        expect(again.nano).toBe(once.nano)
      }),
    )
  })

  it('adds and compares like numbers', () => {
    fc.assert(
      fc.property(quantities, quantities, (left, right) => {
        const [a, b] = [Quantity.parse(left), Quantity.parse(right)]
        expect(a.add(b).subtract(b).compare(a)).toBe(0)
        expect(a.compare(b)).toBe(-b.compare(a) + 0)
      }),
    )
  })
})
