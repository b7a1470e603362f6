import {
  AxiosError,
  AxiosHeaders,
  CanceledError,
  getAdapter,
  isCancel,
  type AxiosInstance,
  type AxiosResponse,
  type InternalAxiosRequestConfig,
} from 'axios'
import type { RequestOptions } from '../options.ts'
import type { FreshReadSession } from '../session.ts'

declare module 'axios' {
  interface AxiosRequestConfig {
    /** How this request differs from its FreshRead session. */
    freshRead?: RequestOptions
  }
}

/** An answer as axios' adapters give it: what `validateStatus` refuses comes as an error that holds it. */
interface Answer {
  readonly response: AxiosResponse
  readonly error?: AxiosError
}

/** axios' codes for a request that got no answer. Its own `timeout` is the caller's wish, not a broken connection. */
const BROKEN = ['ERR_NETWORK', 'ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN', 'ERR_BAD_RESPONSE']

/**
 * Sends an axios instance's requests through a session, with any of its adapters. Interceptors,
 * `validateStatus`, `transformResponse`, `signal` and `timeout` (of each try) work as before.
 *
 * @returns a function that takes it off again; calling it twice is no error
 */
export function attachFreshRead(instance: AxiosInstance, session: FreshReadSession): () => void {
  // Interceptors that were there before run after this one; the adapter runs after them all.
  const id = instance.interceptors.request.use((config) => {
    const adapter = config.adapter
    session.checkTimeout(config.timeout)
    config.adapter = (final) => send({ ...final, ...(adapter && { adapter }) }, instance, session)
    return config
  })
  return () => instance.interceptors.request.eject(id)
}

async function send(
  config: InternalAxiosRequestConfig,
  instance: AxiosInstance,
  session: FreshReadSession,
): Promise<AxiosResponse> {
  const adapter = getAdapter(config.adapter, config)
  const url = instance.getUri(config)
  const cancelled =
    config.cancelToken && (config.cancelToken as unknown as { toAbortSignal(): AbortSignal }).toAbortSignal()
  const signals = [config.signal as AbortSignal | undefined, cancelled].filter((signal) => signal !== undefined)
  const signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0]
  const { data, headers, responseType } = config
  try {
    const { response, error } = await session.request<Answer>({
      method: config.method ?? 'get',
      url,
      contentType: headers.getContentType() as string | null,
      body: data,
      replayable: data === undefined || data === null || typeof data === 'string' || ArrayBuffer.isView(data),
      signal,
      options: config.freshRead,
      identity: data || responseType === 'stream' ? undefined : JSON.stringify([headers, responseType, config.auth]),
      async send(target) {
        try {
          return { response: await adapter(target === url ? config : rewritten(config, target)) }
        } catch (error) {
          if (error instanceof AxiosError && error.response) return { response: error.response, error }
          throw error
        }
      },
      view: ({ response }) => ({
        status: response.status,
        header: (name) => AxiosHeaders.from(response.headers as AxiosHeaders).get(name) as string | null,
        json: () => parse(response.data),
      }),
      share: ({ response, error }, count) => Array.from({ length: count }, () => copy(response, error)),
      isBroken: (error) => error instanceof AxiosError && BROKEN.includes(error.code ?? ''),
    })
    response.config = config
    if (error) throw error
    return response
  } catch (error) {
    if (signal?.aborted && !isCancel(error)) throw new CanceledError(undefined, config)
    throw error
  }
}

/** The request with its query in the URL, where the session changed it. */
function rewritten(config: InternalAxiosRequestConfig, url: string): InternalAxiosRequestConfig {
  const { params: _, baseURL: __, ...rest } = config
  return { ...rest, url }
}

/** axios transforms a response in place: each caller gets one of its own. */
function copy(response: AxiosResponse, error: AxiosError | undefined): Answer {
  const own = { ...response, headers: AxiosHeaders.from({ ...(response.headers as AxiosHeaders) }) }
  if (!error) return { response: own }
  return { response: own, error: new AxiosError(error.message, error.code, error.config, error.request, own) }
}

/** Bodies come before axios has parsed them. */
function parse(data: unknown): unknown {
  try {
    if (data instanceof ArrayBuffer || ArrayBuffer.isView(data)) return JSON.parse(new TextDecoder().decode(data))
    return typeof data === 'string' ? JSON.parse(data) : undefined
  } catch {
    return undefined
  }
}
