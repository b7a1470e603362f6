import { decodeGoType } from '../resources/decode/decode-object.ts'
import { goKind } from '../go/text.ts'
import { goTypeOfSchema, type GoType } from '../resources/decode/go-type.ts'
import type { SchemaNode } from '../resources/schema.ts'
import { isJsonObject } from './patch-type.ts'

/**
 * Why a patched object is none of its kind, in the words for strategic merge patches, which are not decoded
 * from text (`apimachinery: pkg/runtime/converter.go: FromUnstructured`). `undefined` when nothing is wrong.
 */
export function fromUnstructuredError(object: unknown, schema: SchemaNode | undefined): string | undefined {
  const type = goTypeOfSchema(schema)
  return type === undefined ? undefined : check(object, type)
}

function check(value: unknown, type: GoType): string | undefined {
  if (value === null || value === undefined) return undefined
  const from = goKind(value)
  switch (type.kind) {
    case 'any':
      return undefined
    case 'pointer':
      return check(value, type.element!)
    case 'custom':
      return decodeGoType(value, type.id, { mode: 'Ignore' }).error
    case 'struct':
      return isJsonObject(value) ? checkStruct(value, type) : `cannot restore struct from: ${from}`
    case 'map':
      return isJsonObject(value) ? firstOf(Object.values(value), type) : `cannot restore map from ${from}`
    case 'list':
      return Array.isArray(value) ? firstOf(value as unknown[], type) : `cannot restore slice from ${from}`
    case 'bytes':
      return typeof value === 'string' ? checkBytes(value) : `cannot restore slice from ${from}`
    default:
      return checkScalar(value, from, type)
  }
}

/** Bytes go through JSON, as part of a kind that has some. */
function checkBytes(value: string): string | undefined {
  const { error } = decodeGoType({ data: { value } }, 'api.core.v1.Secret', { mode: 'Ignore' })
  return error === undefined ? undefined : `error decoding from json: ${error}`
}

function checkStruct(value: Readonly<Record<string, unknown>>, type: GoType): string | undefined {
  for (const [name, field] of type.fields) {
    const error = check(value[name], field.type)
    if (error !== undefined) return error
  }
  return undefined
}

function firstOf(values: readonly unknown[], type: GoType): string | undefined {
  for (const value of values) {
    const error = check(value, type.element!)
    if (error !== undefined) return error
  }
  return undefined
}

/** Go converts numbers of all kinds into each other, and would make a character of one; nothing else. */
function checkScalar(value: unknown, from: string, type: GoType): string | undefined {
  switch (type.kind) {
    case 'string':
      if (typeof value === 'string') return undefined
      return from === 'int64' ? `cannot convert int64 to ${type.name}` : 'unrecognized type: string'
    case 'bool':
      return typeof value === 'boolean' ? undefined : 'unrecognized type: bool'
    case 'float':
      return typeof value === 'number' ? undefined : 'unrecognized type: float64'
    default: {
      if (typeof value === 'number')
        return Number.isInteger(value) ? undefined : `cannot convert float64 to ${type.name}`
      return `unrecognized type: int${type.bits}`
    }
  }
}
