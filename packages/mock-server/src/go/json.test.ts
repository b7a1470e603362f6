import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { duplicateFields, parseGoJson } from './json.ts'

/** What Go's `json.Unmarshal` says of these texts. */
const errors: readonly [text: string, message: string][] = [
  ['', 'unexpected end of JSON input'],
  ['{"a":', 'unexpected end of JSON input'],
  ['[1', 'unexpected end of JSON input'],
  ['"abc', 'unexpected end of JSON input'],
  ['x', "invalid character 'x' looking for beginning of value"],
  ["{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b"}', `invalid character '"' after object key:value pair`],
  ['[1 2]', "invalid character '2' after array element"],
  ['{} x', "invalid character 'x' after top-level value"],
  ['{"a":tru}', "invalid character '}' in literal true (expecting 'e')"],
  ['{"a":01}', "invalid character '1' after object key:value pair"],
  ['-x', "invalid character 'x' in numeric literal"],
  ['1.x', "invalid character 'x' after decimal point in numeric literal"],
  ['1ex', "invalid character 'x' in exponent of numeric literal"],
  ['"\\x"', "invalid character 'x' in string escape code"],
  ['"\\u00g0"', "invalid character 'g' in \\u hexadecimal character escape"],
  ['"a\nb"', "invalid character '\\n' in string literal"],
  ['é', "invalid character 'Ã' looking for beginning of value"],
]

describe('a text that is not JSON', () => {
  test.each(errors)('%j is refused in the words of Go', (text, message) => {
    expect(() => parseGoJson(text)).toThrow(new SyntaxError(message))
  })

  test('is refused however deep it is', () => {
    expect(() => parseGoJson('['.repeat(100_000))).toThrow('exceeded max depth')
  })

  test('is found by Go and JavaScript alike', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:1e-.+tfn\\u0 ') }), (text) => {
        const attempt = (parse: (text: string) => unknown): unknown => {
          try {
            return { value: parse(text) }
          } catch {
            return 'refused'
          }
        }
        expect(attempt(parseGoJson)).toEqual(attempt(JSON.parse))
      }),
    )
  })
})

describe('fields that are there twice', () => {
  test('are told with the way to them', () => {
    expect(duplicateFields('{"a":1,"b":{"c":[{"d":1,"d":2}]},"a":2}')).toEqual([
      'duplicate field "b.c[0].d"',
      'duplicate field "a"',
    ])
  })

  test('are not what only looks alike', () => {
    expect(duplicateFields('{"a":"a","b":["a","a"],"c":{"a":1},"d":{"a":"\\"a\\":1"}}')).toEqual([])
  })

  test('are none in what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(duplicateFields(JSON.stringify(value))).toEqual([])
      }),
    )
  })
})
