import {
  interpretGetError,
  interpretUpdateError,
  newConflict,
  newInternalError,
  StatusError,
  type KubeObject,
  type StoredObject,
} from '@freshread/core'
import type { DeleteOptions } from './delete-options.ts'
import { deleteFromStore, type Deletion } from './delete-object.ts'
import { dryUpdate } from './dry-run.ts'
import { keyOf, type RequestScope } from './scope.ts'
import { timestamp } from '../resources/system-fields.ts'
import { withCondition } from '../resources/crd/definition/conditions.ts'
import type { CustomResourceDefinition } from '../resources/crd/types.ts'

/** Holds a definition until all its objects are gone. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io'

/**
 * Deletes a definition in two steps (`pkg/registry/customresourcedefinition: REST.Delete`): first it only becomes
 * `Terminating`; it goes when its objects have gone.
 */
export async function deleteDefinition(scope: RequestScope, name: string, options: DeleteOptions): Promise<Deletion> {
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
      `precondition failed: UID in precondition: ${given.uid}, UID in object meta: ${uid ?? ''}`,
    )
  }
  if (given.resourceVersion !== undefined && given.resourceVersion !== resourceVersion) {
    throw newConflict(
      resource,
      name,
      `precondition failed: ResourceVersion in precondition: ${given.resourceVersion}, ResourceVersion in object meta: ${resourceVersion ?? ''}`,
    )
  }
  options.preconditions = { ...given, uid }
  if (deletionTimestamp != null) return deleteFromStore(scope, name, options)
  const update = {
    preconditions: options.preconditions,
    signal: scope.signal,
    tryUpdate: (existing: StoredObject | undefined): { readonly object: KubeObject } => ({
      object: terminating(structuredClone(existing!.object), timestamp(host.clock)),
    }),
  }
  try {
    const out = options.dryRun ? await dryUpdate(storage, key, update) : await storage.guaranteedUpdate(key, update)
    if (!options.dryRun) await host.afterWrite(resource, 'object' in out ? (out.object as KubeObject) : out, false)
    return { object: out, deleted: false, showObject: true }
  } catch (error) {
    const interpreted = interpretUpdateError(interpretGetError(error, resource, name), resource, name)
    throw interpreted instanceof StatusError ? interpreted : newInternalError(interpreted as Error)
  }
}

function terminating(crd: CustomResourceDefinition, now: string): CustomResourceDefinition {
  const { metadata } = crd
  metadata.deletionTimestamp ??= now
  const finalizers = metadata.finalizers ?? []
  if (!finalizers.includes(cleanupFinalizer)) metadata.finalizers = [...finalizers, cleanupFinalizer]
  return withCondition(
    crd,
    {
      type: 'Terminating',
      status: 'True',
      reason: 'InstanceDeletionPending',
      message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    },
    now,
  )
}
