import {
  goJSON,
  invalid,
  newBadRequest,
  newConflict,
  newInternalError,
  newInvalid,
  newNotFound,
  newUnsupportedMediaType,
  type KubeObject,
} from '@freshread/core'
import {
  DecodeError,
  interpret,
  kindWithDefaults,
  limitedBody,
  parseGroupVersion,
  strictDecodingMessage,
  strictWarnings,
} from '../api/decode-body.ts'
import { groupVersion } from '../api/object-bytes.ts'
import { fromUnstructuredError } from '../patch/from-unstructured.ts'
import { goValue } from '../go/text.ts'
import { applyJsonPatch, unknownOperationFields } from '../patch/json-patch.ts'
import { managerOrUserAgent } from '../patch/managed-fields/manager-name.ts'
import { kindText, objectText } from '../patch/managed-fields/object-text.ts'
import { applyMergePatch } from '../patch/merge-patch.ts'
import {
  appliedObject,
  duplicatesIn,
  patchTypesOf,
  readPatchBody,
  strictApplyError,
  type PatchBody,
  type PatchType,
} from '../patch/patch-type.ts'
import { applyStrategicMergePatch } from '../patch/strategic-merge-patch.ts'
import type { FieldValidation } from '../resources/decode/decode-object.ts'
import { checkKind, decodeAs, defaulted } from './decode.ts'
import { applyConfiguration, noteUpdate } from './managed-fields.ts'
import { checkName, ensureNamespace } from './object-meta.ts'
import type { Resource } from '../resources/resource.ts'
import type { RequestScope, VerbResult } from './scope.ts'
import { requestNamespace, updateObject, updateOrShrink } from './update.ts'
import { writeOptions, type WriteOptions } from './write-options.ts'

const APPLY = 'application/apply-patch+yaml'
const STRATEGIC = 'application/strategic-merge-patch+json'

/** The type of a request's patch. Throws the 415 for one that the resource does not take; comes before all else. */
export function checkPatchType({ resource, request }: RequestScope): PatchType {
  const type = (request.headers['content-type'] ?? '').split(';')[0] as PatchType
  const types = patchTypesOf(resource)
  if (!types.includes(type)) throw newUnsupportedMediaType(types)
  return type
}

/** Changes an object by a patch (`pkg/endpoints/handlers/patch.go: PatchResource`). */
export async function patch(scope: RequestScope): Promise<VerbResult> {
  const type = checkPatchType(scope)
  const { options, body } = readPatch(scope, type)
  // An applied configuration lives by its managed fields.
  const change = type === APPLY ? updateObject : updateOrShrink
  return change(scope, {
    dryRun: options.dryRun,
    preconditions: undefined,
    forceAllowCreate: type === APPLY,
    newObject: (current) => patchedObject(scope, current, body, options),
  })
}

/** Reads a patch and its options; throws the 4xx that wrong ones get. */
export function readPatch(
  scope: RequestScope,
  type: PatchType,
): { readonly options: WriteOptions; readonly body: PatchBody } {
  const bytes = limitedBody(scope.request)
  const options = writeOptions(scope.query, 'PatchOptions', type === APPLY)
  return { options, body: readPatchBody(type, bytes) }
}

/** What a patch makes of an object, in the version of the storage, its owners noted. */
export function patchedObject(
  scope: RequestScope,
  current: KubeObject | undefined,
  body: PatchBody,
  options: WriteOptions,
): KubeObject {
  const { resource, name } = scope
  if (current === undefined && body.type !== APPLY) throw newNotFound(resource, name)
  const object = body.type === APPLY ? apply(scope, current, body, options) : merge(scope, current!, body, options)
  const { uid } = object.metadata
  if (current === undefined && uid !== undefined && uid !== '') {
    throw newConflict(
      resource,
      name,
      `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
    )
  }
  ensureNamespace(object.metadata, requestNamespace(scope))
  checkName(object.metadata, name, scope.namespace)
  return object
}

/** Server-side apply. */
function apply(
  scope: RequestScope,
  current: KubeObject | undefined,
  body: PatchBody,
  options: WriteOptions,
): KubeObject {
  const { resource } = scope
  const { fieldManager: manager, force = false } = options
  const applied = appliedObject(body)
  const result = applyConfiguration(scope, current, applied, { manager, force })
  const object = appliedAs(resource, result, applied)
  const duplicates = duplicatesIn(body, options.fieldValidation)
  if (duplicates.length > 0) {
    if (options.fieldValidation === 'Strict') throw strictApplyError(duplicates)
    for (const text of duplicates) scope.warnings.add(text)
  }
  return defaulted(resource, object)
}

/** What an apply made, as its kind has it. Custom resources keep nulls, for validation to see. */
function appliedAs(resource: Resource, result: KubeObject, applied: KubeObject): KubeObject {
  const { object, error } = decodeAs(resource, resource.builtIn ? result : { metadata: result.metadata }, 'Ignore')
  if (error !== undefined) {
    const kind = kindText(groupVersion(resource), resource.kind)
    const text = fromUnstructuredError(result, resource.schema) ?? error
    throw new Error(
      `failed to convert new object (${objectText(applied)}) to proper version: unable to convert unstructured object to ${kind}: ${text}`,
    )
  }
  return resource.builtIn ? object : { ...result, metadata: object.metadata }
}

/** JSON and merge patches: applied to the JSON of the object, whose result is decoded like a body. */
function merge(scope: RequestScope, current: KubeObject, body: PatchBody, options: WriteOptions): KubeObject {
  const { resource } = scope
  const { fieldValidation } = options
  const before = resource.fromStorage(current)
  const after = applyTo(scope, before, body, fieldValidation)
  const { object, strict, error } = decodeAs(resource, after, fieldValidation)
  // What is wrong is told in the order in which Go writes objects.
  const inOrder = (): unknown => applyTo(scope, inGoOrder(resource, before), body, fieldValidation)
  const refuse = (text: string): never => {
    const shown = body.type === STRATEGIC ? goValue(body.value) : goJSON(inOrder())
    throw newInvalid({ group: '', kind: '' }, '', [invalid('patch', shown, text)])
  }
  if (body.type !== STRATEGIC) {
    if (resource.builtIn) {
      checkPatchedKind(scope, after, refuse)
      if (!(after as KubeObject).apiVersion) refuseInternal(scope, after as KubeObject, fieldValidation, refuse)
    } else {
      const { kind, apiVersion = '' } = after as KubeObject
      if (!kind) refuse(`Object 'Kind' is missing in '${goJSON(inOrder())}'`)
      if (apiVersion.split('/').length > 2) refuse(`unexpected GroupVersion string: ${apiVersion}`)
      checkPatchedType(scope, after as KubeObject)
    }
  }
  const wrong = (body.type === STRATEGIC ? fromUnstructuredError(after, resource.schema) : undefined) ?? error
  if (wrong !== undefined) refuse(wrong)
  const unknown = strict.length < 2 ? strict : decodeAs(resource, inOrder(), fieldValidation).strict
  const all = [
    ...duplicatesIn(body, fieldValidation),
    ...operationErrors(body, fieldValidation),
    ...(body.type === STRATEGIC ? unknown.toSorted() : unknown),
  ]
  if (all.length > 0) {
    if (fieldValidation === 'Strict') refuse(strictDecodingMessage(all))
    for (const text of strictWarnings(all)) scope.warnings.add(text)
  }
  const manager = managerOrUserAgent(options.fieldManager, scope.request.headers['user-agent'])
  return noteUpdate(scope, current, defaulted(resource, object), manager)
}

/** An object with its fields in the order in which Go writes them: custom resources are maps, with their keys sorted. */
function inGoOrder(resource: Resource, object: KubeObject): KubeObject {
  if (resource.builtIn) return decodeAs(resource, object, 'Ignore').object
  const sorted = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(sorted)
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]))
  }
  return sorted(object) as KubeObject
}

/** Without a version an object is taken for one of the server's own types, which have none of its fields. */
function refuseInternal(
  scope: RequestScope,
  { apiVersion: _apiVersion, kind: _kind, ...fields }: KubeObject,
  validation: FieldValidation,
  refuse: (text: string) => never,
): never {
  const unknown = Object.keys(fields)
    .sort()
    .map((name) => `unknown field ${JSON.stringify(name)}`)
  if (validation === 'Strict') refuse(strictDecodingMessage(unknown))
  if (validation === 'Warn') for (const text of unknown) scope.warnings.add(text)
  throw newBadRequest(`the name of the object (${scope.name} based on URL) was undeterminable: name must be provided`)
}

/** Throws when a patch has made another kind, or one of another version, of a custom resource. */
function checkPatchedType(scope: RequestScope, { kind, apiVersion }: KubeObject): void {
  const { resource, name } = scope
  const wantedVersion = groupVersion(resource)
  if (!apiVersion) throw newInternalError("Object 'apiVersion' is missing in 'object has no apiVersion field'")
  if (kind === resource.kind && apiVersion === wantedVersion) return
  const { group } = parseGroupVersion(apiVersion)
  const errors = [
    ...(kind === resource.kind ? [] : [invalid('kind', kind ?? '', `must be ${resource.kind}`)]),
    ...(apiVersion === wantedVersion ? [] : [invalid('apiVersion', apiVersion, `must be ${wantedVersion}`)]),
  ]
  throw newInvalid({ group, kind: kind ?? '' }, name, errors)
}

/** A patch may have made another kind of the object. */
function checkPatchedKind(scope: RequestScope, after: unknown, refuse: (text: string) => never): void {
  const { kind, apiVersion } = after as KubeObject
  if (kind === scope.resource.kind && apiVersion === groupVersion(scope.resource)) return
  try {
    checkKind(scope, kindWithDefaults(interpret(after), scope.resource), after)
  } catch (error) {
    if (error instanceof DecodeError) refuse(error.message)
    throw error
  }
}

function operationErrors(body: PatchBody, validation: FieldValidation): readonly string[] {
  if (body.type !== 'application/json-patch+json' || validation === 'Ignore') return []
  return unknownOperationFields(body.value).map((text) => `json patch ${text}`)
}

function applyTo(scope: RequestScope, object: KubeObject, body: PatchBody, validation: FieldValidation): unknown {
  switch (body.type) {
    case 'application/json-patch+json':
      return applyJsonPatch(object, body.value, validation)
    case STRATEGIC:
      return applyStrategicMergePatch(object, body.value, scope.resource.schema!)
    default:
      return applyMergePatch(object, body.value, validation)
  }
}
