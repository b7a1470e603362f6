import { HttpRequestInterceptor } from '@mswjs/interceptors/http'
import type { RequestHandler } from 'msw'
import { createKubeServer, type KubeServer, type KubeServerOptions } from '../server.ts'
import { checkGivenServer, checkHostOptions, checkServer } from './check-server.ts'
import { kubeHandlers, type KubeHandlersOptions } from './handlers.ts'
import { hasNetworkApi, interceptedServer, interceptWith, type InterceptedServer } from './interception.ts'
import { checkUnhandled, type UnhandledRequest } from './unhandled.ts'

export { kubeHandlers, type KubeHandlersOptions }
export type { InterceptedServer as InterceptedKubeServer } from './interception.ts'
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
export async function setupKubeServer(options: SetupKubeServerOptions = {}): Promise<InterceptedServer> {
  checkHostOptions('setupKubeServer', options)
  const { server: existing, clusters = [], handlers = [], onUnhandledRequest = 'bypass', baseUrl, ...rest } = options
  checkUnhandled('setupKubeServer', onUnhandledRequest)
  checkGivenServer('setupKubeServer', existing, rest)
  for (const [index, cluster] of clusters.entries()) {
    checkServer(`setupKubeServer: option clusters[${index}].server`, cluster.server)
    if (cluster.baseUrl === undefined)
      throw new TypeError(`setupKubeServer: option clusters[${index}].baseUrl is missing`)
  }
  if (!hasNetworkApi()) {
    throw new Error('setupKubeServer needs msw 3; with msw 2 use kubeHandlers(server) in your own setupServer')
  }
  const server = existing ?? createKubeServer(rest)
  const all = [
    ...clusters.flatMap((cluster) => kubeHandlers(cluster.server, { baseUrl: cluster.baseUrl })),
    ...kubeHandlers(server, { baseUrl }),
    ...handlers,
  ]
  // The one interceptor that also sees clients with an undici of their own.
  const interception = await interceptWith([new HttpRequestInterceptor()], all, onUnhandledRequest)
  const kept = clusters.map((cluster) => cluster.server)
  return interceptedServer(server, interception, existing === undefined ? kept : [existing, ...kept])
}
