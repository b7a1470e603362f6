import type { Clock } from '../clock.ts'
import { newBadRequest } from '../errors/api-errors.ts'
import { decodeContinue } from '../meta/continue-token.ts'
import { hasPathPrefix, compareKeys } from '../meta/key.ts'
import { parseResourceVersion } from '../meta/resource-version.ts'
import type { GetAttributes, MatchValue } from '../meta/selection-predicate.ts'
import type { KubeObject } from '../meta/types.ts'
import type { CacherMetrics } from '../metrics/cacher.ts'
import type { ListOptions } from '../storage/storage.ts'
import type { StoredObject } from '../storage/stored-object.ts'
import { WatchCacheEvent, type ChangeType, type StoreElement } from './event.ts'
import { Freshness } from './freshness.ts'
import { WatchCacheHistory, type HistoryOptions } from './history.ts'
import type { Indexers } from './indexer.ts'
import { HistoryInterval, StateInterval, type WatchCacheInterval } from './interval.ts'
import { ConditionalProgressRequester } from './progress-requester.ts'
import type { Snapshot } from './snapshots.ts'
import { WatchCacheStorage } from './store.ts'

/** What gets told of what the cache has applied. */
export interface WatchCacheListener<T extends KubeObject = KubeObject> {
  onEvent(event: WatchCacheEvent<T>): void
  /** The cache has reached a version, with or without a change. */
  onProgress(resourceVersion: number): void
  /** The cache has been filled anew. */
  onReplace(resourceVersion: number): void
}

/** Options of {@link WatchCache}. */
export interface WatchCacheOptions<T extends KubeObject> {
  readonly clock: Clock
  readonly metrics: CacherMetrics
  readonly getAttributes: GetAttributes<T>
  readonly listener: WatchCacheListener<T>
  readonly indexers?: Indexers<T> | undefined
  /** Keeps past states (feature gate ListFromCacheSnapshot). */
  readonly snapshots: boolean
  /** The storage can be asked for progress; default true. */
  readonly supportsProgress?: () => boolean
  readonly requestProgress: () => Promise<void>
  readonly currentResourceVersion: (signal?: AbortSignal) => Promise<number>
  readonly history?: HistoryOptions | undefined
  readonly blockTimeout?: number | undefined
  readonly progressRequestPeriod?: number | undefined
  /** See {@link ConditionalProgressRequester}. */
  readonly eagerProgress?: boolean | undefined
  readonly onError?: ((error: unknown) => void) | undefined
}

/** Elements in key order, not yet selected from, of a state that does not change. */
export interface ElementRange<T extends KubeObject = KubeObject> {
  readonly count: number
  /** Shows them one by one, until `visitor` answers false. */
  visit(visitor: (element: StoreElement<T>) => boolean): void
}

/** What a list reads from the cache, all in one step. */
export interface CacheList<T extends KubeObject = KubeObject> {
  readonly elements: ElementRange<T>
  readonly resourceVersion: bigint | number
  /** Index that was used, `''` for none. */
  readonly index: string
  /** Milliseconds the read had to wait. */
  readonly waitedMs: number | undefined
}

/**
 * The cache proper (`pkg/storage/cacher/watch_cache.go: watchCache`): turns what the storage's watch tells
 * into the present state, past states, past events, and a number that says how far it has come. Every change
 * is applied in one synchronous step, so that whoever reads sees state and number that belong together.
 */
export class WatchCache<T extends KubeObject = KubeObject> {
  readonly storage: WatchCacheStorage<T>
  readonly history: WatchCacheHistory<WatchCacheEvent<T>>
  readonly freshness: Freshness
  readonly progressRequester: ConditionalProgressRequester
  readonly #clock: Clock
  readonly #metrics: CacherMetrics
  readonly #getAttributes: GetAttributes<T>
  readonly #listener: WatchCacheListener<T>
  readonly #currentResourceVersion: (signal?: AbortSignal) => Promise<number>

  constructor(options: WatchCacheOptions<T>) {
    const { clock, metrics } = options
    this.#clock = clock
    this.#metrics = metrics
    this.#getAttributes = options.getAttributes
    this.#listener = options.listener
    this.#currentResourceVersion = options.currentResourceVersion
    this.storage = new WatchCacheStorage({
      snapshots: options.snapshots,
      ...(options.indexers !== undefined && { indexers: options.indexers }),
    })
    this.history = new WatchCacheHistory({
      ...options.history,
      onResize: (to, from) => {
        metrics.capacity.set(to)
        if (from > 0) (to > from ? metrics.capacityIncrease : metrics.capacityDecrease).inc()
      },
    })
    this.progressRequester = new ConditionalProgressRequester({
      clock,
      request: options.requestProgress,
      ...(options.onError !== undefined && { onError: options.onError }),
      ...(options.progressRequestPeriod !== undefined && { period: options.progressRequestPeriod }),
      ...(options.eagerProgress !== undefined && { eager: options.eagerProgress }),
    })
    // What is asked for at the beginning of a wait has to be given back at its end, so this does not change in between.
    let asked = 0
    this.freshness = new Freshness({
      clock,
      ...(options.blockTimeout !== undefined && { blockTimeout: options.blockTimeout }),
      onWait: () => {
        if (options.supportsProgress?.() === false) return
        asked++
        this.progressRequester.add()
      },
      onDone: (waitedMs) => {
        if (waitedMs !== undefined) metrics.readWait.observe(waitedMs / 1000)
        if (asked === 0) return
        asked--
        this.progressRequester.remove()
      },
    })
  }

  /** How far the cache has come. */
  get resourceVersion(): number {
    return this.freshness.current
  }

  /** Applies one change of the storage. Throws, with nothing changed, when the object's attributes cannot be read. */
  processEvent(type: ChangeType, object: StoredObject<T>): void {
    const received = this.#clock.now()
    this.#metrics.eventsReceived.inc()
    const element = this.#element(object)
    const { key, resourceVersion } = object
    const event = new WatchCacheEvent(type, element, this.storage.latest.get(key), resourceVersion, received, received)
    event.index = this.history.append(event)
    if (this.history.isFull) this.storage.dropBelow(this.history.oldest!.resourceVersion)
    this.storage.update(type, element, resourceVersion)
    this.#advance(resourceVersion)
    this.#listener.onEvent(event)
  }

  /** The storage's watch has told everything up to `resourceVersion`. */
  updateResourceVersion(resourceVersion: number): void {
    this.progressRequester.answered()
    this.#advance(resourceVersion)
    this.#listener.onProgress(resourceVersion)
  }

  /** Takes a whole state in the place of everything. Throws, with nothing changed, as {@link WatchCache.processEvent} does. */
  replace(objects: readonly StoredObject<T>[], resourceVersion: number): void {
    const elements = objects.map((object) => this.#element(object))
    this.history.reset()
    this.storage.replace(elements, resourceVersion)
    this.#listener.onReplace(resourceVersion)
    this.#advance(resourceVersion)
  }

  /** Ends all waits with `error`. Idempotent. */
  close(error: Error): void {
    this.progressRequester.stop()
    this.freshness.close(error)
  }

  /** Waits for `resourceVersion` and reads one object. */
  async waitUntilFreshAndGet(
    resourceVersion: bigint | number,
    key: string,
    signal?: AbortSignal,
  ): Promise<{ element: StoreElement<T> | undefined; resourceVersion: number; waitedMs: number | undefined }> {
    const waitedMs = await this.#wait(resourceVersion, signal)
    return { element: this.storage.latest.get(key), resourceVersion: this.resourceVersion, waitedMs }
  }

  /**
   * Waits for what `options` ask for and reads it (`watch_cache.go: WaitUntilFreshAndGetList`).
   * @param key the prepared key
   */
  async waitUntilFreshAndGetList(key: string, options: ListOptions): Promise<CacheList<T>> {
    const { predicate, resourceVersion: requested, resourceVersionMatch: match, signal } = options
    if (!options.recursive) {
      const consistent = match === '' && requested === ''
      const minimum = consistent ? await this.#currentResourceVersion(signal) : parseResourceVersion(requested)
      const { element, ...rest } = await this.waitUntilFreshAndGet(minimum, key, signal)
      return { elements: rangeOf(element === undefined ? [] : [element]), index: '', ...rest }
    }
    const resourceVersion = parseResourceVersion(requested)
    if (match === 'Exact') return this.#listExact(resourceVersion, key, key, signal)
    if (match === '') {
      if (predicate.continue !== '') {
        const position = decodeContinueKey(predicate.continue, key)
        if (position.resourceVersion > 0n) {
          return this.#listExact(position.resourceVersion, key, position.startKey, signal)
        }
        return this.#listLatest(await this.#currentResourceVersion(signal), key, position.startKey, [], signal)
      }
      if (predicate.limit > 0 && requested !== '' && requested !== '0') {
        return this.#listExact(resourceVersion, key, key, signal)
      }
      if (requested === '') {
        // Read before the wait, so that the answer is at least as new as the moment of the request.
        const current = await this.#currentResourceVersion(signal)
        return this.#listLatest(current, key, key, predicate.matcherIndex(), signal)
      }
    }
    return this.#listLatest(resourceVersion, key, key, predicate.matcherIndex(), signal)
  }

  /**
   * What a watch that starts now is told first (`watch_cache.go: getAllEventsSinceLocked`). Throws 410 Expired
   * when events after `resourceVersion` are gone.
   */
  getAllEventsSince(
    resourceVersion: number,
    key: string,
    recursive: boolean,
    sendInitialEvents: boolean | undefined,
  ): WatchCacheInterval<T> {
    const any = resourceVersion === 0
    if (sendInitialEvents === true || (any && sendInitialEvents === undefined)) {
      const state = this.storage.latest
      const list = (): readonly StoreElement<T>[] => {
        if (recursive) return state.withPrefix(key)
        const element = state.get(key)
        return element === undefined ? [] : [element]
      }
      return new StateInterval(list, this.resourceVersion)
    }
    const since = any ? this.resourceVersion : resourceVersion
    const range = this.history.eventsSince(since, this.storage.listResourceVersion)
    return new HistoryInterval(this.history, range, since)
  }

  async #listLatest(
    minimum: bigint | number,
    key: string,
    from: string,
    matchValues: readonly MatchValue[],
    signal: AbortSignal | undefined,
  ): Promise<CacheList<T>> {
    const waitedMs = await this.#wait(minimum, signal)
    const { resourceVersion } = this
    for (const { indexName, value } of matchValues) {
      if (!this.storage.hasIndex(indexName)) continue
      const elements = this.storage
        .byIndex(indexName, value)
        .filter((element) => hasPathPrefix(element.key, key))
        .sort((a, b) => compareKeys(a.key, b.key))
      return { elements: rangeOf(elements), resourceVersion, index: indexName, waitedMs }
    }
    return { elements: rangeIn(this.storage.latest, key, from), resourceVersion, index: '', waitedMs }
  }

  async #listExact(
    resourceVersion: bigint,
    key: string,
    from: string,
    signal: AbortSignal | undefined,
  ): Promise<CacheList<T>> {
    const waitedMs = await this.#wait(resourceVersion, signal)
    const elements = rangeIn(this.storage.exact(resourceVersion), key, from)
    return { elements, resourceVersion, index: '', waitedMs }
  }

  /** The promise of a wait, or nothing to wait for. */
  #wait(resourceVersion: bigint | number, signal: AbortSignal | undefined): Promise<number> | undefined {
    return this.freshness.waitUntilFresh(resourceVersion, signal)
  }

  #element(object: StoredObject<T>): StoreElement<T> {
    const { labels, fields } = this.#getAttributes(object.object)
    return { key: object.key, object, labels, fields }
  }

  #advance(resourceVersion: number): void {
    this.#metrics.resourceVersion.set(resourceVersion % 1e15)
    this.freshness.advance(resourceVersion)
  }
}

function rangeOf<T extends KubeObject>(elements: readonly StoreElement<T>[]): ElementRange<T> {
  return { count: elements.length, visit: (visitor) => void elements.every(visitor) }
}

function rangeIn<T extends KubeObject>(state: Snapshot<T>, prefix: string, from: string): ElementRange<T> {
  return { count: state.count(prefix, from), visit: (visitor) => state.visit(prefix, from, visitor) }
}

/** Reads a continue token; throws 400 when it is none. */
export function decodeContinueKey(token: string, key: string): ReturnType<typeof decodeContinue> {
  try {
    return decodeContinue(token, key)
  } catch (error) {
    throw newBadRequest(`invalid continue token: ${(error as Error).message}`)
  }
}
