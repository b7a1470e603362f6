import { Cacher } from '../cacher/cacher.ts'
import type { CacherOptions, CacherState } from '../cacher/cacher-options.ts'
import { resourceVersionTooHighRetrySeconds } from '../cacher/freshness.ts'
import { systemClock } from '../clock.ts'
import { newTooManyRequests } from '../errors/api-errors.ts'
import { isResourceExpired, isTooLargeResourceVersion } from '../errors/guards.ts'
import { StorageNotReadyError } from '../errors/storage-error.ts'
import { FeatureGates } from '../features/feature-gates.ts'
import { parseResourceVersion } from '../meta/resource-version.ts'
import type { KubeObject } from '../meta/types.ts'
import { cacherMetrics, type CacherMetrics } from '../metrics/cacher.ts'
import { MetricsRegistry } from '../metrics/registry.ts'
import type {
  CallOptions,
  DeleteOptions,
  GetOptions,
  GuaranteedUpdateOptions,
  ListOptions,
  ListResult,
  Storage,
  Watch,
  WatchOptions,
} from '../storage/storage.ts'
import type { StoredObject } from '../storage/stored-object.ts'
import { validateStorageListOptions } from '../storage/validate-list-options.ts'
import { ConsistencyChecker } from './consistency.ts'
import { shouldDelegateList, type DelegateHelper } from './should-delegate.ts'

/** Options of {@link CacheDelegator}: those of its cache. */
export type CacheDelegatorOptions<T extends KubeObject = KubeObject> = CacherOptions<T>

/**
 * The storage that everybody sees: decides for each call whether the cache or the storage answers it
 * (`pkg/storage/cacher/delegator.go: CacheDelegator`).
 */
export class CacheDelegator<T extends KubeObject = KubeObject> implements Storage<T> {
  readonly cacher: Cacher<T>
  readonly #storage: Storage<T>
  readonly #gates: FeatureGates
  readonly #metrics: CacherMetrics
  readonly #checker: ConsistencyChecker<T> | undefined
  readonly #prefix: string

  constructor(options: CacheDelegatorOptions<T>) {
    const metrics = options.metrics ?? new MetricsRegistry()
    this.#storage = options.storage
    this.#gates = options.featureGates ?? new FeatureGates()
    this.#metrics = cacherMetrics(metrics, options.groupResource)
    this.#prefix = options.resourcePrefix
    this.cacher = new Cacher({ ...options, metrics, featureGates: this.#gates })
    this.#checker = this.#gates.enabled('DetectCacheInconsistency')
      ? new ConsistencyChecker({
          clock: options.clock ?? systemClock,
          cacher: this.cacher,
          storage: options.storage,
          resourcePrefix: options.resourcePrefix,
          metrics: this.#metrics,
          random: options.random,
          onInconsistency: options.onError,
        })
      : undefined
  }

  /** Resolves when the cache is ready. */
  ready(signal?: AbortSignal): Promise<void> {
    return this.cacher.ready.wait(signal)
  }

  /** Starts the cache anew, see {@link Cacher.restart}. */
  restart(): void {
    this.cacher.restart()
  }

  state(): CacherState {
    return this.cacher.state()
  }

  create(key: string, object: T, options?: CallOptions & { readonly ttlSeconds?: number }): Promise<StoredObject<T>> {
    return this.#storage.create(key, object, options)
  }

  get(key: string, options: GetOptions & { readonly ignoreNotFound: true }): Promise<StoredObject<T> | undefined>
  get(key: string, options?: GetOptions): Promise<StoredObject<T>>
  async get(key: string, options: GetOptions = {}): Promise<StoredObject<T> | undefined> {
    const { resourceVersion = '' } = options
    // Without a version the latest is wanted; and a cache that is not ready has nothing to offer.
    if (resourceVersion === '' || !this.cacher.ready.isReady) {
      return await this.#fromStorage(options, () => this.#storage.get(key, options))
    }
    parseResourceVersion(resourceVersion)
    return await this.cacher.get(key, options)
  }

  async getList(key: string, options: ListOptions): Promise<ListResult<T>> {
    const fromStorage = (): Promise<ListResult<T>> =>
      this.#fromStorage(options, () => this.#storage.getList(key, options))

    validateStorageListOptions(this.#prefix, options)
    const decision = shouldDelegateList(options, this.#helper())
    if (decision.shouldDelegate) return await fromStorage()
    parseResourceVersion(options.resourceVersion)
    const { predicate } = options
    // Cheap enough to go through while the cache is not ready.
    if (!this.cacher.ready.isReady && predicate.empty && predicate.limit > 0) return await fromStorage()

    try {
      const result = await this.cacher.getList(key, options)
      if (decision.consistentRead) this.#metrics.consistentRead(true, 'false')
      return result
    } catch (error) {
      if (isResourceExpired(error) && this.#gates.enabled('ListFromCacheSnapshot')) return await fromStorage()
      if (!decision.consistentRead || options.signal?.aborted) throw error
      if (!isTooLargeResourceVersion(error)) {
        this.#metrics.consistentRead(false, 'false')
        throw error
      }
      if (this.#gates.enabled('ConsistentListFromCacheSkipTimeoutFallback')) {
        if (options.trace !== undefined) options.trace.fallback = 'skipped'
        this.#metrics.consistentRead(false, 'skipped')
        throw newTooManyRequests((error as Error).message, resourceVersionTooHighRetrySeconds)
      }
      if (options.trace !== undefined) options.trace.fallback = 'true'
      try {
        const result = await fromStorage()
        this.#metrics.consistentRead(true, 'true')
        return result
      } catch (fallbackError) {
        this.#metrics.consistentRead(false, 'true')
        throw fallbackError
      }
    }
  }

  watch(key: string, options: WatchOptions): Promise<Watch<T>> {
    const watchList = this.#gates.enabled('WatchList')
    return this.cacher.watch(key, watchList ? options : { ...options, sendInitialEvents: undefined })
  }

  delete(key: string, options: DeleteOptions<T> = {}): Promise<StoredObject<T>> {
    return this.#storage.delete(key, { ...options, cachedExistingObject: this.cacher.peek(key) })
  }

  guaranteedUpdate(key: string, options: GuaranteedUpdateOptions<T>): Promise<StoredObject<T>> {
    return this.#storage.guaranteedUpdate(key, { ...options, cachedExistingObject: this.cacher.peek(key) })
  }

  currentResourceVersion(options?: CallOptions): Promise<number> {
    return this.#storage.currentResourceVersion(options)
  }

  requestWatchProgress(): Promise<void> {
    return this.#storage.requestWatchProgress()
  }

  compactRevision(): number {
    return this.cacher.compactRevision ?? this.#storage.compactRevision()
  }

  readinessCheck(): void {
    if (!this.cacher.ready.isReady) throw new StorageNotReadyError()
  }

  /** Closes the cache and the storage under it. */
  async close(): Promise<void> {
    this.#checker?.stop()
    await this.cacher.close()
    await this.#storage.close()
  }

  #helper(): DelegateHelper {
    const { watchCache, supportsProgress } = this.cacher
    return {
      resourceVersion: watchCache.resourceVersion,
      snapshots: watchCache.storage.snapshottingEnabled,
      supportsProgress,
      resourcePrefix: this.#prefix,
      canServeExact: (resourceVersion) => watchCache.storage.canServeExact(resourceVersion),
    }
  }

  async #fromStorage<R>(options: CallOptions, read: () => Promise<R>): Promise<R> {
    if (options.trace !== undefined) options.trace.source = 'storage'
    return await read()
  }
}
