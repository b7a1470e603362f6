import { newForbidden, newInvalid, type FieldError, type KubeObject } from '@freshread/core'
import type { Strategy, StrategyContext } from '../strategy.ts'
import { runtimeCelCostBudget } from './cel/validator.ts'
import { CorrelatedObject, deepEqual } from './correlated-object.ts'
import { applyDefaults, copyJson } from './defaulting.ts'
import { child, invalid, nilPath } from './field-errors.ts'
import { finalizerWarnings } from './finalizer-warnings.ts'
import { validateLists } from './list-type.ts'
import { coerceMeta, rootMeta, validateMeta } from './object-meta.ts'
import { prune, pruneNonNullableNulls } from './pruning.ts'
import { validateScaleSpec, validateScaleStatus } from './scale.ts'
import { validateSchema } from './schema-validator.ts'
import { schemaVersions, type SchemaVersion } from './schema-version.ts'
import { fieldName, selectableFieldReader } from './selectable-fields.ts'
import { propertySchema, type CustomResourceDefinition } from './types.ts'

/** Errors after which rules are not evaluated: they may rely on what is wrong. */
const blocking: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])
const notChecked =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'

/** What is known of how objects are stored. */
export interface StoredForm {
  /** The object as it is now read from the storage. */
  readonly read: (object: KubeObject) => KubeObject
}

/**
 * What is particular to objects of one version of a definition (`pkg/registry/customresource: strategy.go`).
 *
 * @param stored how objects of the storage are read; by default as they are
 */
export function customResourceStrategy(
  crd: CustomResourceDefinition,
  version: string,
  stored: StoredForm = { read: (object) => object },
): Strategy {
  const made = schemaVersions(crd).get(version)
  if (made === undefined) throw new TypeError(`${crd.metadata.name ?? ''} has no version ${version}`)
  const { schema } = made
  const { group = '', names = {} } = crd.spec ?? {}
  const apiVersion = `${group}/${version}`
  const terminating = isTerminating(crd)
  const { selectableFields = [] } = made.version
  const view = (object: KubeObject): KubeObject => ({ ...object, apiVersion })
  const ratcheted = new WeakMap<KubeObject, readonly string[]>()
  return {
    coerce: (object) => coerceObject(object, made, crd.spec?.preserveUnknownFields === true),
    setDefaults: (object) => applyDefaults(object, schema),
    prepareForCreate: (object) => {
      if (made.hasStatus) delete object['status']
      object.metadata.generation = 1
    },
    prepareForUpdate: (object, current, context) => {
      const old = stored.read(current)
      if (context.subresource === 'status') replaceStatus(object, old)
      else keepStatus(object, old, made.hasStatus)
    },
    admit: (object, current) => {
      if (current !== undefined || !terminating) return
      const resource = { group, resource: names.plural ?? '' }
      throw newForbidden(
        resource,
        object.metadata.name ?? '',
        'create not allowed while custom resource definition is terminating',
      )
    },
    validate: (object) => {
      checkKind(object, group, names.kind ?? '')
      return validateNew(view(object), made)
    },
    validateUpdate: (object, current, context) => {
      checkKind(object, group, names.kind ?? '')
      const { errors, warnings } = validateChanged(view(object), view(stored.read(current)), made, context)
      ratcheted.set(
        object,
        warnings.map(({ message }) => message),
      )
      return errors
    },
    warnings: (object, current) => [...(ratcheted.get(object) ?? []), ...finalizerWarnings(object, current)],
    allowUnconditionalUpdate: false,
    ...(selectableFields.length > 0 && {
      fields: selectableFieldReader(selectableFields),
    }),
    fieldLabels: Object.fromEntries(
      selectableFields.map(({ jsonPath = '' }) => [fieldName(jsonPath), fieldName(jsonPath)]),
    ),
  }
}

/** An object may come as another kind; it is told apart only here, and as nothing else. */
function checkKind(object: KubeObject, group: string, kind: string): void {
  if (object.kind === kind) return
  const given = { group, kind: object.kind ?? '' }
  throw newInvalid(given, object.metadata.name ?? '', [invalid('kind', object.kind ?? '', `must be ${kind}`)])
}

/** Whether a definition is on its way out, and with it all its objects. */
function isTerminating(crd: CustomResourceDefinition): boolean {
  return (
    crd.metadata.deletionTimestamp != null ||
    crd.status?.conditions?.some((condition) => condition.type === 'Terminating' && condition.status === 'True') ===
      true
  )
}

/**
 * Takes out of an object what its version does not know, and cleans its metadata and that of embedded objects
 * (`pkg/apiserver: unstructuredSchemaCoercer`). Returns the paths of what went; throws an Error where metadata
 * cannot be read.
 */
export function coerceObject(
  object: KubeObject,
  version: SchemaVersion,
  preserveUnknownFields = false,
): readonly string[] {
  const { schema } = version
  const meta = rootMeta(object)
  if (meta.error !== undefined) throw new Error(meta.error)
  const unknown = meta.unknownFields.map((field) => `metadata.${field}`)
  if (!preserveUnknownFields) {
    unknown.push(...prune(object, schema, true))
    pruneNonNullableNulls(object, schema)
  }
  const embedded = coerceMeta(nilPath, object, schema, { isResourceRoot: false })
  if (embedded.error !== undefined) throw new Error(embedded.error.message)
  unknown.push(...embedded.unknownFields)
  object.metadata = meta.meta as KubeObject['metadata']
  return unknown
}

/** A write to the status leaves all else as it was. */
function replaceStatus(object: KubeObject, current: KubeObject): void {
  const { status } = object
  const { managedFields } = object.metadata
  const hadStatus = Object.hasOwn(object, 'status')
  for (const name of Object.keys(object)) if (!Object.hasOwn(current, name)) delete object[name]
  Object.assign(object, copyJson(current))
  if (managedFields === undefined) delete object.metadata.managedFields
  else object.metadata.managedFields = managedFields
  if (hadStatus) object['status'] = status
  else delete object['status']
}

/** Every change outside metadata is a new generation. */
function keepStatus(object: KubeObject, current: KubeObject, hasStatus: boolean): void {
  if (hasStatus) {
    if (Object.hasOwn(current, 'status')) object['status'] = copyJson(current['status'])
    else delete object['status']
  }
  const { metadata: _, apiVersion: _v, ...now } = object
  const { metadata: _m, apiVersion: _a, ...before } = current
  if (!deepEqual(now, before)) object.metadata.generation = (current.metadata.generation ?? 0) + 1
}

function validateNew(object: KubeObject, version: SchemaVersion): FieldError[] {
  const { schema } = version
  const { scale } = version.subresources
  const errors = [
    ...validateSchema(nilPath, object, schema),
    ...validateScaleSpec(object, scale),
    ...validateScaleStatus(object, scale),
    ...validateMeta(nilPath, object, schema, false),
    ...validateLists(schema, object),
  ]
  return withRules(errors, object, undefined, version, undefined).errors
}

function validateChanged(
  object: KubeObject,
  current: KubeObject,
  version: SchemaVersion,
  context: StrategyContext,
): Validated {
  const { schema } = version
  const { scale } = version.subresources
  const correlation = new CorrelatedObject(object, current, schema)
  const errors: FieldError[] = []
  if (context.subresource === 'status') {
    if (Object.hasOwn(object, 'status')) {
      const part = schema === undefined ? undefined : correlation.key('status')
      errors.push(...validateSchema(child(nilPath, 'status'), object['status'], propertySchema(schema, 'status'), part))
    }
  } else {
    errors.push(...validateSchema(nilPath, object, schema, correlation), ...validateScaleSpec(object, scale))
  }
  errors.push(...validateScaleStatus(object, scale))
  if (context.subresource !== 'status') errors.push(...validateMeta(nilPath, object, schema, false))
  if (validateLists(schema, current).length === 0) errors.push(...validateLists(schema, object))
  return withRules(errors, object, current, version, correlation)
}

interface Validated {
  readonly errors: FieldError[]
  /** Of what was so before. */
  readonly warnings: readonly FieldError[]
}

/** Adds what the rules of the schema say, unless what is wrong already could confuse them. */
function withRules(
  errors: FieldError[],
  object: KubeObject,
  current: KubeObject | undefined,
  version: SchemaVersion,
  correlation: CorrelatedObject | undefined,
): Validated {
  const { cel } = version
  if (cel === undefined) return { errors, warnings: [] }
  if (errors.some((error) => blocking.has(error.type))) {
    return { errors: [...errors, invalid(nilPath, null, notChecked)], warnings: [] }
  }
  const found = cel.validate(nilPath, object, current, runtimeCelCostBudget, correlation)
  return { errors: [...errors, ...found.errors], warnings: found.warnings }
}
