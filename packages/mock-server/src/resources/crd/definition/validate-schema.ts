import type { FieldError } from '@freshread/core'
import { child, forbidden, invalid, type FieldPath } from '../field-errors.ts'
import { unsupportedKeyword, validateStructural } from '../structural.ts'
import { CelContext, staticEstimatedCRDCostLimit } from './cel-context.ts'
import { validateDefaults } from './default-values.ts'
import type { Validation } from './internal-spec.ts'
import { costMessage, validateOpenApiSchema } from './open-api-schema.ts'
import { printSchema } from './print-internal.ts'
import type { ValidationOptions } from './validation-options.ts'

/** Fields of Go's JSONSchemaProps by keyword, in its order. */
const goFieldNames: readonly (readonly [keyword: string, goName: string])[] = [
  ['id', 'ID'],
  ['$schema', 'Schema'],
  ['$ref', 'Ref'],
  ['type', 'Type'],
  ['nullable', 'Nullable'],
  ['default', 'Default'],
  ['enum', 'Enum'],
  ['maxProperties', 'MaxProperties'],
  ['minProperties', 'MinProperties'],
  ['allOf', 'AllOf'],
  ['oneOf', 'OneOf'],
  ['anyOf', 'AnyOf'],
  ['not', 'Not'],
  ['additionalProperties', 'AdditionalProperties'],
  ['patternProperties', 'PatternProperties'],
  ['dependencies', 'Dependencies'],
  ['additionalItems', 'AdditionalItems'],
  ['definitions', 'Definitions'],
  ['x-kubernetes-embedded-resource', 'XEmbeddedResource'],
  ['x-kubernetes-int-or-string', 'XIntOrString'],
  ['x-kubernetes-list-map-keys', 'XListMapKeys'],
  ['x-kubernetes-list-type', 'XListType'],
  ['x-kubernetes-map-type', 'XMapType'],
]
const allowedAtRoot =
  '[Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations]'

/** A version's schema (`validateCustomResourceDefinitionValidation`). */
export function validateValidation(
  validation: Validation | undefined,
  statusEnabled: boolean,
  options: ValidationOptions,
  suppressPerExpressionCost: boolean,
  path: FieldPath,
): FieldError[] {
  const schema = validation?.openAPIV3Schema
  if (schema === undefined) return []
  const at = child(path, 'openAPIV3Schema')
  const errors: FieldError[] = []
  if (statusEnabled) {
    for (const [keyword] of goFieldNames) {
      const value = schema[keyword]
      if (keyword === 'type') {
        if (!value || value === 'object') continue
        const message =
          'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
        errors.push(invalid(child(path, 'openAPIV3Schema.type'), value, message))
        break
      }
      if (value === undefined || value === false || value === '' || value === null) continue
      const message = `only ${allowedAtRoot} fields are allowed at the root of the schema if the status subresource is enabled`
      errors.push(invalid(at, printSchema(schema), message))
      break
    }
  }
  if (schema.nullable === true) {
    errors.push(forbidden(child(path, 'openAPIV3Schema.nullable'), 'nullable cannot be true at the root'))
  }
  let context: CelContext | undefined
  let unsupported: string | undefined
  if (options.requireStructuralSchema) {
    unsupported = unsupportedKeyword(schema)
    if (unsupported === undefined) {
      let problems = validateStructural(at, schema)
      if (problems.length === 0) problems = validateDefaults(at, schema, options.requirePrunedDefaults)
      errors.push(...problems)
      if (problems.length === 0) context = CelContext.root(schema)
    }
  }
  errors.push(...validateOpenApiSchema(schema, at, { ...options, suppressPerExpressionCost }, context))
  if (errors.length === 0 && unsupported !== undefined) errors.push(invalid(at, '', unsupported))
  if (context !== undefined && context.totalCost.total > staticEstimatedCRDCostLimit) {
    for (const expensive of context.totalCost.mostExpensive) {
      const message = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'
      errors.push(forbidden(expensive.path, message))
    }
    const name = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema'
    errors.push(forbidden(at, costMessage(name, context.totalCost.total, staticEstimatedCRDCostLimit)))
  }
  return errors
}
