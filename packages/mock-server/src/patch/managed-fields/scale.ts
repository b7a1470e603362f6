import type { ManagedFieldsEntry } from '@freshread/core'
import { FieldSet } from './field-set.ts'
import { decodeManagedFields, emptyManaged, encodeManagedFields, type VersionedSet } from './managers.ts'
import { fieldElement, type PathElement } from './path-element.ts'

/** `apiVersion` of the scale subresource's objects. */
const scaleApiVersion = 'autoscaling/v1'

/** Where the number of replicas is in a Scale. */
const replicasInScale: readonly PathElement[] = ['spec', 'replicas'].map(fieldElement)

/**
 * Where each version of a resource has the number of its replicas, by apiVersion: `['spec', 'replicas']`, or
 * null for a version without scale subresource. Versions that are not listed do not exist.
 */
export type ReplicasPaths = Readonly<Record<string, readonly string[] | null>>

/**
 * Managed fields of a Scale: who owns the replicas of its parent
 * (`pkg/util/managedfields/scalehandler.go: ToSubresource`).
 */
export function toScaleManagers(
  parent: readonly ManagedFieldsEntry[] | undefined,
  paths: ReplicasPaths,
): ManagedFieldsEntry[] | undefined {
  const managed = decodeManagedFields(parent)
  const scale = emptyManaged()
  for (const [manager, { set, apiVersion, applied }] of managed.sets) {
    const path = paths[apiVersion]?.map(fieldElement)
    if (path === undefined || !set.has(path)) continue
    scale.sets.set(manager, { set: FieldSet.of(replicasInScale), apiVersion: scaleApiVersion, applied })
    const time = managed.times.get(manager)
    if (time !== undefined) scale.times.set(manager, time)
  }
  return encodeManagedFields(scale)
}

/**
 * Managed fields of the parent after a write to its Scale: whoever does not own the Scale's replicas any more
 * loses the parent's, new owners get them, without a time (`ToParent`). Updaters are told apart by version too,
 * so one that had them gets them back in an entry of their own.
 *
 * @param apiVersion the parent's
 */
export function fromScaleManagers(
  parent: readonly ManagedFieldsEntry[] | undefined,
  scale: readonly ManagedFieldsEntry[] | undefined,
  apiVersion: string,
  paths: ReplicasPaths,
): ManagedFieldsEntry[] | undefined {
  const before = decodeManagedFields(parent)
  const scaled = decodeManagedFields(scale)
  const after = emptyManaged()
  const keep = (manager: string, owned: VersionedSet): void => {
    after.sets.set(manager, owned)
    const time = before.times.get(manager)
    if (time !== undefined) after.times.set(manager, time)
  }
  for (const [manager, owned] of before.sets) {
    const names = paths[owned.apiVersion]
    // Versions that are no more take what was owned in them along.
    if (names === undefined) continue
    const path = names?.map(fieldElement)
    if (path === undefined || !owned.set.has(path) || scaled.sets.delete(manager)) {
      keep(manager, owned)
      continue
    }
    const set = owned.set.difference(FieldSet.of(path))
    if (!set.isEmpty) keep(manager, { ...owned, set })
  }
  const path = paths[apiVersion]
  for (const [manager, { set, applied }] of scaled.sets) {
    if (!set.has(replicasInScale) || path === undefined || path === null) continue
    keep(manager, { set: FieldSet.of(path.map(fieldElement)), apiVersion, applied })
  }
  return encodeManagedFields(after)
}
