import type { Status } from '../errors/status.ts'
import type { KubeObject } from '../meta/types.ts'
import type { SelectionPredicate } from '../meta/selection-predicate.ts'
import type { StoredObject } from './stored-object.ts'

/**
 * How a read was served, filled in by whoever serves it. Callers that want to know pass an empty object.
 */
export interface ReadTrace {
  /** Who answered. */
  source?: 'cache' | 'storage'
  /** Milliseconds spent waiting for the cache to become fresh enough; absent when it did not have to wait. */
  waitedMs?: number
  /** The cache could not answer in time and the storage did instead, or was skipped for a 429. */
  fallback?: 'true' | 'skipped'
  /** Name of the index used, if any. */
  index?: string
}

/** Options every call takes. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  readonly trace?: ReadTrace | undefined
}

/** `pkg/storage: GetOptions`. */
export interface GetOptions extends CallOptions {
  /** As the client sent it: `''` for the most recent, `'0'` for any, else at least that. */
  readonly resourceVersion?: string
  /** Answers `undefined` instead of throwing not-found. */
  readonly ignoreNotFound?: boolean
}

/** `pkg/storage: ListOptions`. Literal strings matter: `'0'` is not `'00'`, `''` is not `'0'`. */
export interface ListOptions extends CallOptions {
  readonly resourceVersion: string
  readonly resourceVersionMatch: string
  readonly predicate: SelectionPredicate
  /** The key is a prefix of many, not one object's. */
  readonly recursive: boolean
}

/** `pkg/storage: ListOptions` as a watch takes them. */
export interface WatchOptions extends ListOptions {
  /** `undefined` when the client did not say. */
  readonly sendInitialEvents?: boolean | undefined
  /** Wants progress notifications as bookmarks; only the cache asks for them. */
  readonly progressNotify?: boolean
  /** When the watch will be ended by its caller, in milliseconds since the epoch; a bookmark is sent shortly before. */
  readonly deadline?: number | undefined
  /** Namespace and name of the request's path, for dispatch (`''` for none). */
  readonly namespace?: string
  readonly name?: string
}

/** A list as storage or cache give it. */
export interface ListResult<T extends KubeObject = KubeObject> {
  readonly resourceVersion: string
  /** Continue token; `''` at the end. */
  readonly continue: string
  readonly remainingItemCount: number | undefined
  /** In key order. */
  readonly items: readonly StoredObject<T>[]
}

/** What a watch tells. */
export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: StoredObject<T> }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: number; readonly initialEventsEnd: boolean }
  | { readonly type: 'ERROR'; readonly status: Status }

/**
 * A running watch (`apimachinery: pkg/watch: Interface`). It is pulled: what nobody takes stays in the
 * watch's own bounded queue, which is how a slow watcher is told from a fast one.
 */
export interface Watch<T extends KubeObject = KubeObject> extends AsyncIterable<WatchEvent<T>> {
  /** Takes the next event if there is one, without waiting. */
  poll(): WatchEvent<T> | undefined
  /** No event is left and none will come. */
  readonly ended: boolean
  /** Called when `poll` may have something again or the watch has ended; never from within `poll`. One listener. */
  onReadable: (() => void) | undefined
  /** Ends the watch. Idempotent. */
  stop(): void
}

/** `pkg/storage: Preconditions`. */
export interface Preconditions {
  readonly uid?: string | undefined
  readonly resourceVersion?: string | undefined
}

/** What `tryUpdate` gets to know about the version it is shown. */
export interface ResponseMeta {
  readonly resourceVersion: number
}

/** What `tryUpdate` gives back. */
export interface UpdateOutcome<T extends KubeObject> {
  readonly object: T
  /** Lets the object expire; absent or 0 for never. */
  readonly ttlSeconds?: number
}

/** Options of {@link Storage.guaranteedUpdate}. */
export interface GuaranteedUpdateOptions<T extends KubeObject> extends CallOptions {
  /** Shows `tryUpdate` an absent object as `undefined` instead of throwing not-found; the write then creates it. */
  readonly ignoreNotFound?: boolean
  readonly preconditions?: Preconditions | undefined
  /** Makes the new object from the current one; may be called again when the current one was stale. Must not change what it is given. */
  readonly tryUpdate: (
    current: StoredObject<T> | undefined,
    meta: ResponseMeta,
  ) => UpdateOutcome<T> | Promise<UpdateOutcome<T>>
  /** A first guess at the current object, which may be stale. */
  readonly cachedExistingObject?: StoredObject<T> | undefined
}

/** Options of {@link Storage.delete}. */
export interface DeleteOptions<T extends KubeObject> extends CallOptions {
  readonly preconditions?: Preconditions | undefined
  /** Throws to refuse the deletion of what it is shown. */
  readonly validateDeletion?: (current: StoredObject<T>) => void | Promise<void>
  readonly cachedExistingObject?: StoredObject<T> | undefined
}

/**
 * Where objects of one resource are kept (`pkg/storage/interfaces.go: Interface`): the store over a KV, the
 * cache, and the delegator that chooses between them all have this shape. Keys lack the storage's own
 * prefix: `/configmaps/default/a`.
 */
export interface Storage<T extends KubeObject = KubeObject> {
  /** Throws a storage error `key exists` when there is one already. */
  create(key: string, object: T, options?: CallOptions & { readonly ttlSeconds?: number }): Promise<StoredObject<T>>
  get(key: string, options: GetOptions & { readonly ignoreNotFound: true }): Promise<StoredObject<T> | undefined>
  get(key: string, options?: GetOptions): Promise<StoredObject<T>>
  getList(key: string, options: ListOptions): Promise<ListResult<T>>
  watch(key: string, options: WatchOptions): Promise<Watch<T>>
  /** Answers the last state, with the delete's resource version. */
  delete(key: string, options?: DeleteOptions<T>): Promise<StoredObject<T>>
  /** Answers the new state, or the unchanged current one (same resource version, no event) for a no-op. */
  guaranteedUpdate(key: string, options: GuaranteedUpdateOptions<T>): Promise<StoredObject<T>>
  currentResourceVersion(options?: CallOptions): Promise<number>
  requestWatchProgress(): Promise<void>
  /** The highest compacted revision known here; 0 when none is. */
  compactRevision(): number
  /** Throws while reads cannot be served. */
  readinessCheck(): void
  /** Ends watches, waits and timers. Idempotent. */
  close(): Promise<void>
}
