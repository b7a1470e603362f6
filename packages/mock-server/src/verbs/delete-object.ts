import {
  interpretDeleteError,
  interpretUpdateError,
  newInvalidObjectError,
  StoredObject,
  type KubeObject,
  type Preconditions,
  type Storage,
} from '@freshread/core'
import type { Resource } from '../resources/resource.ts'
import { keyOf } from '../resources/storage-key.ts'
import { timestamp } from '../resources/system-fields.ts'
import { beforeDelete } from './before-delete.ts'
import { plainDeleteOptions, type DeleteOptions } from './delete-options.ts'
import { checkPreconditions, dryUpdate, isKeyNotFound } from './dry-run.ts'
import { admitDelete } from './admission/namespace-lifecycle.ts'
import { garbageCollectionFinalizers } from './garbage-collection.ts'
import { strategyContext, type RequestScope, type VerbResult } from './scope.ts'

/** What a deletion came to. */
export interface Deletion {
  /** The object as it was or is now. */
  readonly object: StoredObject | KubeObject
  readonly deleted: boolean
  /** The answer is the object, whatever the kind otherwise answers: it is still there. */
  readonly showObject: boolean
}

/** `pkg/registry/generic/registry/store.go: Delete`. */
export async function deleteFromStore(scope: RequestScope, name: string, options: DeleteOptions): Promise<Deletion> {
  const { resource, host } = scope
  const key = keyOf(resource, scope.namespace, name)
  const storage = host.storageOf(resource)
  let current: StoredObject
  try {
    current = await storage.get(key, { signal: scope.signal })
  } catch (error) {
    throw interpretDeleteError(error, resource, name)
  }
  if (options.ignoreStoreReadError) {
    const text = 'unsafe deletion is not allowed because the object is decodable from storage'
    throw interpretDeleteError(newInvalidObjectError(`/registry${key}`, text), resource, name)
  }
  const preconditions: { uid?: string | undefined; resourceVersion?: string | undefined } = { ...options.preconditions }
  const object = structuredClone(current.object)
  const plan = beforeDelete(scope, object, options)
  if (plan.pending) return { object: current, deleted: false, showObject: false }

  const changesFinalizers = garbageCollectionFinalizers(resource, object, options) !== undefined
  let last: KubeObject | undefined
  let ignoreNotFound = false
  let out: StoredObject | KubeObject | undefined
  if (plan.graceful || (object.metadata.finalizers?.length ?? 0) > 0 || changesFinalizers) {
    const marked = await markForDeletion(scope, key, { name, options, preconditions, current })
    if (marked.result !== undefined) return marked.result
    ;({ out, last, ignoreNotFound } = marked)
    if (out !== undefined && preconditions.resourceVersion !== undefined) {
      preconditions.resourceVersion = plainOf(out).metadata.resourceVersion
    }
  }
  if (options.dryRun && out !== undefined) return { object: out, deleted: true, showObject: true }
  try {
    const gone = await deleteKey(scope, storage, key, { name, preconditions, dryRun: options.dryRun })
    await afterDelete(scope, plainOf(gone), options.dryRun)
    return { object: gone, deleted: true, showObject: false }
  } catch (error) {
    if (isKeyNotFound(error) && ignoreNotFound && last !== undefined) {
      return { object: last, deleted: true, showObject: false }
    }
    throw interpretDeleteError(error, resource, name)
  }
}

const plainOf = (object: StoredObject | KubeObject): KubeObject =>
  object instanceof StoredObject ? object.object : object

async function deleteKey(
  scope: RequestScope,
  storage: Storage,
  key: string,
  {
    name,
    preconditions,
    dryRun,
  }: { readonly name: string; readonly preconditions: Preconditions; readonly dryRun: boolean },
): Promise<StoredObject> {
  if (!dryRun) {
    return storage.delete(key, {
      preconditions,
      validateDeletion: () => admitDelete(scope, name),
      signal: scope.signal,
    })
  }
  const current = await storage.get(key)
  checkPreconditions(key, preconditions, current.object)
  admitDelete(scope, name)
  return current
}

async function afterDelete(scope: RequestScope, object: KubeObject, dryRun: boolean): Promise<void> {
  if (dryRun) return
  const { resource, host } = scope
  resource.strategy.afterDelete?.(object, strategyContext(scope, { name: object.metadata.name ?? '' }))
  await host.afterWrite(resource, object, true)
}

/** Thrown within an update that turns out to be a deletion. */
class DeletionSignal extends Error {
  readonly kind: 'delete now' | 'already deleting'

  constructor(kind: 'delete now' | 'already deleting') {
    super(kind)
    this.kind = kind
  }
}

interface MarkOptions {
  readonly name: string
  readonly options: DeleteOptions
  readonly preconditions: Preconditions
  readonly current: StoredObject
}

interface Marked {
  /** Set when that was all there is to do. */
  readonly result: Deletion | undefined
  readonly out: StoredObject | KubeObject | undefined
  readonly last: KubeObject | undefined
  readonly ignoreNotFound: boolean
}

/**
 * Writes down that an object is being deleted, and who still has a say in it
 * (`updateForGracefulDeletionAndFinalizers`).
 */
async function markForDeletion(scope: RequestScope, key: string, mark: MarkOptions): Promise<Marked> {
  const { resource, host } = scope
  const { name, options, preconditions, current } = mark
  const storage = host.storageOf(resource)
  let pendingFinalizers = false
  let graceSeconds = 0
  let last: KubeObject | undefined
  const update = {
    preconditions,
    signal: scope.signal,
    tryUpdate: (existing: StoredObject | undefined): { readonly object: KubeObject } => {
      admitDelete(scope, name)
      const object = structuredClone(existing!.object)
      const plan = beforeDelete(scope, object, options)
      if (plan.pending) throw new DeletionSignal('already deleting')
      const finalizers = garbageCollectionFinalizers(resource, object, options)
      if (finalizers !== undefined) setFinalizers(object, finalizers)
      pendingFinalizers = (object.metadata.finalizers?.length ?? 0) > 0
      if (!plan.graceful) {
        if (!pendingFinalizers) throw new DeletionSignal('delete now')
        markAsDeleting(scope, object)
        return { object }
      }
      graceSeconds = options.gracePeriodSeconds ?? 0
      last = object
      return { object }
    },
  }
  let out: StoredObject | KubeObject
  try {
    out = options.dryRun ? await dryUpdate(storage, key, update) : await storage.guaranteedUpdate(key, update)
  } catch (error) {
    if (error instanceof DeletionSignal) {
      if (error.kind === 'delete now') return { result: undefined, out: undefined, last, ignoreNotFound: false }
      return {
        result: { object: current, deleted: false, showObject: false },
        out: undefined,
        last,
        ignoreNotFound: false,
      }
    }
    throw interpretUpdateError(error, resource, name)
  }
  if (out instanceof StoredObject) await host.afterWrite(resource, out.object, false)
  if (pendingFinalizers || graceSeconds > 0) {
    return { result: { object: out, deleted: false, showObject: true }, out, last, ignoreNotFound: false }
  }
  return { result: undefined, out, last, ignoreNotFound: true }
}

/** `pkg/registry/generic/registry/store.go: markAsDeleting`. */
function markAsDeleting(scope: RequestScope, object: KubeObject): void {
  const meta = object.metadata
  const { clock } = scope.host
  if (meta.deletionTimestamp == null && (meta.generation ?? 0) > 0) meta.generation = meta.generation! + 1
  if (meta.deletionTimestamp == null || Date.parse(meta.deletionTimestamp) > clock.now()) {
    meta.deletionTimestamp = timestamp(clock)
  }
  meta.deletionGracePeriodSeconds = 0
}

function setFinalizers(object: KubeObject, finalizers: string[]): void {
  if (finalizers.length > 0) object.metadata.finalizers = finalizers
  else delete object.metadata.finalizers
}

/** Whether an update that leaves no finalizers ends an object that waited for just that (`ShouldDeleteDuringUpdate`). */
export function shouldDeleteDuringUpdate(resource: Resource, object: KubeObject, current: KubeObject): boolean {
  if ((object.metadata.finalizers?.length ?? 0) > 0 || current.metadata.deletionTimestamp == null) return false
  if (resource.group === '' && resource.resource === 'namespaces') {
    const spec = object['spec'] as { finalizers?: readonly string[] | null } | undefined
    if ((spec?.finalizers?.length ?? 0) > 0) return false
  }
  return (current.metadata.deletionGracePeriodSeconds ?? 0) === 0
}

/** Deletes an object whose last finalizer an update took; the answer is what the update made of it (`deleteWithoutFinalizers`). */
export async function finalizeUpdateDeletion(
  scope: RequestScope,
  object: KubeObject,
  change: { readonly dryRun: boolean; readonly preconditions: Preconditions | undefined },
): Promise<VerbResult> {
  const { resource, host, name } = scope
  const key = keyOf(resource, scope.namespace, name)
  const options = plainDeleteOptions(change.dryRun)
  try {
    const gone = await deleteKey(scope, host.storageOf(resource), key, {
      name,
      preconditions: change.preconditions ?? {},
      dryRun: options.dryRun,
    })
    await afterDelete(scope, plainOf(gone), options.dryRun)
  } catch (error) {
    if (!isKeyNotFound(error)) throw interpretDeleteError(error, resource, name)
  }
  return { type: 'value', code: 200, object: resource.fromStorage(object) }
}
