import { FakeClock } from '@freshread/core/testing'
import { StoredObject, type Clock, type KubeObject, type Watch, type WatchEvent } from '@freshread/core'
import type { Resource } from '../resources/resource.ts'
import { WarningRecorder } from './headers.ts'
import type { BodySink, BodyStream, KubeResponse } from './message.ts'
import { parseQuery } from './query.ts'
import type { ResponseContext } from './response-context.ts'

/** A request's context, for tests of answers. */
export function contextOf(
  headers: Readonly<Record<string, string>> = {},
  query = '',
  clock: Clock = new FakeClock(Date.parse('2026-01-01T00:00:00Z')),
): ResponseContext {
  return {
    requestHeaders: headers,
    query: parseQuery(query),
    headers: { 'audit-id': 'a', 'cache-control': 'no-cache, private' },
    warnings: new WarningRecorder(),
    clock,
  }
}

/** A resource that stores its objects as it serves them. */
export function resourceOf(overrides: Partial<Resource> = {}): Resource {
  return {
    group: '',
    version: 'v1',
    resource: 'configmaps',
    kind: 'ConfigMap',
    listKind: 'ConfigMapList',
    singular: 'configmap',
    shortNames: [],
    categories: [],
    namespaced: true,
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    subresources: new Map(),
    storageVersionHash: undefined,
    storagePrefix: '/configmaps',
    storageKey: '/configmaps',
    storageApiVersion: 'v1',
    schema: undefined,
    strategy: {},
    printer: {
      columns: [{ name: 'Name', type: 'string', format: 'name', priority: 0 }],
      cells: (object) => [object.metadata.name ?? ''],
    },
    builtIn: true,
    fromStorage: (object) => object,
    toStorage: (object) => object,
    ...overrides,
  }
}

export function configMap(name: string, data: Readonly<Record<string, string>> = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data }
}

export const stored = (object: KubeObject, resourceVersion = 1): StoredObject =>
  StoredObject.at(`/configmaps/default/${object.metadata.name}`, resourceVersion, object)

/** A sink that keeps what it is given; `room` says how many writes it takes before it asks to wait. */
export class CollectingSink implements BodySink {
  readonly chunks: Uint8Array[] = []
  ended = false
  error: Error | undefined
  room: number

  constructor(room: number = Number.POSITIVE_INFINITY) {
    this.room = room
  }

  write(chunk: Uint8Array): boolean {
    this.chunks.push(chunk)
    return --this.room > 0
  }

  end(): void {
    this.ended = true
  }

  fail(error: Error): void {
    this.error = error
  }

  get text(): string {
    const decoder = new TextDecoder()
    return this.chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('')
  }
}

/** The whole body of an answer as text. */
export function bodyText(response: KubeResponse): string {
  const { body } = response
  if (body === undefined) return ''
  if (body instanceof Uint8Array) return new TextDecoder().decode(body)
  const sink = new CollectingSink()
  ;(body as BodyStream).start(sink)
  if (!sink.ended) throw new Error('the body has not ended')
  return sink.text
}

/** A watch that tells what it is fed. */
export class FedWatch implements Watch {
  readonly #queue: WatchEvent[] = []
  #closed = false
  stopped = false
  onReadable: (() => void) | undefined

  feed(...events: readonly WatchEvent[]): void {
    this.#queue.push(...events)
    this.onReadable?.()
  }

  close(): void {
    this.#closed = true
    this.onReadable?.()
  }

  poll(): WatchEvent | undefined {
    return this.#queue.shift()
  }

  get ended(): boolean {
    return this.#queue.length === 0 && (this.#closed || this.stopped)
  }

  stop(): void {
    this.stopped = true
  }

  async *[Symbol.asyncIterator](): AsyncIterator<WatchEvent> {
    yield* this.#queue
  }
}
