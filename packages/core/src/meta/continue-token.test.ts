import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeContinue, encodeContinue, prepareContinueToken } from './continue-token.ts'

const encode = (json: string): string => Buffer.from(json).toString('base64url')
const token = (rv: string, start: string): string =>
  encode(`{"v":"meta.k8s.io/v1","rv":${rv},"start":${JSON.stringify(start)}}`)

describe('continue tokens', () => {
  it('have the form that other servers make, too', () => {
    expect(Buffer.from(encodeContinue('/registry/pods/ns/a\0', '/registry/pods/', 5), 'base64url').toString()).toBe(
      '{"v":"meta.k8s.io/v1","rv":5,"start":"ns/a\\u0000"}',
    )
    expect(Buffer.from(encodeContinue('/a/<&>', '/a/', -1n), 'base64url').toString()).toBe(
      '{"v":"meta.k8s.io/v1","rv":-1,"start":"\\u003c\\u0026\\u003e"}',
    )
  })

  it('come back as they went', () => {
    const segment = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .filter((text) => !/[/]/.test(text) && !/^\.\.?$/.test(text))
    const revision = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).filter((revision) => revision !== 0n)
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 3 }), revision, (segments, revision) => {
        const start = `${segments.join('/')}\0`
        const encoded = encodeContinue(`/registry/pods/${start}`, '/registry/pods/', revision)
        expect(encoded).toMatch(/^[A-Za-z0-9_-]+$/)
        expect(encoded).toBe(encode(Buffer.from(encoded, 'base64url').toString()))
        expect(decodeContinue(encoded, '/pods/')).toEqual({ startKey: `/pods/${start}`, resourceVersion: revision })
      }),
    )
  })

  it('mean the same with and without a slash at the start', () => {
    expect(decodeContinue(token('5', 'a\0'), '/p/').startKey).toBe('/p/a\0')
    expect(decodeContinue(token('5', '/a\0'), '/p/').startKey).toBe('/p/a\0')
    expect(decodeContinue(token('5', '/'), '/p/').startKey).toBe('/p/')
  })

  it.each([
    ['abc=', 'illegal base64 data at input byte 3'],
    ['abcde', 'illegal base64 data at input byte 4'],
    ['', 'unexpected end of JSON input'],
    ['gQ', "invalid character '\\u0081' looking for beginning of value"],
    [encode("'"), "invalid character '\\'' looking for beginning of value"],
    [encode('{'), 'unexpected end of JSON input'],
    [encode('"x"'), 'json: cannot unmarshal string into Go value of type storage.continueToken'],
    [encode('{"v":5}'), 'json: cannot unmarshal number into Go struct field continueToken.v of type string'],
    [encode('{"v":"v2"}'), 'server does not recognize this encoded version v2'],
    [token('1.5', 'a'), 'json: cannot unmarshal number 1.5 into Go struct field continueToken.rv of type int64'],
    [
      token('9223372036854775808', 'a'),
      'json: cannot unmarshal number 9223372036854775808 into Go struct field continueToken.rv of type int64',
    ],
    [token('0', 'a'), 'incorrect encoded start resourceVersion (version meta.k8s.io/v1)'],
    [token('5', ''), 'encoded start key empty (version meta.k8s.io/v1)'],
    ...['../key', './key', 'key/..', 'key/../..', 'a//b', 'a/', '..', '/../key'].map((start) => [
      token('5', start),
      start,
    ]),
  ])('are refused when they are broken: %s', (broken, why) => {
    expect(() => decodeContinue(broken!, '/p/')).toThrow(new SyntaxError(`continue key is not valid: ${why}`))
  })

  it('cannot start outside of their list', () => {
    expect(() => encodeContinue('/other/a', '/pods/', 5)).toThrow(
      'unable to encode next field: the key and key prefix do not match',
    )
  })
})

describe('prepareContinueToken', () => {
  it('tells what remains unless a selector hides it', () => {
    const page = { limit: 2, empty: true }
    expect(prepareContinueToken('/p/b', '/p/', 5, 7, true, page)).toEqual({
      continue: encodeContinue('/p/b\0', '/p/', 5),
      remainingItemCount: 5,
    })
    expect(
      prepareContinueToken('/p/b', '/p/', 5, 7, true, { ...page, empty: false }).remainingItemCount,
    ).toBeUndefined()
    expect(prepareContinueToken('/p/b', '/p/', 5, 2, false, page)).toEqual({
      continue: '',
      remainingItemCount: undefined,
    })
  })
})
