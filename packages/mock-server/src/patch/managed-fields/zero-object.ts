import type { SchemaNode } from '../../resources/schema.ts'

const zeros = new WeakMap<SchemaNode, Readonly<Record<string, unknown>>>()

/**
 * What an empty object of a built-in kind has in it: the structs that are not optional in Go, and null or
 * an empty value for the other fields that are always written. A create is compared with it, which is why nobody owns `spec`
 * itself, but whoever creates owns `data` of a ConfigMap.
 */
export function zeroObject(schema: SchemaNode): Readonly<Record<string, unknown>> {
  let zero = zeros.get(schema)
  if (zero === undefined) {
    const fields: Record<string, unknown> = {}
    for (const [name, field] of schema.properties) {
      if (isEmptyObject(field.default)) fields[name] = zeroObject(field)
      else if (field.format === 'date-time') fields[name] = null
      else if (isZero(field.default)) fields[name] = field.default
      else if (schema.required.includes(name)) fields[name] = zeroValue(field)
    }
    zero = fields
    zeros.set(schema, zero)
  }
  return zero
}

function zeroValue(field: SchemaNode): unknown {
  switch (field.type) {
    case 'string':
      return field.format === undefined ? '' : null
    case 'integer':
    case 'number':
      return 0
    case 'boolean':
      return false
    default:
      return null
  }
}

function isZero(value: unknown): boolean {
  return value === '' || value === 0 || value === false
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
