import { MemoryKV, type Clock, type KV, type MemoryKVSnapshot } from '@freshread/core'
import type { Resource } from '../resources/resource.ts'
import type { FaultMatch, FaultResponder, Faults, StatusFault } from './faults.ts'
import type { LaggedKV } from './lagged-kv.ts'

/** Which caches an operation is for. */
export interface ResourceFilter {
  /** `pods`, or `deployments.apps` where a name alone is not enough. */
  readonly resource?: string
}

/** What holds in a server at this moment. */
export interface ControlState {
  readonly frozen: boolean
  readonly lagMs: number
  /** Resources that are frozen or delayed in their own way. */
  readonly resources: Readonly<Record<string, { readonly frozen: boolean; readonly lagMs: number }>>
  /** Changes held back between storage and caches. */
  readonly pending: number
  /** The storage's revision, which is what the next consistent read waits for. */
  readonly revision: number
  /** Open watches of clients. */
  readonly watches: number
  /** The resourceVersion that each cache in use has reached, by resource: `pods`, `deployments.apps`. */
  readonly caches: Readonly<Record<string, number>>
}

/** A state of the storage to go back to. */
export interface Snapshot {
  readonly revision: number
}

/** What {@link Control} works on; the server's own. */
export interface ControlTarget {
  readonly clock: Clock
  readonly faults: Faults
  readonly storage: () => { readonly kv: KV; readonly lagged: LaggedKV }
  readonly resources: () => readonly Resource[]
  /** By storage key. */
  readonly caches: () => Readonly<Record<string, number>>
  readonly restart: () => Promise<void>
  readonly reset: () => Promise<void>
  readonly openWatches: () => number
  readonly dropWatches: (filter: ((resource: Resource) => boolean) | undefined, clean: boolean) => void
}

/** Makes a server lag, fail and restart: everything that happens to a control plane in its bad moments. */
export interface Control {
  /** Holds back all that the caches would hear of from now on; writes and direct reads go on. */
  freeze(filter?: ResourceFilter): void
  /** Lets everything go that was held back, in order. */
  thaw(filter?: ResourceFilter): void
  /** Delays what the caches hear by `ms` milliseconds; 0 ends it. */
  lag(ms: number, filter?: ResourceFilter): void
  /** Compacts the storage, which the caches do not notice; without a revision, to the current one. */
  compact(revision?: number): Promise<void>
  /** Starts every cache anew from the storage. Open watches end, without an ERROR; freeze and lag stay. */
  restart(): Promise<void>
  /** Makes the server as new: nothing but what a new one holds, no freeze, lag or fault. Its journal goes on. */
  reset(): Promise<void>
  state(): Promise<ControlState>
  /** Remembers the storage as it is. Only for storages in memory. */
  snapshot(): Snapshot
  /** Takes the storage back to a snapshot, as a restored backup does: revisions too. The caches start anew. */
  restore(snapshot: Snapshot): Promise<void>
  /** Lets the next matching request fail. */
  failNext(fault: StatusFault | FaultResponder): void
  /** Delays matching requests; `latency(0)` ends all delays. */
  latency(ms: number, match?: FaultMatch): void
  /** Breaks open watches, as a lost connection does; with `clean` they end as at their timeout. */
  dropWatches(options?: ResourceFilter & { readonly clean?: boolean }): void
}

/** Makes the {@link Control} of a server. */
export function createControl(target: ControlTarget): Control {
  const select = (method: string, filter: ResourceFilter | undefined): Resource | undefined => {
    if (filter !== undefined && (typeof filter !== 'object' || filter === null)) {
      throw new TypeError(`${method}: expected {resource}, got ${String(filter)}`)
    }
    const name = filter?.resource
    if (name === undefined) return undefined
    const found = target.resources().find((resource) => name === resource.resource || name === qualifiedName(resource))
    if (found === undefined) throw new TypeError(`${method}: no such resource: ${String(name)}`)
    return found
  }
  const prefix = (method: string, filter: ResourceFilter | undefined): string | undefined => {
    const resource = select(method, filter)
    return resource === undefined ? undefined : storagePrefixOf(resource)
  }
  const memory = (method: string): MemoryKV => {
    const { kv } = target.storage()
    if (kv instanceof MemoryKV) return kv
    throw new TypeError(`${method}: needs a storage in memory`)
  }
  return {
    freeze: (filter) => target.storage().lagged.freeze(prefix('freeze', filter)),
    thaw: (filter) => target.storage().lagged.thaw(prefix('thaw', filter)),
    lag: (ms, filter) => {
      if (!Number.isFinite(ms) || ms < 0)
        throw new TypeError(`lag: ms must be a number of milliseconds ≥ 0, got ${String(ms)}`)
      target.storage().lagged.lag(ms, prefix('lag', filter))
    },
    compact: async (revision) => {
      const { kv } = target.storage()
      if (revision !== undefined && (!Number.isSafeInteger(revision) || revision < 1)) {
        throw new TypeError(`compact: revision must be a positive integer, got ${String(revision)}`)
      }
      await kv.compact(revision ?? (await kv.get('/registry')).revision)
    },
    restart: () => target.restart(),
    reset: () => target.reset(),
    state: async () => {
      const { kv, lagged } = target.storage()
      const { frozen, ms } = lagged.state()
      const resources: Record<string, { frozen: boolean; lagMs: number }> = {}
      for (const resource of target.resources()) {
        const own = lagged.state(storagePrefixOf(resource))
        if (own.frozen !== frozen || own.ms !== ms)
          resources[qualifiedName(resource)] = { frozen: own.frozen, lagMs: own.ms }
      }
      return {
        frozen,
        lagMs: ms,
        resources,
        pending: lagged.pending,
        revision: (await kv.get('/registry')).revision,
        watches: target.openWatches(),
        caches: cachesByName(target.resources(), target.caches()),
      }
    },
    snapshot: () => memory('snapshot').snapshot(),
    restore: async (snapshot) => {
      memory('restore').restore(snapshot as MemoryKVSnapshot)
      await target.restart()
    },
    failNext: (fault) => target.faults.failNext(fault),
    latency: (ms, match) => target.faults.latency(ms, match),
    dropWatches: (options = {}) => {
      const resource = select('dropWatches', options)
      const filter = resource && ((other: Resource): boolean => other.storageKey === resource.storageKey)
      target.dropWatches(filter, options.clean === true)
    },
  }
}

/** What the keys of a resource begin with in the storage. */
function storagePrefixOf(resource: Resource): string {
  return `/registry${resource.storagePrefix}/`
}

function cachesByName(
  resources: readonly Resource[],
  caches: Readonly<Record<string, number>>,
): Record<string, number> {
  const out: Record<string, number> = {}
  for (const resource of resources) {
    const reached = caches[resource.storageKey]
    if (reached !== undefined) out[qualifiedName(resource)] = reached
  }
  return out
}

function qualifiedName({ resource, group }: Resource): string {
  return group === '' ? resource : `${resource}.${group}`
}
