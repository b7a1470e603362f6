import type { GroupResource } from '../meta/types.ts'
import type { StorageObserver } from '../storage/observer.ts'
import { storageListMetrics } from './list.ts'
import type { MetricsRegistry } from './registry.ts'

const durationBuckets = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
]
const groupResource = ['group', 'resource'] as const
const operation = ['operation', 'group', 'resource'] as const

/**
 * Counts what stores do (`pkg/storage/etcd3/metrics/metrics.go`), under upstream's names whatever the store
 * is built on.
 */
export function storageObserver(registry: MetricsRegistry): StorageObserver {
  const requestDuration = registry.histogram({
    name: 'etcd_request_duration_seconds',
    help: 'Seconds that requests to the storage took.',
    labelNames: operation,
    buckets: durationBuckets,
  })
  const requests = registry.counter({
    name: 'etcd_requests_total',
    help: 'Requests to the storage.',
    labelNames: operation,
  })
  const requestErrors = registry.counter({
    name: 'etcd_request_errors_total',
    help: 'Requests to the storage that failed.',
    labelNames: operation,
  })
  const listDuration = registry.histogram({
    name: 'apiserver_storage_list_duration_seconds',
    help: 'Seconds that it took to read lists from the storage.',
    labelNames: ['streamed', 'group', 'resource'],
    buckets: durationBuckets,
  })
  const eventsReceived = registry.counter({
    name: 'apiserver_storage_events_received_total',
    help: 'Changes that watches on the storage were told of.',
    labelNames: groupResource,
    stability: 'BETA',
  })
  const bookmarks = registry.counter({
    name: 'etcd_bookmark_total',
    help: 'Progress notifications that watches on the storage were sent.',
    labelNames: groupResource,
  })
  const leaseObjects = registry.histogram({
    name: 'etcd_lease_object_counts',
    help: 'Objects that hung on one lease when it was given up for another.',
    buckets: [10, 50, 100, 500, 1000, 2500, 5000],
  })
  const decodeErrors = registry.counter({
    name: 'apiserver_storage_decode_errors_total',
    help: 'Stored objects that could not be decoded.',
    labelNames: groupResource,
  })
  const lists = storageListMetrics(registry)
  const labels = ({ group, resource }: GroupResource): { group: string; resource: string } => ({ group, resource })

  return {
    request: (name, gr, durationMs, error) => {
      const of = { operation: name, ...labels(gr) }
      requestDuration.labels(of).observe(durationMs / 1000)
      requests.labels(of).inc()
      if (error !== undefined) requestErrors.labels(of).inc()
    },
    list: (gr, cost) => {
      listDuration.labels({ streamed: String(cost.streamed), ...labels(gr) }).observe(cost.durationMs / 1000)
      const { fetched, evaluated, returned } = cost
      lists.record(gr, 'etcd', { index: '', fetched, evaluated, returned })
    },
    eventReceived: (gr) => eventsReceived.labels(labels(gr)).inc(),
    bookmarkReceived: (gr) => bookmarks.labels(labels(gr)).inc(),
    decodeError: (gr) => decodeErrors.labels(labels(gr)).inc(),
    leaseReplaced: (count) => leaseObjects.labels().observe(count),
  }
}

/**
 * Shows how many objects there are of a resource whenever metrics are read (upstream counts once a minute).
 * Answers how to stop that.
 */
export function observeObjectCount(registry: MetricsRegistry, gr: GroupResource, count: () => number): () => void {
  const objects = registry.gauge({
    name: 'apiserver_resource_objects',
    help: 'Objects that are stored.',
    labelNames: groupResource,
  })
  const series = objects.labels({ group: gr.group, resource: gr.resource })
  return registry.onCollect(() => series.set(count()))
}
