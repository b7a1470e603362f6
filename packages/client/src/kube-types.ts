/** Metadata of an object, as far as this package looks at it. */
export interface ObjectMeta {
  name?: string
  generateName?: string
  namespace?: string
  uid?: string
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string | null | Date
  deletionTimestamp?: string | null | Date
  labels?: { [name: string]: string }
  annotations?: { [name: string]: string }
  finalizers?: string[]
}

/** Any Kubernetes object; client-node's models fit. */
export interface KubeObject {
  apiVersion?: string
  kind?: string
  metadata?: ObjectMeta
}

/** A page of a list. */
export interface KubeList<T> {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: {
    readonly resourceVersion?: string
    readonly continue?: string
    readonly remainingItemCount?: number
  }
  readonly items: T[]
}

/** An event of a watch, as the server sent it. */
export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly object: KubeObject }
  | { readonly type: 'ERROR'; readonly object: Status }

/** What Kubernetes answers instead of an object. */
export interface Status {
  readonly kind?: string
  readonly status?: string
  readonly message?: string
  readonly reason?: string
  readonly code?: number
  readonly metadata?: { readonly continue?: string }
  readonly details?: {
    readonly name?: string
    readonly kind?: string
    readonly uid?: string
    readonly causes?: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[]
    readonly retryAfterSeconds?: number
  }
}
