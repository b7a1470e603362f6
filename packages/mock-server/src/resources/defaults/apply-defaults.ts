import type { SchemaNode } from '../schema.ts'

/**
 * Fills in what the schema gives as `default`, in place. For typed kinds (`typed`) a zero value counts as absent and
 * defaults that are zero values themselves say nothing, as Go's generated defaulting has it; for others only an absent
 * field takes a default, and a null where the schema is not nullable.
 */
export function applyDefaults(value: unknown, schema: SchemaNode, options: { readonly typed: boolean }): void {
  if (Array.isArray(value)) {
    const items = schema.items
    if (items !== undefined && mayHaveDefaults(items)) for (const item of value) applyDefaults(item, items, options)
    return
  }
  if (value === null || typeof value !== 'object') return
  const object = value as Record<string, unknown>
  for (const [name, property] of schema.properties) {
    const current = object[name]
    const fallback = property.default
    if (fallback !== undefined && isAbsent(current, property, options.typed) && !(options.typed && isZero(fallback))) {
      object[name] = structuredClone(fallback)
    }
    const child = object[name]
    if (child !== null && typeof child === 'object' && mayHaveDefaults(property)) applyDefaults(child, property, options)
  }
  const additional = schema.additionalProperties
  if (additional === undefined || !mayHaveDefaults(additional)) return
  for (const name of Object.keys(object)) {
    if (schema.properties.has(name)) continue
    if (object[name] === null && additional.default !== undefined && !additional.nullable) object[name] = structuredClone(additional.default)
    applyDefaults(object[name], additional, options)
  }
}

function isAbsent(value: unknown, schema: SchemaNode, typed: boolean): boolean {
  if (value === undefined) return true
  if (value === null) return !schema.nullable
  return typed && isZero(value)
}

function isZero(value: unknown): boolean {
  if (value === '' || value === 0 || value === false || value === null) return true
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

const memo = new WeakMap<object, boolean>()

/** Whether a default can be found anywhere below, so that whole subtrees (`metadata`) are passed over. */
function mayHaveDefaults(schema: SchemaNode): boolean {
  let found = memo.get(schema.raw)
  if (found === undefined) {
    found = search(schema, new Set())
    memo.set(schema.raw, found)
  }
  return found
}

function search(schema: SchemaNode, seen: Set<object>): boolean {
  if (seen.has(schema.raw)) return false
  seen.add(schema.raw)
  const children = [...schema.properties.values(), schema.items, schema.additionalProperties]
  return children.some((child) => child !== undefined && (saysSomething(child) || search(child, seen)))
}

/** Published schemas of Go structs say `default: {}` everywhere, which is nothing to apply. */
function saysSomething(schema: SchemaNode): boolean {
  return schema.default !== undefined && !(isZero(schema.default) && schema.ref !== undefined)
}
