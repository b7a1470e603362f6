import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../meta/types.ts'
import { prepareObjectForStorage, sameStoredForm } from './prepare-object.ts'

describe('prepareObjectForStorage', () => {
  it('takes away what says where an object lies, and changes nothing itself', () => {
    const object = { metadata: { name: 'a', resourceVersion: '5', selfLink: '/x' }, spec: {} }
    const prepared = prepareObjectForStorage(object)
    expect(prepared).toEqual({ metadata: { name: 'a' }, spec: {} })
    expect(object.metadata.resourceVersion).toBe('5')
    expect(prepareObjectForStorage(prepared)).toBe(prepared)
  })
})

describe('sameStoredForm', () => {
  const object = (spec: unknown): KubeObject => ({ metadata: {}, spec })

  it('is equality of JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (a, b) => {
        // A copy, for what is the same object is the same without looking.
        expect(sameStoredForm(object(a), JSON.parse(JSON.stringify(object(a))) as KubeObject)).toBe(true)
        const canonical = (value: unknown): string =>
          JSON.stringify(value, (_key, value: unknown) => {
            if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
            return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
          })
        expect(sameStoredForm(object(a), object(b))).toBe(canonical(a) === canonical(b))
      }),
    )
  })

  it('does not mind the order of keys, or keys without a value', () => {
    expect(sameStoredForm(object({ a: 1, b: 2 }), object({ b: 2, a: 1, c: undefined }))).toBe(true)
    expect(sameStoredForm(object([1, 2]), object([2, 1]))).toBe(false)
    expect(sameStoredForm(object([]), object({}))).toBe(false)
    expect(sameStoredForm(object(null), object({}))).toBe(false)
  })

  it('does not look at resource versions, but where they are data', () => {
    const a = { metadata: { resourceVersion: '1', selfLink: 'x' }, spec: { resourceVersion: '1' } }
    expect(sameStoredForm(a, { metadata: {}, spec: { resourceVersion: '1' } })).toBe(true)
    expect(sameStoredForm(a, { metadata: {}, spec: { resourceVersion: '2' } })).toBe(false)
    expect(sameStoredForm({ metadata: { labels: { selfLink: 'a' } } }, { metadata: { labels: {} } })).toBe(false)
  })
})
