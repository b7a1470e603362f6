import { describe, expect, it } from 'vitest'
import { isDNS1035Label, isDNSLabel, isPathSegmentName, isPathSegmentPrefix, maskTrailingDash } from './names.ts'

describe('names', () => {
  it('tells a label with dots apart from one with other wrong characters', () => {
    expect(isDNSLabel('a.b')).toEqual(['must not contain dots'])
    expect(isDNSLabel('A')).toEqual([expect.stringMatching(/^a lowercase RFC 1123 label must consist of /)])
    expect(isDNSLabel('a-b')).toEqual([])
  })

  it('counts bytes and calls them characters', () => {
    expect(isDNS1035Label('a'.repeat(63))).toEqual([])
    expect(isDNS1035Label('a'.repeat(64))).toEqual(['must be no more than 63 characters'])
    expect(isDNS1035Label('ü'.repeat(32))[0]).toBe('must be no more than 63 characters')
  })

  it('refuses names that are a step of their own in a path, but not prefixes that are', () => {
    expect(isPathSegmentName('..')).toEqual([`may not be '..'`])
    expect(isPathSegmentPrefix('..')).toEqual([])
    expect(isPathSegmentPrefix('a/%')).toEqual([`may not contain '/'`, `may not contain '%'`])
  })

  it('takes a dash and what stands before it for one letter when more is to follow', () => {
    expect(maskTrailingDash('ab-')).toBe('aa')
    expect(maskTrailingDash('-')).toBe('-')
    expect(maskTrailingDash('ab')).toBe('ab')
  })
})
