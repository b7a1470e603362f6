import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyMergePatch } from './merge-patch.ts'

/** Examples of RFC 7386, appendix A, whose target is an object. */
const examples: readonly [object: unknown, patch: unknown, result: unknown][] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
]

describe('applyMergePatch', () => {
  it.each(examples)('of %j by %j gives %j', (object, patch, result) => {
    expect(applyMergePatch(object, patch, 'Warn')).toEqual(result)
  })

  it('removes nulls from what it adds, also within lists', () => {
    expect(applyMergePatch({ a: 1 }, { a: { x: null, y: [{ z: null }, null] } }, 'Warn')).toEqual({
      a: { y: [{}, null] },
    })
  })

  it('puts the keys of maps that it went through in order, and shares the others', () => {
    const object = { z: { d: 1, c: 2 }, m: { b: 1, a: 2 }, a: 1 }
    const merged = applyMergePatch(object, { m: { c: 3 } }, 'Warn') as typeof object
    expect(JSON.stringify(merged)).toBe('{"a":1,"m":{"a":2,"b":1,"c":3},"z":{"d":1,"c":2}}')
    expect(merged.z).toBe(object.z)
  })

  it.each<[unknown, string]>([
    [[], 'array'],
    ['x', 'string'],
    [5, 'number'],
    [true, 'bool'],
  ])('answers 400 for %j', (patch, kind) => {
    expect(() => applyMergePatch({}, patch, 'Warn')).toThrow(
      `error decoding patch: json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`,
    )
  })

  it('answers 400 for null and, without validation, for scalars; a list takes the object’s place', () => {
    expect(() => applyMergePatch({}, null, 'Warn')).toThrow('Invalid JSON Patch')
    expect(() => applyMergePatch({}, 'x', 'Ignore')).toThrow('Invalid JSON Patch')
    expect(applyMergePatch({}, [{ a: null }], 'Ignore')).toEqual([{}])
  })

  it('changes nothing when applied again, nor what it is given', () => {
    const names = fc.constantFrom('a', 'b', 'c', '__proto__')
    const scalar = fc.constantFrom<unknown>(1, 'x', true)
    const { json } = fc.letrec<{ json: Record<string, unknown>; value: unknown }>((tie) => ({
      json: fc.dictionary(names, tie('value'), { maxKeys: 3 }),
      // No maps within lists: nulls in those vanish only the second time, when the list is not new.
      value: fc.oneof({ maxDepth: 3 }, scalar, fc.constant(null), fc.array(scalar), tie('json')),
    }))
    fc.assert(
      fc.property(json, json, (object, patch) => {
        const before = JSON.stringify([object, patch])
        const once = applyMergePatch(object, patch, 'Warn')
        expect(applyMergePatch(once, patch, 'Warn')).toEqual(once)
        expect(JSON.stringify([object, patch])).toBe(before)
      }),
      { numRuns: 200 },
    )
  })
})
