import { FakeClock } from '@freshread/core/testing'
import { expect, it } from 'vitest'
import { createKubeServer } from '../server.ts'

it('counts the events that watches send, their sizes, and how long the initial ones took', async () => {
  const clock = new FakeClock()
  const server = createKubeServer({ clock })
  await server.load({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'default' },
    data: { k: 'v'.repeat(1500) },
  })
  const query =
    'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1'
  const response = await server.fetch(`/api/v1/namespaces/default/configmaps?${query}`)
  const reading = response.text()
  await clock.step(1000)
  const lines = (await reading).split('\n').filter(Boolean)
  expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual(['ADDED', 'BOOKMARK'])
  const metrics = server.metrics()
  const labels = 'group="",resource="configmaps",version="v1"'
  expect(metrics).toContain(`apiserver_watch_events_total{${labels}} 2`)
  expect(metrics).toContain(
    `apiserver_watch_events_sizes_bucket{group="",resource="configmaps",version="v1",le="1024"} 1`,
  )
  expect(metrics).toMatch(
    /apiserver_watch_list_duration_seconds_count\{group="",resource="configmaps",scope="namespace",version="v1"\} 1/,
  )
  await server.close()
})
