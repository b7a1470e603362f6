import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJsonPath, printResult } from './json-path.ts'

const data = {
  a: { b: 1, 'x.y': 'dotted', "q'": 2 },
  list: [
    { n: 'one', v: 1, ok: true },
    { n: 'two', v: 2 },
    { n: 'three', v: 3, ok: false },
  ],
  nothing: null,
}

/** The class of what a function throws. */
function failureOf(run: () => unknown): string {
  try {
    run()
    return 'none'
  } catch (error) {
    return (error as Error).name
  }
}

describe('parseJsonPath', () => {
  it.each([
    ['.a.b', [1]],
    ['.a.x\\.y', ['dotted']],
    [".a['b']", [1]],
    ['.list[0].n', ['one']],
    ['.list[-1].n', ['three']],
    ['.list[0:2].v', [1, 2]],
    ['.list[::2].v', [1, 3]],
    ['.list[*].n', ['one', 'two', 'three']],
    ['.list[?(@.n=="two")].v', [2]],
    ['.list[?(@.v>=2)].v', [2, 3]],
    ['.list[?(@.ok)].n', ['one', 'three']],
    ['.list[0,2].v', [1, 3]],
    ['..v', [1, 2, 3]],
    ['.missing.deep', []],
    ['.nothing', [null]],
  ])('finds %s', (path, expected) => {
    expect(parseJsonPath(path).find(data)).toEqual(expected)
  })

  it.each(['.list[5]', '.a[0]', '.list[2:1]', '.list[?(@.v=="x")].v'])('fails on %s', (path) => {
    expect(() => parseJsonPath(path).find(data)).toThrow(/./)
  })

  it.each(['.a[', '.a[x]', '.a[?(@.b==1)', '"x', '#', '....'])('refuses %s', (path) => {
    expect(() => parseJsonPath(path)).toThrow(/./)
  })

  it('never hangs and never fails with anything but an Error', () => {
    const parts = fc.constantFrom(
      '.',
      'a',
      '[',
      ']',
      '*',
      '?(',
      ')',
      '@',
      '"',
      "'",
      '\\',
      '..',
      ',',
      ':',
      '-1',
      '==',
      '{',
      '}',
      ' ',
      '$',
    )
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 15 }), (tokens) => {
        expect(failureOf(() => parseJsonPath(tokens.join('')).find(data))).toMatch(/^(Error|none)$/)
      }),
      { numRuns: 300 },
    )
  })
})

it('prints objects as JSON and all else as Go does', () => {
  expect(printResult({ b: '<', a: [1, null] })).toBe('{"a":[1,null],"b":"\\u003c"}')
  expect(printResult(1.5)).toBe('1.5')
  expect(printResult(null)).toBe('<nil>')
})
