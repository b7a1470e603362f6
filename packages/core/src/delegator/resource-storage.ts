import type { CacherState, CacherTuning } from '../cacher/cacher-options.ts'
import type { Indexers } from '../cacher/indexer.ts'
import type { WatchTrigger } from '../cacher/watchers.ts'
import { systemClock, type Clock } from '../clock.ts'
import { FeatureGates } from '../features/feature-gates.ts'
import {
  defaultClusterScopedAttributes,
  defaultNamespaceScopedAttributes,
  type GetAttributes,
} from '../meta/selection-predicate.ts'
import type { GroupResource, KubeObject } from '../meta/types.ts'
import { MetricsRegistry } from '../metrics/registry.ts'
import { observeObjectCount, storageObserver } from '../metrics/storage.ts'
import type { KV } from '../storage/kv.ts'
import type { Storage } from '../storage/storage.ts'
import { Store } from '../storage/store.ts'
import { CacheDelegator } from './delegator.ts'

/** Options of {@link createResourceStorage}. */
export interface ResourceStorageOptions<T extends KubeObject = KubeObject> {
  /** Where everything is kept; shared by all resources. */
  readonly kv: KV
  /** Named in errors and metrics. */
  readonly groupResource: GroupResource
  /** What the resource's keys start with: `/configmaps`. */
  readonly resourcePrefix: string
  /** Decides what selectors can look at unless {@link ResourceStorageOptions.getAttributes} does; default true. */
  readonly namespaced?: boolean
  readonly getAttributes?: GetAttributes<T> | undefined
  readonly indexers?: Indexers<T> | undefined
  readonly trigger?: WatchTrigger<T> | undefined
  /** Keeps a watch cache before the storage; default true. */
  readonly watchCache?: boolean
  /** Knows what is compacted in the KV. */
  readonly compactor?: { compactRevision(): number } | undefined
  readonly clock?: Clock | undefined
  readonly metrics?: MetricsRegistry | undefined
  readonly featureGates?: FeatureGates | undefined
  /** Constants of the cache. Here `eagerProgress` is on unless said otherwise: reads of the latest state then wait for no period. */
  readonly tuning?: CacherTuning | undefined
  /** 0 … 1, for jitter; default Math.random. */
  readonly random?: (() => number) | undefined
  /** Told of errors that the cache survives. */
  readonly onError?: ((error: unknown) => void) | undefined
}

/** The storage of one resource, with or without a cache before it. */
export interface ResourceStorage<T extends KubeObject = KubeObject> {
  readonly storage: Storage<T>
  /** Resolves when reads can be served from the cache; at once where there is none. */
  ready(signal?: AbortSignal): Promise<void>
  /** Starts the cache anew: open watches end without an error. Nothing happens where there is none. */
  restart(): void
  /** The cache's state; `undefined` where there is none. */
  state(): CacherState | undefined
  /** Ends the cache and the resource's watches; the KV stays open. Idempotent. */
  close(): Promise<void>
}

/**
 * Puts the storage of one resource together, as kube-apiserver does (`pkg/registry/generic/registry: StorageWithCacher`).
 *
 * @throws TypeError when an option is missing or wrong
 */
export function createResourceStorage<T extends KubeObject = KubeObject>(
  options: ResourceStorageOptions<T>,
): ResourceStorage<T> {
  const { kv, groupResource, resourcePrefix, compactor } = options
  if (typeof kv?.watch !== 'function') throw new TypeError('createResourceStorage: option kv must be a KV')
  if (typeof groupResource?.resource !== 'string') {
    throw new TypeError('createResourceStorage: option groupResource must be {group, resource}')
  }
  if (typeof resourcePrefix !== 'string') {
    throw new TypeError('createResourceStorage: option resourcePrefix must be a text such as /pods')
  }
  const clock = options.clock ?? systemClock
  const metrics = options.metrics ?? new MetricsRegistry()
  const featureGates = options.featureGates ?? new FeatureGates()
  const store = new Store<T>({
    kv,
    groupResource,
    resourcePrefix,
    clock,
    watchList: featureGates.enabled('WatchList'),
    observer: storageObserver(metrics),
    ...(compactor !== undefined && { compactor }),
  })
  if (options.watchCache === false) {
    return {
      storage: store,
      ready: async () => {},
      restart: () => {},
      state: () => undefined,
      close: () => store.close(),
    }
  }
  const attributes = options.namespaced === false ? defaultClusterScopedAttributes : defaultNamespaceScopedAttributes
  const delegator = new CacheDelegator<T>({
    storage: store,
    groupResource,
    resourcePrefix,
    getAttributes: options.getAttributes ?? attributes,
    supportsProgress: () => kv.supportsProgress,
    indexers: options.indexers,
    trigger: options.trigger,
    clock,
    metrics,
    featureGates,
    tuning: { eagerProgress: true, ...options.tuning },
    random: options.random,
    onError: options.onError,
  })
  const stopCounting = observeObjectCount(metrics, groupResource, () => delegator.state().objects)
  return {
    storage: delegator,
    ready: (signal) => delegator.ready(signal),
    restart: () => delegator.restart(),
    state: () => delegator.state(),
    close: async () => {
      stopCounting()
      await delegator.close()
    },
  }
}
