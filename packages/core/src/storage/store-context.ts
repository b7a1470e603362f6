import type { Clock } from '../clock.ts'
import { prepareKey } from '../meta/key.ts'
import type { GroupResource, KubeObject } from '../meta/types.ts'
import { UndecodableObjectError } from './corrupt-objects.ts'
import type { KeyValue, KV } from './kv.ts'
import type { StorageObserver, StorageOperation } from './observer.ts'
import { StoredObject } from './stored-object.ts'

/** What the parts of a {@link Store} share. */
export interface StoreContextOptions {
  readonly kv: KV
  readonly groupResource: GroupResource
  readonly resourcePrefix: string
  readonly pathPrefix: string
  readonly clock: Clock
  readonly observer: StorageObserver
  readonly watchList: boolean
}

/** The KV as one resource sees it: keys, objects and measured requests. */
export class StoreContext<T extends KubeObject> {
  readonly kv: KV
  readonly groupResource: GroupResource
  readonly observer: StorageObserver
  /** The WatchList feature gate. */
  readonly watchList: boolean
  readonly #clock: Clock
  readonly #resourcePrefix: string
  /** Ends in a slash. */
  readonly #pathPrefix: string

  constructor(options: StoreContextOptions) {
    const { resourcePrefix, pathPrefix } = options
    if (!resourcePrefix.startsWith('/') || resourcePrefix === '/') {
      throw new TypeError(`resourcePrefix must start with a slash and a name, not be ${JSON.stringify(resourcePrefix)}`)
    }
    this.kv = options.kv
    this.groupResource = options.groupResource
    this.observer = options.observer
    this.watchList = options.watchList
    this.#clock = options.clock
    this.#resourcePrefix = resourcePrefix
    this.#pathPrefix = `/${pathPrefix}/`.replace(/\/+/g, '/')
  }

  now(): number {
    return this.#clock.now()
  }

  /** The full key of an object, or with `recursive` the prefix of many. */
  fullKey(key: string, recursive: boolean): string {
    const prepared = prepareKey(this.#resourcePrefix, key, recursive)
    return this.#pathPrefix + (prepared.startsWith('/') ? prepared.slice(1) : prepared)
  }

  /** The key that names the resource itself, where nothing lies. */
  get resourceKey(): string {
    return this.fullKey(this.#resourcePrefix, false)
  }

  /** The key of an object as callers know it. */
  objectKey(fullKey: string): string {
    return fullKey.slice(this.#pathPrefix.length - 1)
  }

  /** The object of a version; the same for all who ask. Throws an {@link UndecodableObjectError}. */
  decode(kv: Pick<KeyValue, 'key' | 'value' | 'modRevision'>): StoredObject<T> {
    const known = kv.value.decoded as StoredObject<T> | undefined
    if (known?.resourceVersion === kv.modRevision) return known
    const stored = StoredObject.at(this.objectKey(kv.key), kv.modRevision, this.#read(kv))
    kv.value.decoded = stored
    return stored
  }

  /** The object of a version under another resource version. */
  decodeAt(kv: KeyValue, resourceVersion: number): StoredObject<T> {
    return StoredObject.at(this.objectKey(kv.key), resourceVersion, this.#read(kv))
  }

  #read(kv: Pick<KeyValue, 'value' | 'modRevision'>): T {
    try {
      const { object } = kv.value
      if (typeof object?.metadata !== 'object' || object.metadata === null) throw new SyntaxError('no metadata')
      return object as T
    } catch (error) {
      this.observer.decodeError?.(this.groupResource)
      throw new UndecodableObjectError(kv.modRevision, error as Error)
    }
  }

  /** Runs a request of the KV and tells the observer of it. */
  async request<R>(operation: StorageOperation, run: () => Promise<R>): Promise<R> {
    if (this.observer.request === undefined) return run()
    const start = this.now()
    let failure: unknown
    try {
      return await run()
    } catch (error) {
      failure = error
      throw error
    } finally {
      this.observer.request(operation, this.groupResource, this.now() - start, failure)
    }
  }

  /** The KV's current revision, from a cheap read. */
  async currentRevision(signal?: AbortSignal): Promise<number> {
    const key = this.resourceKey
    const { revision } = await this.request('getCurrentResourceVersion', () => this.kv.get(key, { signal }))
    if (revision === 0) throw new Error('the current resource version must be greater than 0')
    if (!Number.isSafeInteger(revision))
      throw new RangeError(`the storage's revision ${revision} is not a safe integer`)
    return revision
  }
}
