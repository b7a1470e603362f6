import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidStorageRequestError } from '../errors/storage-error.ts'
import {
  compareResourceVersion,
  maxResourceVersion,
  parseResourceVersion,
  printListResourceVersion,
  printResourceVersion,
} from './resource-version.ts'

describe('parseResourceVersion', () => {
  it.each([
    ['', 0n],
    ['0', 0n],
    ['00', 0n],
    ['007', 7n],
    ['18446744073709551615', maxResourceVersion],
  ])('reads %j as %d', (text, value) => {
    expect(parseResourceVersion(text)).toBe(value)
  })

  it.each([
    ['abc', 'invalid syntax'],
    ['-1', 'invalid syntax'],
    ['+1', 'invalid syntax'],
    [' 1', 'invalid syntax'],
    ['1_0', 'invalid syntax'],
    ['0x1', 'invalid syntax'],
    ['1.0', 'invalid syntax'],
    ['é"', 'invalid syntax'],
    ['18446744073709551616', 'value out of range'],
  ])('refuses %j: %s', (text, why) => {
    const quoted = text === 'é"' ? '"é\\""' : `"${text}"`
    const parse = (): unknown => parseResourceVersion(text)
    expect(parse).toThrow(InvalidStorageRequestError)
    expect(parse).toThrow(`resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: ${why}`)
  })
})

describe('printing', () => {
  it('leaves 0 out of objects and refuses it for lists', () => {
    expect([printResourceVersion(0), printResourceVersion(0n), printResourceVersion(7)]).toEqual(['', '', '7'])
    expect(printListResourceVersion(maxResourceVersion)).toBe('18446744073709551615')
    expect(() => printListResourceVersion(0)).toThrow('illegal resource version from storage: 0')
  })
})

describe('compareResourceVersion', () => {
  it('compares numbers of any size', () => {
    const number = fc.bigInt({ min: 1n, max: 10n ** 40n })
    fc.assert(
      fc.property(number, number, (a, b) => {
        expect(compareResourceVersion(String(a), String(b))).toBe(a < b ? -1 : a > b ? 1 : 0)
      }),
    )
  })

  it.each(['', '0', '01', '-1', '1a'])('refuses %j', (text) => {
    expect(() => compareResourceVersion('1', text)).toThrow(`resource version is not well formed: ${text}`)
  })
})
