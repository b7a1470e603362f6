import type { Clock } from '../src/clock.ts'

/** One scripted answer: `after` milliseconds of the clock it is given, or the connection breaks. */
export interface Scripted {
  readonly status?: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly after?: number
  readonly broken?: boolean
}

/** What was sent, and when. */
export interface SentRequest {
  readonly method: string
  readonly url: string
  readonly at: number
}

/** A `fetch` that answers from a script, in order; past its end the last answer is given again. */
export function scriptedFetch(
  clock: Clock,
  script: readonly (Scripted | ((url: URL) => Scripted))[],
): { fetch: (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>; sent: SentRequest[] } {
  const sent: SentRequest[] = []
  return {
    sent,
    fetch: async (input, init) => {
      const request = input instanceof Request ? input : undefined
      const url = request?.url ?? String(input)
      const step = script[Math.min(sent.length, script.length - 1)]!
      sent.push({ method: init?.method ?? request?.method ?? 'GET', url, at: clock.now() })
      const { status = 200, body, headers, after = 0, broken } = typeof step === 'function' ? step(new URL(url)) : step
      const signal = init?.signal ?? request?.signal
      signal?.throwIfAborted()
      if (after) {
        await new Promise<void>((resolve, reject) => {
          const timer = clock.setTimeout(resolve, after)
          signal?.addEventListener('abort', () => {
            clock.clearTimeout(timer)
            reject(signal.reason as Error)
          })
        })
      }
      if (broken) throw new TypeError('fetch failed', { cause: new Error('ECONNRESET') })
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      return new Response(text, { status, headers: { 'content-type': 'application/json', ...headers } })
    },
  }
}

/** The server's "not yet" to a pinned read, three seconds late. */
export const NOT_YET: Scripted = {
  status: 504,
  after: 3000,
  headers: { 'retry-after': '1' },
  body: {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'Timeout: Too large resource version: 7, current: 5',
    reason: 'Timeout',
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
    code: 504,
  },
}

/** The same, from the storage itself: at once and without a hint. */
export const STORAGE_BEHIND: Scripted = {
  status: 504,
  body: {
    kind: 'Status',
    status: 'Failure',
    message: 'Timeout: Too large resource version: 7, current: 5',
    reason: 'Timeout',
    details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }] },
    code: 504,
  },
}

/** The consistent LIST of a server that does not fall back to etcd. */
export const LIST_NOT_YET: Scripted = {
  status: 429,
  after: 3000,
  headers: { 'retry-after': '1' },
  body: {
    kind: 'Status',
    status: 'Failure',
    message: 'Timeout: Too large resource version: 7, current: 5',
    reason: 'TooManyRequests',
    details: { retryAfterSeconds: 1 },
    code: 429,
  },
}

/** A ConfigMap as a server answers it. */
export function configMap(name: string, resourceVersion: string, more: object = {}): Scripted {
  return {
    body: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'default', uid: `uid-${name}`, resourceVersion, ...more },
    },
  }
}

/** A list of ConfigMaps. */
export function configMapList(resourceVersion: string, more: object = {}): Scripted {
  return { body: { apiVersion: 'v1', kind: 'ConfigMapList', metadata: { resourceVersion, ...more }, items: [] } }
}

/** A successful delete, as most kinds answer it. */
export const DELETED: Scripted = {
  body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details: { name: 'a', uid: 'uid-a' } },
}
