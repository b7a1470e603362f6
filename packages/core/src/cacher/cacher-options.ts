import type { Clock } from '../clock.ts'
import type { FeatureGates } from '../features/feature-gates.ts'
import type { GetAttributes } from '../meta/selection-predicate.ts'
import type { GroupResource, KubeObject } from '../meta/types.ts'
import type { MetricsRegistry } from '../metrics/registry.ts'
import type { Storage } from '../storage/storage.ts'
import type { HistoryOptions } from './history.ts'
import type { Indexers } from './indexer.ts'
import type { WatchTrigger } from './watchers.ts'

/** Constants of the mechanism, with upstream's values as defaults; times in milliseconds. */
export interface CacherTuning {
  /** Longest wait of a read; default 3 s. */
  readonly blockTimeout?: number
  /** Default 100 ms. */
  readonly progressRequestPeriod?: number
  /** Asks for progress at once whenever somebody begins to wait; for storages in the same process. Default false. */
  readonly eagerProgress?: boolean
  /** Default 60 s. */
  readonly bookmarkFrequency?: number
  /** Default 1 s. */
  readonly bookmarkTick?: number
  /** How long events are kept; default and least 75 s. */
  readonly eventsHistoryWindow?: number
  /** Bounds and initial capacity of the history. */
  readonly history?: Omit<HistoryOptions, 'eventFreshDuration' | 'onResize'>
  /** Default 1 s. */
  readonly restartPause?: number
  /** Default 15 s. */
  readonly compactorPeriod?: number
  /** Objects per page when the cache is filled by lists; default 10 000. */
  readonly pageSize?: number
  /** Events that may wait for slow watchers; default 100. */
  readonly incomingQueueSize?: number
}

/** Options of the watch cache of one resource. */
export interface CacherOptions<T extends KubeObject = KubeObject> {
  /** What is cached. */
  readonly storage: Storage<T>
  readonly groupResource: GroupResource
  /** What the keys of the resource start with: `/configmaps`. */
  readonly resourcePrefix: string
  readonly getAttributes: GetAttributes<T>
  /** The storage can be asked for progress; default true. Consistent reads from the cache need it. */
  readonly supportsProgress?: (() => boolean) | undefined
  readonly indexers?: Indexers<T> | undefined
  /** At most one: the field by which watches are told apart early. */
  readonly trigger?: WatchTrigger<T> | undefined
  readonly clock?: Clock | undefined
  readonly metrics?: MetricsRegistry | undefined
  readonly featureGates?: FeatureGates | undefined
  readonly tuning?: CacherTuning | undefined
  /** 0 … 1, for jitter; default Math.random. */
  readonly random?: (() => number) | undefined
  /** Told of errors that the cache survives. */
  readonly onError?: ((error: unknown) => void) | undefined
}

/** What a cache looks like from outside. */
export interface CacherState {
  readonly ready: boolean
  readonly resourceVersion: number
  readonly listResourceVersion: number
  readonly objects: number
  readonly watchers: number
  /** Reads that wait for a version. */
  readonly waiters: number
  readonly historyLength: number
  readonly historyCapacity: number
  readonly snapshots: number
}
