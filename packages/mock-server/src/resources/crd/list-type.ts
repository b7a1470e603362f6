import type { FieldError } from '@freshread/core'
import { child, duplicate, index, invalid, key, nilPath, type FieldPath } from './field-errors.ts'
import { goJson } from '../../go/text.ts'
import { additionalSchema, isObject, propertySchema, type JsonSchemaProps } from './types.ts'

/**
 * Lists of type `set` and `map` must not repeat an element or a key
 * (`pkg/apiserver/schema/listtype: ValidateListSetsAndMaps`).
 */
function validateListSetsAndMaps(path: FieldPath, schema: JsonSchemaProps | undefined, x: unknown): FieldError[] {
  if (schema === undefined || !isObject(x)) return []
  const errors: FieldError[] = []
  const additional = additionalSchema(schema)
  if (additional !== undefined) {
    for (const [name, value] of Object.entries(x)) errors.push(...validateNode(key(path, name), additional, value))
  }
  if (schema.properties !== undefined) {
    for (const [name, value] of Object.entries(x)) {
      const property = propertySchema(schema, name)
      if (property !== undefined) errors.push(...validateNode(child(path, name), property, value))
    }
  }
  return errors
}

function validateNode(path: FieldPath, schema: JsonSchemaProps, x: unknown): FieldError[] {
  if (!Array.isArray(x)) return validateListSetsAndMaps(path, schema, x)
  const errors: FieldError[] = []
  const listType = schema['x-kubernetes-list-type']
  if (listType === 'set') for (const i of nonUnique(x)) errors.push(duplicate(index(path, i), x[i]))
  else if (listType === 'map') errors.push(...validateListMap(path, schema, x))
  if (schema.items !== undefined) {
    x.forEach((item, i) => errors.push(...validateNode(index(path, i), schema.items!, item)))
  }
  return errors
}

/** Where elements appear for the second time. */
function nonUnique(list: readonly unknown[]): number[] {
  const seen = new Map<unknown, number>()
  const result: number[] = []
  list.forEach((item, i) => {
    const identity =
      typeof item === 'object' && item !== null ? `{${goJson(item)}` : typeof item === 'string' ? `"${item}` : item
    const times = seen.get(identity) ?? 0
    seen.set(identity, times + 1)
    if (times === 1) result.push(i)
  })
  return result
}

function validateListMap(path: FieldPath, schema: JsonSchemaProps, list: readonly unknown[]): FieldError[] {
  for (const [i, item] of list.entries()) {
    if (item !== null && !isObject(item)) {
      return [invalid(index(path, i), item, 'must be an object for an array of list-type map')]
    }
  }
  const mapKeys = schema['x-kubernetes-list-map-keys'] ?? []
  const keys = list.map((item) => {
    const identity: Record<string, unknown> = {}
    if (isObject(item)) for (const name of mapKeys) if (Object.hasOwn(item, name)) identity[name] = item[name]
    return identity
  })
  return nonUnique(keys).map((i) => duplicate(index(path, i), keys[i]))
}

/** Looks items of a map list up by their keys. */
export interface MapList {
  /** The first item with the same keys as `item`; undefined where there is none, or `item` has no full set of keys. */
  get(item: unknown): unknown
}

const emptyMapList: MapList = { get: () => undefined }

/** `apiserver/pkg/cel/common: MakeMapList`: empty for anything but a list of type `map`. */
export function makeMapList(schema: JsonSchemaProps, items: unknown): MapList {
  const mapKeys = schema['x-kubernetes-list-map-keys'] ?? []
  if (schema.type !== 'array' || schema['x-kubernetes-list-type'] !== 'map' || mapKeys.length === 0) return emptyMapList
  if (!Array.isArray(items) || items.length === 0) return emptyMapList
  let byKey: Map<string, unknown> | undefined
  const keyOf = (item: unknown): string | undefined => {
    if (!isObject(item)) return undefined
    let identity = ''
    for (const name of mapKeys) {
      const value = item[name]
      if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined
      identity += `\0${JSON.stringify(value)}`
    }
    return identity
  }
  return {
    get(item) {
      const wanted = keyOf(item)
      if (wanted === undefined) return undefined
      if (byKey === undefined) {
        byKey = new Map()
        for (const candidate of items) {
          const identity = keyOf(candidate)
          if (identity !== undefined && !byKey.has(identity)) byKey.set(identity, candidate)
        }
      }
      return byKey.get(wanted)
    },
  }
}

/** Validates a whole custom resource. */
export function validateLists(schema: JsonSchemaProps | undefined, object: unknown): FieldError[] {
  return validateListSetsAndMaps(nilPath, schema, object)
}
