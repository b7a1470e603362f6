import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { copyJson } from './defaulting.ts'
import { setDefinitionDefaults } from './definition-strategy.ts'
import { validateDefinition } from './definition/validate.ts'
import { customResourceStrategy } from './strategy.ts'
import type { CustomResourceDefinition, JsonSchemaProps } from './types.ts'
import type { KubeObject } from '@freshread/core'
import type { StrategyContext } from '../strategy.ts'

const name = fc.constantFrom('a', 'b', 'c', 'if', 'x-y', '__proto__', 'constructor', 'metadata')
const small = fc.integer({ min: -1, max: 5 })

const leafKeywords = {
  type: fc.constantFrom('object', 'array', 'string', 'integer', 'number', 'boolean', 'odd'),
  format: fc.constantFrom('date', 'byte', 'int32', 'ipv4', 'odd'),
  nullable: fc.boolean(),
  default: fc.jsonValue({ maxDepth: 2 }),
  enum: fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 2 }),
  minimum: small,
  maximum: small,
  minLength: small,
  maxLength: small,
  pattern: fc.constantFrom('^a+$', '(', '[a-z]{2,3}'),
  minItems: small,
  maxItems: small,
  required: fc.array(name, { maxLength: 2 }),
  'x-kubernetes-int-or-string': fc.boolean(),
  'x-kubernetes-preserve-unknown-fields': fc.boolean(),
  'x-kubernetes-embedded-resource': fc.boolean(),
  'x-kubernetes-list-type': fc.constantFrom('set', 'map', 'atomic'),
  'x-kubernetes-list-map-keys': fc.array(name, { maxLength: 2 }),
  'x-kubernetes-validations': fc.array(
    fc.record({
      rule: fc.constantFrom(
        'self == self',
        'self.a',
        'has(self.a)',
        'self.size() > 1',
        'self >= oldSelf',
        'self.all(x, x == x)',
      ),
    }),
    { maxLength: 1 },
  ),
}

/** Schemas with any keywords in any places, no deeper than that. */
function schemas(depth: number): fc.Arbitrary<JsonSchemaProps> {
  if (depth === 0) return fc.record(leafKeywords, { requiredKeys: [] }) as fc.Arbitrary<JsonSchemaProps>
  const below = schemas(depth - 1)
  const keywords = {
    ...leafKeywords,
    items: below,
    properties: fc.dictionary(name, below, { maxKeys: 2 }),
    additionalProperties: fc.oneof(fc.boolean(), below),
    anyOf: fc.array(below, { maxLength: 2 }),
    allOf: fc.array(below, { maxLength: 2 }),
    not: below,
  }
  return fc.record(keywords, { requiredKeys: [] }) as fc.Arbitrary<JsonSchemaProps>
}
const schema = schemas(2)

function definition(root: JsonSchemaProps): CustomResourceDefinition {
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'fuzzes.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'fuzzes', kind: 'Fuzz' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { ...root, type: 'object' } } }],
    },
  } as CustomResourceDefinition
  setDefinitionDefaults(crd)
  return crd
}

it('never fails on a schema, and never on an object that comes with it', () => {
  fc.assert(
    fc.property(schema, fc.dictionary(name, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 }), (root, fields) => {
      const crd = definition(root)
      validateDefinition(crd)
      const strategy = customResourceStrategy(crd, 'v1')
      const object = {
        ...copyJson(fields),
        apiVersion: 'example.com/v1',
        kind: 'Fuzz',
        metadata: { name: 'x' },
      } as KubeObject
      try {
        strategy.coerce!(object)
      } catch {
        // Metadata that nobody can read is refused.
        return
      }
      strategy.setDefaults!(object)
      strategy.validate!(object, {} as StrategyContext)
      const context = { subresource: '' } as StrategyContext
      expect(strategy.validateUpdate!(object, copyJson(object), context)).toBeInstanceOf(Array)
    }),
    { numRuns: 150 },
  )
})

it('prunes and defaults to something that does not change any more', () => {
  fc.assert(
    fc.property(schema, fc.dictionary(name, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 }), (root, fields) => {
      const crd = definition(root)
      if (validateDefinition(crd).length > 0) return
      const strategy = customResourceStrategy(crd, 'v1')
      const object = {
        ...copyJson(fields),
        apiVersion: 'example.com/v1',
        kind: 'Fuzz',
        metadata: { name: 'x' },
      } as KubeObject
      try {
        strategy.coerce!(object)
      } catch {
        return
      }
      strategy.setDefaults!(object)
      const once = copyJson(object)
      expect(strategy.coerce!(object)).toEqual([])
      strategy.setDefaults!(object)
      expect(object).toEqual(once)
    }),
    { numRuns: 100 },
  )
})
