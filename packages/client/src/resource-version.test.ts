import { assert, bigInt, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareResourceVersions, isComparable, isOlder, newerOf } from './resource-version.ts'

describe('resource versions', () => {
  it('orders 99999 before 100000', () => {
    expect(isOlder('99999', '100000')).toBe(true)
    expect(isOlder('100000', '99999')).toBe(false)
    expect(newerOf('99999', '100000')).toBe('100000')
  })

  it('orders beyond what a number can tell apart', () => {
    expect(isOlder('9007199254740992', '9007199254740993')).toBe(true)
    expect(newerOf('9007199254740993', '9007199254740992')).toBe('9007199254740993')
    expect(isOlder('18446744073709551615', '184467440737095516150')).toBe(true)
  })

  it.each(['', '0', '01', '-1', '1.0', ' 1', '1e3', '0x1', 'MTIz', '１２', undefined, null, 7])(
    'never orders %j',
    (rv) => {
      expect(isComparable(rv)).toBe(false)
      expect(compareResourceVersions(rv, '5')).toBeUndefined()
      expect(isOlder(rv, '5')).toBe(false)
      expect(isOlder('5', rv)).toBe(false)
      expect(newerOf(rv, '5')).toBe('5')
      expect(newerOf('5', rv)).toBe('5')
      expect(newerOf(rv, rv)).toBeUndefined()
    },
  )

  it('orders as numbers of any length do', () => {
    assert(
      property(bigInt({ min: 1n, max: 10n ** 30n }), bigInt({ min: 1n, max: 10n ** 30n }), (a, b) => {
        expect(Math.sign(compareResourceVersions(String(a), String(b))!)).toBe(a < b ? -1 : a > b ? 1 : 0)
        expect(newerOf(String(a), String(b))).toBe(String(a > b ? a : b))
      }),
    )
  })
})
