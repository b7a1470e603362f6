import { type AxiosInstance, type AxiosResponse, create, isAxiosError } from 'axios'
import { attachFreshRead } from './adapters/axios.ts'
import { asStatus } from './classify.ts'
import { type CallLimits, withDeadline } from './deadline.ts'
import { type ByteStream, textOf } from './json-lines.ts'
import { KubeError } from './kube-error.ts'
import type { KubeObject, Status } from './kube-types.ts'
import type { RequestOptions } from './options.ts'
import { ResourceClient } from './resource-client.ts'
import { FreshReadSession } from './session.ts'

/** Where a {@link KubeClient} sends, and how. */
export interface KubeClientOptions {
  /** The API server, with a path prefix if it has one. Needed unless `axios` has one. */
  readonly baseURL?: string
  /** Default: a session of its own. */
  readonly session?: FreshReadSession
  /** Sent with every request, `{authorization: 'Bearer ...'}`. */
  readonly headers?: Readonly<Record<string, string>>
  /** An instance to send with, whose interceptors, agents and defaults are kept. Default: a new one. */
  readonly axios?: AxiosInstance
}

const OPTIONS: readonly string[] = ['baseURL', 'session', 'headers', 'axios']

/** How a call may differ from others. */
export interface CallOptions extends CallLimits, RequestOptions {}

/** One request of a {@link KubeClient}. */
export interface KubeRequest {
  readonly method: string
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  readonly contentType?: string
}

/**
 * A small client for any Kubernetes resource, built-in or custom, in Node and in browsers. All it reads goes
 * through its session. What the server refuses is thrown as a {@link KubeError}.
 */
export class KubeClient {
  readonly session: FreshReadSession
  readonly #axios: AxiosInstance

  constructor(options: KubeClientOptions) {
    for (const name of Object.keys(options)) {
      if (!OPTIONS.includes(name)) throw new TypeError(`KubeClient: unknown option ${name}`)
    }
    const { baseURL, session = new FreshReadSession(), headers, axios: instance = create() } = options
    if (baseURL === undefined && !instance.defaults.baseURL)
      throw new TypeError('KubeClient: option baseURL is missing')
    if (!(session instanceof FreshReadSession))
      throw new TypeError('KubeClient: option session must be a FreshReadSession')
    this.session = session
    this.#axios = instance
    if (baseURL !== undefined) instance.defaults.baseURL = baseURL
    if (headers) Object.assign(instance.defaults.headers.common, headers)
    attachFreshRead(instance, session)
  }

  /**
   * A client for one resource.
   *
   * @param apiVersion `v1`, `apps/v1`
   * @param resource the plural, as in URLs: `pods`
   * @param options `namespace`: where; absent for cluster-scoped resources and for all namespaces
   */
  resource<T extends KubeObject = KubeObject>(
    apiVersion: string,
    resource: string,
    options: { readonly namespace?: string } = {},
  ): ResourceClient<T> {
    // Misspelt, it would mean all namespaces.
    for (const name of Object.keys(options)) {
      if (name !== 'namespace') throw new TypeError(`KubeClient.resource: unknown option ${name}`)
    }
    return new ResourceClient<T>(this, apiVersion, resource, options.namespace ?? '')
  }

  /** Sends a request and answers its body. */
  async request<R>(request: KubeRequest, options: CallOptions = {}): Promise<R> {
    const { data } = await withDeadline(this.session.options.clock, options, (signal) =>
      this.#send(request, options, signal, {}),
    )
    // A proxy may answer 200 with something else.
    if (typeof data !== 'object' || data === null)
      throw new TypeError('the answer is not a Kubernetes object', { cause: data })
    return data as R
  }

  /** Sends a request and answers its body as a stream, as soon as it begins; `timeoutMs` is until then. */
  async stream(request: KubeRequest, options: CallOptions = {}): Promise<ByteStream> {
    const { adapter } = this.#axios.defaults
    const response = await withDeadline(this.session.options.clock, options, (signal) =>
      this.#send(request, options, signal, {
        responseType: 'stream',
        // Of axios' own choices, xhr cannot stream.
        ...(Array.isArray(adapter) && { adapter: ['http', 'fetch'] }),
      }),
    )
    return response.data as ByteStream
  }

  async #send(
    request: KubeRequest,
    options: CallOptions,
    signal: AbortSignal | undefined,
    more: object,
  ): Promise<AxiosResponse<unknown>> {
    const { query = {}, body, contentType = 'application/json' } = request
    const { pin, fallback, timeoutMs, deadlineMs = timeoutMs } = options
    this.session.checkTimeout(timeoutMs)
    const freshRead: RequestOptions = defined({ pin, fallback, deadlineMs })
    try {
      return await this.#axios.request<unknown>({
        method: request.method,
        url: request.path,
        params: defined({ ...query }, ''),
        headers: { accept: 'application/json', ...(body !== undefined && { 'content-type': contentType }) },
        ...(body !== undefined && { data: typeof body === 'string' ? body : JSON.stringify(body) }),
        ...(signal && { signal }),
        freshRead,
        ...more,
      })
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      if (!isAxiosError(error) || !error.response) throw error
      throw new KubeError(
        error.response.status,
        asStatus(await bodyOf(error.response)) as Status | undefined,
        error.response,
      )
    }
  }
}

/** The body of a refusal, which comes as a stream where a stream was asked for. */
async function bodyOf({ data }: AxiosResponse<unknown>): Promise<unknown> {
  if (typeof data !== 'object' || data === null || !(Symbol.asyncIterator in data || data instanceof ReadableStream))
    return data
  try {
    return JSON.parse(await textOf(data as ByteStream)) as unknown
  } catch {
    return undefined
  }
}

/** Takes out what is undefined, which is not the same as absent, and what else means nothing. */
function defined<T extends object>(values: T, nothing?: unknown): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined && value !== nothing)
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> }
}
