import { newBadRequest, type KubeObject } from '@freshread/core'
import {
  DecodeError,
  kindWithDefaults,
  limitedBody,
  newDecodeError,
  parseBody,
  strictDecodingMessage,
  strictWarnings,
  type BodyKind,
  type ParsedBody,
} from '../api/decode-body.ts'
import { groupVersion } from '../api/object-bytes.ts'
import { schemaOfKind } from '../resources/catalogue.ts'
import { decodeObject, type FieldValidation } from '../resources/decode/decode-object.ts'
import { applyDefaults } from '../resources/defaults/apply-defaults.ts'
import type { Resource } from '../resources/resource.ts'
import type { RequestScope } from './scope.ts'

/**
 * Decodes the object of a create or update into the version of the storage, with defaults
 * (`pkg/endpoints/handlers/create.go`). What strict validation dislikes becomes warnings or a 400, as the request
 * wants it.
 */
export function decodeRequestObject(scope: RequestScope, fieldValidation: FieldValidation): KubeObject {
  const { resource, request } = scope
  let gvk: BodyKind | undefined
  try {
    const body = parseBody(request, fieldValidation !== 'Ignore')
    gvk = kindWithDefaults(body.gvk, resource)
    checkKind(scope, gvk)
    return decodeTyped(scope, body.value, body, fieldValidation)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw newDecodeError(error, gvk ?? error.gvk, resource.kind, limitedBody(request))
  }
}

function decodeTyped(scope: RequestScope, value: unknown, body: ParsedBody, fieldValidation: FieldValidation): KubeObject {
  const { resource } = scope
  const { object, strict, error } = decodeAs(resource, value, fieldValidation)
  if (error !== undefined) throw new DecodeError(error)
  noteStrict(scope, [...body.strictErrors, ...strict], fieldValidation)
  return defaulted(resource, object)
}

/** What is left of an object after its kind has taken what it knows. */
export interface DecodedObject {
  readonly object: KubeObject
  /** Texts of what strict validation dislikes. */
  readonly strict: readonly string[]
  /** Go's text for a value of the wrong type. */
  readonly error: string | undefined
}

/** Decodes a JSON value as an object of a resource's kind, without defaults. The value is not changed. */
export function decodeAs(resource: Resource, value: unknown, fieldValidation: FieldValidation): DecodedObject {
  const { object, unknown, error } = decodeObject(value ?? {}, resource.schema, { mode: fieldValidation })
  const { kind: _kind, apiVersion: _apiVersion, metadata, ...rest } = object
  // In the order of Go's types, which is what lists cut their items from.
  const typed: KubeObject = {
    kind: resource.kind,
    apiVersion: groupVersion(resource),
    metadata: metadata ?? {},
    ...rest,
  }
  if (error !== undefined || resource.strategy.coerce === undefined) return { object: typed, strict: unknown, error }
  const own = structuredClone(typed)
  const strict = resource.strategy.coerce(own).map((path) => `unknown field ${JSON.stringify(path)}`)
  return { object: own, strict: fieldValidation === 'Ignore' ? [] : [...unknown, ...strict], error }
}

/** Makes warnings of what strict validation dislikes, or throws it. */
function noteStrict(scope: RequestScope, strict: readonly string[], fieldValidation: FieldValidation): void {
  if (strict.length === 0) return
  if (fieldValidation === 'Strict') throw new DecodeError(strictDecodingMessage(strict))
  for (const text of strictWarnings(strict)) scope.warnings.add(text)
}

/** Fills in what is missing, and brings the object to the version of the storage. Changes the object. */
export function defaulted(resource: Resource, object: KubeObject): KubeObject {
  if (resource.schema !== undefined) applyDefaults(object, resource.schema, { typed: resource.builtIn })
  const stored = resource.toStorage(object)
  resource.strategy.setDefaults?.(stored)
  return stored
}

/** Refuses a body of a kind that cannot be made the resource's. */
function checkKind(scope: RequestScope, gvk: BodyKind): void {
  const { resource } = scope
  const sameVersion = gvk.group === resource.group && gvk.version === resource.version
  if (sameVersion && gvk.kind === resource.kind) return
  const apiVersion = groupVersion(gvk)
  const otherVersion = newBadRequest(
    `the API version in the data (${apiVersion}) does not match the expected API version (${groupVersion(resource)})`,
  )
  if (!resource.builtIn) {
    if (gvk.kind === resource.kind) throw otherVersion
    throw new DecodeError('unexpected object type')
  }
  if (schemaOfKind(gvk.group, gvk.version, gvk.kind) === undefined) {
    const kind = JSON.stringify(gvk.kind)
    throw new DecodeError(
      `no kind ${kind} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    )
  }
  const other = scope.host.registry.findKind(gvk.group, gvk.version, gvk.kind)
  if (other?.storageKey === resource.storageKey) throw otherVersion
  const goPackage = resource.group === '' ? 'core' : resource.group.split('.')[0]!
  throw new DecodeError(
    `converting (${gvk.version}.${gvk.kind}) to (${goPackage}.${resource.kind}): unknown conversion`,
  )
}
