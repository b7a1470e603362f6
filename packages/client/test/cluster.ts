import { MemoryKV } from '@freshread/core'
import { FakeClock } from '@freshread/core/testing'
import { createKubeServer, type KubeServer, type KubeServerOptions } from '@freshread/mock-server'

/** Replicas of one control plane behind one URL, and a proxy before them that can misbehave. */
export interface Cluster {
  readonly clock: FakeClock
  readonly servers: readonly KubeServer[]
  /** The first, for tests with one. */
  readonly kube: KubeServer
  /** What is behind the URL: replicas take turns. Rejects where a connection breaks. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Answers of the proxy in the place of the next requests' own. */
  readonly instead: ((request: Request) => Response | Promise<Response>)[]
  /** What was sent: method where it is no GET, then path and query. */
  readonly sent: string[]
  close(): Promise<void>
}

/** Where tests find it. */
export const BASE = 'http://kube.test'
export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'

/** Starts `replicas` servers that share a storage and a clock. */
export async function startCluster(options: KubeServerOptions & { readonly replicas?: number } = {}): Promise<Cluster> {
  const { replicas = 1, ...server } = options
  const clock = new FakeClock()
  const storage = replicas > 1 ? new MemoryKV({ clock }) : undefined
  const servers = Array.from({ length: replicas }, () =>
    createKubeServer({ clock, ...(storage && { storage }), ...server }),
  )
  const instead: Cluster['instead'] = []
  const sent: string[] = []
  let turn = 0
  const cluster: Cluster = {
    clock,
    servers,
    kube: servers[0]!,
    instead,
    sent,
    async fetch(request) {
      const url = new URL(request.url)
      sent.push((request.method === 'GET' ? '' : `${request.method} `) + url.pathname + url.search)
      const answer = instead.shift()
      return answer ? answer(request) : servers[turn++ % servers.length]!.fetch(request)
    },
    async close() {
      for (const server of servers) await server.close()
      await storage?.close()
    },
  }
  const pods = cluster.fetch(new Request(`${BASE}${CONFIG_MAPS}?resourceVersion=0`))
  await settle(clock, pods)
  for (const other of servers.slice(1)) await settle(clock, other.fetch(`${BASE}${CONFIG_MAPS}?resourceVersion=0`))
  turn = 0
  sent.length = 0
  return cluster
}

/** Moves time on, in small steps, until a promise is settled. */
export async function settle<T>(clock: FakeClock, promise: Promise<T>, realMs = 0): Promise<T> {
  const state = { settled: false }
  const end = (): void => void (state.settled = true)
  promise.then(end, end)
  for (let i = 0; !state.settled; i++) {
    if (i === 5000) throw new Error('it never settled')
    // Sockets take their time, which is not the clock's.
    if (realMs) await new Promise((resolve) => setTimeout(resolve, realMs))
    else await new Promise((resolve) => setImmediate(resolve))
    if (!state.settled) await clock.step(100)
  }
  return promise
}

/** A connection that breaks. */
export function breakConnection(): never {
  throw new TypeError('fetch failed', { cause: new Error('ECONNRESET') })
}
