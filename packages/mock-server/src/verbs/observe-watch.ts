import type { WatchObserver } from '../api/watch-stream.ts'
import type { RequestScope } from './scope.ts'

/**
 * Counts what a watch sends (`pkg/endpoints/handlers/watch.go`).
 *
 * @param began when the request came, in milliseconds since the epoch
 */
export function observeWatch(scope: RequestScope, isWatchList: boolean, began: number): WatchObserver {
  const { host, namespace, name } = scope
  const { group, version, resource } = scope.resource
  const metrics = host.watchMetrics()
  const events = metrics.events({ group, version, resource })
  const sizes = metrics.eventSizes({ group, version, resource })
  return {
    sent(bytes) {
      events.inc()
      sizes.observe(bytes)
    },
    initialEventsEnd() {
      if (!isWatchList) return
      const level = name !== '' ? 'resource' : namespace !== '' ? 'namespace' : 'cluster'
      const duration = metrics.watchListDuration({ group, version, resource, scope: level })
      duration.observe((host.clock.now() - began) / 1000)
    },
  }
}
