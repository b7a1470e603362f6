import type { KubeObject } from '@freshread/core'
import { groupVersion } from '../api/object-bytes.ts'
import { applyServerSide, updateManagedFields, type WriteContext } from '../patch/managed-fields/index.ts'
import type { RequestScope } from './scope.ts'

function writeContext(scope: RequestScope, manager: string): WriteContext {
  const { resource, host } = scope
  return {
    resource,
    subresource: scope.subresource?.name ?? '',
    manager,
    now: host.clock.now(),
    versions: (apiVersion) => {
      const slash = apiVersion.indexOf('/')
      const group = apiVersion.slice(0, Math.max(0, slash))
      // What two groups share, as events, is owned in the group that wrote last.
      if (group !== resource.group) return undefined
      return host.registry.find(group, apiVersion.slice(slash + 1), resource.resource)
    },
  }
}

/**
 * Notes who wrote what. Objects are in the version of the storage; neither is changed.
 *
 * @param live the current object, `undefined` on a create
 */
export function noteUpdate(
  scope: RequestScope,
  live: KubeObject | undefined,
  object: KubeObject,
  manager: string,
): KubeObject {
  const { resource } = scope
  const noted = updateManagedFields({
    ...writeContext(scope, manager),
    live: live === undefined ? undefined : resource.fromStorage(live),
    // What is stored of a custom resource loses only when it is read what its version does not know.
    object: resource.builtIn ? resource.fromStorage(object) : { ...object, apiVersion: groupVersion(resource) },
  })
  return resource.toStorage(noted)
}

/** The current object with a configuration applied, in the version of the request and not yet defaulted. */
export function applyConfiguration(
  scope: RequestScope,
  live: KubeObject | undefined,
  applied: KubeObject,
  options: { readonly manager: string; readonly force: boolean },
): KubeObject {
  return applyServerSide({
    ...writeContext(scope, options.manager),
    live: live === undefined ? undefined : scope.resource.fromStorage(live),
    applied,
    force: options.force,
  })
}

/**
 * Takes back new times of managers when nothing else changed, so that a write without effect stays one
 * (`fieldmanager.IgnoreManagedFieldsTimestampsTransformer`).
 */
export function ignoreManagedFieldsTimes(object: KubeObject, current: KubeObject): KubeObject {
  const entries = object.metadata.managedFields
  const before = current.metadata.managedFields
  if (entries === undefined || before === undefined || entries.length !== before.length) return object
  const withTimes = entries.map((entry, index) => ({ ...entry, time: before[index]!.time }))
  const restored: KubeObject = {
    ...object,
    metadata: { ...object.metadata, managedFields: withTimes as typeof entries },
  }
  return sameValue(restored, current) ? restored : object
}

/** Deep equality of JSON values; fields that are undefined count as absent. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    return a.every((item, index) => sameValue(item, b[index]))
  }
  const left = a as Record<string, unknown>
  const right = b as Record<string, unknown>
  for (const key in left) if (left[key] !== undefined && !sameValue(left[key], right[key])) return false
  for (const key in right) if (right[key] !== undefined && left[key] === undefined) return false
  return true
}
