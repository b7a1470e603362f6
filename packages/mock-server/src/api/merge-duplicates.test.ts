import { describe, expect, it } from 'vitest'
import * as fc from 'fast-check'
import { parseMergingDuplicates } from './merge-duplicates.ts'

describe('parseMergingDuplicates', () => {
  it('adds objects to the first of their name and replaces everything else', () => {
    expect(
      parseMergingDuplicates('{"a":{"x":1,"y":{"p":1}},"b":[1],"a":{"y":{"q":2},"z":3},"b":[2],"c":1,"c":null}'),
    ).toEqual({
      a: { x: 1, y: { p: 1, q: 2 }, z: 3 },
      b: [2],
      c: null,
    })
  })

  it('reads all other JSON as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(3), (text, indent) => {
        const spaced = JSON.stringify(JSON.parse(text), null, indent)
        expect(parseMergingDuplicates(spaced)).toEqual(JSON.parse(text))
      }),
      { numRuns: 200 },
    )
  })

  it('does not fall for depth or for names of prototypes', () => {
    expect(parseMergingDuplicates(`${'['.repeat(9000)}${']'.repeat(9000)}`)).toHaveLength(1)
    expect(Object.getPrototypeOf(parseMergingDuplicates('{"__proto__":{"a":1},"__proto__":{"b":2}}'))).toBe(
      Object.prototype,
    )
  })
})
