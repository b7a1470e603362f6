import {
  forbidden,
  invalid,
  isLabelKey,
  isLabelValue,
  notSupported,
  required,
  tooLong,
  utf8Length,
  type FieldError,
  type GroupResource,
  type ObjectMeta,
  type OwnerReference,
} from '@freshread/core'
import { isDNSLabel, maskTrailingDash, type Check } from '../resources/validation/names.ts'
import { FOREGROUND, ORPHAN } from './garbage-collection.ts'
import { validateFieldManager } from './write-options.ts'

/*
 * What the metadata of every object must be like (`apimachinery: pkg/api/validation/objectmeta.go`).
 */

const MAX_ANNOTATIONS_SIZE = 256 * 1024
const MAX_SUBRESOURCE_LENGTH = 256
const IMMUTABLE = 'field is immutable'

/** `ValidateObjectMeta`: metadata of an object to be created, its name generated already. */
export function validateObjectMeta(
  meta: ObjectMeta,
  namespaced: boolean,
  checkName: Check,
  path = 'metadata',
): FieldError[] {
  const errors: FieldError[] = []
  const { generateName = '', name = '' } = meta
  if (generateName !== '') {
    for (const text of checkName(maskTrailingDash(generateName)))
      errors.push(invalid(`${path}.generateName`, generateName, text))
  }
  if (name === '') errors.push(required(`${path}.name`, 'name or generateName is required'))
  else for (const text of checkName(name)) errors.push(invalid(`${path}.name`, name, text))

  const { namespace = '' } = meta
  if (namespaced) {
    if (namespace === '') errors.push(required(`${path}.namespace`, ''))
    else for (const text of isDNSLabel(namespace)) errors.push(invalid(`${path}.namespace`, namespace, text))
  } else if (namespace !== '') errors.push(forbidden(`${path}.namespace`, 'not allowed on this type'))

  errors.push(...validateGeneration(meta, path), ...validateLabels(meta.labels, `${path}.labels`))
  errors.push(...validateAnnotations(meta.annotations, `${path}.annotations`))
  errors.push(...validateOwnerReferences(meta.ownerReferences, `${path}.ownerReferences`))
  errors.push(...validateFinalizers(meta.finalizers, `${path}.finalizers`))
  errors.push(...validateManagedFields(meta, path))
  return errors
}

/** `ValidateObjectMetaUpdate`: what an update may do to metadata. */
export function validateObjectMetaUpdate(meta: ObjectMeta, current: ObjectMeta, path = 'metadata'): FieldError[] {
  const errors: FieldError[] = []
  if (isSet(current.deletionTimestamp)) {
    const old = new Set(current.finalizers)
    const extra = [...new Set(meta.finalizers ?? [])].filter((finalizer) => !old.has(finalizer)).sort()
    if (extra.length > 0) {
      const list = `[]string{${extra.map((finalizer) => JSON.stringify(finalizer)).join(', ')}}`
      const text = `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`
      errors.push(forbidden(`${path}.finalizers`, text))
    }
  }
  if ((meta.resourceVersion ?? '') === '') {
    errors.push(invalid(`${path}.resourceVersion`, meta.resourceVersion ?? '', 'must be specified for an update'))
  }
  errors.push(...validateGeneration(meta, path))
  if ((meta.generation ?? 0) < (current.generation ?? 0)) {
    errors.push(invalid(`${path}.generation`, meta.generation ?? 0, 'must not be decremented'))
  }
  const immutable = [
    'name',
    'namespace',
    'uid',
    'creationTimestamp',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
  ] as const
  for (const field of immutable) {
    const value = meta[field]
    if ((isSet(value) ? value : undefined) !== (isSet(current[field]) ? current[field] : undefined)) {
      errors.push(invalid(`${path}.${field}`, value ?? null, IMMUTABLE))
    }
  }
  errors.push(...validateLabels(meta.labels, `${path}.labels`))
  errors.push(...validateAnnotations(meta.annotations, `${path}.annotations`))
  errors.push(...validateOwnerReferences(meta.ownerReferences, `${path}.ownerReferences`))
  errors.push(...validateManagedFields(meta, path))
  return errors
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

function validateGeneration(meta: ObjectMeta, path: string): FieldError[] {
  const { generation = 0 } = meta
  return generation < 0 ? [invalid(`${path}.generation`, generation, 'must be greater than or equal to 0')] : []
}

/** `apimachinery: pkg/apis/meta/v1/validation: ValidateLabels`. */
export function validateLabels(labels: Readonly<Record<string, string>> | undefined, path: string): FieldError[] {
  const errors: FieldError[] = []
  for (const [key, value] of Object.entries(labels ?? {})) {
    for (const text of isLabelKey(key)) errors.push(invalid(path, key, text))
    for (const text of isLabelValue(value)) errors.push(invalid(path, value, text))
  }
  return errors
}

function validateAnnotations(annotations: Readonly<Record<string, string>> | undefined, path: string): FieldError[] {
  const errors: FieldError[] = []
  let size = 0
  for (const [key, value] of Object.entries(annotations ?? {})) {
    for (const text of isLabelKey(key.toLowerCase())) errors.push(invalid(path, key, text))
    size += utf8Length(key) + utf8Length(value)
  }
  if (size > MAX_ANNOTATIONS_SIZE) errors.push(tooLong(path, MAX_ANNOTATIONS_SIZE))
  return errors
}

function validateOwnerReferences(references: readonly OwnerReference[] | undefined, path: string): FieldError[] {
  const errors: FieldError[] = []
  let controller: string | undefined
  for (const [index, reference] of (references ?? []).entries()) {
    const at = `${path}[${index}]`
    const { apiVersion = '', kind = '', name = '', uid = '' } = reference
    if (apiVersion === '') errors.push(required(`${at}.apiVersion`, 'must not be empty'))
    else if (!/^[^/]+(\/[^/]+)?$/.test(apiVersion)) {
      errors.push(invalid(`${at}.apiVersion`, apiVersion, 'must be <group>/<version> or <version>'))
    }
    if (kind === '') errors.push(required(`${at}.kind`, 'must not be empty'))
    if (name === '') errors.push(required(`${at}.name`, 'must not be empty'))
    if (uid === '') errors.push(required(`${at}.uid`, 'must not be empty'))
    if (apiVersion === 'v1' && kind === 'Event') {
      errors.push(invalid(at, reference, '/v1, Kind=Event is disallowed from being an owner'))
    }
    if (reference.controller !== true) continue
    const here = `${kind}/${name}`
    if (controller === undefined) controller = here
    else {
      const text = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${here}`
      errors.push(invalid(path, references, text))
    }
  }
  return errors
}

function validateFinalizers(finalizers: readonly string[] | undefined, path: string): FieldError[] {
  const errors: FieldError[] = []
  for (const finalizer of finalizers ?? []) {
    for (const text of isLabelKey(finalizer)) errors.push(invalid(path, finalizer, text))
  }
  if (finalizers?.includes(ORPHAN) && finalizers.includes(FOREGROUND)) {
    errors.push(invalid(path, finalizers, `finalizer ${ORPHAN} and ${FOREGROUND} cannot be both set`))
  }
  return errors
}

/** Finalizers that need no domain. */
const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', ORPHAN, FOREGROUND])

/** What the kinds of Kubernetes itself demand of finalizers besides (`pkg/apis/core/validation: validateKubeFinalizerName`). */
export function validateKubeFinalizers(meta: ObjectMeta, path = 'metadata'): FieldError[] {
  const text = 'name is neither a standard finalizer name nor is it fully qualified'
  return (meta.finalizers ?? []).flatMap((finalizer, index) =>
    finalizer.includes('/') || STANDARD_FINALIZERS.has(finalizer)
      ? []
      : [invalid(`${path}.finalizers[${index}]`, finalizer, text)],
  )
}

/** Groups whose metadata is validated no further than that of custom resources. */
const PLAIN_GROUPS: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
])

/** And such kinds of other groups. */
const PLAIN_KINDS: ReadonlySet<string> = new Set(['/events', 'policy/poddisruptionbudgets'])

/** Whether a resource's metadata is validated as Kubernetes' own kinds are. */
export function isKubeKind({ group, resource, builtIn }: GroupResource & { readonly builtIn: boolean }): boolean {
  return builtIn && !PLAIN_GROUPS.has(group) && !PLAIN_KINDS.has(`${group}/${resource}`)
}

function validateManagedFields(meta: ObjectMeta, metaPath: string): FieldError[] {
  const errors: FieldError[] = []
  for (const [index, entry] of (meta.managedFields ?? []).entries()) {
    const path = `${metaPath}.managedFields[${index}]`
    const { operation = '', fieldsType = '', manager = '', subresource = '' } = entry
    if (operation === '') errors.push(required(`${path}.operation`, 'must not be empty'))
    else if (operation !== 'Apply' && operation !== 'Update') {
      errors.push(notSupported(`${path}.operation`, operation, ['Apply', 'Update']))
    }
    if (fieldsType !== '' && fieldsType !== 'FieldsV1') {
      errors.push(invalid(`${path}.fieldsType`, fieldsType, 'must be `FieldsV1`'))
    }
    errors.push(...validateFieldManager(manager, `${path}.manager`))
    if (subresource.length > MAX_SUBRESOURCE_LENGTH) errors.push(tooLong(`${path}.subresource`, MAX_SUBRESOURCE_LENGTH))
  }
  return errors
}
