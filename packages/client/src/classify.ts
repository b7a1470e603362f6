/** What an adapter shows of an HTTP answer. */
export interface AnswerView {
  readonly status: number
  /** A header's value by its lower-case name. */
  header(name: string): string | null | undefined
  /** The body as JSON; `undefined` when it is none. Only called when the answer is needed. */
  json(): unknown
}

/** The part of a Kubernetes Status that tells why. */
export interface StatusLike {
  readonly kind?: string
  readonly message?: string
  readonly reason?: string
  readonly code?: number
  readonly metadata?: { readonly continue?: string }
  readonly details?: {
    readonly causes?: readonly { readonly reason?: string; readonly message?: string }[]
    readonly retryAfterSeconds?: number
  }
}

/** What an answer, or the lack of one, means for the next step. Hints are milliseconds from now. */
export type Outcome =
  | { readonly kind: 'ok' }
  /** The server has not seen the resource version that was asked for. No hint: the storage itself is behind it. */
  | { readonly kind: 'behind'; readonly hintMs: number | undefined }
  /** Older servers, reading a future revision straight from etcd. */
  | { readonly kind: 'future-revision' }
  /** 429. `behind`: the consistent LIST of a server that does not fall back to etcd. */
  | {
      readonly kind: 'throttled'
      readonly hintMs: number | undefined
      readonly disruptionBudget: boolean
      readonly behind: boolean
    }
  /** 502, 503, or a 504 that is not from Kubernetes. */
  | { readonly kind: 'unavailable'; readonly hintMs: number | undefined }
  /** No answer: the connection broke. */
  | { readonly kind: 'broken' }
  /** 410. With `continueToken` a list may go on, inconsistently. */
  | { readonly kind: 'gone'; readonly continueToken: string | undefined }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'failed' }

const TOO_LARGE = /too large resource version/i

/** Says what an HTTP answer means. `now`: milliseconds since the epoch, for hints that are dates. */
export function classify(status: number, header: AnswerView['header'], body: unknown, now: number): Outcome {
  if (status < 400) return { kind: 'ok' }
  const told = asStatus(body)
  const hintMs = retryAfterMs(header, told, now)
  const causes = [told?.details?.causes ?? []].flat().filter((cause) => cause !== null)
  const message = told?.message ?? ''
  switch (status) {
    case 429:
      return {
        kind: 'throttled',
        hintMs,
        disruptionBudget: causes.some((cause) => cause.reason === 'DisruptionBudget'),
        behind: TOO_LARGE.test(message),
      }
    case 409:
      // AlreadyExists is a 409 too, and nothing that re-reading could mend.
      return { kind: told?.reason === 'AlreadyExists' ? 'failed' : 'conflict' }
    case 410:
      return { kind: 'gone', continueToken: told?.metadata?.continue || undefined }
    case 500:
      return { kind: /required revision is a future revision/i.test(message) ? 'future-revision' : 'failed' }
    case 504:
      // By cause, then by the cause's message, then by the Status' own: what servers of different age send.
      if (
        causes.some((cause) => cause.reason === 'ResourceVersionTooLarge' || TOO_LARGE.test(cause.message ?? '')) ||
        TOO_LARGE.test(message)
      ) {
        return { kind: 'behind', hintMs }
      }
      return told ? { kind: 'failed' } : { kind: 'unavailable', hintMs }
    case 502:
    case 503:
      return { kind: 'unavailable', hintMs }
    default:
      return { kind: 'failed' }
  }
}

/** The body, if it is a Kubernetes Status. */
export function asStatus(body: unknown): StatusLike | undefined {
  const status = body as StatusLike | null | undefined
  return status !== null && typeof status === 'object' && status.kind === 'Status' ? status : undefined
}

/**
 * How long the server asks to wait: `Retry-After` in seconds or as an HTTP date (measured against the
 * answer's own `Date`, since clocks differ), else the Status' `retryAfterSeconds`, which is all a browser
 * sees across origins.
 */
function retryAfterMs(header: AnswerView['header'], status: StatusLike | undefined, now: number): number | undefined {
  const value = header('retry-after')?.trim() ?? ''
  if (/^\d+$/.test(value)) return Number(value) * 1000
  // NaN, for what is no date, is as good as 0.
  const date = Date.parse(value)
  if (date) return Math.max(0, date - (Date.parse(header('date') ?? '') || now))
  const seconds = status?.details?.retryAfterSeconds
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined
}
