import { isListWatchRequest, type RequestListOptions } from '@freshread/core'
import { predicateOf, rangeOf } from './predicate.ts'
import type { RequestScope, VerbResult } from './scope.ts'

/** Watches a collection (`pkg/endpoints/handlers/get.go: handleWatch`). Errors before the stream pass through as they are. */
export async function watch(scope: RequestScope, options: RequestListOptions): Promise<VerbResult> {
  const { host, resource, trace, signal } = scope
  const { allowWatchBookmarks, sendInitialEvents } = options
  const timeoutMs = watchTimeoutMs(options.timeoutSeconds, host.minRequestTimeoutSeconds)
  const predicate = predicateOf(resource, options).with({ allowWatchBookmarks })
  const { key, recursive, namespace } = rangeOf(resource, scope.namespace, predicate)
  // A watch that runs is ended by whoever reads it: were it to end by itself when the client goes away, that would
  // look like a clean end.
  const waiting = new AbortController()
  const abort = (): void => waiting.abort(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort)
  const starting = host.storageOf(resource).watch(key, {
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
    predicate,
    recursive,
    sendInitialEvents,
    deadline: host.clock.now() + timeoutMs,
    namespace: resource.namespaced ? namespace : '',
    name: scope.name,
    trace,
    signal: waiting.signal,
  })
  const started = await starting.finally(() => signal.removeEventListener('abort', abort))
  return {
    type: 'watch',
    watch: started,
    timeoutMs,
    watchList: isListWatchRequest({ sendInitialEvents, allowWatchBookmarks }),
  }
}

/** A watch lasts as long as it says, else between once and twice the server's minimum. */
function watchTimeoutMs(timeoutSeconds: number | undefined, minSeconds: number): number {
  if (timeoutSeconds !== undefined && timeoutSeconds !== 0) return Math.max(0, timeoutSeconds) * 1000
  return minSeconds * 1000 * (1 + Math.random())
}
