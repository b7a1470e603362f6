import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LabelRequirement, LabelSelector, type LabelOperator, type LabelSet } from './label-selector.ts'

describe('LabelSelector.parse', () => {
  it.each([
    ['', ''],
    ['a=b', 'a=b'],
    ['a==b', 'a==b'],
    ['a = b , c', 'a=b,c'],
    ['c,a=b', 'a=b,c'],
    ['a=', 'a='],
    ['a=,b', 'a=,b'],
    ['!a', '!a'],
    ['a in (y,x,x)', 'a in (x,y)'],
    ['a in (x,,y)', 'a in (,x,y)'],
    ['a in ()', 'a in ()'],
    ['a in (,)', 'a in ()'],
    ['a notin\t(x)', 'a notin (x)'],
    ['a>1,b<2', 'a>1,b<2'],
    ['in in (in,notin)', 'in in (in,notin)'],
    ['notin=in', 'notin=in'],
    ['example.com/App=x', 'example.com/App=x'],
  ])('reads %j as %j', (text, printed) => {
    expect(String(LabelSelector.parse(text))).toBe(printed)
  })

  it.each([
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['!!a', "unable to parse requirement: found '!', expected: identifier"],
    ['a!', "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['a,', "found '', expected: identifier after ','"],
    ['a,=', "found '=', expected: identifier after ','"],
    ['==a', "found '==', expected: !, identifier, or 'end of string'"],
    ['a=!', "unable to parse requirement: found '!', expected: identifier"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a in (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a in (b c)', "unable to parse requirement: found 'c', expected: ',' or ')'"],
    ['a in (b,', "unable to parse requirement: found '', expected: ',', or identifier"],
    ['a in (b,=', "unable to parse requirement: found '=', expected: ',', or identifier"],
    [
      'a>x',
      "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
  ])('refuses %j', (text, message) => {
    expect(() => LabelSelector.parse(text)).toThrow(new SyntaxError(message))
  })

  it('names all that is wrong with a requirement', () => {
    expect(() => LabelSelector.parse('a>-,b')).toThrow(
      /^unable to parse requirement: \[values\[0\]: Invalid value: "-": .*, values\[0\]\[a\]: Invalid value: "-": a valid label must be .*\]$/,
    )
    expect(() => LabelSelector.parse('a/b/c=x')).toThrow(
      /^unable to parse requirement: <nil>: Invalid value: "a\/b\/c": a valid label key must consist of /,
    )
  })
})

const identifier = fc.stringMatching(/^[a-z]([a-z0-9]{0,3}[a-z0-9])?$/)
const labelValue = fc.oneof(
  fc.constant(''),
  identifier,
  fc.integer().map((n) => String(Math.abs(n))),
)
const requirement = fc
  .record({
    key: identifier,
    operator: fc.constantFrom<LabelOperator>('in', 'notin', '=', '==', '!=', 'exists', '!', 'gt', 'lt'),
    values: fc.uniqueArray(labelValue, { minLength: 1, maxLength: 3 }),
    bound: fc.integer({ min: -20, max: 20 }),
  })
  .map(({ key, operator, values, bound }) => {
    if (operator === 'exists' || operator === '!') return LabelRequirement.of(key, operator, [])
    if (operator === 'gt' || operator === 'lt') return LabelRequirement.of(key, operator, [String(Math.abs(bound))])
    return LabelRequirement.of(key, operator, operator === 'in' || operator === 'notin' ? values : values.slice(0, 1))
  })
const labels: fc.Arbitrary<LabelSet> = fc.dictionary(identifier, labelValue)

describe('LabelSelector', () => {
  it('prints a text that means the same', () => {
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 4 }), fc.array(labels), (requirements, sets) => {
        const selector = new LabelSelector(requirements)
        const again = LabelSelector.parse(String(selector))
        expect(String(again)).toBe(String(selector))
        for (const set of sets) expect(again.matches(set)).toBe(selector.matches(set))
      }),
    )
  })

  it.each<[string, LabelSet | undefined, boolean]>([
    ['', undefined, true],
    ['a=b', { a: 'b' }, true],
    ['a=b', { a: 'c' }, false],
    ['a=b', undefined, false],
    ['a!=b', undefined, true],
    ['a!=b', { a: 'b' }, false],
    ['a in (b,c)', { a: 'c' }, true],
    ['a notin (b,c)', { a: 'c' }, false],
    ['a notin (b,c)', {}, true],
    ['a', { a: '' }, true],
    ['!a', { a: '' }, false],
    ['a>5', { a: '6' }, true],
    ['a>5', { a: '5' }, false],
    ['a<5', { a: '-1' }, true],
    ['a>5', { a: 'x' }, false],
    ['a<5', {}, false],
    ['a>9223372036854775806', { a: '9223372036854775807' }, true],
    ['toString', {}, false],
    ['!constructor', {}, true],
    ['a=b,c', { a: 'b' }, false],
  ])('%j matches %j: %s', (text, set, expected) => {
    expect(LabelSelector.parse(text).matches(set)).toBe(expected)
  })

  it('knows the one value it requires', () => {
    const required = (text: string): string | undefined => LabelSelector.parse(text).requiresExactMatch('a')
    expect(['a=x', 'a==x', 'a in (x)'].map(required)).toEqual(['x', 'x', 'x'])
    expect(['a!=x', 'a in (x,y)', 'a', 'b=x', 'a>1'].map(required)).toEqual(Array(5).fill(undefined))
  })
})
