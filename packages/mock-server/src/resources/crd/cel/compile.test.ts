import { describe, expect, it } from 'vitest'
import type { JsonSchemaProps } from '../types.ts'
import { compileRules, type CompilationResult } from './compile.ts'
import { schemaDeclType } from './decl-type.ts'
import recorded from './recorded-errors.json' with { type: 'json' }

const schema: JsonSchemaProps = {
  type: 'object',
  properties: {
    a: { type: 'integer' },
    b: { type: 'string' },
    l: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 5 } },
    d: { type: 'number' },
    namespace: { type: 'string' },
  },
}

function compileRule(rule: string, node: JsonSchemaProps = schema, preexisting = new Set<string>()): CompilationResult {
  const withRule = { ...node, 'x-kubernetes-validations': [{ rule }] }
  return compileRules(withRule, schemaDeclType(node, false)!, preexisting)[0]!
}

describe('what the compiler of a real kube-apiserver says', () => {
  const cases = Object.entries(recorded as Record<string, string>).filter(([rule]) => rule.trim() !== '')
  it.each(cases)('%j', (rule, expected) => {
    const error = compileRule(rule).error ?? ''
    expect(error.replaceAll(/selfType\d+/g, 'selfType')).toBe(expected)
  })
})

describe('compileRules', () => {
  it('knows functions of the present version only in expressions that have been stored', () => {
    const rule = 'self.l.includes("x")'
    expect(compileRule(rule).error).toContain("undeclared reference to 'includes'")
    expect(compileRule(rule, schema, new Set([rule])).error).toBeUndefined()
  })

  it('sees whether a rule looks at the old value', () => {
    expect(compileRule('self == oldSelf').usesOldSelf).toBe(true)
    expect(compileRule('self == self').usesOldSelf).toBe(false)
  })

  it('wants a bool of a rule and a string of a message', () => {
    expect(compileRule('self.a').error).toBe('cel expression must evaluate to a bool')
    const rules = [{ rule: 'true', messageExpression: 'self.a' }]
    const [result] = compileRules(
      { ...schema, 'x-kubernetes-validations': rules },
      schemaDeclType(schema, false)!,
      new Set(),
    )
    expect(result!.messageExpressionError).toBe('messageExpression must evaluate to a string')
  })

  it('reads escaped and keyword names of fields', () => {
    const node: JsonSchemaProps = {
      type: 'object',
      properties: {
        'a-b': { type: 'integer' },
        'x.y': { type: 'integer' },
        if: { type: 'integer' },
        __u: { type: 'integer' },
      },
    }
    const rule = 'self.a__dash__b + self.x__dot__y + self.if + self.__if__ + self.__underscores__u > 0'
    expect(compileRule(rule, node).error).toBeUndefined()
  })

  it.each([
    ['self.a > 1', 3n],
    ['self.l.all(x, x == "y")', 28n],
    ['self.b.contains("abc")', 314575n],
    ['has(self.a)', 1n],
  ])('estimates the cost of %s', (rule, cost) => {
    expect(compileRule(rule).maxCost).toBe(cost)
  })

  it('estimates nested loops by the product of their sizes', () => {
    const once = compileRule('self.l.all(x, x == x)').maxCost
    const twice = compileRule('self.l.all(x, self.l.all(y, x == y))').maxCost
    expect(twice).toBeGreaterThan(once * 5n)
  })
})
