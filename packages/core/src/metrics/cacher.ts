import type { GroupResource } from '../meta/types.ts'
import { storageListMetrics } from './list.ts'
import type { CounterSeries, GaugeSeries, HistogramSeries, MetricsRegistry } from './registry.ts'

/*
 * Metrics of the watch cache (`pkg/storage/cacher/metrics/metrics.go`). Each function registers what it gives, so that
 * a registry can be shared by any number of caches.
 */

const groupResource = ['group', 'resource'] as const

/** One set of metrics, for one resource. */
export interface CacherMetrics {
  readonly readWait: HistogramSeries
  consistentRead(success: boolean, fallback: 'true' | 'false' | 'skipped'): void
  readonly eventsReceived: CounterSeries
  readonly eventsDispatched: CounterSeries
  readonly resourceVersion: GaugeSeries
  readonly initializations: CounterSeries
  readonly initializationErrors: CounterSeries
  readonly initializationDuration: HistogramSeries
  readonly capacity: GaugeSeries
  readonly capacityIncrease: CounterSeries
  readonly capacityDecrease: CounterSeries
  readonly initEvents: CounterSeries
  readonly terminatedWatchers: CounterSeries
  readonly dispatchDuration: {
    readonly storageToCache: HistogramSeries
    readonly cacheToWatcher: HistogramSeries
    readonly total: HistogramSeries
  }
  consistencyCheck(status: 'success' | 'failure' | 'error'): void
  /** A list was answered from the cache. */
  listed(index: string, fetched: number, returned: number): void
}

/** The watch cache's metrics for one resource. */
export function cacherMetrics(registry: MetricsRegistry, gr: GroupResource): CacherMetrics {
  const labels = { group: gr.group, resource: gr.resource }
  const counter = (name: string, help: string): CounterSeries =>
    registry.counter({ name, help, labelNames: groupResource }).labels(labels)
  const gauge = (name: string, help: string): GaugeSeries =>
    registry.gauge({ name, help, labelNames: groupResource }).labels(labels)
  const histogram = (name: string, help: string, buckets: readonly number[]): HistogramSeries =>
    registry.histogram({ name, help, labelNames: groupResource, buckets }).labels(labels)

  const consistentReads = registry.counter({
    name: 'apiserver_watch_cache_consistent_read_total',
    help: 'Lists of the latest state that the watch cache was asked for, by whether they succeeded and whether the storage had to answer instead.',
    labelNames: ['group', 'resource', 'success', 'fallback'],
  })
  const dispatchDuration = registry.histogram({
    name: 'apiserver_watch_events_dispatch_duration_seconds',
    help: 'Seconds that an event spent on its way to a watcher, by stage.',
    labelNames: ['group', 'resource', 'stage'],
    buckets: [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  })
  const consistencyChecks = registry.counter({
    name: 'apiserver_storage_consistency_checks_total',
    help: 'Comparisons of the watch cache with its storage, by outcome.',
    labelNames: ['group', 'resource', 'status'],
  })
  const lists = storageListMetrics(registry)

  return {
    readWait: histogram(
      'apiserver_watch_cache_read_wait_seconds',
      'Seconds that reads waited for the watch cache to become fresh enough, whether it did or not.',
      [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3],
    ),
    consistentRead: (success, fallback) =>
      consistentReads.labels({ ...labels, success: String(success), fallback }).inc(),
    eventsReceived: counter(
      'apiserver_watch_cache_events_received_total',
      'Changes that the watch cache was told of by its storage.',
    ),
    eventsDispatched: counter(
      'apiserver_watch_cache_events_dispatched_total',
      'Items that the watch cache has handed on to its watchers, new resource versions without a change included.',
    ),
    resourceVersion: gauge(
      'apiserver_watch_cache_resource_version',
      'Resource version that the watch cache has reached, modulo 10^15.',
    ),
    initializations: counter(
      'apiserver_watch_cache_initializations_total',
      'How often the watch cache was filled from its storage.',
    ),
    initializationErrors: counter(
      'apiserver_watch_cache_initialization_errors_total',
      'How often the watch cache failed to be filled or to follow its storage.',
    ),
    initializationDuration: histogram(
      'apiserver_watch_cache_initialization_duration_seconds',
      'Seconds that it took to fill the watch cache.',
      [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180, 600],
    ),
    capacity: gauge('watch_cache_capacity', "Capacity of the watch cache's history of events."),
    capacityIncrease: counter('watch_cache_capacity_increase_total', "How often the watch cache's history has grown."),
    capacityDecrease: counter('watch_cache_capacity_decrease_total', "How often the watch cache's history has shrunk."),
    initEvents: counter(
      'apiserver_init_events_total',
      'Events read for watches before those that happen while they run.',
    ),
    terminatedWatchers: counter(
      'apiserver_terminated_watchers_total',
      'Watchers that were ended since they were too slow.',
    ),
    dispatchDuration: {
      storageToCache: dispatchDuration.labels({ ...labels, stage: 'storage_to_cache' }),
      cacheToWatcher: dispatchDuration.labels({ ...labels, stage: 'cache_to_watcher' }),
      total: dispatchDuration.labels({ ...labels, stage: 'total' }),
    },
    consistencyCheck: (status) => consistencyChecks.labels({ ...labels, status }).inc(),
    listed: (index, fetched, returned) => lists.record(gr, 'watchcache', { index, fetched, evaluated: 0, returned }),
  }
}
