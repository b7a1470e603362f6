/** How far along a feature is. */
export type FeatureStage = 'ALPHA' | 'BETA' | 'GA' | 'DEPRECATED'

/** What holds for a feature from a version on. */
export interface VersionedFeature {
  /** Minor version: `1.34`. */
  readonly version: string
  readonly stage: FeatureStage
  readonly default: boolean
  /** Cannot be changed any more. */
  readonly locked?: boolean
}

/** Name of a known feature. */
export type FeatureName =
  | 'APIResponseCompression'
  | 'AllowUnsafeMalformedObjectDeletion'
  | 'ConcurrentWatchObjectDecode'
  | 'ConsistentListFromCacheSkipTimeoutFallback'
  | 'DetectCacheInconsistency'
  | 'EtcdRangeStream'
  | 'ListFromCacheSnapshot'
  | 'SeparateCacheWatchRPC'
  | 'ShardedListAndWatch'
  | 'SizeBasedListCostEstimate'
  | 'WatchCacheInitializationPostStartHook'
  | 'WatchList'
  | 'WatchListClient'
  | 'WatchListCompression'

/**
 * The features of kube-apiserver that touch the watch cache and what is served from it
 * (`pkg/features/kube_features.go`, and WatchListClient from `client-go: features/known_features.go`), oldest
 * version first.
 */
export const knownFeatures: Readonly<Record<FeatureName, readonly VersionedFeature[]>> = {
  /** Compresses large answers. */
  APIResponseCompression: [
    { version: '1.8', stage: 'ALPHA', default: false },
    { version: '1.16', stage: 'BETA', default: true },
  ],
  /** Objects that cannot be decoded fail a list with all of them named, and can be deleted. */
  AllowUnsafeMalformedObjectDeletion: [
    { version: '1.32', stage: 'ALPHA', default: false },
    { version: '1.37', stage: 'BETA', default: true },
  ],
  /** Several decoders per watch on the storage; nothing of it is to be seen. */
  ConcurrentWatchObjectDecode: [
    { version: '1.31', stage: 'BETA', default: false },
    { version: '1.37', stage: 'BETA', default: true },
  ],
  /** A consistent list that has waited in vain is answered 429 instead of being read from the storage. */
  ConsistentListFromCacheSkipTimeoutFallback: [{ version: '1.37', stage: 'ALPHA', default: false }],
  /** Compares the cache with its storage now and then. */
  DetectCacheInconsistency: [{ version: '1.34', stage: 'BETA', default: true }],
  /** Reads lists from etcd as a stream. */
  EtcdRangeStream: [{ version: '1.37', stage: 'BETA', default: true }],
  /** Keeps past states, and serves exact versions and later pages from them. */
  ListFromCacheSnapshot: [
    { version: '1.33', stage: 'ALPHA', default: false },
    { version: '1.34', stage: 'BETA', default: true },
  ],
  /** The cache's watch has a stream to etcd of its own. */
  SeparateCacheWatchRPC: [
    { version: '1.28', stage: 'BETA', default: true },
    { version: '1.33', stage: 'DEPRECATED', default: false },
    { version: '1.36', stage: 'DEPRECATED', default: false, locked: true },
  ],
  /** Lists and watches of a part of a resource by hash. */
  ShardedListAndWatch: [{ version: '1.36', stage: 'ALPHA', default: false }],
  /** The storage keeps track of object sizes. */
  SizeBasedListCostEstimate: [{ version: '1.34', stage: 'BETA', default: true }],
  /** The server is ready when its caches are. */
  WatchCacheInitializationPostStartHook: [
    { version: '1.31', stage: 'BETA', default: false },
    { version: '1.36', stage: 'BETA', default: true },
    { version: '1.37', stage: 'GA', default: true, locked: true },
  ],
  /** Watches may begin with the whole state (sendInitialEvents). */
  WatchList: [
    { version: '1.27', stage: 'ALPHA', default: false },
    { version: '1.32', stage: 'BETA', default: true },
    { version: '1.33', stage: 'BETA', default: false },
    { version: '1.34', stage: 'BETA', default: true },
  ],
  /** The cache is filled by a watch rather than a list. */
  WatchListClient: [
    { version: '1.30', stage: 'BETA', default: false },
    { version: '1.35', stage: 'BETA', default: true },
  ],
  /** Compresses watches that begin with the whole state. */
  WatchListCompression: [{ version: '1.37', stage: 'BETA', default: true }],
}
