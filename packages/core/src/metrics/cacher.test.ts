import { expect, it } from 'vitest'
import { setup } from '../cacher/test-support.ts'
import { cacherMetrics } from './cacher.ts'
import { MetricsRegistry } from './registry.ts'

const gr = { group: 'apps', resource: 'deployments' }

/** Upper bounds of a histogram's buckets as they are exposed. */
function bounds(registry: MetricsRegistry, name: string): number[] {
  const lines = registry.toText().matchAll(new RegExp(`^${name}_bucket\\{.*le="([^"]+)"`, 'gm'))
  return [...lines].map(([, le]) => Number(le === '+Inf' ? Infinity : le))
}

it.each<[string, number[], (metrics: ReturnType<typeof cacherMetrics>) => void]>([
  [
    'apiserver_watch_cache_read_wait_seconds',
    [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3],
    (metrics) => metrics.readWait.observe(1),
  ],
  [
    'apiserver_watch_cache_initialization_duration_seconds',
    [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180, 600],
    (metrics) => metrics.initializationDuration.observe(1),
  ],
  [
    'apiserver_watch_events_dispatch_duration_seconds',
    [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    (metrics) => metrics.dispatchDuration.total.observe(1),
  ],
])('gives %s the bounds that dashboards of the real one know', (name, expected, observe) => {
  const registry = new MetricsRegistry()
  observe(cacherMetrics(registry, gr))
  expect(bounds(registry, name)).toEqual([...expected, Infinity])
})

it('counts a wait of exactly three seconds within the last bound, and a longer one beyond all', () => {
  const registry = new MetricsRegistry()
  const { readWait } = cacherMetrics(registry, gr)
  readWait.observe(3)
  readWait.observe(3.001)
  const series = 'apiserver_watch_cache_read_wait_seconds_bucket{group="apps",resource="deployments"'
  expect(registry.toText()).toContain(`${series},le="3"} 1\n`)
  expect(registry.toText()).toContain(`${series},le="+Inf"} 2\n`)
})

it('shows a version by its last fifteen digits', async () => {
  const at = await setup()
  at.delegator.cacher.watchCache.updateResourceVersion(1e15 + 7)
  expect(at.metrics.toText()).toContain('apiserver_watch_cache_resource_version{group="",resource="configmaps"} 7\n')
  await at.close()
})
