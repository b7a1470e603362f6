import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareKeys, hasPathPrefix, orderKey, prefixEnd, prepareKey } from './key.ts'

/** Strings that have many characters around the borders where UTF-16 and UTF-8 disagree. */
const text = fc.string({
  unit: fc.constantFrom('a', 'b', '/', '\0', '\u007f', 'é', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}'),
  maxLength: 6,
})

const bytes = (key: string): Buffer => Buffer.from(key, 'utf8')

describe('the order of keys', () => {
  it('is that of their UTF-8 bytes', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const expected = Buffer.compare(bytes(a), bytes(b))
        expect(compareKeys(a, b)).toBe(expected)
        expect(orderKey(a) < orderKey(b)).toBe(expected < 0)
      }),
    )
  })

  it('puts all keys of a prefix before its end, and nothing else', () => {
    const prefix = text.filter((key) => /[^\u{10ffff}]/u.test(key))
    fc.assert(
      fc.property(prefix, text, (prefix, key) => {
        const end = prefixEnd(prefix)
        expect(compareKeys(prefix + key, end)).toBe(-1)
        const inRange = compareKeys(key, prefix) >= 0 && compareKeys(key, end) < 0
        expect(inRange).toBe(key.startsWith(prefix))
      }),
    )
  })

  it('knows no end of everything', () => {
    expect(() => prefixEnd('')).toThrow(RangeError)
  })
})

describe('hasPathPrefix', () => {
  it.each([
    ['/a', '/a', true],
    ['/a/b', '/a', true],
    ['/a/b', '/a/', true],
    ['/ab', '/a', false],
    ['/ab', '/b', false],
    ['/a', '/a/', false],
  ])('of %s and %s is %s', (key, prefix, expected) => {
    expect(hasPathPrefix(key, prefix)).toBe(expected)
  })
})

describe('prepareKey', () => {
  it('makes a prefix of a recursive key', () => {
    expect(prepareKey('/pods', '/pods/ns', true)).toBe('/pods/ns/')
    expect(prepareKey('/pods', '/pods/', true)).toBe('/pods/')
    expect(prepareKey('/pods', '/pods/ns/a', false)).toBe('/pods/ns/a')
    expect(prepareKey('/pods', '/pods/ns/..a', false)).toBe('/pods/ns/..a')
  })

  it.each([
    ['..', 'invalid key: ".."'],
    ['../a', 'invalid key: "../a"'],
    ['/pods/..', 'invalid key: "/pods/.."'],
    ['/pods/../a', 'invalid key: "/pods/../a"'],
    ['.', 'invalid key: "."'],
    ['/pods/./a', 'invalid key: "/pods/./a"'],
    ['', 'empty key: ""'],
    ['/', 'empty key: "/"'],
    ['/other', 'invalid key: "/other/" lacks resource prefix: "/pods"'],
  ])('refuses %j', (key, message) => {
    expect(() => prepareKey('/pods', key, true)).toThrow(message)
  })
})
