import { newBadRequest } from '@freshread/core'
import type { FieldValidation } from '../resources/decode/decode-object.ts'
import { isJsonObject, jsonKind } from './patch-type.ts'

type JsonObject = Readonly<Record<string, unknown>>

/**
 * Applies an RFC 7386 patch. The object is not changed; maps that the patch goes through come out with their
 * keys in order, the rest is shared. Throws a 400 for a patch that is no object.
 */
export function applyMergePatch(object: unknown, patch: unknown, validation: FieldValidation): unknown {
  if (validation !== 'Ignore' && patch !== null && !isJsonObject(patch)) {
    throw newBadRequest(
      `error decoding patch: json: cannot unmarshal ${jsonKind(patch)} into Go value of type map[string]interface {}`,
    )
  }
  if (isJsonObject(patch)) return isJsonObject(object) ? mergeObjects(object, patch) : withoutNulls(patch)
  // A list takes the place of the object; whether it can be one is for the decoder to say.
  if (Array.isArray(patch)) return withoutNulls(patch)
  throw newBadRequest('Invalid JSON Patch')
}

function mergeObjects(object: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(object))
  for (const name in patch) {
    const value = patch[name]
    if (value === null) {
      merged.delete(name)
      continue
    }
    const current = merged.get(name)
    if (!isJsonObject(current)) merged.set(name, withoutNulls(value))
    else merged.set(name, isJsonObject(value) ? mergeObjects(current, value) : value)
  }
  return sorted(merged)
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isJsonObject(value)) return value
  const out = new Map<string, unknown>()
  for (const name in value) if (value[name] !== null) out.set(name, withoutNulls(value[name]))
  return sorted(out)
}

function sorted(entries: ReadonlyMap<string, unknown>): JsonObject {
  // fromEntries defines even `__proto__` as a field of its own.
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
}
