import { HttpRequestInterceptor } from '@mswjs/interceptors/http'
import type { RequestHandler } from 'msw'
import * as experimental from 'msw/experimental'
import { createKubeServer, type KubeServer, type KubeServerOptions } from '../server.ts'
import { checkGivenServer, checkHostOptions, checkServer } from './check-server.ts'
import { kubeHandlers, type KubeHandlersOptions } from './handlers.ts'
import { checkUnhandled, onUnhandledFrame, type UnhandledRequest } from './unhandled.ts'

export { kubeHandlers, type KubeHandlersOptions }
export type { ServerAddress } from './match.ts'
export type { UnhandledRequest } from './unhandled.ts'

/** How {@link setupKubeServer} intercepts. */
export interface SetupKubeServerOptions extends KubeServerOptions, KubeHandlersOptions {
  /** A server to use instead of a new one; it is not closed with the interception. */
  readonly server?: KubeServer
  /** Further clusters, each at its own address. */
  readonly clusters?: readonly {
    readonly server: KubeServer
    readonly baseUrl: NonNullable<KubeHandlersOptions['baseUrl']>
  }[]
  /** Handlers of your own, asked after the cluster's. */
  readonly handlers?: readonly RequestHandler[]
  /** What happens to requests nobody handles: `bypass` (default) lets them out, `error` fails them, or a function decides. */
  readonly onUnhandledRequest?: UnhandledRequest
}

/** A running interception: the server, and what takes it down again. */
export interface InterceptedKubeServer extends KubeServer {
  /** Adds handlers before all others, until {@link InterceptedKubeServer.resetHandlers}. */
  use(...handlers: RequestHandler[]): void
  resetHandlers(): void
  /** Ends open watches, stops intercepting and closes the server. Idempotent. */
  close(): Promise<void>
}

/**
 * Makes every HTTP client of this process talk to a Kubernetes API in memory: `@kubernetes/client-node`,
 * undici, fetch and axios alike. Needs msw 3.
 *
 * ```ts
 * const kube = await setupKubeServer()
 * await kube.load(new URL('pods.yaml', import.meta.url))
 * kube.control.freeze()
 * // … code under test runs against https://any.cluster
 * await kube.close()
 * ```
 *
 * @throws TypeError when an option is wrong; Error when the installed msw is older than 3
 */
export async function setupKubeServer(options: SetupKubeServerOptions = {}): Promise<InterceptedKubeServer> {
  checkHostOptions('setupKubeServer', options)
  const { server: existing, clusters = [], handlers = [], onUnhandledRequest = 'bypass', baseUrl, ...rest } = options
  checkUnhandled('setupKubeServer', onUnhandledRequest)
  checkGivenServer('setupKubeServer', existing, rest)
  for (const [index, cluster] of clusters.entries()) {
    checkServer(`setupKubeServer: option clusters[${index}].server`, cluster.server)
    if (cluster.baseUrl === undefined)
      throw new TypeError(`setupKubeServer: option clusters[${index}].baseUrl is missing`)
  }
  if (typeof experimental.defineNetwork !== 'function' || typeof experimental.InterceptorSource !== 'function') {
    throw new Error('setupKubeServer needs msw 3; with msw 2 use kubeHandlers(server) in your own setupServer')
  }
  const server = existing ?? createKubeServer(rest)
  const network = experimental.defineNetwork({
    // The one interceptor that also sees clients with an undici of their own.
    sources: [new experimental.InterceptorSource({ interceptors: [new HttpRequestInterceptor()] })],
    handlers: [
      ...clusters.flatMap((cluster) => kubeHandlers(cluster.server, { baseUrl: cluster.baseUrl })),
      ...kubeHandlers(server, { baseUrl }),
      ...handlers,
    ],
    // MSW's log clones the response, and that clone would keep an abandoned watch from being cancelled.
    context: { quiet: true },
    onUnhandledFrame: onUnhandledFrame(onUnhandledRequest),
  })
  await network.enable()
  let closing: Promise<void> | undefined
  const close = async (): Promise<void> => {
    // Streams outlive the network: they end first.
    if (existing === undefined) await server.close()
    else server.control.dropWatches()
    for (const cluster of clusters) cluster.server.control.dropWatches()
    await network.disable()
  }
  return Object.assign(Object.create(server) as KubeServer, {
    use: (...added: RequestHandler[]) => network.use(...added),
    resetHandlers: () => network.resetHandlers(),
    close: () => (closing ??= close()),
  }) as InterceptedKubeServer
}
