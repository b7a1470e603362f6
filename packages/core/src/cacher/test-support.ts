import type { Clock } from '../clock.ts'
import {
  createResourceStorage,
  type ResourceStorage,
  type ResourceStorageOptions,
} from '../delegator/resource-storage.ts'
import type { CacheDelegator } from '../delegator/delegator.ts'
import { FieldSelector } from '../meta/field-selector.ts'
import { LabelSelector } from '../meta/label-selector.ts'
import { SelectionPredicate, type SelectionPredicateOptions } from '../meta/selection-predicate.ts'
import type { KubeObject } from '../meta/types.ts'
import { MetricsRegistry, type CounterSeries, type GaugeSeries, type HistogramSeries } from '../metrics/registry.ts'
import type { KV, KVWatch, KVWatchOptions, KVWatchResponse } from '../storage/kv.ts'
import { MemoryKV } from '../storage/memory/memory-kv.ts'
import type { ListOptions, ListResult, Storage, Watch, WatchEvent, WatchOptions } from '../storage/storage.ts'
import { StoredObject } from '../storage/stored-object.ts'
import { FakeClock } from '../testing/fake-clock.ts'
import type { StoreElement } from './event.ts'

/** An object as a client would send it. */
export function configMap(
  name: string,
  options: { namespace?: string; labels?: Record<string, string>; data?: string } = {},
): KubeObject {
  const { namespace = 't1', labels, data } = options
  return {
    metadata: { name, namespace, ...(labels !== undefined && { labels }) },
    ...(data !== undefined && { data: { k: data } }),
  }
}

export function keyOf(name: string, namespace = 't1'): string {
  return `/configmaps/${namespace}/${name}`
}

/** An object as the storage would give it. */
export function stored(
  name: string,
  resourceVersion: number,
  options: Parameters<typeof configMap>[1] = {},
): StoredObject {
  return StoredObject.at(keyOf(name, options.namespace), resourceVersion, configMap(name, options))
}

export function element(
  name: string,
  resourceVersion: number,
  options: Parameters<typeof configMap>[1] = {},
): StoreElement {
  const object = stored(name, resourceVersion, options)
  const { labels, namespace = '' } = object.object.metadata
  return { key: object.key, object, labels, fields: { 'metadata.name': name, 'metadata.namespace': namespace } }
}

/** What `run` throws. */
export function thrown(run: () => unknown): Error {
  try {
    run()
  } catch (error) {
    return error as Error
  }
  throw new Error('it threw nothing')
}

/** Takes all there is. */
export function drain(watch: Watch): WatchEvent[] {
  const events: WatchEvent[] = []
  for (let event = watch.poll(); event !== undefined; event = watch.poll()) events.push(event)
  return events
}

/** Takes all there is, in short: `ADDED a 5`, `BOOKMARK 7`, `END 7` for the end of the initial events, `ERROR 410 …`. */
export function brief(watch: Watch): string[] {
  return drain(watch).map(briefEvent)
}

function briefEvent(event: WatchEvent): string {
  switch (event.type) {
    case 'ERROR':
      return `ERROR ${event.status.code} ${event.status.message}`
    case 'BOOKMARK':
      return `${event.initialEventsEnd ? 'END' : 'BOOKMARK'} ${event.resourceVersion}`
    default:
      return `${event.type} ${event.object.object.metadata.name} ${event.object.object.metadata.resourceVersion}`
  }
}

export interface SelectorOptions extends Omit<SelectionPredicateOptions, 'label' | 'field'> {
  readonly labels?: string
  readonly fields?: string
}

function predicate({ labels, fields, ...rest }: SelectorOptions = {}): SelectionPredicate {
  return new SelectionPredicate({
    ...(labels !== undefined && { label: LabelSelector.parse(labels) }),
    ...(fields !== undefined && { field: FieldSelector.parse(fields) }),
    ...rest,
  })
}

export function listOptions(resourceVersion = '', match = '', selector: SelectorOptions = {}): ListOptions {
  return { resourceVersion, resourceVersionMatch: match, predicate: predicate(selector), recursive: true }
}

export function watchOptions(
  resourceVersion: string,
  options: SelectorOptions & Pick<WatchOptions, 'sendInitialEvents' | 'deadline' | 'signal' | 'namespace'> = {},
): WatchOptions {
  const { sendInitialEvents, deadline, signal, namespace, ...selector } = options
  return {
    resourceVersion,
    resourceVersionMatch: sendInitialEvents === undefined ? '' : 'NotOlderThan',
    predicate: predicate(selector),
    recursive: true,
    sendInitialEvents,
    deadline,
    signal,
    ...(namespace !== undefined && { namespace }),
  }
}

export function names(list: ListResult): string[] {
  return list.items.map((item) => item.object.metadata.name!)
}

/** Holds back what a KV's watches tell, as the way between a storage and a cache may; everything else passes. */
class LaggingKV implements KV {
  readonly inner: MemoryKV
  readonly #clock: Clock
  readonly #deliver = new Set<() => void>()
  readonly #break = new Set<(response: KVWatchResponse) => void>()
  #frozen = false
  /** Milliseconds. */
  lag = 0

  constructor(inner: MemoryKV, clock: Clock) {
    this.inner = inner
    this.#clock = clock
  }

  freeze(): void {
    this.#frozen = true
  }

  thaw(): void {
    this.#frozen = false
    for (const deliver of this.#deliver) deliver()
  }

  /** Ends every watch with that response, and drops what was held back for it. */
  breakWatches(response: KVWatchResponse): void {
    for (const end of Array.from(this.#break)) end(response)
  }

  watch(options: KVWatchOptions): KVWatch {
    const held: { readonly due: number; readonly response: KVWatchResponse }[] = []
    let cancelled = false
    const deliver = (): void => {
      while (!this.#frozen && held.length > 0 && held[0]!.due <= this.#clock.now()) {
        const { response } = held.shift()!
        if (!cancelled) options.onResponse(response)
      }
    }
    this.#deliver.add(deliver)
    const watch = this.inner.watch({
      ...options,
      onResponse: (response) => {
        held.push({ due: this.#clock.now() + this.lag, response })
        if (this.lag > 0) this.#clock.setTimeout(deliver, this.lag)
        deliver()
      },
    })
    const cancel = (): void => {
      cancelled = true
      this.#deliver.delete(deliver)
      this.#break.delete(end)
      watch.cancel()
    }
    const end = (response: KVWatchResponse): void => {
      cancel()
      options.onResponse(response)
    }
    this.#break.add(end)
    return { cancel }
  }

  get supportsProgress(): boolean {
    return this.inner.supportsProgress
  }

  get: KV['get'] = (...args) => this.inner.get(...args)
  range: KV['range'] = (...args) => this.inner.range(...args)
  txn: KV['txn'] = (...args) => this.inner.txn(...args)
  requestProgress: KV['requestProgress'] = () => this.inner.requestProgress()
  compact: KV['compact'] = (revision) => this.inner.compact(revision)
  grantLease: KV['grantLease'] = (ttl) => this.inner.grantLease(ttl)
  close: KV['close'] = () => this.inner.close()
}

export interface Setup {
  readonly clock: FakeClock
  readonly kv: LaggingKV
  readonly metrics: MetricsRegistry
  readonly resource: ResourceStorage
  readonly delegator: CacheDelegator
  /** The storage under the cache. */
  readonly storage: Storage
  create(name: string, options?: Parameters<typeof configMap>[1]): Promise<number>
  update(name: string, options?: Parameters<typeof configMap>[1]): Promise<number>
  remove(name: string, namespace?: string): Promise<number>
  /** A write to another resource; moves the storage's revision only. */
  elsewhere(): Promise<number>
  counter(name: string, labels?: Record<string, string>): number
  waits(): HistogramSeries
  close(): Promise<void>
}

/** A cache over a memory store, ready, with time standing still. */
export async function setup(
  options: Partial<ResourceStorageOptions> & { readonly supportsProgress?: boolean } = {},
): Promise<Setup> {
  const { supportsProgress = true, ...rest } = options
  const clock = new FakeClock()
  const kv = new LaggingKV(new MemoryKV({ clock, supportsProgress }), clock)
  const metrics = new MetricsRegistry()
  const groupResource = { group: '', resource: 'configmaps' }
  const common = { kv, clock, metrics, groupResource, resourcePrefix: '/configmaps', random: () => 0.4 }
  const resource = createResourceStorage({ ...common, ...rest })
  const delegator = resource.storage as CacheDelegator
  const { storage } = createResourceStorage({ ...common, metrics: new MetricsRegistry(), watchCache: false })
  const other = createResourceStorage({
    ...common,
    metrics: new MetricsRegistry(),
    groupResource: { group: '', resource: 'secrets' },
    resourcePrefix: '/secrets',
    watchCache: false,
  })
  await clock.step(0)
  await resource.ready()
  let others = 0
  return {
    clock,
    kv,
    metrics,
    resource,
    delegator,
    storage,
    create: async (name, object) =>
      (await storage.create(keyOf(name, object?.namespace), configMap(name, object))).resourceVersion,
    update: async (name, object) =>
      (
        await storage.guaranteedUpdate(keyOf(name, object?.namespace), {
          tryUpdate: (current) => ({
            object: {
              ...configMap(name, object),
              metadata: { ...current!.object.metadata, ...configMap(name, object).metadata },
            },
          }),
        })
      ).resourceVersion,
    remove: async (name, namespace) => (await storage.delete(keyOf(name, namespace))).resourceVersion,
    elsewhere: async () => {
      const name = `s${others++}`
      return (await other.storage.create(`/secrets/t1/${name}`, configMap(name))).resourceVersion
    },
    counter: (name, labels = {}) => {
      const metric = metrics.get(name)
      if (metric === undefined) throw new Error(`no metric ${name}`)
      const { group, resource: of } = groupResource
      return (metric.labels({ group, resource: of, ...labels }) as unknown as CounterSeries | GaugeSeries).value
    },
    waits: () =>
      metrics
        .get('apiserver_watch_cache_read_wait_seconds')!
        .labels({ group: '', resource: 'configmaps' }) as unknown as HistogramSeries,
    close: async () => {
      await resource.close()
      await kv.close()
    },
  }
}
