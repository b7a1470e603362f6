import { newBadRequest } from '@freshread/core'
import { goKind, goValue } from '../go/text.ts'
import type { SchemaNode } from '../resources/schema.ts'
import { isJsonObject, jsonKind } from './patch-type.ts'
import { plainError } from './plain-error.ts'
import {
  badArgType,
  badPatchType,
  badPrimitiveList,
  badRetainKeys,
  badSetElementOrder,
  deleteFromPrimitiveListPrefix,
  directiveMarker,
  noMergeKey,
  retainKeysDirective,
  setElementOrderPrefix,
} from './strategic/directives.ts'
import {
  deduplicate,
  elementKind,
  findByKey,
  normalizeElementOrder,
  partition,
  splitDeletions,
} from './strategic/lists.ts'
import { lookupSlice, lookupStruct } from './strategic/patch-meta.ts'

type MutableMap = Record<string, unknown>

/**
 * Applies a strategic merge patch: a merge patch that merges some lists item by item, as the schema says
 * (`apimachinery: pkg/util/strategicpatch: StrategicMergeMapPatch`). Neither argument is changed. Throws 400
 * for a patch that is no object or has malformed directives, 500 for items without their merge key.
 */
export function applyStrategicMergePatch(object: unknown, patch: unknown, schema: SchemaNode): unknown {
  if (patch !== null && !isJsonObject(patch)) {
    throw newBadRequest(`json: cannot unmarshal ${jsonKind(patch)} into Go value of type map[string]interface {}`)
  }
  // What follows works in place.
  return mergeMap(copyJson(object) as MutableMap, copyJson(patch ?? {}) as MutableMap, schema)
}

function copyJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyJson)
  const copy: MutableMap = {}
  for (const name in value) copy[name] = copyJson((value as MutableMap)[name])
  return copy
}

function mergeMap(original: MutableMap, patch: MutableMap, schema: SchemaNode): MutableMap {
  if (Object.hasOwn(patch, directiveMarker)) {
    const directive = patch[directiveMarker]
    if (directive === 'delete') return {}
    if (directive !== 'replace') throw badPatchType(directive, patch)
    delete patch[directiveMarker]
    return patch
  }
  applyRetainKeys(original, patch)
  applySetElementOrder(original, patch, schema)
  // Upstream goes by no order at all. Deleting first leaves what the same patch adds.
  const deletesFirst = Object.keys(patch).sort((a, b) => Number(isDeleteKey(b)) - Number(isDeleteKey(a)))
  for (const key of deletesFirst) mergeField(original, key, patch[key], schema)
  return original
}

function isDeleteKey(key: string): boolean {
  return key.startsWith(deleteFromPrimitiveListPrefix)
}

function mergeField(original: MutableMap, key: string, value: unknown, schema: SchemaNode): void {
  const isDeleteList = isDeleteKey(key)
  const field = isDeleteList ? fieldOf(key, deleteFromPrimitiveListPrefix) : key
  if (value === null) {
    delete original[field]
    return
  }
  const current = Object.hasOwn(original, field) ? original[field] : undefined
  const type = goKind(value)
  if (current === undefined || goKind(current) !== type) {
    if (!isDeleteList) set(original, field, takenFromPatch(value))
    return
  }
  if (type === 'map') {
    const { schema: inner, strategy } = lookupStruct(schema, field)
    original[field] = strategy === 'replace' ? value : mergeMap(current as MutableMap, value as MutableMap, inner)
  } else if (type === 'slice') {
    const { schema: inner, strategy, mergeKey } = lookupSlice(schema, field)
    original[field] =
      strategy === 'merge' || isDeleteList
        ? mergeSlice(current as unknown[], value as unknown[], inner, mergeKey, isDeleteList)
        : value
  } else {
    set(original, field, value)
  }
}

/** `undefined` leaves the field out. */
function set(map: MutableMap, field: string, value: unknown): void {
  if (value === undefined) delete map[field]
  else map[field] = value
}

/** The field that a directive such as `$setElementOrder/containers` is about. */
function fieldOf(key: string, prefix: string): string {
  const slash = key.indexOf('/')
  if (slash < 0 || key.slice(0, slash) !== prefix) {
    throw prefix === deleteFromPrimitiveListPrefix ? badPrimitiveList() : badSetElementOrder()
  }
  return key.slice(slash + 1)
}

/** A value that is not merged into anything: without nulls, and without what is only there to be deleted. */
function takenFromPatch(value: unknown): unknown {
  return removeDirectives(discardNulls(value))
}

function discardNulls(value: unknown): unknown {
  if (Array.isArray(value)) value.forEach(discardNulls)
  else if (isJsonObject(value)) {
    const map = value as MutableMap
    for (const name of Object.keys(map)) {
      if (map[name] === null) delete map[name]
      else discardNulls(map[name])
    }
  }
  return value
}

/** `undefined` for a map that is a directive itself. */
function removeDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(removeDirectives).filter((item) => item !== undefined)
  if (!isJsonObject(value)) return value
  if (Object.hasOwn(value, directiveMarker)) return undefined
  const map = value as MutableMap
  for (const name of Object.keys(map)) set(map, name, removeDirectives(map[name]))
  return map
}

/** Takes away the fields that `$retainKeys` does not name; all that the patch sets must be named. */
function applyRetainKeys(original: MutableMap, patch: MutableMap): void {
  if (!Object.hasOwn(patch, retainKeysDirective)) return
  const keys = patch[retainKeysDirective]
  delete patch[retainKeysDirective]
  if (!Array.isArray(keys)) throw badRetainKeys()
  const retained = new Set<unknown>(keys)
  for (const key of Object.keys(patch)) {
    if (patch[key] === null) continue
    if (isDeleteKey(key) || key.startsWith(setElementOrderPrefix)) continue
    if (!retained.has(key)) throw badRetainKeys()
  }
  for (const key of Object.keys(original)) if (!retained.has(key)) delete original[key]
}

/** Merges the lists that have a `$setElementOrder`, and puts them in that order. */
function applySetElementOrder(original: MutableMap, patch: MutableMap, schema: SchemaNode): void {
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(setElementOrderPrefix)) continue
    const order = patch[key]
    delete patch[key]
    if (!Array.isArray(order)) throw badArgType([], order)
    const field = fieldOf(key, setElementOrderPrefix)
    const live = listAt(original, field)
    const patched = listAt(patch, field)
    const { schema: inner, strategy, mergeKey } = lookupSlice(schema, field)
    checkOrder(patched ?? [], order, mergeKey)
    let merged: unknown[]
    if (live !== undefined && patched !== undefined) {
      merged = strategy === 'merge' ? mergeSlice([...live], patched, inner, mergeKey, false) : patched
    } else if (live !== undefined) merged = live
    else if (patched !== undefined) merged = removeDirectives(patched) as unknown[]
    else continue
    const [patchItems, serverOnly] = partition(merged, order, mergeKey)
    const kind = elementKind(live ?? [], patched ?? [])
    original[field] = normalizeElementOrder(patchItems, serverOnly, order, live ?? [], mergeKey, kind)
    delete patch[field]
  }
}

function listAt(map: MutableMap, field: string): unknown[] | undefined {
  if (!Object.hasOwn(map, field)) return undefined
  const list = map[field]
  if (!Array.isArray(list)) throw badArgType([], list)
  return list as unknown[]
}

/** The items of a patch's list must be named by its order, in the same order; those to be deleted need not be. */
function checkOrder(list: readonly unknown[], order: readonly unknown[], mergeKey: string): void {
  if (list.length === 0 || order.length === 0) return
  const kept = mergeKey === '' ? list : splitDeletions(list)[0]
  let i = 0
  let j = 0
  while (i < kept.length && j < order.length) {
    const item = kept[i]
    if (isJsonObject(item) && Object.hasOwn(item, directiveMarker)) {
      i++
      continue
    }
    if (sameByKey(item, order[j], mergeKey)) i++
    j++
  }
  if (i < kept.length) {
    throw plainError(
      `The order in patch list:\n${goValue(list)}\n doesn't match ${setElementOrderPrefix} list:\n${goValue(order)}\n`,
    )
  }
}

function sameByKey(left: unknown, right: unknown, mergeKey: string): boolean {
  if (mergeKey === '') return left === right
  for (const item of [left, right]) {
    if (!isJsonObject(item)) throw badArgType({}, item)
    if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey)
  }
  return (left as MutableMap)[mergeKey] === (right as MutableMap)[mergeKey]
}

function mergeSlice(
  original: unknown[],
  patch: unknown[],
  schema: SchemaNode,
  mergeKey: string,
  isDeleteList: boolean,
): unknown[] {
  if (original.length === 0 && patch.length === 0) return original
  const kind = elementKind(original, patch)
  let live = original
  let items = patch
  let merged: unknown[]
  if (kind === 'scalar') {
    if (isDeleteList) return original.filter((item) => !patch.includes(item))
    merged = deduplicate([...original, ...patch])
  } else {
    if (mergeKey === '') throw plainError('cannot merge lists without merge key for struct')
    ;[live, items] = applyItemDirectives(original, patch, mergeKey)
    merged = mergeItems(live, items, schema, mergeKey)
  }
  const [patchItems, serverOnly] = partition(merged, items, mergeKey)
  return normalizeElementOrder(patchItems, serverOnly, items, live, mergeKey, kind)
}

/** Does what items with `$patch` say; answers what is left of both lists. */
function applyItemDirectives(
  original: unknown[],
  patch: readonly unknown[],
  mergeKey: string,
): [original: unknown[], patch: unknown[]] {
  const items: unknown[] = []
  let live = original
  let replace = false
  for (const item of patch as readonly MutableMap[]) {
    if (!Object.hasOwn(item, directiveMarker)) {
      items.push(item)
      continue
    }
    switch (item[directiveMarker]) {
      case 'delete':
        if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey)
        live = live.filter((one) => (one as MutableMap)[mergeKey] !== item[mergeKey])
        break
      case 'replace':
        replace = true
        break
      case 'merge':
        throw plainError('merging lists cannot yet be specified in the patch')
      default:
        throw badPatchType(item[directiveMarker], item)
    }
  }
  return replace ? [items, []] : [live, items]
}

function mergeItems(
  original: readonly unknown[],
  patch: readonly unknown[],
  schema: SchemaNode,
  mergeKey: string,
): unknown[] {
  const merged = [...original]
  for (const item of patch as readonly MutableMap[]) {
    if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey)
    const at = findByKey(merged, mergeKey, item[mergeKey])
    if (at < 0) merged.push(item)
    else merged[at] = mergeMap(merged[at] as MutableMap, item, schema)
  }
  return merged
}
