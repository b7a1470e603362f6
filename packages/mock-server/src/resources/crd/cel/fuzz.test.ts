import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { nilPath } from '../field-errors.ts'
import type { JsonSchemaProps } from '../types.ts'
import { compileRules } from './compile.ts'
import { schemaDeclType } from './decl-type.ts'
import { newCelValidator, runtimeCelCostBudget } from './validator.ts'

const schema: JsonSchemaProps = {
  type: 'object',
  properties: {
    a: { type: 'integer' },
    s: { type: 'string', maxLength: 20 },
    l: { type: 'array', maxItems: 20, items: { type: 'string', maxLength: 5 } },
    m: { type: 'object', maxProperties: 5, additionalProperties: { type: 'integer' } },
    x: { 'x-kubernetes-int-or-string': true },
  },
}
const object = { a: 3, s: 'some text', l: ['a', 'bb', 'a'], m: { k: 1 }, x: '7' }

const atom = fc.constantFrom(
  'self.a',
  'self.s',
  'self.l',
  'self.m',
  'self.x',
  'oldSelf',
  '1',
  '-5',
  '2.5',
  '3u',
  '"t"',
  'true',
  'null',
  '[]',
  '{}',
  'self.?a',
  'has(self.s)',
  'duration("1h")',
  '[1, 2]',
  '{"k": 1}',
  'b"x"',
  'optional.none()',
  'type(1)',
)
/** Expressions that are put together by CEL's grammar, right or wrong by its types. */
const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    atom,
    fc
      .tuple(
        tie('expression'),
        fc.constantFrom('+', '-', '*', '/', '%', '==', '!=', '<', '>=', '&&', '||', 'in'),
        tie('expression'),
      )
      .map(([a, op, b]) => `(${a} ${op} ${b})`),
    fc.tuple(tie('expression'), tie('expression'), tie('expression')).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `${a}[${b}]`),
    fc
      .tuple(
        tie('expression'),
        fc.constantFrom('size()', 'k', 'trim()', 'sum()', 'sort()', 'orValue(1)', 'matches("a+")', 'distinct()'),
      )
      .map(([a, fn]) => `${a}.${fn}`),
    fc
      .tuple(tie('expression'), fc.constantFrom('all', 'exists', 'map', 'filter', 'exists_one'), tie('expression'))
      .map(([a, fn, b]) => `${a}.${fn}(v, ${b})`),
    fc
      .tuple(fc.constantFrom('string', 'int', 'dyn', 'size', 'type', '!', '-'), tie('expression'))
      .map(([fn, a]) => `${fn}(${a})`),
  ),
}))

const run = (rule: string): void => {
  const declType = schemaDeclType(schema, false)!
  const [result] = compileRules({ ...schema, 'x-kubernetes-validations': [{ rule }] }, declType, new Set())
  if (result!.error !== undefined) {
    expect(result!.error).toMatch(/^(compilation failed|cel expression must|program instantiation failed)/)
    return
  }
  const validator = newCelValidator({ ...schema, 'x-kubernetes-validations': [{ rule }] }, false)!
  const started = performance.now()
  validator.validate(nilPath, object, object, runtimeCelCostBudget)
  expect(performance.now() - started).toBeLessThan(5000)
}

it('never fails on an expression that follows the grammar', () => {
  fc.assert(
    fc.property(expression, (text) => run(text)),
    { numRuns: 400 },
  )
})

it('never fails on words in any order', () => {
  const words = fc.constantFrom(
    'self',
    '.',
    'a',
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    ',',
    ':',
    '?',
    '==',
    '&&',
    '!',
    '-',
    '"x',
    '"',
    "'",
    '1',
    '0x',
    '1e',
    'has',
    'in',
    'true',
    ' ',
    '\n',
    '//',
    'r"',
    '`',
    '@',
    '\\',
    'é',
    '\u{1F600}',
    'oldSelf',
    'all',
    '{"a":',
    'x',
    '=',
    '%d',
    '.format',
    'u',
  )
  fc.assert(
    fc.property(fc.array(words, { maxLength: 25 }), (parts) => {
      const text = parts.join('')
      if (text.trim() !== '') run(text)
    }),
    { numRuns: 600 },
  )
})

it('never fails on deep nesting', () => {
  for (const [open, close] of [
    ['(', ')'],
    ['[', ']'],
    ['!', ''],
    ['-', ''],
    ['self.l.all(x, ', ')'],
    ['{"a":', '}'],
  ] as const) {
    run(`${open.repeat(3000)}true${close.repeat(3000)}`)
  }
  run(`self.a${'.b'.repeat(3000)}`)
  run(Array.from({ length: 2000 }, () => 'true').join(' && '))
  run(Array.from({ length: 2000 }, () => '1').join(' + ') + ' == 2000')
})
