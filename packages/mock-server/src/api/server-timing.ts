import type { ReadTrace } from '@freshread/core'

/**
 * The value of a `Server-Timing` header that says how a read was served: `cache` or `storage` for who
 * answered, `wait;dur=812` when it waited that many milliseconds for the cache to catch up, `fallback` when
 * the cache did not in time and the storage answered, `index` when one was used. `undefined` when nothing
 * is known.
 */
export function serverTiming(trace: ReadTrace): string | undefined {
  const metrics: string[] = []
  if (trace.source !== undefined) metrics.push(trace.source)
  if (trace.waitedMs !== undefined) metrics.push(`wait;dur=${Math.round(trace.waitedMs * 10) / 10}`)
  if (trace.fallback === 'true') metrics.push('fallback')
  else if (trace.fallback === 'skipped') metrics.push('fallback;desc="skipped"')
  if (trace.index !== undefined && trace.index !== '') metrics.push(`index;desc="${trace.index.replace(/["\\]/g, '')}"`)
  return metrics.length === 0 ? undefined : metrics.join(', ')
}
