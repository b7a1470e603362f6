import { describe, expect, it } from 'vitest'
import { selectorMatches, validateLabelSelector, validateLabels } from './labels.ts'

describe('selectorMatches', () => {
  it.each<[object, boolean]>([
    [{ matchLabels: { app: 'x' } }, true],
    [{ matchLabels: { app: 'y' } }, false],
    [{ matchExpressions: [{ key: 'app', operator: 'In', values: ['x', 'y'] }] }, true],
    [{ matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['x'] }] }, false],
    [{ matchExpressions: [{ key: 'gone', operator: 'NotIn', values: ['x'] }] }, true],
    [{ matchExpressions: [{ key: 'app', operator: 'Exists' }] }, true],
    [{ matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] }, false],
    [{}, true],
  ])('%j', (selector, matches) => {
    expect(selectorMatches(selector as Record<string, unknown>, { app: 'x' })).toBe(matches)
  })
})

describe('validateLabelSelector', () => {
  it('says what is wrong with expressions', () => {
    const selector = {
      matchExpressions: [
        { key: 'a', operator: 'In' },
        { key: 'b', operator: 'Exists', values: ['c'] },
        { key: 'c', operator: 'Near' },
      ],
    }
    expect(validateLabelSelector('spec.selector', selector).map(({ field, body }) => `${field}: ${body}`)).toEqual([
      "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      "spec.selector.matchExpressions[1].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      'spec.selector.matchExpressions[2].operator: Invalid value: "Near": not a valid selector operator',
    ])
  })
})

describe('validateLabels', () => {
  it('refuses keys and values that are none', () => {
    expect(validateLabels('metadata.labels', { 'example.com/a': 'b', ok: '' })).toEqual([])
    expect(validateLabels('metadata.labels', { 'a b': 'c', d: 'not ok!' })).toHaveLength(2)
  })
})
