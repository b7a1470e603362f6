import { http, type RequestHandler } from 'msw'
import type { KubeServer } from '../server.ts'
import { checkServer } from './check-server.ts'
import { fetchThrough } from '../api/fetch.ts'
import { urlMatcher, type ServerAddress } from './match.ts'

/** Where {@link kubeHandlers} listens. */
export interface KubeHandlersOptions {
  /**
   * The cluster's URL, a pattern or a function. Default: every request with a path of the Kubernetes API
   * (`/api`, `/api/v1/…`, `/apis/…`, `/openapi/…`, `/version`, health endpoints), on any host.
   */
  readonly baseUrl?: ServerAddress | undefined
}

/**
 * Handlers for an MSW set-up of your own, msw 2 or 3: `setupServer(...kubeHandlers(server), ...yours)`.
 * What is not for the server falls through to the handlers after them.
 *
 * End watches by aborting their request: in a set-up that logs, MSW keeps a clone of each response, and the cancel of
 * a reader then never reaches the server.
 *
 * @throws TypeError when `server` is none or `baseUrl` is of no known form
 */
export function kubeHandlers(server: KubeServer, options: KubeHandlersOptions = {}): RequestHandler[] {
  checkServer('kubeHandlers: server', server)
  const match = urlMatcher(options.baseUrl)
  // One handler that decides by itself: MSW's own route matching costs more with each route.
  return [
    http.all('*', async ({ request }) => {
      const path = match(new URL(request.url))
      if (path === undefined) return undefined
      // Tight loops of a client that never leaves the microtask queue would open a connection each.
      await macrotask()
      return fetchThrough(server, request, path)
    }),
  ]
}

const macrotask = (): Promise<void> => new Promise((resolve) => realSetTimeout(resolve, 0))
/** Taken at import: fake timers installed by a test must not stop the network. */
const realSetTimeout = globalThis.setImmediate
  ? (callback: () => void, _ms: number): unknown => globalThis.setImmediate(callback)
  : globalThis.setTimeout
