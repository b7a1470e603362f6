import { expect, it } from 'vitest'
import { nilPath } from '../field-errors.ts'
import type { JsonSchemaProps } from '../types.ts'
import { newCelValidator, runtimeCelCostBudget } from './validator.ts'

const integer: JsonSchemaProps = { type: 'integer' }
const properties: Record<string, JsonSchemaProps> = {
  l: { type: 'array', items: integer },
  o: { type: 'object', properties: { a: integer } },
  t: { type: 'boolean' },
  s: { type: 'array', items: integer },
  b: { type: 'string' },
  m: { type: 'object', additionalProperties: { type: 'string' } },
}

// The longest list for which kube-apiserver 1.37 ran the rule to its end.
it.each([
  ['(self.t ? self.o : self.o).a > -100', 353],
  ['has((self.t ? self.o : self.o).a)', 407],
  ['(x > 1 ? self.s : self.s)[0] > -1', 353],
  ['has(self.o.a)', 446],
  ['self.o.?a.hasValue()', 377],
  ['self.m["k"] == "v"', 377],
  ['"%d".format([x]) != ""', 257],
  ['self.s.distinct().size() > 0', 166],
  ['{"a": {"b": x}}.a.b > 0', 121],
])('%s costs what it really costs', (rule, longest) => {
  const rules = [{ rule: `self.l.all(w, self.l.all(x, ${rule}))` }]
  const validator = newCelValidator({ type: 'object', properties, 'x-kubernetes-validations': rules }, false)!
  const errorsOf = (length: number) => {
    const l = Array.from({ length }, (_, i) => i + 1)
    const value = { l, o: { a: 1 }, t: true, s: [1, 2, 3], b: 'abcabcabcabc', m: { k: 'v' } }
    return validator.validate(nilPath, value, undefined, runtimeCelCostBudget).errors.map(({ body }) => body)
  }
  expect(errorsOf(longest)).toEqual([])
  expect(errorsOf(longest + 1)).toEqual([expect.stringContaining('operation cancelled: actual cost limit exceeded')])
})
