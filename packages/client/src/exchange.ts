import type { AnswerView } from './classify.ts'
import type { RequestOptions } from './options.ts'

/**
 * One request as an adapter hands it to a session. `A` is whatever the adapter's client calls an answer;
 * an answer with an error status is an answer, only a missing one rejects.
 */
export interface Exchange<A> {
  readonly method: string
  readonly url: string
  readonly contentType?: string | null | undefined
  /** The body, where it is known; only looked at for `dryRun`. */
  readonly body?: unknown
  /** The body, if any, can be sent again. */
  readonly replayable: boolean
  readonly signal?: AbortSignal | undefined
  readonly options?: RequestOptions | undefined
  /**
   * What besides method and URL makes this request what it is (headers, credentials). Reads in flight with
   * the same identity are one request; without one it is never shared.
   */
  readonly identity?: string | undefined
  /** Sends one try to `url`. */
  send(url: string): Promise<A>
  view(answer: A): AnswerView
  /** Makes `count` answers of one, each to be read by itself. */
  share(answer: A, count: number): Promise<A[]> | A[]
  /** Whether a rejection of `send` is a broken connection, rather than a mistake in the request. Default: yes. */
  isBroken?(error: unknown): boolean
}

/** One try of a request, as {@link triesOf} tells it. */
export interface Try {
  /** The resource version it was sent with; `''` for none. */
  readonly resourceVersion: string
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number
  /** What it meant: `behind`, `throttled`, `unavailable`, `broken`, ... */
  readonly outcome: string
  /** Milliseconds waited after it. */
  readonly waitedMs: number
}

const histories = new WeakMap<object, readonly Try[] | undefined>()

/** Where clients keep what we are given: an answer's own parts, or the answer in an error. */
function holdersOf(answer: unknown): object[] {
  const { response, error, headers } = Object(answer) as { response?: unknown; error?: unknown; headers?: unknown }
  return [answer, error, response, headers].filter((part) => typeof part === 'object' && part !== null) as object[]
}

/** Attaches the history of tries to an answer or an error. */
export function rememberTries(answer: unknown, tries: readonly Try[] | undefined): void {
  for (const holder of holdersOf(answer)) histories.set(holder, tries)
}

/**
 * The tries that led to an answer or an error that a session surfaced; works on a fetch Response, an
 * AxiosError or AxiosResponse, client-node's ApiException and this package's errors. `undefined` when the
 * first try was the last.
 */
export function triesOf(answer: unknown): readonly Try[] | undefined {
  return holdersOf(answer)
    .map((holder) => histories.get(holder))
    .find((tries) => tries)
}

let owners = 0

/** Names the owner of a connection: requests of different owners may carry different credentials. */
export function newOwner(): number {
  return ++owners
}
