import { FetchInterceptor } from '@mswjs/interceptors/fetch'
import { XMLHttpRequestInterceptor } from '@mswjs/interceptors/XMLHttpRequest'
import type { RequestHandler } from 'msw'
import * as experimental from 'msw/experimental'
import { createKubeServer, type KubeServer, type KubeServerOptions } from '../server.ts'
import { checkGivenServer, checkHostOptions } from './check-server.ts'
import { kubeHandlers, type KubeHandlersOptions } from './handlers.ts'
import { checkUnhandled, onUnhandledFrame, type UnhandledRequest } from './unhandled.ts'

export { kubeHandlers, type KubeHandlersOptions }
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

/** A running interception in a page. */
export interface InterceptedKubeBrowser extends KubeServer {
  use(...handlers: RequestHandler[]): void
  resetHandlers(): void
  /** Ends open watches, stops intercepting and closes the server. Idempotent. */
  close(): Promise<void>
}

interface Interception {
  use(...handlers: RequestHandler[]): void
  resetHandlers(): void
  stop(): void | Promise<void>
}

/**
 * Makes fetch, XMLHttpRequest and everything built on them (axios too) in this page talk to a Kubernetes API
 * in the page's memory. Needs msw 3.
 *
 * @throws TypeError when an option is wrong; Error when the installed msw is older than 3
 */
export async function setupKubeBrowser(options: SetupKubeBrowserOptions = {}): Promise<InterceptedKubeBrowser> {
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
  let closing: Promise<void> | undefined
  const close = async (): Promise<void> => {
    if (existing === undefined) await server.close()
    else server.control.dropWatches()
    await interception.stop()
  }
  return Object.assign(Object.create(server) as KubeServer, {
    use: interception.use,
    resetHandlers: interception.resetHandlers,
    close: () => (closing ??= close()),
  }) as InterceptedKubeBrowser
}

async function patchPage(handlers: RequestHandler[], unhandled: UnhandledRequest): Promise<Interception> {
  if (typeof experimental.defineNetwork !== 'function') throw new Error('setupKubeBrowser needs msw 3')
  const network = experimental.defineNetwork({
    sources: [
      new experimental.InterceptorSource({ interceptors: [new FetchInterceptor(), new XMLHttpRequestInterceptor()] }),
    ],
    handlers,
    context: { quiet: true },
    onUnhandledFrame: onUnhandledFrame(unhandled),
  })
  await network.enable()
  return {
    use: (...added) => network.use(...added),
    resetHandlers: () => network.resetHandlers(),
    stop: () => network.disable() as void | Promise<void>,
  }
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
