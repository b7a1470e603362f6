import { describe, expect, it } from 'vitest'
import { countIndexes } from './job-success-policy.ts'

describe('countIndexes', () => {
  it.each([
    ['', 0],
    ['3', 1],
    ['0-2,4', 4],
  ])('counts %j', (text, count) => {
    expect(countIndexes(text, 5)).toBe(count)
  })

  it.each([
    ['x', 'cannot convert string to integer for index: "x"'],
    ['5', 'too large index: "5"'],
    ['2-1', 'non-increasing order, previous: 2, current: 1'],
    ['2,1', 'non-increasing order, previous: 2, current: 1'],
    [
      '1-2-3',
      'the fragment "1-2-3" violates the requirement that an index interval can have at most two parts separated by \'-\'',
    ],
  ])('refuses %j', (text, message) => {
    expect(() => countIndexes(text, 5)).toThrow(message)
  })
})
