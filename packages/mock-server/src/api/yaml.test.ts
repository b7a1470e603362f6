import { describe, expect, it } from 'vitest'
import * as fc from 'fast-check'
import { parseYAML, readUTF8, YAMLSyntaxError } from './yaml-input.ts'
import { toYAML } from './yaml.ts'

describe('toYAML', () => {
  // Each line is what the real server answered for this value of a ConfigMap.
  it.each([
    ['plain', 'plain'],
    ['true', '"true"'],
    ['12', '"12"'],
    ['1e3', '"1e3"'],
    ['12:30', '"12:30"'],
    ['2001-01-01', '"2001-01-01"'],
    ['a: b', "'a: b'"],
    ['a:b', 'a:b'],
    ['# x', "'# x'"],
    [' lead', "' lead'"],
    ['multi\nline', '|-\n  multi\n  line'],
    ['multi\nline\n', '|\n  multi\n  line'],
    ['multi\n\nline\n\n', '|+\n  multi\n\n  line\n'],
    [' x\n y\n', '|2\n   x\n   y'],
    ['tab\there', '"tab\\there"'],
    ["it's", "it's"],
    ['"q"', '\'"q"\''],
    ['é 😀', '"é \\U0001F600"'],
    ['- a', "'- a'"],
    ['-a', '-a'],
    ['', '""'],
    ['~', '"~"'],
    ['.5', '".5"'],
    ['-', "'-'"],
    ['08', '"08"'],
    ['off', '"off"'],
    [
      'wo: rd '.repeat(14).trim(),
      "'wo: rd wo: rd wo: rd wo: rd wo: rd wo: rd wo: rd wo: rd wo: rd wo: rd wo: rd wo:\n  rd wo: rd wo: rd'",
    ],
  ])('writes %j as %s', (text, yaml) => {
    expect(toYAML({ a: text })).toBe(`a: ${yaml}\n`)
  })

  it('nests maps and lists without indenting the latter', () => {
    expect(toYAML({ b: [{ d: 1, c: [] }, ['x', { y: null }]], a: {}, a10: 1, a2: 1.5 })).toBe(
      'a: {}\na2: 1.5\na10: 1\nb:\n- c: []\n  d: 1\n- - x\n  - "y": null\n',
    )
  })

  it('is read back as what was written', () => {
    const key = fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 8 })
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', ':', '#', '-', "'", '"', '1', '\t', ',') })
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: 'small' },
        text,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('node')),
        fc.dictionary(key, tie('node')),
      ),
    })).node
    fc.assert(
      fc.property(fc.dictionary(key, value), (object) => {
        expect(parseYAML(toYAML(object)).value).toEqual(object)
      }),
      { numRuns: 200 },
    )
  })
})

describe('parseYAML', () => {
  it('gives up on what is too deep', () => {
    expect(() => parseYAML('['.repeat(20_000))).toThrow(new YAMLSyntaxError('yaml: exceeded max depth of 10000'))
  })

  it('tells mistakes in the words and by the lines of libyaml', () => {
    const errors: Record<string, string> = {
      'x: 1\na: b\n  c: d': 'line 3: mapping values are not allowed in this context',
      'a:\n  b: c\n d: e': 'line 2: did not find expected key',
      'a: b\nc': "line 3: could not find expected ':'",
      '- a\nb: c': "line 1: did not find expected '-' indicator",
      'x: 1\na: ]': 'line 1: did not find expected node content',
      'a: [b\nc: d\n': "line 1: did not find expected ',' or ']'",
      'a: {b': "line 1: did not find expected ',' or '}'",
      'a: @x': 'found character that cannot start any token',
    }
    for (const [text, message] of Object.entries(errors)) {
      expect(() => parseYAML(text)).toThrow(new YAMLSyntaxError(`yaml: ${message}`))
    }
  })

  it('tells bytes that are not UTF-8', () => {
    const errors: [number[], string][] = [
      [[0x61, 0xff], 'invalid leading UTF-8 octet'],
      [[0xc3, 0x28], 'invalid trailing UTF-8 octet'],
      [[0xe2, 0x82], 'incomplete UTF-8 octet sequence'],
    ]
    for (const [bytes, message] of errors) {
      expect(() => readUTF8(Uint8Array.from(bytes))).toThrow(new YAMLSyntaxError(`yaml: ${message}`))
    }
  })

  it('does not let aliases make a small text large', () => {
    const lists = Array.from(
      { length: 12 },
      (_, i) =>
        `l${i}: &l${i} [${
          i === 0
            ? 'x'
            : Array(9)
                .fill(`*l${i - 1}`)
                .join(',')
        }]`,
    )
    expect(() => parseYAML(lists.join('\n'))).toThrow(new YAMLSyntaxError('yaml: document contains excessive aliasing'))
    expect(parseYAML('a: &a [1]\nb: [*a, *a]\n').value).toEqual({ a: [1], b: [[1], [1]] })
  })

  it('reads the words and numbers of YAML 1.1 and leaves times alone', () => {
    expect(parseYAML('a: yes\nb: 010\nc: 12:30\nd: 2001-01-01\n1: x\ne: ~\n').value).toEqual({
      1: 'x',
      a: true,
      b: 8,
      c: '12:30',
      d: '2001-01-01',
      e: null,
    })
    expect(parseYAML('x: &a {p: 1}\nz:\n  <<: *a\n  q: 2\n').value).toEqual({ x: { p: 1 }, z: { p: 1, q: 2 } })
    expect(parseYAML('a: b\n---\nc: d\n').value).toEqual({ a: 'b' })
    expect(parseYAML('').value).toBeNull()
  })

  it('tells keys that are there twice, with their lines', () => {
    expect(parseYAML('a: 1\nb:\n  c: 1\n  c: 2\na: 3\n')).toEqual({
      value: { a: 3, b: { c: 2 } },
      duplicates: ['line 4: key "c" already set in map', 'line 5: key "a" already set in map'],
    })
  })

  it.each([
    ['a: b: c\n', 'yaml: mapping values are not allowed in this context'],
    ['\ta: b\n', 'yaml: found character that cannot start any token'],
    ['a: *x\n', "yaml: unknown anchor 'x' referenced"],
    ['a: \u0000\n', 'yaml: control characters are not allowed'],
    ['a: &x [*x]\n', "yaml: anchor 'x' value contains itself"],
  ])('refuses %j in the words of Go', (text, message) => {
    expect(() => parseYAML(text)).toThrow(new YAMLSyntaxError(message))
  })
})
