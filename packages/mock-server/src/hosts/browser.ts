import { FetchInterceptor } from '@mswjs/interceptors/fetch'
import { XMLHttpRequestInterceptor } from '@mswjs/interceptors/XMLHttpRequest'
import type { RequestHandler } from 'msw'
import { createKubeServer, type KubeServer, type KubeServerOptions } from '../server.ts'
import { checkGivenServer, checkHostOptions } from './check-server.ts'
import { kubeHandlers, type KubeHandlersOptions } from './handlers.ts'
import {
  hasNetworkApi,
  interceptedServer,
  interceptWith,
  type InterceptedServer,
  type Interception,
} from './interception.ts'
import { checkUnhandled, type UnhandledRequest } from './unhandled.ts'

export { kubeHandlers, type KubeHandlersOptions }
export type { InterceptedServer as InterceptedKubeBrowser } from './interception.ts'
export type { ServerAddress } from './match.ts'
export type { UnhandledRequest } from './unhandled.ts'

/** How {@link setupKubeBrowser} intercepts. */
export interface SetupKubeBrowserOptions extends KubeServerOptions, KubeHandlersOptions {
  /** A server to use instead of a new one; it is not closed with the interception. */
  readonly server?: KubeServer
  /** Handlers of your own, asked after the server's. */
  readonly handlers?: readonly RequestHandler[]
  /** What happens to requests nobody handles: `bypass` (default) lets them out, `error` fails them, or a function decides. */
  readonly onUnhandledRequest?: UnhandledRequest
  /**
   * `page` (default) patches fetch and XMLHttpRequest of this page. `worker` uses MSW's service worker
   * (`mockServiceWorker.js` must be served), where an abort never reaches the server: give watches short
   * `timeoutSeconds`.
   */
  readonly via?: 'page' | 'worker'
  /** URL of the service worker script, for `via: 'worker'`. Default `/mockServiceWorker.js`. */
  readonly workerUrl?: string
}

/**
 * Makes fetch, XMLHttpRequest and everything built on them (axios too) in this page talk to a Kubernetes API
 * in the page's memory. Needs msw 3.
 *
 * @throws TypeError when an option is wrong; Error when the installed msw is older than 3
 */
export async function setupKubeBrowser(options: SetupKubeBrowserOptions = {}): Promise<InterceptedServer> {
  checkHostOptions('setupKubeBrowser', options)
  const {
    server: existing,
    handlers = [],
    onUnhandledRequest = 'bypass',
    baseUrl,
    via = 'page',
    workerUrl,
    ...rest
  } = options
  checkUnhandled('setupKubeBrowser', onUnhandledRequest)
  checkGivenServer('setupKubeBrowser', existing, rest)
  if (via !== 'page' && via !== 'worker') {
    throw new TypeError(`setupKubeBrowser: option via must be 'page' or 'worker', got ${String(via)}`)
  }
  const server = existing ?? createKubeServer(rest)
  const all = [...kubeHandlers(server, { baseUrl }), ...handlers]
  const interception = via === 'page' ? await patchPage(all, onUnhandledRequest) : await startWorker(all, workerUrl)
  return interceptedServer(server, interception, existing === undefined ? [] : [existing])
}

async function patchPage(handlers: RequestHandler[], unhandled: UnhandledRequest): Promise<Interception> {
  if (!hasNetworkApi()) throw new Error('setupKubeBrowser needs msw 3')
  return interceptWith([new FetchInterceptor(), new XMLHttpRequestInterceptor()], handlers, unhandled)
}

async function startWorker(handlers: RequestHandler[], workerUrl: string | undefined): Promise<Interception> {
  const { setupWorker } = await import('msw/browser')
  const worker = setupWorker(...handlers)
  await worker.start({ quiet: true, ...(workerUrl === undefined ? {} : { serviceWorker: { url: workerUrl } }) })
  return {
    use: (...added) => worker.use(...added),
    resetHandlers: () => worker.resetHandlers(),
    stop: () => worker.stop(),
  }
}
