import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareKeys } from '../meta/key.ts'
import { OrderedMap } from './ordered-map.ts'

interface Entry {
  readonly key: string
  readonly value: number
}

const keyArbitrary = fc.oneof(
  fc.stringMatching(/^\/[ab]{1,2}\/[a-d]{0,3}$/),
  fc.string({ unit: fc.constantFrom('a', '/', '\u{10000}', '\uffff', '\ue000', '\ud7ff', 'z'), maxLength: 4 }),
)

function sorted(model: ReadonlyMap<string, number>): Entry[] {
  return [...model].map(([key, value]) => ({ key, value })).sort((a, b) => compareKeys(a.key, b.key))
}

describe('OrderedMap', () => {
  it('behaves as a sorted list, and no earlier state changes', () => {
    const operation = fc.record({ key: keyArbitrary, value: fc.nat(), remove: fc.boolean() })
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 200 }), keyArbitrary, keyArbitrary, (operations, prefix, from) => {
        let map = OrderedMap.empty<Entry>()
        const model = new Map<string, number>()
        const states: [OrderedMap<Entry>, Entry[]][] = []
        for (const { key, value, remove } of operations) {
          if (remove) {
            map = map.delete(key)
            model.delete(key)
          } else {
            map = map.set({ key, value })
            model.set(key, value)
          }
          states.push([map, sorted(model)])
        }
        for (const [state, entries] of states) {
          expect(state.toArray()).toEqual(entries)
          expect(state.size).toBe(entries.length)
        }
        const entries = sorted(model)
        for (const { key } of entries) expect(map.get(key)?.value).toBe(model.get(key))
        expect(map.get('not there')).toBeUndefined()
        const start = compareKeys(from, prefix) < 0 ? prefix : from
        const wanted = entries.filter((entry) => entry.key.startsWith(prefix) && compareKeys(entry.key, start) >= 0)
        expect(map.withPrefix(prefix, from)).toEqual(wanted)
        expect(map.count(prefix, from)).toBe(wanted.length)
        expect(OrderedMap.from(entries.toReversed()).toArray()).toEqual(entries)
      }),
      { numRuns: 150 },
    )
  })

  it('stays in order through many splits and merges', () => {
    let map = OrderedMap.empty<Entry>()
    const key = (i: number): string => `/pods/ns/${String((i * 7919) % 5_000).padStart(5, '0')}`
    for (let i = 0; i < 5_000; i++) map = map.set({ key: key(i), value: i })
    expect(map.size).toBe(5_000)
    expect(map.withPrefix('/pods/ns/012').map((entry) => entry.key)).toHaveLength(100)
    for (let i = 0; i < 4_990; i++) map = map.delete(key(i))
    expect(map.toArray().map((entry) => entry.key)).toEqual(Array.from({ length: 10 }, (_, i) => key(4_990 + i)).sort())
    for (let i = 4_990; i < 5_000; i++) map = map.delete(key(i))
    expect(map.size).toBe(0)
    expect(map.toArray()).toEqual([])
  })

  it('starts a list at a key with a NUL at its end after that key', () => {
    const map = OrderedMap.from(['/a/1', '/a/2', '/a/3', '/ab/1'].map((key) => ({ key, value: 0 })))
    expect(map.withPrefix('/a/', '/a/1\0').map((entry) => entry.key)).toEqual(['/a/2', '/a/3'])
    expect(map.withPrefix('/a/', '/a/2').map((entry) => entry.key)).toEqual(['/a/2', '/a/3'])
    expect(map.count('/a/', '/a/1\0')).toBe(2)
  })

  it('gives itself back when there is nothing to remove', () => {
    const map = OrderedMap.from([{ key: 'a', value: 1 }])
    expect(map.delete('b')).toBe(map)
  })
})
