import {
  AxiosError,
  AxiosHeaders,
  CanceledError,
  getAdapter,
  isAxiosError,
  isCancel,
  type AxiosInstance,
  type AxiosResponse,
  type InternalAxiosRequestConfig,
} from 'axios'
import { newOwner } from '../exchange.ts'
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
  readonly error?: AxiosError | undefined
}

/** axios' codes for the end of its own `timeout`: the caller's wish, not a broken connection. */
const TIMED_OUT = /ABORTED|TIMEDOUT/

/**
 * Sends an axios instance's requests through a session, with any of its adapters. Interceptors,
 * `validateStatus`, `transformResponse`, `signal` and `timeout` (of each try) work as before.
 * One instance is for one session: a second would wait for the waits of the first.
 *
 * @returns a function that takes it off again; calling it twice is no error
 */
export function attachFreshRead(instance: AxiosInstance, session: FreshReadSession): () => void {
  const owner = newOwner()
  // Whatever other interceptors do to the request, before or after this one, the adapter comes last.
  const id = instance.interceptors.request.use((config) => {
    const { adapter } = config
    // Attached twice, it would wait for its own waits.
    if ((adapter as { session?: unknown } | undefined)?.session === session) return config
    session.checkTimeout(config.timeout)
    config.adapter = Object.assign((final: Config) => send({ ...final, adapter }, instance, session, owner), {
      session,
    })
    return config
  })
  return () => instance.interceptors.request.eject(id)
}

type Config = Omit<InternalAxiosRequestConfig, 'adapter'> & {
  adapter?: InternalAxiosRequestConfig['adapter'] | undefined
}

async function send(
  options: Config,
  instance: AxiosInstance,
  session: FreshReadSession,
  owner: number,
): Promise<AxiosResponse> {
  const config = options as InternalAxiosRequestConfig
  const { data, headers, responseType, auth, method } = config
  const adapter = getAdapter(config.adapter, config)
  const url = instance.getUri(config)
  const cancelToken = config.cancelToken as { toAbortSignal(): AbortSignal } | undefined
  const signals = [config.signal as AbortSignal | undefined, cancelToken?.toAbortSignal()].filter(
    (one): one is AbortSignal => !!one,
  )
  const signal = signals[1] ? AbortSignal.any(signals) : signals[0]
  // The one that leads decides for all that share its request.
  const isOwn = (['httpsAgent', 'validateStatus'] as const).some((name) => config[name] !== instance.defaults[name])
  try {
    const { response, error } = await session.request<Answer>({
      // axios has filled it in.
      method: method!,
      url,
      contentType: headers.getContentType() as string | null,
      body: data,
      replayable: !data || typeof data === 'string' || ArrayBuffer.isView(data),
      signal,
      options: config.freshRead,
      identity:
        data || responseType === 'stream' || isOwn
          ? undefined
          : JSON.stringify([owner, headers, responseType, auth, config.timeout]),
      async send(target) {
        try {
          return { response: await adapter(target === url ? config : rewritten(config, target)) }
        } catch (error) {
          // Told by its mark: the adapter may be of another copy of axios.
          if (isAxiosError(error) && error.response) return { response: error.response, error }
          throw error
        }
      },
      view: ({ response }) => ({
        status: response.status,
        header: (name) => AxiosHeaders.from(response.headers as AxiosHeaders).get(name) as string | null,
        json: () => parse(response.data),
      }),
      share: (answer, count) => Array.from({ length: count }, () => copy(answer)),
      // Without a request, axios found something wrong before it sent one.
      isBroken: (error) => isAxiosError(error) && !!error.request && !TIMED_OUT.test(error.code!),
    })
    response.config = config
    if (error) throw error
    return response
  } catch (error) {
    if (signal?.aborted && !isCancel(error)) throw new CanceledError(undefined, config)
    // Not one with the session's pin in its URL: callers send it again.
    if (isAxiosError(error)) error.config = config
    throw error
  }
}

/** The request with its query in the URL, where the session changed it. */
function rewritten(config: InternalAxiosRequestConfig, url: string): InternalAxiosRequestConfig {
  const { params: _, baseURL: __, ...rest } = config
  return { ...rest, url }
}

/** axios transforms a response in place: each caller gets one of its own. */
function copy({ response, error }: Answer): Answer {
  const own = { ...response, headers: new AxiosHeaders(response.headers as AxiosHeaders) }
  return {
    response: own,
    error: error && new AxiosError(error.message, error.code, error.config, error.request, own),
  }
}

/** Bodies come before axios has parsed them. */
function parse(data: unknown): unknown {
  try {
    return JSON.parse(typeof data === 'string' ? data : new TextDecoder().decode(data as ArrayBuffer))
  } catch {
    return undefined
  }
}
