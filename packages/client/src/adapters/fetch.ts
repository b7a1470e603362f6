import type { AnswerView } from '../classify.ts'
import { newOwner } from '../exchange.ts'
import type { RequestOptions } from '../options.ts'
import type { FreshReadSession } from '../session.ts'

/** What `fetch` takes, and `freshRead` besides: how this request differs from its session. */
export interface FreshRequestInit extends RequestInit {
  readonly freshRead?: RequestOptions
}

/** `fetch`, with a `freshRead` option. */
export type Fetch = (input: string | URL | Request, init?: FreshRequestInit) => Promise<Response>

/**
 * `fetch` through a session. Requests that are not to a Kubernetes API pass untouched. Bodies are only read
 * where the session must know them, and then from a clone.
 */
export function wrapFetch(
  fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>,
  session: FreshReadSession,
): Fetch {
  const owner = newOwner()
  return (input, { freshRead, ...init } = {}) => {
    const request = input instanceof Request ? input : undefined
    const url = request?.url ?? String(input)
    const method = init.method ?? request?.method ?? 'GET'
    const headers = new Headers(init.headers ?? request?.headers)
    const body = init.body ?? undefined
    const signal = init.signal ?? request?.signal
    return session.request<Response>({
      method,
      url,
      contentType: headers.get('content-type'),
      body,
      // A Request is cloned for each try; a stream or a generator given by itself is gone after one.
      replayable: !(body instanceof ReadableStream || Symbol.asyncIterator in Object(body)),
      signal,
      options: freshRead,
      // Node's fetch takes a dispatcher, which may carry a certificate.
      identity:
        body || request?.body || 'dispatcher' in init
          ? undefined
          : JSON.stringify([owner, ...headers, init.credentials ?? request?.credentials]),
      send: (target) => {
        if (!request) return fetch(target === url ? input : target, init)
        const again = request.clone()
        return fetch(target === url ? again : new Request(target, again), init)
      },
      view: viewOf,
      async share(response, count) {
        // Read through before anyone has it: then one caller's abort does not break the others' bodies.
        const copies = Array.from({ length: count - 1 }, () => response.clone())
        await response
          .clone()
          .arrayBuffer()
          .catch(() => {})
        return [response, ...copies]
      },
    })
  }
}

function viewOf(response: Response): AnswerView {
  return {
    status: response.status,
    header: (name) => response.headers.get(name),
    async json() {
      if (!/json|^$/.test(response.headers.get('content-type') ?? '')) return undefined
      try {
        return await response.clone().json()
      } catch {
        return undefined
      }
    },
  }
}
