import type { KubeObject } from '../meta/types.ts'
import type { StoreElement } from './event.ts'

/** Values of one index for an object. */
export type IndexFunction<T extends KubeObject = KubeObject> = (object: T) => readonly string[]

/** Index functions by index name, `f:spec.nodeName` for a field, `l:app` for a label. */
export type Indexers<T extends KubeObject = KubeObject> = Readonly<Record<string, IndexFunction<T>>>

type Bucket<T extends KubeObject> = Map<string, StoreElement<T>>

/** Elements by index name and value (`pkg/storage/cacher/store/store.go: indexer`), of the latest state only. */
export class Indexer<T extends KubeObject = KubeObject> {
  readonly #functions: ReadonlyMap<string, IndexFunction<T>>
  readonly #indexes = new Map<string, Map<string, Bucket<T>>>()

  constructor(indexers: Indexers<T> = {}) {
    this.#functions = new Map(Object.entries(indexers))
    this.clear()
  }

  has(name: string): boolean {
    return this.#functions.has(name)
  }

  /** The elements of that value, in no order. Throws when there is no such index. */
  byIndex(name: string, value: string): StoreElement<T>[] {
    const index = this.#indexes.get(name)
    if (index === undefined) throw new Error(`index with name ${name} does not exist`)
    const bucket = index.get(value)
    return bucket === undefined ? [] : [...bucket.values()]
  }

  /** Puts `element` in the place of `previous`; either may be absent. */
  update(previous: StoreElement<T> | undefined, element: StoreElement<T> | undefined): void {
    for (const [name, values] of this.#functions) {
      const index = this.#indexes.get(name)!
      const before = previous === undefined ? none : values(previous.object.object)
      const after = element === undefined ? none : values(element.object.object)
      for (const value of before) {
        if (after.includes(value)) continue
        const bucket = index.get(value)
        bucket?.delete(previous!.key)
        if (bucket?.size === 0) index.delete(value)
      }
      for (const value of after) {
        let bucket = index.get(value)
        if (bucket === undefined) {
          bucket = new Map()
          index.set(value, bucket)
        }
        bucket.set(element!.key, element!)
      }
    }
  }

  clear(): void {
    for (const name of this.#functions.keys()) this.#indexes.set(name, new Map())
  }
}

const none: readonly string[] = []
