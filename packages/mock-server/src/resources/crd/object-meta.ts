import { isLabelKey, isLabelValue, type FieldError } from '@freshread/core'
import { child, index, invalid, key, required, type FieldPath } from './field-errors.ts'
import { compareUtf8 } from '../../go/text.ts'
import { isDNS1035Label, isDNSLabel, isPathSegmentName, isPathSegmentPrefix } from '../validation/names.ts'
import {
  additionalSchema,
  asResourceRoot,
  isObject,
  propertySchema,
  type JsonObject,
  type JsonSchemaProps,
} from './types.ts'

/** Result of decoding `metadata` into ObjectMeta: the clean object, or why it cannot be one. */
export interface DecodedMeta {
  readonly meta: JsonObject
  /** Fields that ObjectMeta does not have, relative to it. */
  readonly unknownFields: readonly string[]
  /** `encoding/json`'s message for the first field of a wrong type. */
  readonly error: string | undefined
}

type Decoder = (value: unknown, path: string, state: State) => unknown

interface State {
  readonly unknown: string[]
  error: string | undefined
}

function fail(state: State, value: unknown, path: string, goType: string): undefined {
  const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value
  const where = path === '' ? 'Go value' : `Go struct field ${path}`
  state.error ??= `json: cannot unmarshal ${kind} into ${where} of type ${goType}`
  return undefined
}

const text: Decoder = (value, path, state) => (typeof value === 'string' ? value : fail(state, value, path, 'string'))
const flag: Decoder = (value, path, state) => (typeof value === 'boolean' ? value : fail(state, value, path, 'bool'))
const integer: Decoder = (value, path, state) => {
  if (typeof value === 'number' && Number.isInteger(value)) return value
  if (typeof value !== 'number') return fail(state, value, path, 'int64')
  state.error ??= `json: cannot unmarshal number ${value} into Go struct field ${path} of type int64`
  return undefined
}
const time: Decoder = (value, path, state) => {
  if (typeof value !== 'string') return fail(state, value, path, 'string')
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[-+]\d\d:\d\d)$/.test(value) && !Number.isNaN(Date.parse(value))) {
    return new Date(Math.floor(Date.parse(value) / 1000) * 1000).toISOString().replace('.000Z', 'Z')
  }
  state.error ??= `parsing time ${JSON.stringify(value)} as "2006-01-02T15:04:05Z07:00": cannot parse ${JSON.stringify(value)} as "2006"`
  return undefined
}
const stringMap: Decoder = (value, path, state) => {
  if (!isObject(value)) return fail(state, value, path, 'map[string]string')
  const result: JsonObject = {}
  for (const name of Object.keys(value).sort(compareUtf8)) {
    const decoded = value[name] === null ? '' : text(value[name], path, state)
    if (decoded !== undefined) result[name] = decoded
  }
  return result
}
const listOf =
  (goType: string, item: Decoder): Decoder =>
  (value, path, state) =>
    Array.isArray(value) ? value.map((x) => item(x, path, state)) : fail(state, value, path, goType)
const anyObject: Decoder = (value) => value

function struct(goName: string, fields: Readonly<Record<string, Decoder>>): Decoder {
  return (value, path, state) => {
    if (!isObject(value)) return fail(state, value, path, `v1.${goName}`)
    return decodeFields(goName, fields, value, '', state)
  }
}

function decodeFields(
  goName: string,
  fields: Readonly<Record<string, Decoder>>,
  value: JsonObject,
  prefix: string,
  state: State,
): JsonObject {
  const result: JsonObject = {}
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(fields, name)) {
      state.unknown.push(prefix + name)
      continue
    }
    if (value[name] === null) continue
    const decoded = fields[name]!(value[name], `${goName}.${name}`, state)
    if (decoded !== undefined) result[name] = decoded
  }
  return result
}

const fields: Readonly<Record<string, Decoder>> = {
  name: text,
  generateName: text,
  namespace: text,
  selfLink: text,
  uid: text,
  resourceVersion: text,
  generation: integer,
  creationTimestamp: time,
  deletionTimestamp: time,
  deletionGracePeriodSeconds: integer,
  labels: stringMap,
  annotations: stringMap,
  ownerReferences: listOf(
    '[]v1.OwnerReference',
    struct('OwnerReference', {
      apiVersion: text,
      kind: text,
      name: text,
      uid: text,
      controller: flag,
      blockOwnerDeletion: flag,
    }),
  ),
  finalizers: listOf('[]string', text),
  managedFields: listOf(
    '[]v1.ManagedFieldsEntry',
    struct('ManagedFieldsEntry', {
      manager: text,
      operation: text,
      apiVersion: text,
      time,
      fieldsType: text,
      fieldsV1: anyObject,
      subresource: text,
    }),
  ),
}

/** Zero values that ObjectMeta leaves out when it is written. */
function isEmpty(value: unknown): boolean {
  if (value === '' || value === 0) return true
  if (Array.isArray(value)) return value.length === 0
  return isObject(value) && Object.keys(value).length === 0
}

/** Reads `metadata` as `meta/v1: ObjectMeta`. With `dropMalformed`, fields of a wrong type are left out instead of an error. */
function decodeObjectMeta(metadata: unknown, dropMalformed = false): DecodedMeta {
  const state: State = { unknown: [], error: undefined }
  if (metadata === null || metadata === undefined) return { meta: {}, unknownFields: [], error: undefined }
  if (!isObject(metadata)) {
    fail(state, metadata, '', 'v1.ObjectMeta')
    return { meta: {}, unknownFields: [], error: state.error }
  }
  const decoded = decodeFields('ObjectMeta', fields, metadata, '', state)
  const meta: JsonObject = {}
  for (const [name, value] of Object.entries(decoded)) {
    if (name === 'deletionGracePeriodSeconds' || !isEmpty(value)) meta[name] = value
  }
  return { meta, unknownFields: state.unknown, error: dropMalformed ? undefined : state.error }
}

export interface CoerceOptions {
  /** The object is a resource itself, not only embedded ones below it. */
  readonly isResourceRoot: boolean
  /** Leaves malformed fields out instead of refusing them. */
  readonly dropInvalidFields?: boolean
}

/**
 * Checks types of embedded `apiVersion`, `kind` and `metadata`, and cleans the latter, in place
 * (`pkg/apiserver/schema/objectmeta: CoerceWithOptions`). Returns the first error and the unknown fields.
 */
export function coerceMeta(
  path: FieldPath,
  object: unknown,
  schema: JsonSchemaProps | undefined,
  options: CoerceOptions,
): { readonly error: FieldError | undefined; readonly unknownFields: string[] } {
  const unknownFields: string[] = []
  const drop = options.dropInvalidFields === true
  const visit = (at: FieldPath, x: unknown, node: JsonSchemaProps | undefined): FieldError | undefined => {
    if (node === undefined) return undefined
    if (Array.isArray(x)) {
      for (const [i, item] of x.entries()) {
        const error = visit(index(at, i), item, node.items)
        if (error !== undefined) return error
      }
      return undefined
    }
    if (!isObject(x)) return undefined
    for (const name of Object.keys(x)) {
      if (node['x-kubernetes-embedded-resource'] === true) {
        if (name === 'apiVersion' || name === 'kind') {
          if (typeof x[name] !== 'string') {
            if (!drop) return invalid(child(at, name), x[name], 'must be a string')
            delete x[name]
            continue
          }
        } else if (name === 'metadata') {
          const decoded = decodeObjectMeta(x[name], drop)
          unknownFields.push(...decoded.unknownFields.map((field) => `${child(at, 'metadata')}.${field}`))
          if (decoded.error !== undefined) return invalid(child(at, 'metadata'), x[name], decoded.error)
          x[name] = decoded.meta
        }
      }
      const property = propertySchema(node, name)
      const error =
        property !== undefined
          ? visit(child(at, name), x[name], property)
          : node.additionalProperties !== undefined
            ? visit(key(at, name), x[name], additionalSchema(node))
            : undefined
      if (error !== undefined) return error
    }
    return undefined
  }
  const error = visit(path, object, options.isResourceRoot ? asResourceRoot(schema) : schema)
  return { error, unknownFields: unknownFields.sort(compareUtf8) }
}

/** Validates embedded `apiVersion`, `kind` and `metadata` (`pkg/apiserver/schema/objectmeta: Validate`). */
export function validateMeta(
  path: FieldPath,
  object: unknown,
  schema: JsonSchemaProps | undefined,
  isResourceRoot: boolean,
): FieldError[] {
  const errors: FieldError[] = []
  const visit = (at: FieldPath, x: unknown, node: JsonSchemaProps | undefined): void => {
    if (node === undefined) return
    if (Array.isArray(x)) return x.forEach((item, i) => visit(index(at, i), item, node.items))
    if (!isObject(x)) return
    if (node['x-kubernetes-embedded-resource'] === true) errors.push(...validateEmbedded(at, x))
    for (const [name, value] of Object.entries(x)) {
      const property = propertySchema(node, name)
      if (property !== undefined) visit(child(at, name), value, property)
      else if (node.additionalProperties !== undefined) visit(key(at, name), value, additionalSchema(node))
    }
  }
  visit(path, object, isResourceRoot ? asResourceRoot(schema) : schema)
  return errors
}

function validateEmbedded(path: FieldPath, object: JsonObject): FieldError[] {
  const errors: FieldError[] = []
  if (!Object.hasOwn(object, 'apiVersion')) errors.push(required(child(path, 'apiVersion')))
  if (!Object.hasOwn(object, 'kind')) errors.push(required(child(path, 'kind')))
  for (const [name, value] of Object.entries(object)) {
    const at = child(path, name)
    if (name === 'apiVersion') {
      if (typeof value !== 'string') errors.push(invalid(at, value, 'must be a string'))
      else if (value === '') errors.push(invalid(at, value, 'must not be empty'))
      else if (value.split('/').length > 2) errors.push(invalid(at, value, `unexpected GroupVersion string: ${value}`))
    } else if (name === 'kind') {
      if (typeof value !== 'string') errors.push(invalid(at, value, 'must be a string'))
      else if (value === '') errors.push(invalid(at, value, 'must not be empty'))
      else {
        const problems = isDNS1035Label(value.toLowerCase())
        if (problems.length > 0) {
          errors.push(invalid(at, value, `may have mixed case, but should otherwise match: ${problems.join(',')}`))
        }
      }
    } else if (name === 'metadata') {
      const { meta, error } = decodeObjectMeta(value)
      if (error !== undefined) errors.push(invalid(at, value, error))
      else errors.push(...validateObjectMeta(at, meta))
    }
  }
  return errors
}

/** The parts of `apimachinery: pkg/api/validation: ValidateObjectMeta` that apply to an embedded object. */
function validateObjectMeta(path: FieldPath, meta: JsonObject): FieldError[] {
  const errors: FieldError[] = []
  const add = (field: string, value: unknown, problems: readonly string[]): void => {
    for (const problem of problems) errors.push(invalid(child(path, field), value, problem))
  }
  if (typeof meta['generateName'] === 'string')
    add('generateName', meta['generateName'], isPathSegmentPrefix(meta['generateName']))
  if (typeof meta['name'] === 'string') add('name', meta['name'], isPathSegmentName(meta['name']))
  const namespace = meta['namespace']
  if (typeof namespace === 'string' && namespace !== '') add('namespace', namespace, isDNSLabel(namespace))
  for (const [name, value] of Object.entries((meta['labels'] ?? {}) as Record<string, string>)) {
    for (const problem of isLabelKey(name)) errors.push(invalid(child(path, 'labels'), name, problem))
    for (const problem of isLabelValue(value)) errors.push(invalid(child(path, 'labels'), value, problem))
  }
  for (const name of Object.keys((meta['annotations'] ?? {}) as Record<string, string>)) {
    for (const problem of isLabelKey(name.toLowerCase()))
      errors.push(invalid(child(path, 'annotations'), name, problem))
  }
  return errors
}

/** Decodes the metadata of a whole custom resource, at the root. */
export function rootMeta(object: JsonObject): DecodedMeta {
  return decodeObjectMeta(object['metadata'])
}
