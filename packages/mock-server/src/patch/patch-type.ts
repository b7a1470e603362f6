import { newBadRequest, type KubeObject } from '@freshread/core'
import { parseYAML, readUTF8 } from '../api/yaml-input.ts'
import type { FieldValidation } from '../resources/decode/decode-object.ts'
import { duplicateFields, parseGoJson } from '../go/json.ts'

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
  /** Keys that its YAML has twice; `undefined` when it was read as JSON. */
  readonly duplicates?: readonly string[]
}

// A byte order mark is no JSON.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Reads the body of a patch. Throws a 400 for one that is not JSON, or not YAML for an apply. */
export function readPatchBody(type: PatchType, body: Uint8Array): PatchBody {
  const text = type === 'application/apply-patch+yaml' ? readAppliedText(body) : decoder.decode(body)
  const json = type !== 'application/apply-patch+yaml' || text.trimStart().startsWith('{')
  if (json) {
    try {
      return { type, text, value: parseGoJson(text) }
    } catch {
      // An apply may be YAML in its flow style.
      if (type !== 'application/apply-patch+yaml') throw newBadRequest('invalid JSON patch')
    }
  }
  try {
    return { type, text, ...parseYAML(text) }
  } catch (error) {
    const { message } = error as Error
    throw newBadRequest(
      message.includes('exceeded max depth')
        ? `error decoding patch: error converting YAML to JSON: ${message}`
        : `error encoding patch: ${message}`,
    )
  }
}

function readAppliedText(body: Uint8Array): string {
  try {
    return readUTF8(body)
  } catch (error) {
    throw newBadRequest(`error encoding patch: ${(error as Error).message}`)
  }
}

/**
 * What strict reading finds in a patch's own text: `duplicate field "data.a"`, for an apply `line 3: key "a"
 * already set in map`. Nothing with `Ignore`.
 */
export function duplicatesIn(body: PatchBody, validation: FieldValidation): readonly string[] {
  if (validation === 'Ignore') return []
  if (body.type === 'application/json-patch+json') {
    return duplicateFields(body.text).map((text) => `json patch ${text}`)
  }
  if (body.type !== 'application/apply-patch+yaml') return duplicateFields(body.text)
  if (body.duplicates !== undefined) return body.duplicates
  // JSON is YAML, and is told about as such; most has none, which is quickly seen.
  return duplicateFields(body.text).length === 0 ? [] : parseYAML(body.text).duplicates
}

/** The 400 for an apply whose keys are not unique, when that is to be refused. */
export function strictApplyError(duplicates: readonly string[]): Error {
  const lines = duplicates.map((line) => `\n  ${line}`).join('')
  return newBadRequest(`error strict decoding patch: error converting YAML to JSON: yaml: unmarshal errors:${lines}`)
}

/** The configuration that an apply brings. Throws a 400 when it is no object. */
export function appliedObject(body: PatchBody): KubeObject {
  const { value } = body
  if (value === null || value === undefined) return {} as KubeObject
  if (isJsonObject(value)) return value as KubeObject
  throw newBadRequest(
    `error decoding patch: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`,
  )
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
