import { newBadRequest, type KubeObject, type ObjectMeta, type OwnerReference } from '@freshread/core'
import type { Clock } from '@freshread/core'
import { newUid, timestamp } from '../resources/system-fields.ts'

/** Takes what only the server may set (`pkg/registry/rest/meta.go: WipeObjectMetaSystemFields`). */
export function wipeSystemFields(meta: ObjectMeta): void {
  delete meta.creationTimestamp
  delete meta.uid
  delete meta.deletionTimestamp
  delete meta.deletionGracePeriodSeconds
  delete meta.selfLink
}

/** Gives a new object its uid and birth (`FillObjectMetaSystemFields`). */
export function fillSystemFields(meta: ObjectMeta, clock: Clock): void {
  meta.creationTimestamp = timestamp(clock)
  meta.uid = newUid()
}

/**
 * Sets the object's namespace to the request's, or refuses another one with 400
 * (`EnsureObjectNamespaceMatchesRequestNamespace`).
 *
 * @param namespace the request's; `''` for cluster-scoped resources
 */
export function ensureNamespace(meta: ObjectMeta, namespace: string): void {
  const own = meta.namespace ?? ''
  if (own === namespace) return
  if (own !== '' && namespace !== '') {
    throw newBadRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
  if (namespace === '') delete meta.namespace
  else meta.namespace = namespace
}

/** Gives the object the name and namespace of its URL, or refuses others (`pkg/endpoints/handlers/rest.go: checkName`). */
export function checkName(meta: ObjectMeta, name: string, namespace: string): void {
  const own = meta.name ?? ''
  if (own === '') {
    throw newBadRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`)
  }
  if (own !== name) {
    throw newBadRequest(`the name of the object (${own}) does not match the name on the URL (${name})`)
  }
  const ownNamespace = meta.namespace ?? ''
  if (namespace !== '' && ownNamespace !== '' && ownNamespace !== namespace) {
    throw newBadRequest(
      `the namespace of the object (${ownNamespace}) does not match the namespace on the request (${namespace})`,
    )
  }
}

/**
 * Drops owners named twice, with a warning (`pkg/endpoints/handlers/rest.go: dedupOwnerReferencesAndAddWarning`).
 *
 * @param afterMutation whether admission has been
 */
export function dedupOwnerReferences(object: KubeObject, afterMutation: boolean, warn: (text: string) => void): void {
  const references = object.metadata.ownerReferences
  if (references === undefined || references === null || references.length < 2) return
  const duplicates = new Set<string>()
  const kept: OwnerReference[] = []
  for (const reference of references) {
    if (kept.some((other) => sameReference(other, reference))) duplicates.add(reference.uid)
    else kept.push(reference)
  }
  if (duplicates.size === 0) return
  object.metadata.ownerReferences = kept
  const uids = [...duplicates].sort().join(', ')
  warn(
    `.metadata.ownerReferences contains duplicate entries${afterMutation ? ' after mutating admission happens' : ''}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids}`,
  )
}

function sameReference(a: OwnerReference, b: OwnerReference): boolean {
  return (
    a.uid === b.uid &&
    a.name === b.name &&
    a.kind === b.kind &&
    a.apiVersion === b.apiVersion &&
    a.controller === b.controller &&
    a.blockOwnerDeletion === b.blockOwnerDeletion
  )
}
