import type { StoredValue } from './value.ts'

/** One version of one key (etcd: `mvccpb.KeyValue`). */
export interface KeyValue {
  readonly key: string
  readonly value: StoredValue
  /** Revision of the write that created the key, since it was last absent. */
  readonly createRevision: number
  /** Revision of the write that made this version. */
  readonly modRevision: number
  /** 1 on create, +1 with each put. */
  readonly version: number
  /** The lease the key hangs on; 0 for none. */
  readonly lease: number
}

/** What {@link KV.get} answers. */
export interface GetResult {
  /** The store's current revision, not the one asked for. */
  readonly revision: number
  readonly kv: KeyValue | undefined
}

/** A half-open range of keys `[start, end)`, in the order of their UTF-8 bytes. */
export interface RangeOptions {
  readonly start: string
  readonly end: string
  /** Read as of this revision; 0 or absent reads the current one. */
  readonly revision?: number
  /** 0 or absent: no limit. */
  readonly limit?: number
  readonly countOnly?: boolean
  readonly signal?: AbortSignal | undefined
}

/** What {@link KV.range} answers. */
export interface RangeResult {
  /** The store's current revision, not the one asked for. */
  readonly revision: number
  readonly kvs: readonly KeyValue[]
  /** Keys in the whole range at that revision, whatever the limit. */
  readonly count: number
  /** Keys were left out because of the limit. */
  readonly more: boolean
}

/** Writes `key` if its modification revision is still `expectedRevision` (0: the key must not exist). */
export interface TxnRequest {
  readonly key: string
  readonly expectedRevision: number
  /** The new value, or `undefined` to delete the key. */
  readonly put: StoredValue | undefined
  /** Lease for the put; 0 or absent for none. */
  readonly lease?: number
  readonly signal?: AbortSignal | undefined
}

/** What {@link KV.txn} answers. */
export interface TxnResult {
  readonly succeeded: boolean
  /** Revision of the write where it succeeded, else the store's current revision. */
  readonly revision: number
  /** Where the compare failed: what the key holds instead. */
  readonly current: KeyValue | undefined
}

/** One change of one key. */
export interface KVEvent {
  readonly type: 'put' | 'delete'
  /** A delete has the key and the delete's revision as `modRevision`; its value is the tombstone's, empty. */
  readonly kv: KeyValue
  /** The version before, where asked for and not compacted away. */
  readonly previous: KeyValue | undefined
}

/** What a watch tells; everything of one revision comes in one response. */
export type KVWatchResponse =
  | { readonly type: 'events'; readonly revision: number; readonly events: readonly KVEvent[] }
  /** Everything up to and including `revision` has been delivered. */
  | { readonly type: 'progress'; readonly revision: number }
  /** The start revision is compacted; the watch has ended. */
  | { readonly type: 'compacted'; readonly compactRevision: number }
  /** The watch has ended. */
  | { readonly type: 'error'; readonly error: Error }

/** How to watch. */
export interface KVWatchOptions {
  /** A key, or with `prefix` every key that starts so. */
  readonly key: string
  readonly prefix?: boolean
  /** First revision to deliver. A future one waits; one below the compaction ends with `compacted`. */
  readonly startRevision: number
  readonly previous?: boolean
  /** Also tell progress by itself, now and then, without being asked. */
  readonly progressNotify?: boolean
  /** Called in commit order, one response at a time; may be called before `watch` has returned. */
  readonly onResponse: (response: KVWatchResponse) => void
}

/** A running watch. */
export interface KVWatch {
  /** Ends the watch; nothing is delivered afterwards. Idempotent. */
  cancel(): void
}

/**
 * The small store that everything is built on: what etcd v3 offers and no more, so that memory and a real
 * etcd are interchangeable. Revision arithmetic, errors and watch semantics are etcd's
 * (`server/storage/mvcc`). Failures are {@link KVError}s.
 */
export interface KV {
  get(
    key: string,
    options?: { readonly revision?: number; readonly signal?: AbortSignal | undefined },
  ): Promise<GetResult>
  range(options: RangeOptions): Promise<RangeResult>
  txn(request: TxnRequest): Promise<TxnResult>
  watch(options: KVWatchOptions): KVWatch
  /** Asks for a progress response on every caught-up watch of this KV, at once. */
  requestProgress(): Promise<void>
  /** Whether {@link KV.requestProgress} works here (`pkg/storage/feature: RequestWatchProgress`). */
  readonly supportsProgress: boolean
  /** Drops what only revisions below `revision` need. */
  compact(revision: number): Promise<void>
  /** Grants a lease; its keys vanish together when it expires. */
  grantLease(ttlSeconds: number): Promise<number>
  /** Ends all watches and timers. Idempotent. */
  close(): Promise<void>
}

/** Why a KV refused (etcd: `api/v3rpc/rpctypes`). */
export type KVErrorCode = 'compacted' | 'future-revision' | 'unavailable' | 'timeout' | 'closed' | 'too-large' | 'other'

/** An error of the KV, with etcd's text as its message. */
export class KVError extends Error {
  override readonly name = 'KVError'
  readonly code: KVErrorCode

  constructor(code: KVErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
