import type { GroupResource } from '../meta/types.ts'

/** Requests a store makes of its KV (`pkg/storage/etcd3/metrics`). */
export type StorageOperation =
  | 'get'
  | 'list'
  | 'listStream'
  | 'listWithCount'
  | 'create'
  | 'update'
  | 'delete'
  | 'getCurrentResourceVersion'

/** What a list cost. */
export interface ListCost {
  /** Objects read, before any selection. */
  readonly fetched: number
  /** Objects held against the selector. */
  readonly evaluated: number
  readonly returned: number
  /** Read in one go rather than in pages. */
  readonly streamed: boolean
  readonly durationMs: number
}

/** Is told what a store does, for metrics. */
export interface StorageObserver {
  request?(operation: StorageOperation, resource: GroupResource, durationMs: number, error: unknown): void
  /** A list ended, well or not. */
  list?(resource: GroupResource, cost: ListCost): void
  /** A change arrived on a watch. */
  eventReceived?(resource: GroupResource): void
  /** A progress notification arrived on a watch. */
  bookmarkReceived?(resource: GroupResource): void
  decodeError?(resource: GroupResource): void
  /** A lease was given up for a new one, after it had served so many objects. */
  leaseReplaced?(objectCount: number): void
}
