import {
  interpretGetError,
  interpretUpdateError,
  newConflict,
  newInternalError,
  StatusError,
  StoredObject,
  type KubeObject,
} from '@freshread/core'
import { timestamp } from '../resources/system-fields.ts'
import type { DeleteOptions } from './delete-options.ts'
import { deleteFromStore, type Deletion } from './delete-object.ts'
import { dryUpdate } from './dry-run.ts'
import { admitDelete } from './admission/namespace-lifecycle.ts'
import { keyOf, type RequestScope } from './scope.ts'

const ORPHAN = 'orphan'
const FOREGROUND = 'foregroundDeletion'

/**
 * Deletes a namespace in two steps (`pkg/registry/core/namespace/storage: REST.Delete`): first it only becomes
 * `Terminating`; it goes when whoever empties it has taken its `spec.finalizers`.
 */
export async function deleteNamespace(scope: RequestScope, name: string, options: DeleteOptions): Promise<Deletion> {
  const { resource, host } = scope
  const key = keyOf(resource, '', name)
  const storage = host.storageOf(resource)
  let current: StoredObject
  try {
    current = await storage.get(key, { signal: scope.signal })
  } catch (error) {
    throw interpretGetError(error, resource, name)
  }
  const { uid, resourceVersion, deletionTimestamp } = current.object.metadata
  const given = options.preconditions ?? {}
  if (given.uid !== undefined && given.uid !== uid) {
    throw newConflict(
      resource,
      name,
      `Precondition failed: UID in precondition: ${given.uid}, UID in object meta: ${uid ?? ''}`,
    )
  }
  if (given.resourceVersion !== undefined && given.resourceVersion !== resourceVersion) {
    throw newConflict(
      resource,
      name,
      `Precondition failed: ResourceVersion in precondition: ${given.resourceVersion}, ResourceVersion in object meta: ${resourceVersion ?? ''}`,
    )
  }
  options.preconditions = { ...given, uid }
  if (deletionTimestamp == null) return terminate(scope, name, options)
  const { finalizers } = current.object['spec'] as { finalizers?: readonly string[] }
  if ((finalizers?.length ?? 0) > 0) return { object: current, deleted: false, showObject: true }
  return deleteFromStore(scope, name, options)
}

async function terminate(scope: RequestScope, name: string, options: DeleteOptions): Promise<Deletion> {
  const { resource, host } = scope
  const key = keyOf(resource, '', name)
  const storage = host.storageOf(resource)
  const update = {
    preconditions: options.preconditions,
    signal: scope.signal,
    tryUpdate: (existing: StoredObject | undefined): { readonly object: KubeObject } => {
      admitDelete(scope, name)
      const object = structuredClone(existing!.object)
      object.metadata.deletionTimestamp ??= timestamp(host.clock)
      object['status'] = { ...(object['status'] as object | undefined), phase: 'Terminating' }
      const finalizers = new Set(object.metadata.finalizers)
      setMember(finalizers, ORPHAN, wants(options, finalizers.has(ORPHAN), true, 'Orphan'))
      setMember(finalizers, FOREGROUND, wants(options, finalizers.has(FOREGROUND), false, 'Foreground'))
      if (finalizers.size > 0) object.metadata.finalizers = [...finalizers]
      else delete object.metadata.finalizers
      return { object }
    },
  }
  let out: StoredObject | KubeObject
  try {
    out = options.dryRun ? await dryUpdate(storage, key, update) : await storage.guaranteedUpdate(key, update)
  } catch (error) {
    const interpreted = interpretUpdateError(interpretGetError(error, resource, name), resource, name)
    throw interpreted instanceof StatusError ? interpreted : newInternalError(interpreted as Error)
  }
  if (out instanceof StoredObject) await host.afterWrite(resource, out.object, false)
  return { object: out, deleted: false, showObject: true }
}

function wants(options: DeleteOptions, has: boolean, orphanValue: boolean, policy: string): boolean {
  if (options.orphanDependents !== undefined) return options.orphanDependents === orphanValue
  if (options.propagationPolicy !== undefined) return options.propagationPolicy === policy
  return has
}

function setMember(set: Set<string>, member: string, wanted: boolean): void {
  if (wanted) set.add(member)
  else set.delete(member)
}
