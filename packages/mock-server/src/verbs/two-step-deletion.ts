import {
  interpretGetError,
  interpretUpdateError,
  newConflict,
  newInternalError,
  StatusError,
  StoredObject,
  type KubeObject,
} from '@freshread/core'
import { keyOf } from '../resources/storage-key.ts'
import { deleteFromStore, type Deletion } from './delete-object.ts'
import type { DeleteOptions } from './delete-options.ts'
import { dryUpdate } from './dry-run.ts'
import type { RequestScope } from './scope.ts'

/** What differs between the kinds that are deleted in two steps. */
export interface TwoStepDeletion {
  /** How the 409 begins that says which precondition does not hold. */
  readonly failed: 'Precondition failed' | 'precondition failed'
  /** The object as `Terminating`; may change what it is given. */
  readonly terminating: (object: KubeObject) => KubeObject
  /** Whether an object that is `Terminating` already has to stay. */
  readonly stays?: (object: KubeObject) => boolean
}

/**
 * Deletes an object that others live in: first it only becomes `Terminating`; it goes when whoever empties it asks
 * again. `name` is that of an object without a namespace.
 */
export async function deleteInTwoSteps(
  scope: RequestScope,
  name: string,
  options: DeleteOptions,
  kind: TwoStepDeletion,
): Promise<Deletion> {
  const { resource, host } = scope
  const key = keyOf(resource, '', name)
  let current: StoredObject
  try {
    current = await host.storageOf(resource).get(key, { signal: scope.signal })
  } catch (error) {
    throw interpretGetError(error, resource, name)
  }
  const { uid, resourceVersion, deletionTimestamp } = current.object.metadata
  const given = options.preconditions ?? {}
  const conflict = (field: string, wanted: string, found = ''): StatusError =>
    newConflict(
      resource,
      name,
      `${kind.failed}: ${field} in precondition: ${wanted}, ${field} in object meta: ${found}`,
    )
  if (given.uid !== undefined && given.uid !== uid) throw conflict('UID', given.uid, uid)
  if (given.resourceVersion !== undefined && given.resourceVersion !== resourceVersion) {
    throw conflict('ResourceVersion', given.resourceVersion, resourceVersion)
  }
  options.preconditions = { ...given, uid }
  if (deletionTimestamp == null) return terminate(scope, name, options, kind)
  if (kind.stays?.(current.object)) return { object: current, deleted: false, showObject: true }
  return deleteFromStore(scope, name, options)
}

async function terminate(
  scope: RequestScope,
  name: string,
  options: DeleteOptions,
  kind: TwoStepDeletion,
): Promise<Deletion> {
  const { resource, host } = scope
  const key = keyOf(resource, '', name)
  const storage = host.storageOf(resource)
  const update = {
    preconditions: options.preconditions,
    signal: scope.signal,
    tryUpdate: (existing: StoredObject | undefined): { readonly object: KubeObject } => ({
      object: kind.terminating(structuredClone(existing!.object)),
    }),
  }
  let object: StoredObject | KubeObject
  try {
    object = options.dryRun ? await dryUpdate(storage, key, update) : await storage.guaranteedUpdate(key, update)
  } catch (error) {
    const interpreted = interpretUpdateError(interpretGetError(error, resource, name), resource, name)
    throw interpreted instanceof StatusError ? interpreted : newInternalError(interpreted as Error)
  }
  if (object instanceof StoredObject) await host.afterWrite(resource, object.object, false)
  return { object, deleted: false, showObject: true }
}
