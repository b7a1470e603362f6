import {
  Compactor,
  MemoryKV,
  MetricsRegistry,
  watchMetrics,
  type Clock,
  type FeatureGates,
  type KubeObject,
  type KV,
  type WatchMetrics,
} from '@freshread/core'
import { LaggedKV } from './control/lagged-kv.ts'
import { bootstrap } from './resources/bootstrap.ts'
import type { MutableRegistry } from './resources/mutable-registry.ts'
import { ResourceStorages } from './resources/resource-storages.ts'
import type { Resource } from './resources/resource.ts'
import { keyOf, keyRootOf } from './resources/storage-key.ts'

/** What a {@link Backend} is made of. */
export interface BackendOptions {
  readonly clock: Clock
  readonly featureGates: FeatureGates
  readonly registry: MutableRegistry
  /** Someone else's storage, which is left open in the end. Default: one of its own in memory. */
  readonly storage: KV | undefined
  /** What follows the stored definitions. */
  readonly definitions: { start(kv: KV): Promise<void>; stop(): void }
  /** Runs when a reset begins to empty the storage. */
  readonly onReset: () => void
}

/** What begins anew when the storage does. */
interface Generation {
  readonly kv: KV
  readonly lagged: LaggedKV
  readonly compactor: Compactor
  storages: ResourceStorages
  ready: Promise<void>
}

/** What a server has below its verbs: the storage, the caches over it, and their start, restart and end. */
export class Backend {
  readonly #options: BackendOptions
  #metrics = new MetricsRegistry()
  #watchMetrics = watchMetrics(this.#metrics)
  #current: Generation
  #isReady = false
  #rebuilding: Promise<void> | undefined
  #closing: Promise<void> | undefined

  constructor(options: BackendOptions) {
    this.#options = options
    this.#current = this.#start(options.storage ?? new MemoryKV({ clock: options.clock }))
  }

  /** Whether requests need not wait for {@link ready}. */
  get isReady(): boolean {
    return this.#isReady
  }

  get kv(): KV {
    return this.#current.kv
  }

  /** The same, as the caches see it. */
  get lagged(): LaggedKV {
    return this.#current.lagged
  }

  get storages(): ResourceStorages {
    return this.#current.storages
  }

  get metrics(): MetricsRegistry {
    return this.#metrics
  }

  get watchMetrics(): WatchMetrics {
    return this.#watchMetrics
  }

  ready(): Promise<void> {
    return this.#rebuilding ?? this.#current.ready
  }

  /** An object as it is in the storage. */
  async lookup(group: string, resource: string, namespace: string, name: string): Promise<KubeObject | undefined> {
    const found = this.#options.registry.preferred(group, resource)
    if (found === undefined) return undefined
    const stored = await this.storages.of(found).get(keyOf(found, namespace, name), { ignoreNotFound: true })
    return stored?.object
  }

  /** All objects of a resource, or of one namespace, as they are in the storage. */
  async lookupAll(group: string, resource: string, namespace: string): Promise<readonly KubeObject[]> {
    const found = this.#options.registry.preferred(group, resource)
    return found === undefined ? [] : this.listStored(found, namespace)
  }

  /** Objects straight from the storage, whatever the cache knows. */
  async listStored(resource: Resource, namespace: string): Promise<readonly KubeObject[]> {
    const start = `/registry${keyRootOf(resource, namespace)}/`
    const { kvs } = await this.kv.range({ start, end: `${start.slice(0, -1)}0` })
    return kvs.map(({ value, modRevision }) => {
      const { object } = value
      return { ...object, metadata: { ...object.metadata, resourceVersion: String(modRevision) } }
    })
  }

  /** Builds the caches anew from the storage, as a server that is started again does. */
  restart(): Promise<void> {
    return this.#rebuild(async () => {
      const current = this.#current
      await current.storages.close()
      this.#forgetDefinitions()
      current.storages = this.#newStorages(current.lagged, current.compactor)
      await current.storages.ready()
      await this.#options.definitions.start(current.kv)
    })
  }

  /** Empties the storage and begins anew. */
  reset(): Promise<void> {
    return this.#rebuild(async () => {
      const old = this.#current
      const { clock, storage, onReset } = this.#options
      onReset()
      this.#forgetDefinitions()
      this.#metrics = new MetricsRegistry()
      this.#watchMetrics = watchMetrics(this.#metrics)
      old.compactor.close()
      await old.storages.close()
      if (storage === undefined) {
        await old.kv.close()
        this.#current = this.#start(new MemoryKV({ clock }))
      } else {
        // Others may use the storage too: it is emptied, and its revisions go on.
        await empty(old.kv)
        this.#current = this.#start(old.kv)
      }
      await this.#current.ready
    })
  }

  /** Ends caches and timers, and the storage if it is its own. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  #start(kv: KV): Generation {
    const { clock } = this.#options
    const lagged = new LaggedKV(kv, clock)
    const compactor = new Compactor({ kv, clock })
    const storages = this.#newStorages(lagged, compactor)
    const started: Generation = { kv, lagged, compactor, storages, ready: Promise.resolve() }
    this.#isReady = false
    started.ready = this.#prepare(started)
    // Whoever waits for readiness hears of a failure; nobody has to.
    started.ready.catch(() => undefined)
    return started
  }

  #newStorages(kv: LaggedKV, compactor: Compactor): ResourceStorages {
    const { clock, featureGates, registry } = this.#options
    return new ResourceStorages({ kv, clock, metrics: this.#metrics, featureGates, compactor }, registry.all())
  }

  /** Caches begin with an empty storage, so that their history holds all there ever was. */
  async #prepare({ storages, kv }: Generation): Promise<void> {
    await storages.ready()
    await bootstrap(kv, this.#options.registry, this.#options.clock)
    await this.#options.definitions.start(kv)
    if (this.#rebuilding === undefined) this.#isReady = true
  }

  /** Restarts and resets come one after the other; requests wait for the last. */
  #rebuild(work: () => Promise<void>): Promise<void> {
    this.#isReady = false
    const rebuilt = this.ready()
      .catch(() => undefined)
      .then(work)
    this.#rebuilding = rebuilt
    return rebuilt.finally(() => {
      if (this.#rebuilding !== rebuilt) return
      this.#rebuilding = undefined
      this.#isReady = true
    })
  }

  #forgetDefinitions(): void {
    this.#options.definitions.stop()
    this.#options.registry.replaceCustom([])
  }

  async #close(): Promise<void> {
    await this.ready().catch(() => undefined)
    this.#options.definitions.stop()
    this.#current.compactor.close()
    await this.#current.storages.close()
    if (this.#options.storage === undefined) await this.#current.kv.close()
  }
}

/** Deletes every key below `/registry`. */
async function empty(kv: KV): Promise<void> {
  const { kvs } = await kv.range({ start: '/registry/', end: '/registry0' })
  for (const { key, modRevision } of kvs) await kv.txn({ key, expectedRevision: modRevision, put: undefined })
}
