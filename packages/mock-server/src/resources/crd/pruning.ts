import { compareUtf8 } from '../../go/text.ts'
import {
  additionalSchema,
  asResourceRoot,
  isObject,
  metaFields,
  propertySchema,
  type JsonSchemaProps,
} from './types.ts'

/**
 * Takes out of `object` the fields that its schema does not specify, in place, and returns their paths, sorted
 * (`pkg/apiserver/schema/pruning: PruneWithOptions`). At a resource root `apiVersion`, `kind` and `metadata`
 * stay as they are.
 */
export function prune(object: unknown, schema: JsonSchemaProps | undefined, isResourceRoot: boolean): string[] {
  const unknown: string[] = []
  pruneNode(object, isResourceRoot ? asResourceRoot(schema) : schema, '', unknown)
  return unknown.sort(compareUtf8)
}

function childPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

function pruneNode(x: unknown, schema: JsonSchemaProps | undefined, path: string, unknown: string[]): void {
  if (typeof x !== 'object' || x === null) return
  if (schema?.['x-kubernetes-preserve-unknown-fields'] === true) return skipPrune(x, schema, path, unknown)
  if (Array.isArray(x)) {
    x.forEach((item, i) => pruneNode(item, schema?.items, `${path}[${i}]`, unknown))
    return
  }
  const object = x as Record<string, unknown>
  const embedded = schema?.['x-kubernetes-embedded-resource'] === true
  for (const name of Object.keys(object)) {
    if (embedded && metaFields.has(name)) continue
    const property = propertySchema(schema, name)
    if (property !== undefined) pruneNode(object[name], property, childPath(path, name), unknown)
    else if (hasAdditional(schema)) pruneNode(object[name], additionalSchema(schema), childPath(path, name), unknown)
    else {
      if (!metaFields.has(name) || path !== '') unknown.push(childPath(path, name))
      delete object[name]
    }
  }
}

/** Below a preserved node, what is specified is pruned again. */
function skipPrune(x: object, schema: JsonSchemaProps | undefined, path: string, unknown: string[]): void {
  if (schema === undefined) return
  if (Array.isArray(x)) {
    x.forEach((item, i) => {
      if (typeof item === 'object' && item !== null) skipPrune(item, schema.items, `${path}[${i}]`, unknown)
    })
    return
  }
  for (const [name, value] of Object.entries(x)) {
    if (schema['x-kubernetes-embedded-resource'] === true && metaFields.has(name)) continue
    const property = propertySchema(schema, name)
    if (property !== undefined) pruneNode(value, property, childPath(path, name), unknown)
    else if (hasAdditional(schema)) pruneNode(value, additionalSchema(schema), childPath(path, name), unknown)
  }
}

/** `additionalProperties: false` counts as given, too. */
function hasAdditional(schema: JsonSchemaProps | undefined): boolean {
  return schema?.additionalProperties !== undefined
}

/**
 * Takes out null values where the schema neither allows nor replaces them, in place
 * (`pkg/apiserver/schema/defaulting: PruneNonNullableNullsWithoutDefaults`).
 */
export function pruneNonNullableNulls(x: unknown, schema: JsonSchemaProps | undefined): void {
  if (Array.isArray(x)) {
    for (const item of x) pruneNonNullableNulls(item, schema?.items)
    return
  }
  if (!isObject(x)) return
  for (const [name, value] of Object.entries(x)) {
    const field = propertySchema(schema, name) ?? additionalSchema(schema)
    if (value === null && field !== undefined && field.nullable !== true && (field.default ?? null) === null)
      delete x[name]
    else pruneNonNullableNulls(value, field)
  }
}
