/** One cause of a Status; its type is called `reason` in JSON. */
export interface StatusCause {
  reason?: string
  message?: string
  field?: string
}

/** `details` of a Status. */
export interface StatusDetails {
  name?: string
  group?: string
  kind?: string
  uid?: string
  causes?: StatusCause[]
  retryAfterSeconds?: number
}

/** What Kubernetes answers instead of an object (`apimachinery: pkg/apis/meta/v1/types.go: Status`), keys in wire order. */
export interface Status {
  kind?: 'Status'
  apiVersion?: 'v1'
  metadata: { resourceVersion?: string; continue?: string; remainingItemCount?: number }
  status?: 'Success' | 'Failure'
  message?: string
  reason?: string
  details?: StatusDetails
  code?: number
}

/**
 * An error that has a Status form; HTTP answers carry {@link StatusError.status} as their body and its
 * code as their status code.
 */
export class StatusError extends Error {
  override readonly name: string = 'StatusError'
  readonly status: Status

  constructor(status: Status, options?: ErrorOptions) {
    super(status.message ?? '', options)
    this.status = status
  }

  /** The HTTP status code. */
  get code(): number {
    return this.status.code ?? 500
  }

  /** The machine-readable reason, `''` when there is none. */
  get reason(): string {
    return this.status.reason ?? ''
  }

  /** How many seconds the server asks to wait before another try; 0 when it does not say. */
  get retryAfterSeconds(): number {
    return this.status.details?.retryAfterSeconds ?? 0
  }
}
