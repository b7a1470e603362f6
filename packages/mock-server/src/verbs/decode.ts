import { newBadRequest, StatusError, type KubeObject } from '@freshread/core'
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
import type { Strategy } from '../resources/strategy.ts'
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
    const body = parseBody(request, fieldValidation !== 'Ignore', resource.builtIn)
    gvk = resource.builtIn ? kindWithDefaults(body.gvk, resource) : body.gvk
    // Without validation a custom resource is read as JSON, and errors tell of the kind it should have been.
    if (!resource.builtIn && gvk.kind === '' && fieldValidation === 'Ignore') {
      gvk = { group: resource.group, version: resource.version, kind: resource.kind }
      throw missingKind(JSON.stringify(body.value))
    }
    checkKind(scope, gvk, body.value)
    return decodeTyped(scope, body.value, body, fieldValidation)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw newDecodeError(error, gvk ?? error.gvk, resource.kind, limitedBody(request))
  }
}

function decodeTyped(
  scope: RequestScope,
  value: unknown,
  body: ParsedBody,
  fieldValidation: FieldValidation,
): KubeObject {
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
  const { coerce } = resource.strategy
  if (coerce !== undefined) return coerced(resource, value, fieldValidation, coerce)
  const { object, unknown, error } = decodeObject(value ?? {}, resource.schema, { mode: fieldValidation })
  const { kind: _kind, apiVersion: _apiVersion, metadata, ...rest } = object
  // In the order of Go's types, which is what lists cut their items from.
  const typed: KubeObject = {
    kind: resource.kind,
    apiVersion: groupVersion(resource),
    metadata: metadata ?? {},
    ...rest,
  }
  return { object: withReset(typed, value), strict: unknown, error }
}

/** An empty list of managedFields asks for nobody to own anything, which an absent one does not. */
function withReset(object: KubeObject, value: unknown): KubeObject {
  const managedFields = (value as Partial<KubeObject> | null | undefined)?.metadata?.managedFields
  if (Array.isArray(managedFields) && managedFields.length === 0) object.metadata.managedFields = []
  return object
}

/** Objects without a Go type are known by their kind's own schema only. */
function coerced(
  resource: Resource,
  value: unknown,
  fieldValidation: FieldValidation,
  coerce: NonNullable<Strategy['coerce']>,
): DecodedObject {
  const object = structuredClone(value ?? {}) as KubeObject
  object.metadata ??= {}
  try {
    const strict = coerce(object).map((path) => `unknown field "${path}"`)
    return { object: withReset(object, value), strict: fieldValidation === 'Ignore' ? [] : strict, error: undefined }
  } catch (error) {
    if (error instanceof StatusError) throw error
    return { object, strict: [], error: (error as Error).message }
  }
}

/** Makes warnings of what strict validation dislikes, or throws it. */
function noteStrict(scope: RequestScope, strict: readonly string[], fieldValidation: FieldValidation): void {
  if (strict.length === 0) return
  if (fieldValidation === 'Strict') throw new DecodeError(strictDecodingMessage(strict))
  for (const text of strictWarnings(strict)) scope.warnings.add(text)
}

/** Fills in what is missing, and brings the object to the version of the storage. Changes the object. */
export function defaulted(resource: Resource, object: KubeObject): KubeObject {
  // Kinds with a schema of their own apply it themselves.
  if (resource.strategy.coerce === undefined && resource.schema !== undefined) {
    applyDefaults(object, resource.schema)
  }
  const stored = resource.toStorage(object)
  resource.strategy.setDefaults?.(stored)
  return stored
}

/** Refuses a body of a kind that cannot be made the resource's. Throws a {@link DecodeError}, or a 400. */
export function checkKind(scope: RequestScope, gvk: BodyKind, value: unknown): void {
  const { resource } = scope
  const sameVersion = gvk.group === resource.group && gvk.version === resource.version
  if (sameVersion && gvk.kind === resource.kind) return
  const apiVersion = groupVersion(gvk)
  const otherVersion = newBadRequest(
    `the API version in the data (${apiVersion}) does not match the expected API version (${groupVersion(resource)})`,
  )
  if (!resource.builtIn) {
    if (gvk.kind === '') throw missingKind(new TextDecoder().decode(limitedBody(scope.request)))
    // Another kind is left to validation.
    if (!sameVersion) throw otherVersion
    return
  }
  const schema = schemaOfKind(gvk.group, gvk.version, gvk.kind)
  if (schema === undefined) {
    if (isOtherVersion(resource, apiVersion, gvk.kind)) throw otherVersion
    if (apiVersion === 'v1' && gvk.kind === 'List') throw unknownConversion(gvk, resource)
    const kind = JSON.stringify(gvk.kind)
    throw new DecodeError(
      `no kind ${kind} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    )
  }
  // It is decoded as what it says it is, before anybody sees that this is not wanted here.
  const { error } = decodeObject(value ?? {}, schema, { mode: 'Ignore' })
  if (error !== undefined) throw new DecodeError(error)
  const other = scope.host.registry.findKind(gvk.group, gvk.version, gvk.kind)
  if (other?.storageKey === resource.storageKey) throw otherVersion
  throw unknownConversion(gvk, resource)
}

function missingKind(text: string): DecodeError {
  return new DecodeError(`Object 'Kind' is missing in '${text}'`)
}

function unknownConversion({ version, kind }: BodyKind, resource: Resource): DecodeError {
  const goPackage = resource.group === '' ? 'core' : resource.group.split('.')[0]!
  return new DecodeError(`converting (${version}.${kind}) to (${goPackage}.${resource.kind}): unknown conversion`)
}

/** Versions that are no longer served but still known, by kind. */
const OLD_VERSIONS: Readonly<Record<string, readonly string[]>> = {
  Scale: ['extensions/v1beta1', 'apps/v1beta1', 'apps/v1beta2'],
}

function isOtherVersion(resource: Resource, apiVersion: string, kind: string): boolean {
  return kind === resource.kind && (OLD_VERSIONS[kind] ?? []).includes(apiVersion)
}
