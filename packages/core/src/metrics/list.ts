import type { GroupResource } from '../meta/types.ts'
import type { MetricsRegistry } from './registry.ts'

/** What a list cost. */
interface ListCost {
  /** Index that was used, `''` for none. */
  readonly index: string
  /** Items read before selecting. */
  readonly fetched: number
  /** Items decoded and compared with the selectors. */
  readonly evaluated: number
  readonly returned: number
}

/** Metrics of lists, wherever they are answered (`pkg/storage/metrics/metrics.go`). */
export interface StorageListMetrics {
  record(gr: GroupResource, storage: 'watchcache' | 'etcd', cost: ListCost): void
}

/** Registers the metrics of lists, once however often it is called. */
export function storageListMetrics(registry: MetricsRegistry): StorageListMetrics {
  const withIndex = ['group', 'resource', 'storage', 'index'] as const
  const withoutIndex = ['group', 'resource', 'storage'] as const
  const total = registry.counter({
    name: 'apiserver_storage_list_total',
    help: 'Lists that were served, by where from and by which index.',
    labelNames: withIndex,
  })
  const fetched = registry.counter({
    name: 'apiserver_storage_list_fetched_objects_total',
    help: 'Objects that were read to serve lists.',
    labelNames: withIndex,
  })
  const evaluated = registry.counter({
    name: 'apiserver_storage_list_evaluated_objects_total',
    help: 'Objects that were decoded and compared with the selectors of lists.',
    labelNames: withoutIndex,
  })
  const returned = registry.counter({
    name: 'apiserver_storage_list_returned_objects_total',
    help: 'Objects that lists returned.',
    labelNames: withoutIndex,
  })
  return {
    record: ({ group, resource }, storage, cost) => {
      total.labels({ group, resource, storage, index: cost.index }).inc()
      fetched.labels({ group, resource, storage, index: cost.index }).inc(cost.fetched)
      evaluated.labels({ group, resource, storage }).inc(cost.evaluated)
      returned.labels({ group, resource, storage }).inc(cost.returned)
    },
  }
}
