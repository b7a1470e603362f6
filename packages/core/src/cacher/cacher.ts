import { systemClock, type Clock, type TimerHandle } from '../clock.ts'
import { isTooLargeResourceVersion } from '../errors/guards.ts'
import { newKeyNotFoundError } from '../errors/storage-error.ts'
import { FeatureGates } from '../features/feature-gates.ts'
import { prepareContinueToken } from '../meta/continue-token.ts'
import { hasPathPrefix, prepareKey } from '../meta/key.ts'
import { parseResourceVersion, printListResourceVersion } from '../meta/resource-version.ts'
import type { SelectionPredicate } from '../meta/selection-predicate.ts'
import type { GroupResource, KubeObject } from '../meta/types.ts'
import { cacherMetrics, type CacherMetrics } from '../metrics/cacher.ts'
import { MetricsRegistry } from '../metrics/registry.ts'
import type {
  GetOptions,
  ListOptions,
  ListResult,
  ReadTrace,
  Storage,
  Watch,
  WatchOptions,
} from '../storage/storage.ts'
import type { StoredObject } from '../storage/stored-object.ts'
import { BookmarkTimeBuckets } from './bookmarks.ts'
import { CacheWatcher } from './cache-watcher.ts'
import type { CacherOptions, CacherState, CacherTuning } from './cacher-options.ts'
import { Compactor } from './compactor.ts'
import { Dispatcher } from './dispatcher.ts'
import { defaultEventFreshDuration } from './history.ts'
import { ImmediateWatch } from './immediate-watch.ts'
import { ListerWatcher } from './lister-watcher.ts'
import { newUnreadyError, Ready } from './ready.ts'
import { Reflector } from './reflector.ts'
import { WatchCache, type ElementRange } from './watch-cache.ts'
import { IndexedWatchers, type WatchScope, type WatchTrigger } from './watchers.ts'

/** Pause before a cache that has lost touch is filled anew, in milliseconds (`pkg/storage/cacher/cacher.go`). */
const restartPause = 1_000

/** How often bookmarks that are due are handed out, in milliseconds; up to a quarter is added by chance. */
const bookmarkTick = 1_000

/**
 * The watch cache of one resource (`pkg/storage/cacher/cacher.go: Cacher`): follows a storage and serves
 * reads and watches in its place. It lags behind by nature; reads say how fresh their answer has to be.
 */
export class Cacher<T extends KubeObject = KubeObject> {
  readonly groupResource: GroupResource
  readonly watchCache: WatchCache<T>
  readonly #storage: Storage<T>
  readonly #prefix: string
  readonly #clock: Clock
  readonly #random: () => number
  readonly #metrics: CacherMetrics
  readonly #supportsProgress: () => boolean
  readonly #trigger: WatchTrigger<T> | undefined
  readonly #tuning: CacherTuning
  readonly #onError: ((error: unknown) => void) | undefined
  readonly #ready: Ready
  readonly #watchers: IndexedWatchers<T>
  readonly #dispatcher: Dispatcher<T>
  readonly #bookmarks: BookmarkTimeBuckets<CacheWatcher<T>>
  readonly #compactor: Compactor | undefined
  readonly #watchList: boolean
  #bookmarkTimer: TimerHandle | undefined
  #startedCaching: number
  #run = new AbortController()
  #closed = false
  #caching: Promise<void>

  /** Begins to fill the cache at once. Throws a TypeError for options that make no sense. */
  constructor(options: CacherOptions<T>) {
    const { storage, tuning = {}, clock = systemClock } = options
    const gates = options.featureGates ?? new FeatureGates()
    const window = tuning.eventsHistoryWindow ?? defaultEventFreshDuration
    if (!(window >= defaultEventFreshDuration)) {
      throw new TypeError(`tuning.eventsHistoryWindow (${window} ms) must not be below ${defaultEventFreshDuration} ms`)
    }
    this.groupResource = options.groupResource
    this.#storage = storage
    this.#prefix = options.resourcePrefix
    this.#clock = clock
    this.#random = options.random ?? Math.random
    this.#metrics = cacherMetrics(options.metrics ?? new MetricsRegistry(), options.groupResource)
    this.#supportsProgress = options.supportsProgress ?? (() => true)
    this.#trigger = options.trigger
    this.#tuning = tuning
    this.#onError = options.onError
    this.#watchList = gates.enabled('WatchListClient') && gates.enabled('WatchList')
    this.#ready = new Ready(clock)
    this.#startedCaching = clock.now()
    this.#watchers = new IndexedWatchers(options.trigger)
    this.#bookmarks = new BookmarkTimeBuckets(clock, tuning.bookmarkFrequency)
    this.#dispatcher = new Dispatcher({
      clock,
      metrics: this.#metrics,
      watchers: this.#watchers,
      onBookmarks: (resourceVersion) => this.#sendBookmarks(resourceVersion),
      queueSize: tuning.incomingQueueSize,
    })
    const snapshots = gates.enabled('ListFromCacheSnapshot')
    this.watchCache = new WatchCache<T>({
      clock,
      metrics: this.#metrics,
      getAttributes: options.getAttributes,
      indexers: options.indexers,
      snapshots,
      supportsProgress: this.#supportsProgress,
      requestProgress: () => storage.requestWatchProgress(),
      currentResourceVersion: (signal) => storage.currentResourceVersion({ signal }),
      history: { ...tuning.history, eventFreshDuration: window },
      blockTimeout: tuning.blockTimeout,
      progressRequestPeriod: tuning.progressRequestPeriod,
      eagerProgress: tuning.eagerProgress,
      onError: options.onError,
      listener: {
        onEvent: (event) => this.#dispatcher.event(event),
        onProgress: (resourceVersion) => this.#dispatcher.progress(resourceVersion),
        onReplace: (resourceVersion) => this.#replaced(resourceVersion),
      },
    })
    this.#compactor = snapshots
      ? new Compactor({
          clock,
          compactRevision: () => storage.compactRevision(),
          compact: (revision) => this.watchCache.storage.compact(revision),
          period: tuning.compactorPeriod,
        })
      : undefined
    this.#caching = this.#keepCaching()
  }

  /** Whether reads can be served, and if not, why. */
  get ready(): Ready {
    return this.#ready
  }

  get supportsProgress(): boolean {
    return this.#supportsProgress()
  }

  /** What the compactor has followed; `undefined` where there is none. */
  get compactRevision(): number | undefined {
    return this.#compactor?.compactRevision
  }

  state(): CacherState {
    const { storage, history, freshness, resourceVersion } = this.watchCache
    return {
      ready: this.#ready.isReady,
      resourceVersion,
      listResourceVersion: storage.listResourceVersion,
      objects: storage.latest.size,
      watchers: this.#watchers.size,
      waiters: freshness.waiting,
      historyLength: history.length,
      historyCapacity: history.capacity,
      snapshots: storage.snapshotCount,
    }
  }

  /**
   * Forgets everything and fills the cache anew: running watches end, without an error; reads that wait go on
   * waiting; new ones are refused until the cache is ready again.
   */
  restart(): void {
    if (this.#closed) return
    this.#run.abort(new Error('the cache starts anew'))
    this.#ready.setPending()
    this.#terminateAllWatchers()
  }

  /** Ends watches, waits and timers. Idempotent. */
  async close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true
      this.#ready.stop()
      this.#run.abort(new Error('apiserver cacher is stopped'))
      this.#dispatcher.close()
      this.#compactor?.stop()
      this.#clock.clearTimeout(this.#bookmarkTimer)
      this.#terminateAllWatchers()
      this.watchCache.close(new Error('apiserver cacher is stopped'))
    }
    await this.#caching
  }

  /** The object as it is in the cache, without waiting; a first guess at what the storage holds. */
  peek(key: string): StoredObject<T> | undefined {
    return this.watchCache.storage.latest.get(key)?.object
  }

  /** Stops or resumes keeping past states, see {@link WatchCacheStorage.markConsistent}. */
  markConsistent(consistent: boolean): void {
    this.watchCache.storage.markConsistent(consistent)
  }

  /** Reads one object, at least as new as asked for. The caller has seen that the cache is ready. */
  async get(key: string, options: GetOptions): Promise<StoredObject<T> | undefined> {
    const prepared = prepareKey(this.#prefix, key, false)
    const requested = parseResourceVersion(options.resourceVersion ?? '')
    const { element, resourceVersion } = await this.#traced(options.trace, () =>
      this.watchCache.waitUntilFreshAndGet(requested, prepared, options.signal),
    )
    if (element !== undefined) return element.object
    if (options.ignoreNotFound) return undefined
    throw newKeyNotFoundError(prepared, resourceVersion)
  }

  /** Lists, at least as new as asked for, or exactly that. 429 while the cache is not ready. */
  async getList(key: string, options: ListOptions): Promise<ListResult<T>> {
    const prepared = prepareKey(this.#prefix, key, options.recursive)
    parseResourceVersion(options.resourceVersion)
    const state = this.#ready.check()
    if (state.error !== undefined) throw newUnreadyError(state)

    const list = await this.#traced(options.trace, () => this.watchCache.waitUntilFreshAndGetList(prepared, options))
    const { predicate } = options
    const limit = options.resourceVersion === '0' ? 0 : Math.max(0, predicate.limit)
    const { items, hasMore } = select(list.elements, predicate, limit)
    const continuation = prepareContinueToken(
      items.at(-1)?.key ?? '',
      key,
      list.resourceVersion,
      list.elements.count,
      hasMore,
      predicate,
    )
    if (options.trace !== undefined && list.index !== '') options.trace.index = list.index
    this.#metrics.listed(list.index, list.elements.count, items.length)
    return {
      resourceVersion: printListResourceVersion(list.resourceVersion),
      continue: continuation.continue,
      remainingItemCount: continuation.remainingItemCount,
      items,
    }
  }

  /**
   * Starts a watch (`pkg/storage/cacher/cacher.go: Watch`). Throws for what is wrong before the watch begins;
   * what goes wrong from there on is told by an ERROR event.
   */
  async watch(key: string, options: WatchOptions): Promise<Watch<T>> {
    const prepared = prepareKey(this.#prefix, key, options.recursive)
    const requested = parseResourceVersion(options.resourceVersion)
    const state = this.#ready.check()
    if (state.error !== undefined) throw newUnreadyError(state)

    const { predicate, sendInitialEvents, signal } = options
    const scope = this.#scope(options)
    const triggerValue = this.#triggerValue(predicate)
    const size = this.watchCache.history.suggestedWatchChannelSize(
      this.#trigger !== undefined,
      triggerValue !== undefined,
    )
    const watchList = sendInitialEvents === true && predicate.allowWatchBookmarks
    if (watchList && !this.#supportsProgress()) {
      const reason = 'the required storage feature RequestWatchProgress is disabled'
      return ImmediateWatch.failed(new Error(`a watch stream was requested by the client but ${reason}`))
    }

    let interval
    let required: number
    try {
      const exact = await this.#requiredResourceVersion(options, requested)
      if (sendInitialEvents === true) {
        await this.#traced(options.trace, async () => ({
          waitedMs: await this.watchCache.freshness.waitUntilFresh(exact, signal),
        }))
      }
      // More than a number holds exactly is never reached; it is only compared from here on.
      required = Number(exact)
      // From here to the registration nothing may happen in between, or an event could be missed or told twice.
      interval = this.watchCache.getAllEventsSince(required, prepared, options.recursive, sendInitialEvents)
    } catch (error) {
      if (signal?.aborted) return ImmediateWatch.closed()
      return ImmediateWatch.failed(error)
    }
    const now = this.#ready.check()
    if (now.error !== undefined || now.generation !== state.generation || signal?.aborted) {
      return ImmediateWatch.closed()
    }
    const { resourceVersion } = this.watchCache
    const onAbort = (): void => watcher.stop()
    const watcher = new CacheWatcher<T>({
      clock: this.#clock,
      metrics: this.#metrics,
      size,
      filter: (element) =>
        hasPathPrefix(element.key, prepared) && predicate.matchesAttributes(element.labels, element.fields),
      interval,
      requiredResourceVersion: required,
      firstIndex: this.watchCache.history.endIndex,
      allowWatchBookmarks: predicate.allowWatchBookmarks,
      initialEventsEnd: watchList ? resourceVersion : undefined,
      bookmarkAfterResourceVersion: !watchList
        ? 0
        : options.resourceVersion === ''
          ? required
          : requested === 0n
            ? resourceVersion
            : required,
      deadline: options.deadline,
      onForget: (forgotten) => {
        signal?.removeEventListener('abort', onAbort)
        this.#watchers.delete(forgotten)
        this.#bookmarks.delete(forgotten)
        this.#disarmBookmarks()
      },
    })
    const selection = `${prepared}\n${predicate.label.toString()}\n${predicate.field.toString()}`
    this.#watchers.add(watcher, { scope, triggerValue, selection })
    if (predicate.allowWatchBookmarks && this.#bookmarks.add(watcher)) this.#armBookmarks()
    signal?.addEventListener('abort', onAbort, { once: true })
    watcher.start()
    return watcher
  }

  /** How fresh the cache has to be for a watch. */
  async #requiredResourceVersion(options: WatchOptions, requested: bigint): Promise<bigint | number> {
    if (options.resourceVersion !== '') return requested
    if (options.sendInitialEvents === undefined) return 0
    return await this.#storage.currentResourceVersion({ signal: options.signal })
  }

  /** What of the resource a watch is about: by its request's path, else by its field selector. */
  #scope({ namespace, name, predicate }: WatchOptions): WatchScope {
    const scope = {
      namespace: namespace || (predicate.field.requiresExactMatch('metadata.namespace') ?? ''),
      name: name || (predicate.field.requiresExactMatch('metadata.name') ?? ''),
    }
    const { group, resource } = this.groupResource
    // A request for a namespace has it as its namespace as well, but a namespace is in none.
    if (group === '' && resource === 'namespaces' && scope.namespace === scope.name) scope.namespace = ''
    return scope
  }

  #triggerValue(predicate: SelectionPredicate): string | undefined {
    if (this.#trigger === undefined || !predicate.indexFields.includes(this.#trigger.field)) return undefined
    return predicate.field.requiresExactMatch(this.#trigger.field)
  }

  /** Notes in `trace` that the cache served a read, and how long that had to wait. */
  async #traced<R extends { readonly waitedMs: number | undefined }>(
    trace: ReadTrace | undefined,
    read: () => Promise<R>,
  ): Promise<R> {
    if (trace === undefined) return read()
    trace.source = 'cache'
    const started = this.#clock.now()
    try {
      const result = await read()
      if (result.waitedMs !== undefined) trace.waitedMs = result.waitedMs
      return result
    } catch (error) {
      if (isTooLargeResourceVersion(error)) trace.waitedMs = this.#clock.now() - started
      throw error
    }
  }

  /** Fills the cache and follows the storage, again and again, until the cache is closed (`cacher.go: startCaching`). */
  async #keepCaching(): Promise<void> {
    while (!this.#closed) {
      if (this.#run.signal.aborted) this.#run = new AbortController()
      const { signal } = this.#run
      this.#startedCaching = this.#clock.now()
      this.#terminateAllWatchers()
      let failure: Error | undefined
      try {
        await this.#newReflector().listAndWatch(signal)
      } catch (error) {
        failure = error as Error
        this.#metrics.initializationErrors.inc()
        this.#onError?.(error)
      }
      if (this.#closed) return
      this.#ready.setPending(failure)
      if (!signal.aborted) await this.#pauseBeforeRestart(signal)
    }
  }

  #newReflector(): Reflector<T> {
    return new Reflector({
      clock: this.#clock,
      listerWatcher: new ListerWatcher(this.#storage, this.#prefix, this.#tuning.pageSize),
      store: this.watchCache,
      backpressure: this.#dispatcher,
      watchList: this.#watchList,
      random: this.#random,
      onError: this.#onError,
    })
  }

  async #pauseBeforeRestart(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.#clock.clearTimeout(timer)
        signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = this.#clock.setTimeout(done, this.#tuning.restartPause ?? restartPause)
      signal.addEventListener('abort', done)
    })
  }

  #replaced(resourceVersion: number): void {
    this.#ready.setReady()
    this.#dispatcher.replaced(resourceVersion)
    this.#metrics.initializations.inc()
    this.#metrics.initializationDuration.observe((this.#clock.now() - this.#startedCaching) / 1000)
  }

  #terminateAllWatchers(): void {
    for (const watcher of this.#watchers.all()) watcher.forget(false)
  }

  #sendBookmarks(resourceVersion: number): void {
    const due = this.#bookmarks.popExpired()
    for (const watcher of due) watcher.offerBookmark(resourceVersion)
    for (const watcher of due) if (!watcher.stopped) this.#bookmarks.add(watcher)
    this.#armBookmarks()
  }

  #armBookmarks(): void {
    if (this.#bookmarkTimer !== undefined || this.#bookmarks.size === 0 || this.#closed) return
    const tick = this.#tuning.bookmarkTick ?? bookmarkTick
    this.#bookmarkTimer = this.#clock.setTimeout(
      () => {
        this.#bookmarkTimer = undefined
        this.#dispatcher.bookmarks()
        this.#armBookmarks()
      },
      tick * (1 + 0.25 * this.#random()),
    )
  }

  #disarmBookmarks(): void {
    if (this.#bookmarkTimer === undefined || this.#bookmarks.size > 0) return
    this.#clock.clearTimeout(this.#bookmarkTimer)
    this.#bookmarkTimer = undefined
  }
}

/** The elements that match, up to the limit; `hasMore` when some were not looked at. */
function select<T extends KubeObject>(
  elements: ElementRange<T>,
  predicate: SelectionPredicate,
  limit: number,
): { items: StoredObject<T>[]; hasMore: boolean } {
  const items: StoredObject<T>[] = []
  let examined = 0
  elements.visit((element) => {
    examined++
    if (predicate.matchesAttributes(element.labels, element.fields)) items.push(element.object)
    return items.length !== limit || limit === 0
  })
  return { items, hasMore: examined < elements.count }
}
