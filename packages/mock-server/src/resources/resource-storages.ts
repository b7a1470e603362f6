import {
  createResourceStorage,
  fieldIndex,
  type Clock,
  type FeatureGates,
  type KubeObject,
  type KV,
  type MetricsRegistry,
  type ResourceStorage,
  type Storage,
} from '@freshread/core'
import { attributesOf, indexedFields } from './selectable-attributes.ts'
import type { Resource } from './resource.ts'

/** What {@link ResourceStorages} are built on. */
export interface ResourceStoragesOptions {
  readonly kv: KV
  readonly clock: Clock
  readonly metrics: MetricsRegistry
  readonly featureGates: FeatureGates
  /** Knows what is compacted in the KV. */
  readonly compactor: { compactRevision(): number }
}

/** Resources without a watch cache (`pkg/kubeapiserver/default_storage_factory_builder.go: DefaultWatchCacheSizes`). */
const UNCACHED: ReadonlySet<string> = new Set(['/events'])

/** The storages of one server, one per kind of object, with their caches. */
export class ResourceStorages {
  readonly #options: ResourceStoragesOptions
  readonly #storages = new Map<string, ResourceStorage>()
  readonly #starting = new Map<string, Promise<void>>()
  /** Out of use, but not ended yet. */
  readonly #retired = new Set<ResourceStorage>()
  #closed = false

  /** @param resources those whose caches begin now; others begin when they are first asked for */
  constructor(options: ResourceStoragesOptions, resources: Iterable<Resource>) {
    this.#options = options
    for (const resource of resources) if (resource.verbs.includes('watch')) this.of(resource)
  }

  /** The storage of a resource; versions and groups that share their objects share it. */
  of(resource: Resource): Storage {
    let made = this.#storages.get(resource.storageKey)
    if (made === undefined) {
      if (this.#closed) throw new Error('the server is closed')
      made = this.#make(resource)
      this.#storages.set(resource.storageKey, made)
      const begun = made
      const started = begun.ready().finally(() => {
        if (this.#starting.get(resource.storageKey) === started) this.#starting.delete(resource.storageKey)
      })
      // One that is closed before it is ready has nobody to tell.
      started.catch(() => undefined)
      this.#starting.set(resource.storageKey, started)
    }
    return made.storage
  }

  /** Waits for the cache of a resource that has only now begun: nobody is told to come back for that. */
  starting(resource: Resource): Promise<void> | undefined {
    this.of(resource)
    return this.#starting.get(resource.storageKey)
  }

  /** Takes a storage out of use; the function returned ends it, with its watches. */
  retire(storageKey: string): (() => Promise<void>) | undefined {
    const made = this.#storages.get(storageKey)
    if (made === undefined) return undefined
    this.#storages.delete(storageKey)
    this.#retired.add(made)
    return async () => {
      this.#retired.delete(made)
      await made.close()
    }
  }

  /** Resolves when every cache has its first state. */
  async ready(): Promise<void> {
    await Promise.all([...this.#storages.values()].map((made) => made.ready()))
  }

  /** The resourceVersion each cache has reached, by storage key. */
  resourceVersions(): Record<string, number> {
    const out: Record<string, number> = {}
    for (const [key, made] of this.#storages) {
      const state = made.state()
      if (state !== undefined) out[key] = state.resourceVersion
    }
    return out
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#storages.values(), ...this.#retired].map((made) => made.close()))
    this.#retired.clear()
    this.#storages.clear()
  }

  #make(resource: Resource): ResourceStorage {
    const [field] = indexedFields(resource)
    const getAttributes = attributesOf(resource)
    const value = (object: KubeObject): string =>
      field === undefined ? '' : (getAttributes(object).fields[field] ?? '')
    return createResourceStorage({
      ...this.#options,
      groupResource: { group: resource.group, resource: resource.resource },
      resourcePrefix: resource.storagePrefix,
      namespaced: resource.namespaced,
      watchCache: !UNCACHED.has(resource.storageKey),
      getAttributes,
      ...(field !== undefined && {
        indexers: { [fieldIndex(field)]: (object: KubeObject) => [value(object)] },
        trigger: { field, value },
      }),
    })
  }
}
