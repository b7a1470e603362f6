import { create } from 'axios'
import { KubeClient } from '../src/kube-client.ts'
import { FreshReadSession } from '../src/session.ts'
import type { SessionOptions } from '../src/options.ts'
import { BASE, type Cluster } from './cluster.ts'

/** A ConfigMap, as tests write it. */
export interface ConfigMap {
  apiVersion?: string
  kind?: string
  metadata: {
    name?: string
    generateName?: string
    namespace?: string
    resourceVersion?: string
    uid?: string
    labels?: Record<string, string>
  }
  data?: Record<string, string>
}

/** A KubeClient of a cluster, on its clock, with a session of its own. */
export function clientOf(cluster: Cluster, options: SessionOptions = {}): KubeClient {
  const fetch = (input: Request | URL | string, init?: RequestInit): Promise<Response> =>
    cluster.fetch(new Request(input, init))
  const session = new FreshReadSession({ clock: cluster.clock, random: () => 0.5, ...options })
  return new KubeClient({ axios: create({ baseURL: BASE, adapter: 'fetch', env: { fetch } }), session })
}
