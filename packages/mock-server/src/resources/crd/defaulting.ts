import { coerceMeta } from './object-meta.ts'
import { nilPath } from './field-errors.ts'
import { prune } from './pruning.ts'
import { additionalSchema, isObject, propertySchema, type JsonObject, type JsonSchemaProps } from './types.ts'

/** Copies a JSON value. */
export function copyJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyJson) as T
  const copy: JsonObject = {}
  for (const [name, field] of Object.entries(value)) copy[name] = copyJson(field)
  return copy as T
}

function isNonNullableNull(value: unknown, schema: JsonSchemaProps | undefined): boolean {
  return value === null && schema !== undefined && schema.nullable !== true
}

/** Fills in the defaults of `schema`, in place (`pkg/apiserver/schema/defaulting: Default`). */
export function applyDefaults(x: unknown, schema: JsonSchemaProps | undefined): void {
  if (schema === undefined) return
  if (Array.isArray(x)) {
    x.forEach((item, i) => {
      if (isNonNullableNull(item, schema.items)) x[i] = copyJson(schema.items!.default ?? null)
      applyDefaults(x[i], schema.items)
    })
    return
  }
  if (!isObject(x)) return
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (property.default === undefined || property.default === null) continue
    if (!Object.hasOwn(x, name) || isNonNullableNull(x[name], property)) x[name] = copyJson(property.default)
  }
  const additional = additionalSchema(schema)
  for (const name of Object.keys(x)) {
    const property = propertySchema(schema, name)
    if (property !== undefined) applyDefaults(x[name], property)
    else if (schema.additionalProperties !== undefined) {
      if (isNonNullableNull(x[name], additional)) x[name] = copyJson(additional!.default ?? null)
      applyDefaults(x[name], additional)
    }
  }
}

/** Puts a value at its place in an object, and takes it out again (`defaulting.SurroundingObjectFunc`). */
export interface Surrounding {
  readonly wrap: (value: unknown) => JsonObject
  readonly unwrap: (root: JsonObject) => unknown
}

export const rootSurrounding: Surrounding = {
  wrap: (value) => (isObject(value) ? value : {}),
  unwrap: (root) => root,
}

export function surroundingChild(outer: Surrounding, name: string): Surrounding {
  return {
    wrap: (value) => outer.wrap({ [name]: value }),
    unwrap: (root) => {
      const object = outer.unwrap(root)
      return isObject(object) ? object[name] : undefined
    },
  }
}

export function surroundingIndex(outer: Surrounding): Surrounding {
  return {
    wrap: (value) => outer.wrap([value] as unknown as JsonObject),
    unwrap: (root) => {
      const list = outer.unwrap(root) as unknown
      return Array.isArray(list) ? list[0] : undefined
    },
  }
}

/** Whether a schema, or one below it, has a default. */
export function hasDefaults(schema: JsonSchemaProps | undefined): boolean {
  if (schema === undefined) return false
  if (schema.default !== undefined && schema.default !== null) return true
  if (hasDefaults(schema.items) || hasDefaults(additionalSchema(schema))) return true
  return Object.values(schema.properties ?? {}).some(hasDefaults)
}

/**
 * The schema with its defaults pruned by itself, and their embedded metadata cleaned
 * (`pkg/apiserver/schema/defaulting: PruneDefaults`).
 */
export function pruneDefaults(root: JsonSchemaProps): JsonSchemaProps {
  return hasDefaults(root) ? pruneNodeDefaults(root, root, rootSurrounding) : root
}

function pruneNodeDefaults(schema: JsonSchemaProps, root: JsonSchemaProps, surrounding: Surrounding): JsonSchemaProps {
  if (!hasDefaults(schema)) return schema
  const result: { -readonly [K in keyof JsonSchemaProps]: JsonSchemaProps[K] } = { ...schema }
  if (schema.default !== undefined && schema.default !== null) {
    const object = surrounding.wrap(copyJson(schema.default))
    coerceMeta(nilPath, object, root, { isResourceRoot: true, dropInvalidFields: true })
    prune(object, root, true)
    result.default = surrounding.unwrap(object)
  }
  const additional = additionalSchema(schema)
  if (additional !== undefined) {
    result.additionalProperties = pruneNodeDefaults(additional, root, surroundingChild(surrounding, '*'))
  }
  if (schema.items !== undefined) result.items = pruneNodeDefaults(schema.items, root, surroundingIndex(surrounding))
  if (schema.properties !== undefined) {
    result.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [
        name,
        pruneNodeDefaults(property, root, surroundingChild(surrounding, name)),
      ]),
    )
  }
  return result as JsonSchemaProps
}
