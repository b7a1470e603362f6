import { RequestContext, ResponseContext, wrapHttpLibrary, type HttpMethod } from '@kubernetes/client-node'
import { AxiosError, create, type AxiosRequestConfig } from 'axios'
import { attachFreshRead } from '../src/adapters/axios.ts'
import { freshReadHttpLibrary } from '../src/adapters/client-node.ts'
import { wrapFetch } from '../src/adapters/fetch.ts'
import type { FreshReadSession } from '../src/session.ts'
import { BASE, type Cluster } from './cluster.ts'
import { listen } from './http-front.ts'

/** A request as the suite makes it, whatever the client. */
export interface Call {
  readonly method?: string
  readonly path: string
  readonly body?: unknown
  readonly signal?: AbortSignal
}

/** What came of it. */
export interface Result {
  readonly status: number
  readonly text: string
  /** The client's own answer or error, for `triesOf`. */
  readonly holder: unknown
}

/** A client under test. */
export interface Subject {
  call(session: FreshReadSession, call: Call): Promise<Result>
  /** The first event of a watch. */
  firstEvent(session: FreshReadSession, path: string): Promise<unknown>
  close(): Promise<void>
}

/** How to make each. `realMs`: it uses sockets, which take that long of real time. */
export interface Adapter {
  readonly name: string
  readonly realMs: number
  make(cluster: Cluster): Promise<Subject>
}

const JSON_TYPE = { 'content-type': 'application/json' }
const bodyOf = (body: unknown): string | undefined => (body === undefined ? undefined : JSON.stringify(body))

export const adapters: readonly Adapter[] = [
  {
    name: 'fetch',
    realMs: 0,
    make: async (cluster) => {
      const through = perSession((session) =>
        wrapFetch((input, init) => cluster.fetch(new Request(input, init)), session),
      )
      return {
        async call(session, { method = 'GET', path, body, signal }) {
          const response = await through(session)(BASE + path, {
            method,
            ...(body !== undefined && { body: bodyOf(body)!, headers: JSON_TYPE }),
            ...(signal && { signal }),
          })
          return { status: response.status, text: await response.text(), holder: response }
        },
        async firstEvent(session, path) {
          const response = await through(session)(BASE + path)
          const reader = response.body!.getReader()
          let text = ''
          while (!text.includes('\n')) text += new TextDecoder().decode((await reader.read()).value)
          await reader.cancel()
          return JSON.parse(text.split('\n')[0]!) as unknown
        },
        close: async () => {},
      }
    },
  },
  {
    name: 'axios (fetch)',
    realMs: 0,
    make: async (cluster) =>
      axiosSubject(BASE, {
        adapter: 'fetch',
        env: { fetch: (i: Request | URL | string, init?: RequestInit) => cluster.fetch(new Request(i, init)) },
      }),
  },
  { name: 'axios (xhr)', realMs: 0, make: async () => axiosSubject(BASE, { adapter: 'xhr' }) },
  {
    name: 'axios (http)',
    realMs: 2,
    make: async (cluster) => {
      const { url, close } = await listen(cluster.fetch)
      return axiosSubject(url, { adapter: 'http' }, close)
    },
  },
  {
    name: 'client-node',
    realMs: 0,
    make: async (cluster) => {
      const inner = wrapHttpLibrary({
        async send(request) {
          const body = request.getBody() as string | undefined
          const response = await cluster.fetch(
            new Request(request.getUrl(), {
              method: request.getHttpMethod(),
              headers: request.getHeaders(),
              ...(body !== undefined && { body }),
              ...(request.getSignal() && { signal: request.getSignal()! }),
            }),
          )
          return new ResponseContext(response.status, Object.fromEntries(response.headers), {
            text: () => response.text(),
            binary: async () => Buffer.from(await response.arrayBuffer()),
            stream: () => response.body,
          })
        },
      })
      const library = perSession((session) => freshReadHttpLibrary(session, inner))
      const send = (
        session: FreshReadSession,
        { method = 'GET', path, body, signal }: Call,
      ): Promise<ResponseContext> => {
        const request = new RequestContext(BASE + path, method as HttpMethod)
        if (body !== undefined) {
          request.setBody(bodyOf(body))
          request.setHeaderParam('Content-Type', 'application/json')
        }
        if (signal) request.setSignal(signal)
        return library(session).send(request).toPromise()
      }
      return {
        async call(session, call) {
          const response = await send(session, call)
          return { status: response.httpStatusCode, text: await response.body.text(), holder: response }
        },
        async firstEvent(session, path) {
          const response = await send(session, { path })
          const reader = response.body.stream()!.getReader()
          let text = ''
          while (!text.includes('\n')) text += new TextDecoder().decode((await reader.read()).value)
          await reader.cancel()
          return JSON.parse(text.split('\n')[0]!) as unknown
        },
        close: async () => {},
      }
    },
  },
]

/** A page and its session: each has a client of its own. */
function perSession<T>(make: (session: FreshReadSession) => T): (session: FreshReadSession) => T {
  const made = new Map<FreshReadSession, T>()
  return (session) => {
    const existing = made.get(session) ?? make(session)
    made.set(session, existing)
    return existing
  }
}

function axiosSubject(
  baseURL: string,
  config: AxiosRequestConfig & { env?: object },
  close: () => Promise<void> = async () => {},
): Subject {
  const instanceOf = perSession((session) => {
    const instance = create({ ...config, baseURL } as AxiosRequestConfig)
    attachFreshRead(instance, session)
    return instance
  })
  return {
    async call(session, { method = 'GET', path, body, signal }) {
      const [pathname, query] = path.split('?')
      try {
        const response = await instanceOf(session).request<string>({
          method,
          url: pathname!,
          params: new URLSearchParams(query),
          data: body,
          transformResponse: (text: string) => text,
          ...(signal && { signal }),
        })
        return { status: response.status, text: response.data, holder: response }
      } catch (error) {
        if (!(error instanceof AxiosError) || !error.response) throw error
        return { status: error.response.status, text: error.response.data as string, holder: error }
      }
    },
    async firstEvent(session, path) {
      const response = await instanceOf(session).get<AsyncIterable<Uint8Array> | string>(path, {
        responseType: 'stream',
      })
      let text = ''
      if (typeof response.data === 'string') text = response.data
      else for await (const chunk of response.data) if ((text += new TextDecoder().decode(chunk)).includes('\n')) break
      return JSON.parse(text.split('\n')[0]!) as unknown
    },
    close,
  }
}
