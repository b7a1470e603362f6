import type { FieldSet } from '../meta/field-selector.ts'
import type { LabelSet } from '../meta/label-selector.ts'
import type { KubeObject } from '../meta/types.ts'
import { StoredObject } from '../storage/stored-object.ts'
import type { WatchEvent } from '../storage/storage.ts'

/** One object of the cache with what selectors look at, taken out of it once (`pkg/storage/cacher/store: Element`). */
export interface StoreElement<T extends KubeObject = KubeObject> {
  readonly key: string
  readonly object: StoredObject<T>
  readonly labels: LabelSet | undefined
  readonly fields: FieldSet
}

/** How a change looks to one watcher. */
export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED'

/**
 * One change as the cache has applied it (`pkg/storage/cacher/watch_cache.go: watchCacheEvent`). What watchers
 * are told of it is made once and shared by all of them, so that it can be encoded once, too.
 */
export class WatchCacheEvent<T extends KubeObject = KubeObject> {
  readonly type: ChangeType
  readonly key: string
  readonly resourceVersion: number
  /** The state after the change; for a delete the last state with the delete's version. */
  readonly current: StoreElement<T>
  /** The state before, absent for a new object. */
  readonly previous: StoreElement<T> | undefined
  /** When the storage learnt of it, in milliseconds since the epoch. */
  readonly recordTime: number
  /** When the cache got it. */
  readonly cacheReceived: number
  /** Position among all changes of this cache; set when it enters the history. */
  index: number = -1
  #added: WatchEvent<T> | undefined
  #modified: WatchEvent<T> | undefined
  #deleted: WatchEvent<T> | undefined

  constructor(
    type: ChangeType,
    current: StoreElement<T>,
    previous: StoreElement<T> | undefined,
    resourceVersion: number,
    recordTime: number,
    cacheReceived: number,
  ) {
    this.type = type
    this.key = current.key
    this.resourceVersion = resourceVersion
    this.current = current
    this.previous = previous
    this.recordTime = recordTime
    this.cacheReceived = cacheReceived
  }

  /** What a watcher to whom the change looks like `type` is told. */
  toWatchEvent(type: ChangeType): WatchEvent<T> {
    switch (type) {
      case 'ADDED':
        return (this.#added ??= { type, object: this.current.object })
      case 'MODIFIED':
        return (this.#modified ??= { type, object: this.current.object })
      case 'DELETED':
        return (this.#deleted ??= { type, object: this.#deletedObject() })
    }
  }

  /** The state before with the version of the change, also where the object only stopped matching. */
  #deletedObject(): StoredObject<T> {
    if (this.type === 'DELETED') return this.current.object
    return StoredObject.at(this.key, this.resourceVersion, this.previous!.object.object)
  }
}
