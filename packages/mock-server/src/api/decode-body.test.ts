import { StatusError } from '@freshread/core'
import { describe, expect, it } from 'vitest'
import { DecodeError, kindWithDefaults, newDecodeError, parseBody, strictWarnings } from './decode-body.ts'
import { MAX_BODY_BYTES } from './message.ts'

const encoder = new TextEncoder()
const parse = (body: string, contentType = 'application/json', strict = true) =>
  parseBody({ body: encoder.encode(body), headers: { 'content-type': contentType } }, strict)
const refusal = (body: string, contentType?: string): string => {
  try {
    parse(body, contentType)
  } catch (error) {
    if (error instanceof DecodeError) return newDecodeError(error, error.gvk, 'ConfigMap', encoder.encode(body)).message
    throw error
  }
  throw new Error('the body was taken')
}

describe('parseBody', () => {
  it('reads JSON and YAML and tells what they say they are', () => {
    expect(parse('{"apiVersion":"apps/v1","kind":"X","a":1}')).toMatchObject({
      value: { apiVersion: 'apps/v1', kind: 'X', a: 1 },
      gvk: { group: 'apps', version: 'v1', kind: 'X' },
      strictErrors: [],
    })
    expect(parse('kind: X\na: 1\n', 'application/yaml').gvk).toEqual({ group: '', version: '', kind: 'X' })
    expect(parse('null').gvk.kind).toBe('')
  })

  it('finds fields that are there twice, when asked', () => {
    expect(parse('{"data":{"a":"1","a":"2"}}').strictErrors).toEqual(['duplicate field "data.a"'])
    expect(parse('{"data":{"a":"1","a":"2"}}', 'application/json', false).strictErrors).toEqual([])
    const { strictErrors } = parse('a: 1\na: 2\nb: 1\nb: 2\n', 'application/yaml')
    expect(strictErrors).toEqual([
      'yaml: unmarshal errors:\n  line 2: key "a" already set in map\n  line 4: key "b" already set in map',
    ])
    expect(strictWarnings([...strictErrors, 'unknown field "c"'])).toEqual([
      'line 2: key "a" already set in map',
      'line 4: key "b" already set in map',
      'unknown field "c"',
    ])
  })

  it.each([
    ['{"a":', 'couldn\'t get version/kind; json parse error: unexpected end of JSON input ({"a":)'],
    ['', "couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)"],
    [
      '{"kind":5}',
      `couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string ({"kind":5})`,
    ],
    [
      '[1]',
      `couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (5b315d)`,
    ],
    [
      '{"apiVersion":"a/b/c","kind":"ConfigMap"}',
      'unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c","kind":" ...)',
    ],
  ])('refuses %j in the words of Go', (body, message) => {
    expect(refusal(body)).toBe(`the object provided is unrecognized (must be of type ConfigMap): ${message}`)
  })

  it('names the kind of a body that says it', () => {
    const error = new DecodeError('strict decoding error: unknown field "x"')
    expect(
      newDecodeError(error, { group: '', version: 'v1', kind: 'Secret' }, 'ConfigMap', new Uint8Array()).message,
    ).toBe('Secret in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "x"')
  })

  it('refuses bodies that are too large or of another type', () => {
    const code = (run: () => unknown): number => {
      try {
        run()
      } catch (error) {
        if (error instanceof StatusError) return error.code
      }
      return 0
    }
    expect(code(() => parseBody({ body: new Uint8Array(MAX_BODY_BYTES + 1), headers: {} }, false))).toBe(413)
    expect(code(() => parse('x', 'text/csv'))).toBe(415)
  })
})

describe('kindWithDefaults', () => {
  const defaults = { group: 'apps', version: 'v1', kind: 'Deployment' }
  it.each([
    [{ group: '', version: '', kind: '' }, defaults],
    [
      { group: '', version: '', kind: 'X' },
      { ...defaults, kind: 'X' },
    ],
    [
      { group: '', version: 'v2', kind: '' },
      { group: '', version: 'v2', kind: 'Deployment' },
    ],
    [{ group: 'apps', version: '', kind: '' }, defaults],
    [
      { group: 'other', version: '', kind: '' },
      { group: 'other', version: '', kind: 'Deployment' },
    ],
  ])('fills in %j', (actual, expected) => {
    expect(kindWithDefaults(actual, defaults)).toEqual(expected)
  })
})
