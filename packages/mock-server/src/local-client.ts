import type { KubeObject } from '@freshread/core'
import type { KubeRequest, KubeResponse } from './api/message.ts'
import type { MutableRegistry } from './resources/mutable-registry.ts'
import type { Resource } from './resources/resource.ts'

/** A server as its own parts use it that are clients like any other: loading, the namespace controller. */
export interface LocalServer {
  readonly registry: MutableRegistry
  handle(request: KubeRequest): Promise<KubeResponse>
  /** Objects straight from the storage, whatever the cache knows. */
  listStored(resource: Resource, namespace: string): Promise<readonly KubeObject[]>
}

/** What a server answered. */
export interface LocalAnswer {
  readonly status: number
  /** The body; `undefined` without one. */
  readonly object: unknown
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Sends requests to a server in the same process. */
export class LocalClient {
  readonly #server: LocalServer
  readonly #userAgent: string

  constructor(server: LocalServer, userAgent: string) {
    this.#server = server
    this.#userAgent = userAgent
  }

  /** @param url path and query */
  async send(method: string, url: string, body?: unknown): Promise<LocalAnswer> {
    const [path = '', query = ''] = url.split('?')
    const response = await this.#server.handle({
      method,
      path,
      query,
      headers: { 'user-agent': this.#userAgent, 'content-type': 'application/json' },
      body: body === undefined ? undefined : encoder.encode(JSON.stringify(body)),
      signal: new AbortController().signal,
    })
    return {
      status: response.status,
      object: response.body instanceof Uint8Array ? (JSON.parse(decoder.decode(response.body)) as unknown) : undefined,
    }
  }
}

/** Path of a resource's objects: in a namespace, or without one where `namespace` is empty. */
export function collectionPath(resource: Resource, namespace: string): string {
  const base = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`
  return namespace === '' ? `${base}/${resource.resource}` : `${base}/namespaces/${namespace}/${resource.resource}`
}
