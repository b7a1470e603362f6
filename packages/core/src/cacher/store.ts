import { newResourceExpired } from '../errors/api-errors.ts'
import type { KubeObject } from '../meta/types.ts'
import type { ChangeType, StoreElement } from './event.ts'
import { Indexer, type Indexers } from './indexer.ts'
import { OrderedMap } from './ordered-map.ts'
import { Snapshots, type Snapshot } from './snapshots.ts'

/** Options of {@link WatchCacheStorage}. */
export interface WatchCacheStorageOptions<T extends KubeObject> {
  readonly indexers?: Indexers<T>
  /** Keeps past states (feature gate ListFromCacheSnapshot). */
  readonly snapshots: boolean
}

/**
 * The states of the cache: the latest, ordered and indexed, and the past ones that are kept
 * (`pkg/storage/cacher/store/watch_cache_storage.go: WatchCacheStorage`).
 */
export class WatchCacheStorage<T extends KubeObject = KubeObject> {
  readonly #indexer: Indexer<T>
  readonly #snapshots: Snapshots<T> | undefined
  #latest: Snapshot<T> = OrderedMap.empty()
  #snapshottingEnabled: boolean
  #listResourceVersion = 0

  constructor(options: WatchCacheStorageOptions<T>) {
    this.#indexer = new Indexer(options.indexers)
    this.#snapshots = options.snapshots ? new Snapshots() : undefined
    this.#snapshottingEnabled = options.snapshots
  }

  /** The latest state. */
  get latest(): Snapshot<T> {
    return this.#latest
  }

  /** Version of the list that the cache was last filled from; 0 before that. */
  get listResourceVersion(): number {
    return this.#listResourceVersion
  }

  /** Past states are being kept. */
  get snapshottingEnabled(): boolean {
    return this.#snapshottingEnabled
  }

  /** How many states are kept. */
  get snapshotCount(): number {
    return this.#snapshots?.length ?? 0
  }

  /** Applies one change. */
  update(type: ChangeType, element: StoreElement<T>, resourceVersion: number): void {
    const previous = this.#latest.get(element.key)
    if (type === 'DELETED') {
      this.#latest = this.#latest.delete(element.key)
      this.#indexer.update(previous, undefined)
    } else {
      this.#latest = this.#latest.set(element)
      this.#indexer.update(previous, element)
    }
    if (this.#snapshottingEnabled) this.#snapshots?.add(resourceVersion, this.#latest)
  }

  /** Takes `elements` in the place of everything. */
  replace(elements: readonly StoreElement<T>[], resourceVersion: number): void {
    this.#latest = OrderedMap.from(elements)
    this.#indexer.clear()
    for (const element of elements) this.#indexer.update(undefined, element)
    this.#snapshots?.clear()
    if (this.#snapshottingEnabled) this.#snapshots?.add(resourceVersion, this.#latest)
    this.#listResourceVersion = resourceVersion
  }

  hasIndex(name: string): boolean {
    return this.#indexer.has(name)
  }

  /** The elements of the latest state with that value, in no order. */
  byIndex(name: string, value: string): StoreElement<T>[] {
    return this.#indexer.byIndex(name, value)
  }

  /** The state at `resourceVersion`, which the cache has reached. Throws 410 Expired when it is not kept. */
  exact(resourceVersion: bigint | number): Snapshot<T> {
    const snapshot = this.#snapshots?.getLessOrEqual(resourceVersion)
    if (snapshot === undefined) throw newResourceExpired(`too old resource version: ${resourceVersion}`)
    return snapshot
  }

  /** Whether {@link WatchCacheStorage.exact} would answer. */
  canServeExact(resourceVersion: bigint | number): boolean {
    return this.#snapshots?.getLessOrEqual(resourceVersion) !== undefined
  }

  /** Drops the states that no event of the history leads to any more. */
  dropBelow(oldestResourceVersion: number): void {
    if (this.#snapshottingEnabled) this.#snapshots?.removeLess(oldestResourceVersion)
  }

  /** The storage has compacted everything below `resourceVersion`. */
  compact(resourceVersion: number): void {
    this.#snapshots?.compact(resourceVersion)
  }

  /** Stops keeping states when the cache was found to differ from the storage, and goes on when it no longer does. */
  markConsistent(consistent: boolean): void {
    if (this.#snapshots === undefined) return
    this.#snapshottingEnabled = consistent
    if (!consistent) this.#snapshots.clear()
  }
}
