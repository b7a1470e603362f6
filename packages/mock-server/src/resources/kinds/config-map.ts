import { forbidden, invalid, tooLong, utf8Length, type FieldError, type KubeObject } from '@freshread/core'
import { isTrueAt, mapAt, semanticEqual } from '../fields.ts'
import type { Strategy } from '../strategy.ts'
import { checked, isConfigMapKey } from '../validation/names.ts'

/** Largest sum of the values of a ConfigMap or Secret, in bytes. */
export const MAX_DATA_SIZE: number = 1024 * 1024
const IMMUTABLE_WHEN_SET = 'field is immutable when `immutable` is set'

/** ConfigMaps (`pkg/registry/core/configmap/strategy.go`). */
export const configMap: Strategy = {
  setDefaults: (object) => emptyForNull(object, 'binaryData'),
  validate: validateData,
  validateUpdate: (object, current) => [
    ...immutableData(object, current, ['data', 'binaryData']),
    ...validateData(object),
  ],
}

function validateData(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const [data, binary] = [mapAt(object, 'data'), mapAt(object, 'binaryData')]
  let size = 0
  for (const [key, value] of Object.entries(data)) {
    errors.push(...checked(`data[${key}]`, key, isConfigMapKey))
    if (Object.hasOwn(binary, key)) errors.push(invalid(`data[${key}]`, key, 'duplicate of key present in binaryData'))
    size += utf8Length(value)
  }
  for (const [key, value] of Object.entries(binary)) {
    errors.push(...checked(`binaryData[${key}]`, key, isConfigMapKey))
    size += decodedLength(value)
  }
  if (size > MAX_DATA_SIZE) errors.push(tooLong('[]', MAX_DATA_SIZE))
  return errors
}

/** Bytes that are `null` are none. */
export function emptyForNull(object: KubeObject, name: string): void {
  const map = object[name] as Record<string, string | null> | null | undefined
  if (map == null) return
  for (const [key, value] of Object.entries(map)) {
    if (value === null)
      Object.defineProperty(map, key, { value: '', enumerable: true, configurable: true, writable: true })
  }
}

/** How many bytes a base64 text holds. */
export function decodedLength(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return (base64.length / 4) * 3 - padding
}

/** Once `immutable` is set, it and the data stay. */
export function immutableData(object: KubeObject, current: KubeObject, names: readonly string[]): FieldError[] {
  if (!isTrueAt(current, 'immutable')) return []
  const errors = isTrueAt(object, 'immutable') ? [] : [forbidden('immutable', IMMUTABLE_WHEN_SET)]
  for (const name of names) {
    if (!semanticEqual(mapAt(object, name), mapAt(current, name))) errors.push(forbidden(name, IMMUTABLE_WHEN_SET))
  }
  return errors
}
