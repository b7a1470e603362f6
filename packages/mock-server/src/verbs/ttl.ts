import type { Resource } from '../resources/resource.ts'

/** How long events are kept (`--event-ttl`). */
const EVENT_TTL_SECONDS = 60 * 60

/** Seconds after which objects of a resource vanish by themselves; 0 for never. */
export function ttlSecondsOf(resource: Resource): number {
  return resource.storageKey === '/events' ? EVENT_TTL_SECONDS : 0
}
