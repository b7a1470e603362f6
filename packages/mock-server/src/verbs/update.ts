import {
  interpretCreateError,
  interpretUpdateError,
  invalid,
  newConflict,
  newInvalid,
  newNotFound,
  StoredObject,
  type GuaranteedUpdateOptions,
  type KubeObject,
  type Preconditions,
} from '@freshread/core'
import { limitedBody } from '../api/decode-body.ts'
import { managerOrUserAgent } from '../patch/managed-fields/manager-name.ts'
import { keyOf } from '../resources/storage-key.ts'
import { beforeCreate } from './before-create.ts'
import { beforeUpdate } from './before-update.ts'
import { decodeRequestObject } from './decode.ts'
import { finalizeUpdateDeletion, shouldDeleteDuringUpdate } from './delete-object.ts'
import { dryUpdate } from './dry-run.ts'
import { ignoreManagedFieldsTimes, noteUpdate } from './managed-fields.ts'
import { admitCreate } from './admission/namespace-lifecycle.ts'
import { checkName, dedupOwnerReferences, ensureNamespace, fillSystemFields, wipeSystemFields } from './object-meta.ts'
import { strategyContext, type RequestScope, type VerbResult } from './scope.ts'
import { isTooLarge } from './too-large.ts'
import { ttlSecondsOf } from './ttl.ts'
import { writeOptions } from './write-options.ts'

const OPTIMISTIC_LOCK = 'the object has been modified; please apply your changes to the latest version and try again'

/** Replaces an object by the request's body (`pkg/endpoints/handlers/update.go: UpdateResource`). */
export async function update(scope: RequestScope): Promise<VerbResult> {
  limitedBody(scope.request)
  const options = writeOptions(scope.query, 'UpdateOptions')
  const object = decodeRequestObject(scope, options.fieldValidation)
  ensureNamespace(object.metadata, requestNamespace(scope))
  checkName(object.metadata, scope.name, scope.namespace)
  const warn = (text: string): void => scope.warnings.add(text)
  dedupOwnerReferences(object, false, warn)
  const manager = managerOrUserAgent(options.fieldManager, scope.request.headers['user-agent'])
  const { uid } = object.metadata
  return updateOrShrink(scope, {
    dryRun: options.dryRun,
    preconditions: uid === undefined || uid === '' ? undefined : { uid },
    forceAllowCreate: false,
    newObject: (current) => noteUpdate(scope, current, structuredClone(object), manager),
  })
}

/** The namespace that an object must have; namespaces themselves have none. */
export function requestNamespace(scope: RequestScope): string {
  return scope.resource.group === '' && scope.resource.resource === 'namespaces' ? '' : scope.namespace
}

/** How an object is to be changed. */
export interface ObjectUpdate {
  readonly dryRun: boolean
  readonly preconditions: Preconditions | undefined
  /** An object that does not exist is created, whatever its kind says. */
  readonly forceAllowCreate: boolean
  /**
   * The new object, in the version of the storage, owners noted; the caller's own copy. May be called again with a
   * newer current object.
   */
  readonly newObject: (current: KubeObject | undefined) => KubeObject | Promise<KubeObject>
}

/** Thrown within an update to say that it deletes the object instead. */
class EmptiedFinalizers extends Error {
  readonly object: KubeObject

  constructor(object: KubeObject) {
    super('emptied finalizers')
    this.object = object
  }
}

/** Like {@link updateObject}; an object that is too large is tried again without its managed fields. */
export async function updateOrShrink(scope: RequestScope, change: ObjectUpdate): Promise<VerbResult> {
  try {
    return await updateObject(scope, change)
  } catch (error) {
    if (!isTooLarge(error)) throw error
    return updateObject(scope, {
      ...change,
      newObject: async (current) => {
        const object = await change.newObject(current)
        delete object.metadata.managedFields
        return object
      },
    })
  }
}

/** Changes or creates an object (`pkg/registry/generic/registry/store.go: Update`). */
export async function updateObject(scope: RequestScope, change: ObjectUpdate): Promise<VerbResult> {
  const { resource, host, name } = scope
  const key = keyOf(resource, scope.namespace, name)
  const storage = host.storageOf(resource)
  const allowCreate =
    scope.subresource === undefined && (resource.strategy.allowCreateOnUpdate === true || change.forceAllowCreate)
  const context = strategyContext(scope, { dryRun: change.dryRun })
  let creating = false
  let changed: KubeObject | undefined
  const options: GuaranteedUpdateOptions<KubeObject> = {
    ignoreNotFound: allowCreate,
    preconditions: change.preconditions,
    signal: scope.signal,
    tryUpdate: async (current, { resourceVersion }) => {
      if (changed !== undefined) resource.strategy.afterWrite?.(changed, false, context)
      changed = undefined
      const existing = current?.object
      const exists = existing !== undefined && resourceVersion !== 0
      if (!exists && !allowCreate) throw newNotFound(resource, name)
      const object = await change.newObject(exists ? existing : undefined)
      const given = parseResourceVersion(object.metadata.resourceVersion ?? '')
      creating = !exists
      if (!exists) {
        await admit(scope, object, undefined, context)
        changed = object
        wipeSystemFields(object.metadata)
        fillSystemFields(object.metadata, host.clock)
        await beforeCreate(scope, object, context)
        return { object, ttlSeconds: ttlSecondsOf(resource) }
      }
      await admit(scope, object, existing, context)
      changed = object
      checkResourceVersion(scope, object, given, resourceVersion)
      await beforeUpdate(scope, object, existing, context)
      const restored = ignoreManagedFieldsTimes(object, existing)
      if (shouldDeleteDuringUpdate(resource, restored, existing)) throw new EmptiedFinalizers(restored)
      return { object: restored, ttlSeconds: ttlSecondsOf(resource) }
    },
  }
  let stored: StoredObject | KubeObject
  try {
    stored = change.dryRun ? await dryUpdate(storage, key, options) : await storage.guaranteedUpdate(key, options)
  } catch (error) {
    if (error instanceof EmptiedFinalizers) return finalizeUpdateDeletion(scope, error.object, change)
    if (changed !== undefined) resource.strategy.afterWrite?.(changed, false, context)
    throw creating ? interpretCreateError(error, resource, name) : interpretUpdateError(error, resource, name)
  }
  if (changed !== undefined) resource.strategy.afterWrite?.(changed, !change.dryRun, context)
  const code = creating ? 201 : 200
  if (!(stored instanceof StoredObject)) return { type: 'value', code, object: resource.fromStorage(stored) }
  await host.afterWrite(resource, stored.object, false)
  return { type: 'object', code, object: stored }
}

async function admit(
  scope: RequestScope,
  object: KubeObject,
  current: KubeObject | undefined,
  context: ReturnType<typeof strategyContext>,
): Promise<void> {
  if (current === undefined) await admitCreate(scope, object)
  await scope.resource.strategy.admit?.(object, current, context)
  dedupOwnerReferences(object, true, (text) => scope.warnings.add(text))
}

/** The optimistic lock: without a resourceVersion an update overwrites, where the kind allows that. */
function checkResourceVersion(scope: RequestScope, object: KubeObject, given: bigint, current: number): void {
  const { resource, name } = scope
  if (given === 0n) {
    if (resource.strategy.allowUnconditionalUpdate !== false) {
      object.metadata.resourceVersion = String(current)
      return
    }
    // The resource stands where the kind should: that is how upstream tells it.
    const kind = { group: resource.group, kind: resource.resource }
    throw newInvalid(kind, name, [invalid('metadata.resourceVersion', 0, 'must be specified for an update')])
  }
  if (given !== BigInt(current)) throw newConflict(resource, name, OPTIMISTIC_LOCK)
}

function parseResourceVersion(text: string): bigint {
  if (text === '' || text === '0') return 0n
  if (!/^\d+$/.test(text)) {
    throw new Error(`strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`)
  }
  const value = BigInt(text)
  if (value >= 2n ** 64n) throw new Error(`strconv.ParseUint: parsing ${JSON.stringify(text)}: value out of range`)
  return value
}
