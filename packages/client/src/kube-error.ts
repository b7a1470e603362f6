import { asStatus } from './classify.ts'
import type { Status } from './kube-types.ts'

/** A Kubernetes API server refused. {@link triesOf} tells what was tried before. */
export class KubeError extends Error {
  override readonly name = 'KubeError'
  /** The HTTP status code. */
  readonly code: number
  /** The machine-readable reason, `''` when there is none. */
  readonly reason: string
  /** What the server said; absent when it was not Kubernetes that answered. */
  readonly status: Status | undefined
  /** The client's own answer or error, whatever it is. */
  readonly response: unknown

  constructor(code: number, status: Status | undefined, response?: unknown) {
    super(status?.message ?? `the server answered ${code}`)
    this.code = code
    this.status = status
    this.reason = status?.reason ?? ''
    this.response = response
  }
}

/** The HTTP status code and the Status of an error of this package, of axios or of client-node. */
function told(error: unknown): { readonly code: number | undefined; readonly reason: string | undefined } {
  const { code, reason, body, response } = (error ?? {}) as {
    code?: unknown
    reason?: string
    body?: unknown
    response?: { status?: number; data?: unknown }
  }
  let status = body ?? response?.data
  try {
    if (typeof status === 'string') status = JSON.parse(status)
  } catch {
    // Not JSON: the code must do.
  }
  return {
    code: typeof code === 'number' ? code : response?.status,
    reason: reason || asStatus(status)?.reason,
  }
}

/** Whether someone else changed the object since it was read. An object that exists already is no conflict. */
export function isConflict(error: unknown): boolean {
  const { code, reason } = told(error)
  return code === 409 && reason !== 'AlreadyExists'
}

/** Whether the object does not exist. */
export function isNotFound(error: unknown): boolean {
  return told(error).code === 404
}

/** Whether the resource version, or the continue token, is too old. */
export function isGone(error: unknown): boolean {
  return told(error).code === 410
}

/** Codes of reasons that matter, for a Status without a code. */
const CODES: Readonly<Record<string, number>> = { Expired: 410, Gone: 410, TooManyRequests: 429, Timeout: 504 }

/** An ERROR event of a watch as an error. */
export function watchError(status: Status): KubeError {
  return new KubeError(status.code ?? CODES[status.reason ?? ''] ?? 500, status)
}
