import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeBase64, encodeBase64 } from './base64.ts'

describe('base64', () => {
  it('gives back what it was given', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(decodeBase64(encodeBase64(bytes))).toEqual(bytes)
        expect(encodeBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'))
      }),
    )
  })

  it('passes over line breaks', () => {
    expect(decodeBase64('AA\r\nEC\n')).toEqual(Uint8Array.of(0, 1, 2))
  })

  it.each([
    ['YQ', 0],
    ['!', 0],
    ['YWJ?', 3],
  ])('refuses %s at byte %i', (text, at) => {
    expect(() => decodeBase64(text)).toThrow(/illegal base64 data at input byte/)
    expect(at).toBeGreaterThanOrEqual(0)
  })
})
