import {
  isStorageError,
  newInvalidObjectError,
  newKeyNotFoundError,
  type GuaranteedUpdateOptions,
  type KubeObject,
  type Preconditions,
  type Storage,
} from '@freshread/core'

/** What an update would make of the object (`pkg/registry/generic/registry/dryrun.go: GuaranteedUpdate`). */
export async function dryUpdate(
  storage: Storage,
  key: string,
  options: GuaranteedUpdateOptions<KubeObject>,
): Promise<KubeObject> {
  const current = await storage.get(key, { ignoreNotFound: true })
  if (current === undefined && options.ignoreNotFound !== true) throw newKeyNotFoundError(key, 0)
  checkPreconditions(key, options.preconditions, current?.object ?? { metadata: {} })
  const { object } = await options.tryUpdate(current, { resourceVersion: current?.resourceVersion ?? 0 })
  return object
}

/** `pkg/storage/interfaces.go: Preconditions.Check`. */
export function checkPreconditions(key: string, preconditions: Preconditions | undefined, object: KubeObject): void {
  const { uid, resourceVersion } = preconditions ?? {}
  if (uid !== undefined && uid !== object.metadata.uid) {
    throw newInvalidObjectError(
      key,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${object.metadata.uid ?? ''}`,
    )
  }
  if (resourceVersion !== undefined && resourceVersion !== object.metadata.resourceVersion) {
    throw newInvalidObjectError(
      key,
      `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${object.metadata.resourceVersion ?? ''}`,
    )
  }
}

/** Whether a storage error says that the key is not there. */
export function isKeyNotFound(error: unknown): boolean {
  return isStorageError(error, 'key not found')
}
