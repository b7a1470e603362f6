import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalTime } from './time.ts'

describe('canonicalTime', () => {
  it.each([
    ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00Z'],
    ['2024-01-01T00:30:00+01:00', '2023-12-31T23:30:00Z'],
    ['2024-01-01T00:00:00.999999Z', '2024-01-01T00:00:00Z'],
  ])('writes %s in whole seconds of UTC', (text, expected) => {
    expect(canonicalTime(text, false)).toBe(expected)
  })

  it('keeps microseconds where a kind has them', () => {
    expect(canonicalTime('2024-01-01T01:00:00.123456+01:00', true)).toBe('2024-01-01T00:00:00.123456Z')
  })

  it.each(['', 'x', '2024-13-01T00:00:00Z', '2024-02-30T00:00:00Z', '2024-01-01', '2024-01-01T25:00:00Z'])(
    'refuses %j',
    (text) => {
      expect(() => canonicalTime(text, false)).toThrow(/parsing time/)
    },
  )

  it('leaves what it has written as it is', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1970-01-02'), max: new Date('9999-01-01'), noInvalidDate: true }),
        (date) => {
          const once = canonicalTime(date.toISOString(), false)!
          expect(canonicalTime(once, false)).toBe(once)
        },
      ),
    )
  })
})
