import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { goJSON, goNumber, goQuote } from './go-text.ts'

describe('goQuote', () => {
  it.each([
    ['plain', '"plain"'],
    ['', '""'],
    ['a"b\\c', '"a\\"b\\\\c"'],
    ['\x07\b\f\n\r\t\v', '"\\a\\b\\f\\n\\r\\t\\v"'],
    ['\0\x1f\x7f', '"\\x00\\x1f\\x7f"'],
    ['é 漢 😀', '"é 漢 😀"'],
    ['\u00a0\u200b\u2028\ufeff', '"\\u00a0\\u200b\\u2028\\ufeff"'],
    ['\u{e0001}', '"\\U000e0001"'],
    ['<&>', '"<&>"'],
    ["it's", '"it\'s"'],
  ])('quotes %j as %s', (text, quoted) => {
    expect(goQuote(text)).toBe(quoted)
  })

  it('quotes ASCII so that JSON reads it back, but for the escapes JSON does not have', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ -~\n\t]*$/), (text) => {
        expect(JSON.parse(goQuote(text))).toBe(text)
      }),
    )
  })
})

describe('goNumber', () => {
  it.each([
    [0, '0'],
    [-3, '-3'],
    [1.5, '1.5'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [1e20, '100000000000000000000'],
    [1e21, '1e+21'],
    [1.25e-10, '1.25e-10'],
    [Infinity, '+Inf'],
  ])('prints %d as %s', (number, text) => {
    expect(goNumber(number)).toBe(text)
  })
})

describe('goJSON', () => {
  it('escapes what would not be safe within HTML', () => {
    expect(goJSON({ b: '<&>\u2028', a: [1, null, true] })).toBe(
      '{"b":"\\u003c\\u0026\\u003e\\u2028","a":[1,null,true]}',
    )
    expect(goJSON(undefined)).toBe('null')
  })
})
