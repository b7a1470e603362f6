import { additionalSchema, type JsonSchemaProps } from '../types.ts'
import type { InternalSpec } from './internal-spec.ts'

/** Whether a schema, or any below it, satisfies `predicate` (`apis/apiextensions/validation: SchemaHas`). */
export function schemaHas(
  schema: JsonSchemaProps | undefined,
  predicate: (schema: JsonSchemaProps) => boolean,
): boolean {
  if (schema === undefined) return false
  if (predicate(schema)) return true
  const inner = (part: JsonSchemaProps | undefined): boolean => schemaHas(part, predicate)
  return (
    inner(schema.items) ||
    (schema.allOf ?? []).some(inner) ||
    (schema.anyOf ?? []).some(inner) ||
    (schema.oneOf ?? []).some(inner) ||
    inner(schema.not) ||
    Object.values(schema.properties ?? {}).some(inner) ||
    inner(additionalSchema(schema)) ||
    Object.values(schema.patternProperties ?? {}).some(inner) ||
    inner(typeof schema.additionalItems === 'object' ? schema.additionalItems : undefined) ||
    Object.values(schema.definitions ?? {}).some(inner)
  )
}

/** The schemas of a spec, wherever they stand. */
export function schemasOf(spec: InternalSpec): JsonSchemaProps[] {
  return [spec.validation, ...spec.versions.map((version) => version.schema)].flatMap((validation) =>
    validation?.openAPIV3Schema === undefined ? [] : [validation.openAPIV3Schema],
  )
}

export function specHas(spec: InternalSpec, predicate: (schema: JsonSchemaProps) => boolean): boolean {
  return schemasOf(spec).some((schema) => schemaHas(schema, predicate))
}
