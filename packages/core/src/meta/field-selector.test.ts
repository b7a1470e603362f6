import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FieldSelector } from './field-selector.ts'

describe('FieldSelector.parse', () => {
  it.each([
    ['', ''],
    [',,', ''],
    ['=', ''],
    ['a=b', 'a=b'],
    ['a==b', 'a=b'],
    ['a!=b', 'a!=b'],
    ['b=1,a=2', 'a=2,b=1'],
    ['a=', 'a='],
    ['a=\\,\\=\\\\', 'a=\\,\\=\\\\'],
  ])('reads %j as %j', (text, printed) => {
    expect(String(FieldSelector.parse(text))).toBe(printed)
  })

  it.each([
    ['metadata.name', "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
    ['b=1,a', "invalid selector: 'b=1,a'; can't understand 'a'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=\\x', 'invalid field selector: invalid escape sequence: \\x'],
    ['a=\\😀', 'invalid field selector: invalid escape sequence: \\😀'],
    ['a=\\', 'invalid field selector: invalid escape sequence: \\'],
  ])('refuses %j', (text, message) => {
    expect(() => FieldSelector.parse(text)).toThrow(new SyntaxError(message))
  })
})

describe('FieldSelector', () => {
  const requirement = fc.record({
    field: fc.stringMatching(/^[a-z]{1,3}$/),
    operator: fc.constantFrom('=' as const, '!=' as const),
    value: fc.string({ unit: fc.constantFrom('a', '=', ',', '\\', '!', ' ') }),
  })

  it('prints a text that means the same', () => {
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 4 }), (requirements) => {
        const again = FieldSelector.parse(String(new FieldSelector(requirements)))
        expect(again.requirements).toHaveLength(requirements.length)
        expect(again.requirements).toEqual(expect.arrayContaining(requirements))
      }),
    )
  })

  it('takes a missing field for an empty one', () => {
    expect(FieldSelector.parse('a=').matches({})).toBe(true)
    expect(FieldSelector.parse('a!=x').matches({})).toBe(true)
    expect(FieldSelector.parse('toString=x').matches({})).toBe(false)
    expect(FieldSelector.parse('a=x,b!=y').matches({ a: 'x', b: 'y' })).toBe(false)
  })

  it('knows the one value it requires', () => {
    expect(FieldSelector.parse('a!=1,a=2').requiresExactMatch('a')).toBe('2')
    expect(FieldSelector.parse('a!=1').requiresExactMatch('a')).toBeUndefined()
  })

  it('is converted term by term, and may lose some', () => {
    const selector = FieldSelector.parse('spec.host=n,drop=x,a!=b')
    const converted = selector.transform((field, value) => {
      if (field === 'drop') return ['', '']
      return field === 'spec.host' ? ['spec.nodeName', value] : [field, value]
    })
    expect(String(converted)).toBe('a!=b,spec.nodeName=n')
  })
})
