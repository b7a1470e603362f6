import { systemClock, type Clock } from '../clock.ts'
import { newCorruptObjectError, newKeyExistsError, newKeyNotFoundError } from '../errors/storage-error.ts'
import { prefixEnd } from '../meta/key.ts'
import { parseResourceVersion } from '../meta/resource-version.ts'
import type { GroupResource, KubeObject } from '../meta/types.ts'
import { UndecodableObjectError } from './corrupt-objects.ts'
import type { KV } from './kv.ts'
import { LeaseManager } from './lease-manager.ts'
import type { StorageObserver } from './observer.ts'
import { prepareObjectForStorage } from './prepare-object.ts'
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
} from './storage.ts'
import { StoreContext } from './store-context.ts'
import { checkMinimumVersion, listFromStore } from './store-list.ts'
import { watchStore } from './store-watcher.ts'
import { ObjectWriter } from './store-write.ts'
import type { StoredObject } from './stored-object.ts'
import { StoredValue } from './value.ts'

/** Options of a {@link Store}. */
export interface StoreOptions {
  /** May be shared: every store keeps to its own keys. */
  readonly kv: KV
  readonly groupResource: GroupResource
  /** Where the resource's objects lie, and where callers' keys start: `/configmaps`. */
  readonly resourcePrefix: string
  /** What comes before that in the KV. Default `/registry`. */
  readonly pathPrefix?: string
  /** Default: the machine's. */
  readonly clock?: Clock
  /** The WatchList feature gate. Default true. */
  readonly watchList?: boolean
  /** Knows what is compacted. Default: nobody does. */
  readonly compactor?: { compactRevision(): number }
  /** Is told what the store does, for metrics. */
  readonly observer?: StorageObserver
}

/** How much there is of a resource. */
export interface StorageStats {
  readonly objectCount: number
}

/** The objects of one resource in a KV (`pkg/storage/etcd3/store.go`). */
export class Store<T extends KubeObject = KubeObject> implements Storage<T> {
  readonly #context: StoreContext<T>
  readonly #leases: LeaseManager
  readonly #compactor: { compactRevision(): number } | undefined
  readonly #watches = new Set<Watch<T>>()
  #closed = false

  constructor(options: StoreOptions) {
    const { kv, groupResource, resourcePrefix, pathPrefix = '/registry', clock = systemClock } = options
    const { watchList = true, observer = {} } = options
    this.#context = new StoreContext({ kv, groupResource, resourcePrefix, pathPrefix, clock, watchList, observer })
    this.#leases = new LeaseManager(kv, clock, (count) => observer.leaseReplaced?.(count))
    this.#compactor = options.compactor
  }

  /** Whether {@link Store.requestWatchProgress} works here. */
  get supportsProgress(): boolean {
    return this.#context.kv.supportsProgress
  }

  async create(
    key: string,
    object: T,
    options: CallOptions & { readonly ttlSeconds?: number } = {},
  ): Promise<StoredObject<T>> {
    const fullKey = this.#context.fullKey(key, false)
    if (hasResourceVersion(object)) throw new Error('resourceVersion should not be set on objects to be created')
    const put = StoredValue.fromObject(prepareObjectForStorage(object))
    const { ttlSeconds = 0, signal } = options
    const written = await this.#leases.withLease(ttlSeconds, (lease) => {
      const request = { key: fullKey, expectedRevision: 0, put, lease, signal }
      return this.#context.request('create', () => this.#context.kv.txn(request))
    })
    if (!written.succeeded) throw newKeyExistsError(fullKey, 0)
    return this.#context.decode({ key: fullKey, value: put, modRevision: written.revision })
  }

  get(key: string, options: GetOptions & { readonly ignoreNotFound: true }): Promise<StoredObject<T> | undefined>
  get(key: string, options?: GetOptions): Promise<StoredObject<T>>
  async get(key: string, options: GetOptions = {}): Promise<StoredObject<T> | undefined> {
    const { resourceVersion = '', ignoreNotFound = false, signal, trace } = options
    if (trace !== undefined) trace.source = 'storage'
    const fullKey = this.#context.fullKey(key, false)
    const { kv, revision } = await this.#context.request('get', () => this.#context.kv.get(fullKey, { signal }))
    checkMinimumVersion(resourceVersion, revision)
    if (kv === undefined) {
      if (ignoreNotFound) return undefined
      throw newKeyNotFoundError(fullKey, 0)
    }
    try {
      return this.#context.decode(kv)
    } catch (error) {
      throw error instanceof UndecodableObjectError ? newCorruptObjectError(key, error) : error
    }
  }

  async getList(key: string, options: ListOptions): Promise<ListResult<T>> {
    if (options.trace !== undefined) options.trace.source = 'storage'
    return listFromStore(this.#context, key, options)
  }

  /** Throws for what is wrong with the request, a malformed resource version for one; later errors are events. */
  async watch(key: string, options: WatchOptions): Promise<Watch<T>> {
    const fullKey = this.#context.fullKey(key, options.recursive)
    const resourceVersion = parseResourceVersion(options.resourceVersion)
    const watch = await watchStore(this.#context, fullKey, resourceVersion, options, (ended) => {
      this.#watches.delete(ended)
    })
    if (this.#closed) watch.stop()
    else if (!watch.closed) this.#watches.add(watch)
    return watch
  }

  async delete(key: string, options: DeleteOptions<T> = {}): Promise<StoredObject<T>> {
    return new ObjectWriter(this.#context, this.#context.fullKey(key, false), { signal: options.signal }).delete(
      options,
    )
  }

  async guaranteedUpdate(key: string, options: GuaranteedUpdateOptions<T>): Promise<StoredObject<T>> {
    return new ObjectWriter(this.#context, this.#context.fullKey(key, false), options).update(options, this.#leases)
  }

  async currentResourceVersion(options: CallOptions = {}): Promise<number> {
    return this.#context.currentRevision(options.signal)
  }

  async requestWatchProgress(): Promise<void> {
    return this.#context.kv.requestProgress()
  }

  compactRevision(): number {
    return this.#compactor?.compactRevision() ?? 0
  }

  /** Storage is always ready; what it cannot do it says when it is asked to. */
  readinessCheck(): void {}

  /** Counts the resource's objects. */
  async stats(options: CallOptions = {}): Promise<StorageStats> {
    const start = `${this.#context.resourceKey}/`
    const range = { start, end: prefixEnd(start), countOnly: true, signal: options.signal }
    const { count } = await this.#context.request('listWithCount', () => this.#context.kv.range(range))
    return { objectCount: count }
  }

  /** Ends this store's watches; the KV stays open, others may use it. */
  async close(): Promise<void> {
    this.#closed = true
    for (const watch of this.#watches) watch.stop()
    this.#watches.clear()
  }
}

function hasResourceVersion({ metadata }: KubeObject): boolean {
  const { resourceVersion = '' } = metadata
  return /^[0-9]+$/.test(resourceVersion) && Number(resourceVersion) !== 0
}
