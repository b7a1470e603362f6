import type { CounterSeries, HistogramSeries, MetricsRegistry } from './registry.ts'

/** Which watches a metric is about. */
export interface WatchMetricLabels {
  readonly group: string
  readonly version: string
  readonly resource: string
}

/** Metrics of watches as they are served over HTTP (`pkg/endpoints/metrics/metrics.go`). */
export interface WatchMetrics {
  /** Events sent. */
  events(labels: WatchMetricLabels): CounterSeries
  /** Sizes of the events sent, in bytes. */
  eventSizes(labels: WatchMetricLabels): HistogramSeries
  /** Seconds from a request's arrival to the bookmark that ends its initial events. */
  watchListDuration(
    labels: WatchMetricLabels & { readonly scope: 'resource' | 'namespace' | 'cluster' },
  ): HistogramSeries
}

/** Registers the metrics of watches that are served (`pkg/endpoints/metrics/metrics.go`), once however often it is called. */
export function watchMetrics(registry: MetricsRegistry): WatchMetrics {
  const labelNames = ['group', 'version', 'resource'] as const
  const events = registry.counter({
    name: 'apiserver_watch_events_total',
    help: 'Events that were sent on watches.',
    labelNames,
    stability: 'BETA',
  })
  const eventSizes = registry.histogram({
    name: 'apiserver_watch_events_sizes',
    help: 'Sizes in bytes of the events that were sent on watches.',
    labelNames,
    stability: 'BETA',
    buckets: [1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072],
  })
  const watchListDuration = registry.histogram({
    name: 'apiserver_watch_list_duration_seconds',
    help: 'Seconds until the initial events of a watch had been sent.',
    labelNames: [...labelNames, 'scope'],
    stability: 'BETA',
    buckets: [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300],
  })
  const only = ({ group, version, resource }: WatchMetricLabels): WatchMetricLabels => ({ group, version, resource })
  return {
    events: (labels) => events.labels({ ...only(labels) }),
    eventSizes: (labels) => eventSizes.labels({ ...only(labels) }),
    watchListDuration: (labels) => watchListDuration.labels({ ...only(labels), scope: labels.scope }),
  }
}
