import type { KubeObject } from '../meta/types.ts'
import type { StoreElement } from './event.ts'
import type { OrderedMap } from './ordered-map.ts'

/** A state of the cache. */
export type Snapshot<T extends KubeObject = KubeObject> = OrderedMap<StoreElement<T>>

/**
 * Past states by resource version (`pkg/storage/cacher/store/store_btree.go: storeSnapshotter`), for reads of
 * exact versions and for the later pages of a list. Versions come in ascending order and leave in the same,
 * so this is an array with a moving start.
 */
export class Snapshots<T extends KubeObject = KubeObject> {
  #versions: number[] = []
  #states: (Snapshot<T> | undefined)[] = []
  #start = 0

  get length(): number {
    return this.#versions.length - this.#start
  }

  /** Adds the state at `resourceVersion`, which is not below any before; the same version replaces. */
  add(resourceVersion: number, state: Snapshot<T>): void {
    const last = this.#versions.length - 1
    if (last >= this.#start && this.#versions[last] === resourceVersion) {
      this.#states[last] = state
      return
    }
    this.#versions.push(resourceVersion)
    this.#states.push(state)
  }

  /** The newest state that is not above `resourceVersion`. */
  getLessOrEqual(resourceVersion: bigint | number): Snapshot<T> | undefined {
    const index = this.#firstAbove(resourceVersion) - 1
    return index < this.#start ? undefined : this.#states[index]
  }

  /** Drops the states below `resourceVersion`. */
  removeLess(resourceVersion: number): void {
    while (this.#start < this.#versions.length && this.#versions[this.#start]! < resourceVersion) this.#dropFirst()
    this.#compact()
  }

  /**
   * Drops the states that a compaction at `resourceVersion` makes unreadable in the storage, too. The newest
   * is kept, since it is still right for every version from its own on; upstream drops it, and an idle
   * resource is then read from the storage until its next event.
   */
  compact(resourceVersion: number): void {
    while (this.length > 1 && this.#versions[this.#start]! < resourceVersion) this.#dropFirst()
    this.#compact()
  }

  clear(): void {
    this.#versions = []
    this.#states = []
    this.#start = 0
  }

  #dropFirst(): void {
    this.#states[this.#start++] = undefined
  }

  /** Gives dropped slots back once they outnumber the others. */
  #compact(): void {
    if (this.#start < 64 || this.#start * 2 < this.#versions.length) return
    this.#versions = this.#versions.slice(this.#start)
    this.#states = this.#states.slice(this.#start)
    this.#start = 0
  }

  #firstAbove(resourceVersion: bigint | number): number {
    let low = this.#start
    let high = this.#versions.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#versions[middle]! > resourceVersion) high = middle
      else low = middle + 1
    }
    return low
  }
}
