import { Environment } from '@marcbachmann/cel-js'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { nilPath } from '../field-errors.ts'
import type { JsonSchemaProps } from '../types.ts'
import { newCelValidator, runtimeCelCostBudget } from './validator.ts'

/*
 * Another implementation of CEL, with mistakes of its own: where both take an expression of the plain language, both
 * must come to the same end.
 */

const schema: JsonSchemaProps = {
  type: 'object',
  properties: {
    a: { type: 'integer' },
    b: { type: 'integer' },
    s: { type: 'string' },
    t: { type: 'boolean' },
    l: { type: 'array', items: { type: 'integer' } },
  },
}
const environment = new Environment({ unlistedVariablesAreDyn: true })

const { bool } = fc.letrec<{ int: string; bool: string }>((tie) => ({
  int: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('self.a', 'self.b', '0', '1', '7', 'self.l[0]', 'size(self.l)', 'self.s.size()'),
    fc.tuple(tie('int'), fc.constantFrom('+', '-', '*', '/', '%'), tie('int')).map(([x, op, y]) => `(${x} ${op} ${y})`),
    fc.tuple(tie('bool'), tie('int'), tie('int')).map(([test, x, y]) => `(${test} ? ${x} : ${y})`),
    tie('int').map((x) => `self.l.map(i, i + ${x})[0]`),
  ),
  bool: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(
      'self.t',
      'true',
      'false',
      'self.s.startsWith("a")',
      'self.s.contains("b")',
      'has(self.a)',
      '2 in self.l',
    ),
    fc
      .tuple(tie('int'), fc.constantFrom('==', '!=', '<', '<=', '>', '>='), tie('int'))
      .map(([x, op, y]) => `(${x} ${op} ${y})`),
    fc.tuple(tie('bool'), fc.constantFrom('&&', '||'), tie('bool')).map(([x, op, y]) => `(${x} ${op} ${y})`),
    tie('bool').map((x) => `!(${x})`),
    fc.tuple(fc.constantFrom('all', 'exists', 'exists_one'), tie('int')).map(([fn, x]) => `self.l.${fn}(i, i > ${x})`),
    tie('int').map((x) => `(self.l.filter(i, i > ${x}).size() == 1)`),
  ),
}))

const object = fc.record({
  a: fc.integer({ min: -5, max: 9 }),
  b: fc.integer({ min: -5, max: 9 }),
  s: fc.constantFrom('', 'abc', 'xyz'),
  t: fc.boolean(),
  l: fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 4 }),
})

/** `true`, `false` or `'error'`. */
function own(rule: string, value: unknown): unknown {
  const validator = newCelValidator({ ...schema, 'x-kubernetes-validations': [{ rule, message: 'no' }] }, false)!
  const [error] = validator.validate(nilPath, value, undefined, runtimeCelCostBudget).errors
  if (error === undefined) return true
  return error.body === 'Invalid value: no' ? false : 'error'
}

function theirs(rule: string, value: Record<string, unknown>): unknown {
  const ints = (x: unknown): unknown => (typeof x === 'number' ? BigInt(x) : Array.isArray(x) ? x.map(ints) : x)
  const self = Object.fromEntries(Object.entries(value).map(([name, field]) => [name, ints(field)]))
  try {
    return environment.evaluate(rule, { self })
  } catch {
    return 'error'
  }
}

it('comes to the same end as another implementation', () => {
  fc.assert(
    fc.property(bool, object, (rule, value) => {
      expect(own(rule, value)).toBe(theirs(rule, value))
    }),
    { numRuns: 400 },
  )
})
