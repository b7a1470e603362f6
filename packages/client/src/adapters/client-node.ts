import type { RequestOptions } from 'node:https'
import {
  IsomorphicFetchHttpLibrary,
  type Configuration,
  type HttpLibrary,
  type KubeConfig,
  type RequestContext,
  ResponseContext,
  wrapHttpLibrary,
} from '@kubernetes/client-node'
import { create } from 'axios'
import { newOwner } from '../exchange.ts'
import { KubeClient, type KubeClientOptions } from '../kube-client.ts'
import type { FreshReadSession } from '../session.ts'

/**
 * An HTTP library for client-node's `createConfiguration({httpApi})`, sending through a session. What it
 * surfaces is client-node's own `ApiException`.
 *
 * @param inner what sends a single try; default client-node's own
 */
export function freshReadHttpLibrary(
  session: FreshReadSession,
  inner: HttpLibrary = new IsomorphicFetchHttpLibrary(),
): HttpLibrary {
  const owner = newOwner()
  return wrapHttpLibrary({
    send: (request: RequestContext) => {
      const body = request.getBody()
      const headers = request.getHeaders()
      const contentType = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1]
      return session.request<ResponseContext>({
        method: request.getHttpMethod(),
        url: request.getUrl(),
        contentType,
        body,
        replayable: body === undefined || typeof body === 'string',
        signal: request.getSignal(),
        identity: body === undefined ? JSON.stringify([owner, headers]) : undefined,
        async send(url) {
          request.setUrl(url)
          return readAgain(await inner.send(request).toPromise())
        },
        view: (response) => ({
          status: response.httpStatusCode,
          header: (name) => response.headers[name],
          async json() {
            try {
              return JSON.parse(await response.body.text()) as unknown
            } catch {
              return undefined
            }
          },
        }),
        async share(response, count) {
          await response.body.text().catch(() => {})
          return Array<ResponseContext>(count).fill(response)
        },
      })
    },
  })
}

/** Makes a generated API, as `kubeConfig.makeApiClient` does, that sends through a session. */
export function makeApi<T>(
  kubeConfig: KubeConfig,
  api: new (configuration: Configuration) => T,
  session: FreshReadSession,
): T {
  // client-node's own way has the right server, credentials and user agent, and no hook for the HTTP library:
  // it is given a constructor that adds one.
  const construct = function construct(configuration: Configuration): T {
    return new api({ ...configuration, httpApi: freshReadHttpLibrary(session, configuration.httpApi) })
  }
  return kubeConfig.makeApiClient(construct as never) as unknown as T
}

/** A {@link KubeClient} for a KubeConfig's current context: its server, certificates and credentials. */
export function makeKubeClient(
  kubeConfig: KubeConfig,
  options: Omit<KubeClientOptions, 'baseURL' | 'axios'> = {},
): KubeClient {
  const cluster = kubeConfig.getCurrentCluster()
  if (!cluster) throw new TypeError('kubeConfig: no active cluster')
  const instance = create({ baseURL: cluster.server })
  instance.interceptors.request.use(async (config) => {
    // Asked for each time: tokens expire. The agent, with its connections, client-node keeps by itself.
    const https: RequestOptions = {}
    await kubeConfig.applyToHTTPSOptions(https)
    instance.defaults.httpsAgent = config.httpsAgent = config.httpAgent = https.agent
    for (const [name, value] of Object.entries(https.headers ?? {})) config.headers.set(name, value as string)
    if (https.auth) {
      const [username = '', ...password] = https.auth.split(':')
      config.auth = { username, password: password.join(':') }
    }
    return config
  })
  return new KubeClient({ ...options, axios: instance })
}

/** A response whose body can be read more than once, once it has been read as text. */
function readAgain(response: ResponseContext): ResponseContext {
  const { body } = response
  let read: string | undefined
  return new ResponseContext(response.httpStatusCode, response.headers, {
    text: async () => (read ??= await body.text()),
    binary: async () => (read === undefined ? body.binary() : Buffer.from(read)),
    stream: () => (read === undefined ? body.stream() : new Blob([read]).stream()),
  })
}
