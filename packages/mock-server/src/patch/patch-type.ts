import { newBadRequest } from '@freshread/core'
import type { FieldValidation } from '../resources/decode/decode-object.ts'
import { duplicateFields } from '../verbs/go-json.ts'
import { parseYaml } from './yaml-body.ts'

/** Media types of patches (`apimachinery: pkg/types/patch.go`). */
export type PatchType =
  | 'application/json-patch+json'
  | 'application/merge-patch+json'
  | 'application/strategic-merge-patch+json'
  | 'application/apply-patch+yaml'

/** What a resource takes; custom resources have no strategic merge patch. In the order errors list them. */
export function patchTypesOf(resource: { readonly builtIn: boolean }): readonly PatchType[] {
  return resource.builtIn ? allTypes : customResourceTypes
}

const allTypes: readonly PatchType[] = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
]
const customResourceTypes = allTypes.filter((type) => type !== 'application/strategic-merge-patch+json')

/** A patch as it was sent. */
export interface PatchBody {
  readonly type: PatchType
  readonly text: string
  readonly value: unknown
}

const decoder = new TextDecoder()

/** Reads the body of a patch. Throws a 400 for one that is not JSON, or not YAML for an apply. */
export function readPatchBody(type: PatchType, body: Uint8Array): PatchBody {
  const text = decoder.decode(body)
  if (type === 'application/apply-patch+yaml') {
    try {
      return { type, text, value: parseYaml(text).value }
    } catch (error) {
      throw newBadRequest(`error encoding patch: error converting YAML to JSON: ${(error as Error).message}`)
    }
  }
  try {
    return { type, text, value: JSON.parse(text) }
  } catch {
    throw newBadRequest('invalid JSON patch')
  }
}

/** What strict reading finds in a patch's own text: `duplicate field "data.a"`. Nothing with `Ignore`. */
export function duplicatesIn(body: PatchBody, validation: FieldValidation): readonly string[] {
  return validation === 'Ignore' ? [] : duplicateFields(body.text)
}

/** The name Go's decoder has for a JSON value. */
export function jsonKind(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'number':
      return 'number'
    case 'boolean':
      return 'bool'
  }
  return value === null ? 'null' : Array.isArray(value) ? 'array' : 'object'
}

export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
