import parsePrometheusTextFormat from 'parse-prometheus-text-format'
import { describe, expect, it } from 'vitest'
import { watchMetrics } from './apiserver.ts'
import { cacherMetrics } from './cacher.ts'
import { MetricsRegistry } from './registry.ts'
import { observeObjectCount, storageObserver } from './storage.ts'
import { formatFloat } from './text.ts'

/** Every sample on its own: the parser folds a histogram's series into one, whatever their labels. */
function samples(text: string): Record<string, Readonly<Record<string, string>>[]> {
  const families = parsePrometheusTextFormat(text.replaceAll(/^(# TYPE .*) histogram$/gm, '$1 untyped'))
  return Object.fromEntries(
    families
      .filter(({ metrics }) => metrics.length > 0)
      .map(({ name, metrics }) => [name, metrics.map(({ labels, value }) => ({ ...labels, value: value! }))]),
  )
}

describe('MetricsRegistry', () => {
  it('prints what a real Prometheus parser reads', () => {
    const registry = new MetricsRegistry()
    const awkward = 'a "quoted" \\ back\nslash'
    registry
      .counter({ name: 'reads_total', help: 'Reads \\ and\nmore.', labelNames: ['kind'] })
      .labels({ kind: awkward })
      .inc(3)
    registry.gauge({ name: 'version', help: 'Version.' }).labels().set(1_234_567)
    const seconds = registry.histogram({
      name: 'wait_seconds',
      help: 'Waits.',
      labelNames: ['group'],
      buckets: [0.5, 1, 3],
    })
    for (const value of [0.5, 0.75, 3, 3.25]) seconds.labels({ group: 'g' }).observe(value)
    expect(parsePrometheusTextFormat(registry.toText()).map(({ name, type }) => [name, type])).toEqual([
      ['reads_total', 'COUNTER'],
      ['version', 'GAUGE'],
      ['wait_seconds', 'HISTOGRAM'],
    ])
    expect(samples(registry.toText())).toEqual({
      reads_total: [{ kind: awkward, value: '3' }],
      version: [{ value: '1.234567e+06' }],
      wait_seconds_bucket: [
        { group: 'g', le: '0.5', value: '1' },
        { group: 'g', le: '1', value: '2' },
        { group: 'g', le: '3', value: '3' },
        { group: 'g', le: '+Inf', value: '4' },
      ],
      wait_seconds_sum: [{ group: 'g', value: '7.5' }],
      wait_seconds_count: [{ group: 'g', value: '4' }],
    })
  })

  it('prints every metric of the cache and the storage so that it can be read', () => {
    const registry = new MetricsRegistry()
    const gr = { group: 'apps', resource: 'deployments' }
    const metrics = cacherMetrics(registry, gr)
    metrics.readWait.observe(3.0001)
    metrics.consistentRead(true, 'false')
    metrics.consistencyCheck('success')
    metrics.listed('f:spec.nodeName', 5, 2)
    metrics.capacity.set(100)
    metrics.dispatchDuration.total.observe(0.002)
    for (const series of [metrics.eventsReceived, metrics.initEvents, metrics.terminatedWatchers]) series.inc()
    const observer = storageObserver(registry)
    observer.request!('get', gr, 2, new Error('no'))
    observer.list!(gr, { fetched: 1, evaluated: 1, returned: 1, streamed: true, durationMs: 1 })
    observer.eventReceived!(gr)
    observer.bookmarkReceived!(gr)
    observer.decodeError!(gr)
    observer.leaseReplaced!(7)
    observeObjectCount(registry, gr, () => 3)
    const watches = watchMetrics(registry)
    const served = { ...gr, version: 'v1' }
    watches.events(served).inc()
    watches.eventSizes(served).observe(1_000)
    watches.watchListDuration({ ...served, scope: 'namespace' }).observe(0.01)
    const families = parsePrometheusTextFormat(registry.toText())
    expect(families.map(({ name }) => name)).toEqual([
      'apiserver_init_events_total',
      'apiserver_resource_objects',
      'apiserver_storage_consistency_checks_total',
      'apiserver_storage_decode_errors_total',
      'apiserver_storage_events_received_total',
      'apiserver_storage_list_duration_seconds',
      'apiserver_storage_list_evaluated_objects_total',
      'apiserver_storage_list_fetched_objects_total',
      'apiserver_storage_list_returned_objects_total',
      'apiserver_storage_list_total',
      'apiserver_terminated_watchers_total',
      'apiserver_watch_cache_consistent_read_total',
      'apiserver_watch_cache_events_received_total',
      'apiserver_watch_cache_read_wait_seconds',
      'apiserver_watch_events_dispatch_duration_seconds',
      'apiserver_watch_events_sizes',
      'apiserver_watch_events_total',
      'apiserver_watch_list_duration_seconds',
      'etcd_bookmark_total',
      'etcd_lease_object_counts',
      'etcd_request_duration_seconds',
      'etcd_request_errors_total',
      'etcd_requests_total',
      'watch_cache_capacity',
    ])
    for (const { help } of families) expect(help).toMatch(/^\[(ALPHA|BETA)\] \S/)
    const text = registry.toText()
    expect(text).toContain(
      'apiserver_watch_cache_consistent_read_total{fallback="false",group="apps",resource="deployments",success="true"} 1\n',
    )
    // A wait that timed out took a little more than the last bound.
    expect(text).toContain(
      'apiserver_watch_cache_read_wait_seconds_bucket{group="apps",resource="deployments",le="3"} 0\n',
    )
    expect(text).toContain(
      'apiserver_watch_cache_read_wait_seconds_bucket{group="apps",resource="deployments",le="+Inf"} 1\n',
    )
  })

  it('shows a series from its first use on', () => {
    const registry = new MetricsRegistry()
    const counter = registry.counter({ name: 'a_total', help: 'A.', labelNames: ['x'] })
    const series = counter.labels({ x: '1' })
    expect(registry.toText()).toBe('')
    series.inc(0)
    expect(registry.toText()).toBe('# HELP a_total [ALPHA] A.\n# TYPE a_total counter\na_total{x="1"} 0\n')
    expect(counter.labels({ x: '1' })).toBe(series)
  })

  it('gives a metric to everybody who asks for it by name, as what it is', () => {
    const registry = new MetricsRegistry()
    const options = { name: 'a_total', help: 'A.' }
    expect(registry.counter(options)).toBe(registry.counter(options))
    expect(() => registry.gauge(options)).toThrow(new TypeError('metric a_total is registered already as a counter'))
  })

  it('refuses labels that a metric does not have, and counting down', () => {
    const counter = new MetricsRegistry().counter({ name: 'a_total', help: 'A.', labelNames: ['x'] })
    expect(() => counter.labels()).toThrow(new TypeError('metric a_total: label x is missing'))
    expect(() => counter.labels({ x: '', y: '' })).toThrow(new TypeError('metric a_total: unknown label y'))
    expect(() => counter.labels({ x: '' }).inc(-1)).toThrow(TypeError)
  })

  it('brings gauges up to date before it is read', () => {
    const registry = new MetricsRegistry()
    const gauge = registry.gauge({ name: 'g', help: 'G.' }).labels()
    let value = 1
    const stop = registry.onCollect(() => gauge.set(value++))
    expect(registry.toText()).toContain('\ng 1\n')
    expect(registry.toText()).toContain('\ng 2\n')
    stop()
    expect(registry.toText()).toContain('\ng 2\n')
  })

  it('counts a value that several share at once', () => {
    const series = new MetricsRegistry().histogram({ name: 'h', help: 'H.', buckets: [1, 2] }).labels()
    series.observe(1.5, 10)
    expect([series.count, series.sum]).toEqual([10, 15])
    expect(series.cumulative()).toEqual([
      { bound: 1, count: 0 },
      { bound: 2, count: 10 },
      { bound: Infinity, count: 10 },
    ])
  })
})

it.each([
  [0, '0'],
  [1, '1'],
  [999_999, '999999'],
  [1_000_000, '1e+06'],
  [1_000_000.5, '1.0000005e+06'],
  [12_345_678, '1.2345678e+07'],
  [123_456.789, '123456.789'],
  [0.0001, '0.0001'],
  [0.00001, '1e-05'],
  [1e22, '1e+22'],
  [-1, '-1'],
  [Infinity, '+Inf'],
  [-Infinity, '-Inf'],
  [NaN, 'NaN'],
])('prints %d as Go prints it, %s', (value, text) => {
  expect(formatFloat(value)).toBe(text)
})
