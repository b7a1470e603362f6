import type { KubeObject } from '../meta/types.ts'
import type { CacheWatcher } from './cache-watcher.ts'
import type { ElementFilter } from './convert.ts'
import type { WatchCacheEvent } from './event.ts'

/** What of a resource a watch is about; `''` for all. */
export interface WatchScope {
  readonly namespace: string
  readonly name: string
}

/** Where a watcher is filed. */
export interface WatcherPlacement {
  readonly scope: WatchScope
  /** The trigger's value that its objects must have; `undefined` for a watch without. */
  readonly triggerValue: string | undefined
  /** The same for watches that select the same, so that each change is matched once for all of them. */
  readonly selection: string
}

/** Watchers that select the same. */
export interface WatcherGroup<T extends KubeObject = KubeObject> {
  readonly filter: ElementFilter<T>
  readonly watchers: Set<CacheWatcher<T>>
}

type Groups<T extends KubeObject> = Map<string, WatcherGroup<T>>

/** Reads the value of the resource's trigger, the one field by which watches are told apart early. */
export interface WatchTrigger<T extends KubeObject = KubeObject> {
  /** The field: `spec.nodeName`. */
  readonly field: string
  readonly value: (object: T) => string
}

/**
 * The running watches, by what they are about, so that a change is only offered to those that may want it
 * (`pkg/storage/cacher/cacher.go: indexedWatchers`).
 */
export class IndexedWatchers<T extends KubeObject = KubeObject> {
  readonly #trigger: WatchTrigger<T> | undefined
  readonly #byScope = new Map<string, Groups<T>>()
  readonly #byTrigger = new Map<string, Groups<T>>()
  readonly #placements = new Map<CacheWatcher<T>, WatcherPlacement>()

  constructor(trigger?: WatchTrigger<T>) {
    this.#trigger = trigger
  }

  get size(): number {
    return this.#placements.size
  }

  add(watcher: CacheWatcher<T>, placement: WatcherPlacement): void {
    const [index, key] = this.#place(placement)
    let groups = index.get(key)
    if (groups === undefined) {
      groups = new Map()
      index.set(key, groups)
    }
    let group = groups.get(placement.selection)
    if (group === undefined) {
      group = { filter: watcher.filter, watchers: new Set() }
      groups.set(placement.selection, group)
    }
    group.watchers.add(watcher)
    this.#placements.set(watcher, placement)
  }

  delete(watcher: CacheWatcher<T>): void {
    const placement = this.#placements.get(watcher)
    if (placement === undefined) return
    this.#placements.delete(watcher)
    const [index, key] = this.#place(placement)
    const groups = index.get(key)!
    const group = groups.get(placement.selection)!
    group.watchers.delete(watcher)
    if (group.watchers.size > 0) return
    groups.delete(placement.selection)
    if (groups.size === 0) index.delete(key)
  }

  all(): CacheWatcher<T>[] {
    return [...this.#placements.keys()]
  }

  /** The groups that a change may concern (`cacher.go: startDispatching`). */
  *concerned(event: WatchCacheEvent<T>): Generator<WatcherGroup<T>, void> {
    const { fields } = event.current
    const namespace = fields['metadata.namespace'] ?? ''
    const name = fields['metadata.name'] ?? ''
    if (namespace !== '') {
      if (name !== '') yield* this.#scoped(namespace, name)
      yield* this.#scoped(namespace, '')
    }
    if (name !== '') yield* this.#scoped('', name)
    yield* this.#scoped('', '')

    if (this.#byTrigger.size === 0 || this.#trigger === undefined) return
    const value = this.#trigger.value(event.current.object.object)
    yield* this.#triggered(value)
    if (event.previous === undefined) return
    const before = this.#trigger.value(event.previous.object.object)
    if (before !== value) yield* this.#triggered(before)
  }

  #scoped(namespace: string, name: string): Iterable<WatcherGroup<T>> {
    return this.#byScope.get(scopeKey(namespace, name))?.values() ?? []
  }

  #triggered(value: string): Iterable<WatcherGroup<T>> {
    return this.#byTrigger.get(value)?.values() ?? []
  }

  #place(placement: WatcherPlacement): [index: Map<string, Groups<T>>, key: string] {
    const { scope, triggerValue } = placement
    if (triggerValue !== undefined) return [this.#byTrigger, triggerValue]
    return [this.#byScope, scopeKey(scope.namespace, scope.name)]
  }
}

function scopeKey(namespace: string, name: string): string {
  return `${namespace}/${name}`
}
