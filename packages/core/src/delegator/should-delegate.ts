import { parseResourceVersion } from '../meta/resource-version.ts'
import type { ListOptions } from '../storage/storage.ts'
import { decodeContinueKey } from '../cacher/watch-cache.ts'

/** Who should answer a list (`pkg/storage/cacher/delegator/interface.go: Result`). */
export interface DelegateDecision {
  /** The cache cannot, the storage has to. */
  readonly shouldDelegate: boolean
  /** The list wants the latest state there is. */
  readonly consistentRead: boolean
}

/** What has to be known of a cache to decide. */
export interface DelegateHelper {
  /** How far it has come. */
  readonly resourceVersion: number
  /** It keeps past states. */
  readonly snapshots: boolean
  /** Its storage can be asked for progress. */
  readonly supportsProgress: boolean
  readonly resourcePrefix: string
  /** It has the state of a version it has reached. */
  canServeExact(resourceVersion: bigint): boolean
}

const fromCache: DelegateDecision = { shouldDelegate: false, consistentRead: false }
const fromStorage: DelegateDecision = { shouldDelegate: true, consistentRead: false }

/** Decides, by what a list asks for, who answers it (`interface.go: ShouldDelegateList`). Throws 400 for a bad continue token. */
export function shouldDelegateList(options: ListOptions, cache: DelegateHelper): DelegateDecision {
  const { predicate, recursive, resourceVersion } = options
  switch (options.resourceVersionMatch) {
    case 'Exact':
      return exact(parseResourceVersion(resourceVersion), recursive, cache)
    case 'NotOlderThan':
      return fromCache
    case '':
      if (predicate.continue !== '') {
        if (!recursive || !cache.snapshots) return fromStorage
        const position = decodeContinueKey(predicate.continue, cache.resourcePrefix)
        if (position.resourceVersion > 0n) return exact(position.resourceVersion, recursive, cache)
        return consistent(cache)
      }
      if (predicate.limit > 0 && resourceVersion !== '' && resourceVersion !== '0') {
        return exact(parseResourceVersion(resourceVersion), recursive, cache)
      }
      return resourceVersion === '' ? consistent(cache) : fromCache
    default:
      return fromStorage
  }
}

function exact(resourceVersion: bigint, recursive: boolean, cache: DelegateHelper): DelegateDecision {
  if (!recursive || !cache.snapshots) return fromStorage
  // What is not there yet is waited for, if somebody will tell when it is.
  if (resourceVersion > cache.resourceVersion) return cache.supportsProgress ? fromCache : fromStorage
  return cache.canServeExact(resourceVersion) ? fromCache : fromStorage
}

function consistent(cache: DelegateHelper): DelegateDecision {
  return { shouldDelegate: !cache.supportsProgress, consistentRead: true }
}
