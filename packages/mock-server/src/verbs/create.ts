import {
  interpretCreateError,
  isAlreadyExists,
  newGenerateNameConflict,
  newKeyExistsError,
  StatusError,
  StoredObject,
  type KubeObject,
  type Storage,
} from '@freshread/core'
import { limitedBody } from '../api/decode-body.ts'
import { allCodecs, negotiateInput } from '../api/negotiation.ts'
import { managerOrUserAgent } from '../patch/managed-fields/manager-name.ts'
import { keyOf } from '../resources/storage-key.ts'
import { generateName } from '../resources/system-fields.ts'
import { beforeCreate } from './before-create.ts'
import { decodeRequestObject } from './decode.ts'
import { noteUpdate } from './managed-fields.ts'
import { admitCreate } from './admission/namespace-lifecycle.ts'
import { dedupOwnerReferences, ensureNamespace, fillSystemFields, wipeSystemFields } from './object-meta.ts'
import { strategyContext, type RequestScope, type VerbResult } from './scope.ts'
import { isTooLarge } from './too-large.ts'
import { ttlSecondsOf } from './ttl.ts'
import { writeOptions } from './write-options.ts'

const MAX_NAME_ATTEMPTS = 8

/** Creates an object from the request's body (`pkg/endpoints/handlers/create.go: createHandler`). */
export async function create(scope: RequestScope): Promise<VerbResult> {
  // A create looks at the body's type first, an update at its options.
  negotiateInput(scope.request.headers['content-type'], allCodecs)
  limitedBody(scope.request)
  const options = writeOptions(scope.query, 'CreateOptions')
  const object = decodeRequestObject(scope, options.fieldValidation)
  wipeSystemFields(object.metadata)
  const isNamespace = scope.resource.group === '' && scope.resource.resource === 'namespaces'
  ensureNamespace(object.metadata, isNamespace ? '' : scope.namespace)
  dedupOwnerReferences(object, false, (text) => scope.warnings.add(text))

  const manager = managerOrUserAgent(options.fieldManager, scope.request.headers['user-agent'])
  const noted = noteUpdate(scope, undefined, object, manager)
  await admitCreate(scope, noted)
  const context = strategyContext(scope, { name: noted.metadata.name ?? '', dryRun: options.dryRun })
  await scope.resource.strategy.admit?.(noted, undefined, context)
  dedupOwnerReferences(noted, true, (text) => scope.warnings.add(text))
  const stored = await createObject(scope, noted, options.dryRun).catch((error: unknown) => {
    if (!isTooLarge(error)) throw error
    // Managed fields can be large, and nobody needs them to use the object.
    delete noted.metadata.managedFields
    return createObject(scope, noted, options.dryRun)
  })
  return stored instanceof StoredObject
    ? { type: 'object', code: 201, object: stored }
    : { type: 'value', code: 201, object: scope.resource.fromStorage(stored) }
}

/**
 * Stores a new object, with a name made from its `generateName` where it has none
 * (`pkg/registry/generic/registry/store.go: Create`). A dry run answers the object without storing it.
 */
export async function createObject(
  scope: RequestScope,
  object: KubeObject,
  dryRun: boolean,
): Promise<StoredObject | KubeObject> {
  const { name = '', generateName: base = '' } = object.metadata
  if (name !== '' || base === '') return createOnce(scope, object, dryRun)
  for (let attempt = 1; ; attempt++) {
    try {
      return await createOnce(scope, structuredClone(object), dryRun)
    } catch (error) {
      if (attempt === MAX_NAME_ATTEMPTS || !isAlreadyExists(error)) throw error
    }
  }
}

async function createOnce(
  scope: RequestScope,
  object: KubeObject,
  dryRun: boolean,
): Promise<StoredObject | KubeObject> {
  const { resource, host } = scope
  const { strategy } = resource
  const meta = object.metadata
  fillSystemFields(meta, host.clock)
  if ((meta.generateName ?? '') !== '' && (meta.name ?? '') === '') meta.name = generateName(meta.generateName!)
  const context = strategyContext(scope, { name: meta.name ?? '', dryRun })
  let stored: StoredObject | KubeObject
  try {
    await beforeCreate(scope, object, context)
    stored = await storeNew(scope, object, dryRun)
  } catch (error) {
    strategy.afterWrite?.(object, false, context)
    throw error
  }
  strategy.afterWrite?.(object, !dryRun, context)
  if (stored instanceof StoredObject) await host.afterWrite(resource, stored.object, false)
  return stored
}

async function storeNew(scope: RequestScope, object: KubeObject, dryRun: boolean): Promise<StoredObject | KubeObject> {
  const { resource, host } = scope
  const name = object.metadata.name!
  const key = keyOf(resource, scope.namespace, name)
  const storage = host.storageOf(resource)
  try {
    if (dryRun) return await createDry(storage, key, object)
    return await storage.create(key, object, { ttlSeconds: ttlSecondsOf(resource), signal: scope.signal })
  } catch (error) {
    throw await existsError(scope, storage, key, interpretCreateError(error, resource, name), object)
  }
}

/** `pkg/registry/generic/registry/dryrun.go: Create`. */
async function createDry(storage: Storage, key: string, object: KubeObject): Promise<KubeObject> {
  const current = await storage.get(key, { ignoreNotFound: true })
  if (current !== undefined) throw newKeyExistsError(key, 0)
  return object
}

/** A conflict with a generated name asks for another try; one with an object on its way out says so. */
async function existsError(
  scope: RequestScope,
  storage: Storage,
  key: string,
  error: unknown,
  object: KubeObject,
): Promise<unknown> {
  if (!isAlreadyExists(error)) return error
  const { resource } = scope
  const { name = '', generateName: base = '' } = object.metadata
  const told = base === '' ? (error as StatusError) : newGenerateNameConflict(resource, name, 1)
  const current = await storage.get(key, { ignoreNotFound: true }).catch(() => undefined)
  if (current?.object.metadata.deletionTimestamp == null) return told
  return new StatusError({ ...told.status, message: `object is being deleted: ${told.message}` })
}
