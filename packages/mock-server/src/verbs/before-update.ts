import { newInvalid, type KubeObject, type ObjectMeta } from '@freshread/core'
import type { StrategyContext } from '../resources/strategy.ts'
import { isPathSegmentName } from '../resources/validation/names.ts'
import { ensureNamespace } from './object-meta.ts'
import {
  isKubeKind,
  validateKubeFinalizers,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from './object-meta-validation.ts'
import type { RequestScope } from './scope.ts'
import { sameValue } from './managed-fields.ts'
import { withoutDuplicates } from './validation-errors.ts'

/**
 * Makes a new version of an object ready to be stored (`pkg/registry/rest/update.go: BeforeUpdate`): what an
 * update cannot change is put back, the kind prepares it, then everything is validated. Changes `object`; throws
 * the 422.
 */
export async function beforeUpdate(
  scope: RequestScope,
  object: KubeObject,
  current: KubeObject,
  context: StrategyContext,
): Promise<void> {
  const { resource } = scope
  const { strategy } = resource
  const meta = object.metadata
  const before = current.metadata
  ensureNamespace(meta, resource.namespaced ? scope.namespace : '')
  if (before.generation === undefined) delete meta.generation
  else meta.generation = before.generation
  keepOtherParts(scope, object, current)
  await strategy.prepareForUpdate?.(object, current, context)
  // Status strategies know of no generation.
  const counts = scope.subresource?.name !== 'status'
  if (counts && typeof strategy.generation === 'function' && strategy.generation(object, current)) {
    meta.generation = (before.generation ?? 0) + 1
  }

  if ((meta.uid ?? '') === '' && before.uid !== undefined) meta.uid = before.uid
  if (before.creationTimestamp != null) meta.creationTimestamp = before.creationTimestamp
  if (before.deletionTimestamp != null) meta.deletionTimestamp = before.deletionTimestamp
  if (before.deletionGracePeriodSeconds !== undefined)
    meta.deletionGracePeriodSeconds ??= before.deletionGracePeriodSeconds

  const found = [
    ...validateObjectMeta(meta, resource.namespaced, isPathSegmentName),
    ...validateObjectMetaUpdate(meta, before),
    // Custom resources do it once more, and tell what they find again.
    ...(resource.builtIn ? [] : validateObjectMetaUpdate(meta, before)),
    ...(isKubeKind(resource) ? validateKubeFinalizers(meta) : []),
    ...(strategy.validateUpdate?.(object, current, context) ?? []),
  ]
  const errors = resource.builtIn ? withoutDuplicates(found, resource.group) : found
  if (errors.length > 0) throw newInvalid(strategy.errorKind ?? resource, meta.name ?? '', errors)
  await strategy.validateAdmission?.(object, current, context)
  strategy.canonicalize?.(object)
  for (const text of strategy.warnings?.(object, current, context) ?? []) scope.warnings.add(text)
}

/**
 * What the other endpoint is for stays as it is: a write to the object does not touch its status, a write to the
 * status nothing else of the object.
 */
function keepOtherParts(scope: RequestScope, object: KubeObject, current: KubeObject): void {
  if (!scope.resource.subresources.has('status') && scope.resource.strategy.hasStatus !== true) return
  if (scope.subresource === undefined) copyField(object, current, 'status')
  else if (scope.subresource.name === 'status') {
    copyField(object, current, 'spec')
    if (STATUS_WITHOUT_METADATA.has(scope.resource.storageKey)) keepMetadata(object.metadata, current.metadata)
  }
}

/** Kinds whose status endpoint takes no metadata; the others of Kubernetes' own do (`metav1.ResetObjectMetaForStatus`). */
const STATUS_WITHOUT_METADATA: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io/validatingadmissionpolicies',
  'apiregistration.k8s.io/apiservices',
  'certificates.k8s.io/podcertificaterequests',
  'flowcontrol.apiserver.k8s.io/flowschemas',
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations',
  'networking.k8s.io/servicecidrs',
  'resource.k8s.io/devicetaintrules',
  'resource.k8s.io/resourceclaims',
  'storage.k8s.io/csinodes',
  'storage.k8s.io/volumeattachments',
  'storagemigration.k8s.io/storageversionmigrations',
])

const KEPT_METADATA = [
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
  'deletionTimestamp',
  'selfLink',
] as const

function keepMetadata(meta: ObjectMeta, before: ObjectMeta): void {
  for (const name of KEPT_METADATA) {
    delete meta[name]
    if (before[name] !== undefined) Object.assign(meta, { [name]: structuredClone(before[name]) })
  }
}

function copyField(object: KubeObject, current: KubeObject, field: string): void {
  if (sameValue(object[field], current[field])) return
  if (current[field] === undefined) delete object[field]
  else object[field] = structuredClone(current[field])
}
