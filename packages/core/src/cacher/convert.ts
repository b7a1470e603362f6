import type { KubeObject } from '../meta/types.ts'
import type { WatchEvent } from '../storage/storage.ts'
import { WatchCacheEvent, type ChangeType, type StoreElement } from './event.ts'
import type { IntervalItem } from './interval.ts'

/** Whether a watch is about an object in that state. */
export type ElementFilter<T extends KubeObject = KubeObject> = (element: StoreElement<T>) => boolean

/**
 * How a change looks to a watch with that filter, `undefined` when it does not see it. What the storage said
 * it was does not matter: an object that begins to match is new to the watch, one that stops is gone
 * (`pkg/storage/cacher/cache_watcher.go: convertToWatchEvent`).
 */
export function changeFor<T extends KubeObject>(
  event: WatchCacheEvent<T>,
  filter: ElementFilter<T>,
): ChangeType | undefined {
  const matches = event.type !== 'DELETED' && filter(event.current)
  const matched = event.previous !== undefined && filter(event.previous)
  if (matches) return matched ? 'MODIFIED' : 'ADDED'
  return matched ? 'DELETED' : undefined
}

/** What a watch with that filter is told of an item of its interval. */
export function toWatchEvent<T extends KubeObject>(
  item: IntervalItem<T>,
  filter: ElementFilter<T>,
): WatchEvent<T> | undefined {
  if (item instanceof WatchCacheEvent) {
    const change = changeFor(item, filter)
    return change === undefined ? undefined : item.toWatchEvent(change)
  }
  return filter(item) ? { type: 'ADDED', object: item.object } : undefined
}
