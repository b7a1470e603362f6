import { describe, expect, it } from 'vitest'
import { nilPath } from '../field-errors.ts'
import type { JsonSchemaProps } from '../types.ts'
import { newCelValidator, runtimeCelCostBudget } from './validator.ts'
import recorded from './recorded-values.json' with { type: 'json' }

const text: JsonSchemaProps = { type: 'string' }
const integer: JsonSchemaProps = { type: 'integer' }
const schema: JsonSchemaProps = {
  type: 'object',
  properties: {
    a: integer,
    b: text,
    d: { type: 'number' },
    t: { type: 'boolean' },
    l: { type: 'array', items: text },
    n: { type: 'array', items: integer },
    m: { type: 'object', additionalProperties: text },
    ios: { 'x-kubernetes-int-or-string': true },
    ios2: { 'x-kubernetes-int-or-string': true },
    o: {
      type: 'object',
      properties: {
        x: integer,
        'dash-ed': text,
        'a.b': text,
        __u: text,
        miss: text,
        nul: { type: 'string', nullable: true },
      },
    },
    dt: { type: 'string', format: 'date-time' },
    date: { type: 'string', format: 'date' },
    du: { type: 'string', format: 'duration' },
    by: { type: 'string', format: 'byte' },
    ml: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', required: ['k'], properties: { k: text, v: integer } },
    },
    sl: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
    objs: { type: 'array', items: { type: 'object', properties: { n: text, i: integer } } },
    e: { type: 'array', items: integer },
  },
}
const object = {
  a: 5,
  b: 'Hello, wörld',
  d: 1.5,
  t: true,
  l: ['x', 'yy', 'x'],
  n: [3, 1, 2],
  m: { k1: 'v1', 'k-2': 'v2' },
  ios: 'str',
  ios2: 7,
  o: { x: 1, 'dash-ed': 'q', 'a.b': 'dot', __u: 'uu' },
  dt: '2024-02-29T12:34:56.789Z',
  date: '2024-02-29',
  du: '90m',
  by: 'aGVsbG8=',
  ml: [
    { k: 'a', v: 1 },
    { k: 'b', v: 2 },
  ],
  sl: ['p', 'q'],
  objs: [
    { n: 'z', i: 3 },
    { n: 'y', i: 1 },
  ],
  e: [],
}

function messagesOf(rule: Record<string, unknown>, value: unknown = object, old?: unknown): string[] {
  const validator = newCelValidator({ ...schema, 'x-kubernetes-validations': [{ rule: 'true', ...rule }] }, false)!
  return validator.validate(nilPath, value, old, runtimeCelCostBudget).errors.map((error) => error.body)
}

describe('what a real kube-apiserver makes of expressions', () => {
  const cases = Object.entries(recorded as Record<string, { text?: string; error?: string }>)
  const found = (expression: string): { text?: string; error?: string } => {
    const [shown] = messagesOf({ rule: 'false', messageExpression: `"=" + string(dyn(${expression}))` })
    const text = shown?.startsWith('Invalid value: =') === true ? shown.slice('Invalid value: ='.length) : undefined
    if (text !== undefined) return { text }
    const [message = ''] = messagesOf({ rule: `dyn(${expression}) == dyn(1)`, message: 'rule' })
    const plain = message.replace(/^Invalid value: "object": /, '').replace(/ evaluating rule: rule$/, '')
    return { error: plain.replace(/^'(.*)': call arguments did not match .*$/s, '$1') }
  }

  it.each(cases)('%s', (expression, expected) => {
    expect(found(expression)).toEqual(expected)
  })
})

describe('evaluation', () => {
  it('stops a rule that costs more than a call may', () => {
    const list = Array.from({ length: 2000 }, (_, i) => i)
    const [message] = messagesOf({ rule: 'self.n.all(x, self.n.all(y, x + y >= 0))' }, { ...object, n: list })
    expect(message).toBe(
      `Invalid value: "object": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: self.n.all(x, self.n.all(y, x + y >= 0))`,
    )
  })

  it('stops when all rules together cost more than they may', () => {
    const rules = Array.from({ length: 30 }, () => ({ rule: 'self.n.all(x, self.n.all(y, x + y >= 0))' }))
    const validator = newCelValidator({ ...schema, 'x-kubernetes-validations': rules }, false)!
    const list = Array.from({ length: 250 }, (_, i) => i)
    const { errors, remainingBudget } = validator.validate(nilPath, { n: list }, undefined, runtimeCelCostBudget)
    expect(remainingBudget).toBe(-1)
    expect(errors.at(-1)!.body).toContain('validation failed due to running out of cost budget')
  })

  it('evaluates rules about the old value only where there is one', () => {
    expect(messagesOf({ rule: 'self.a == oldSelf.a', message: 'a is fixed' })).toEqual([])
    expect(messagesOf({ rule: 'self.a == oldSelf.a', message: 'a is fixed' }, object, { ...object, a: 6 })).toEqual([
      'Invalid value: a is fixed',
    ])
  })

  it('gives rules with an optional old value none at first', () => {
    const rule = { rule: 'oldSelf.hasValue() || self.a == 5', optionalOldSelf: true }
    expect(messagesOf(rule)).toEqual([])
    expect(messagesOf(rule, { ...object, a: 6 })).toEqual([`Invalid value: failed rule: ${rule.rule}`])
  })

  it('follows items of a list of type map by their keys', () => {
    const items: JsonSchemaProps = {
      type: 'object',
      properties: { k: text, v: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self >= oldSelf' }] } },
    }
    const list: JsonSchemaProps = {
      type: 'array',
      items,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
    }
    const validator = newCelValidator({ type: 'object', properties: { list } }, false)!
    const old = {
      list: [
        { k: 'a', v: 1 },
        { k: 'b', v: 5 },
      ],
    }
    const now = {
      list: [
        { k: 'b', v: 4 },
        { k: 'a', v: 2 },
        { k: 'c', v: 0 },
      ],
    }
    const { errors } = validator.validate(nilPath, now, old, runtimeCelCostBudget)
    expect(errors.map(({ message }) => message)).toEqual(['list[0].v: Invalid value: 4: failed rule: self >= oldSelf'])
  })
})
