import type { KubeObject } from './kube-types.ts'

/** Values by which objects of an index are found. */
export type IndexFunction<T> = (object: T) => readonly string[]

/** A local copy of a collection. Objects are shared: copy before changing. */
export interface ReadonlyStore<T> {
  /** What the copy reflects: everything up to here. `''` before the first list. */
  readonly resourceVersion: string
  readonly size: number
  get(name: string, namespace?: string): T | undefined
  list(): T[]
  /** Objects for which the index `index` gave `value`. Throws a TypeError for an index that does not exist. */
  byIndex(index: string, value: string): T[]
}

/** `namespace/name`. */
export function storeKey(object: KubeObject): string {
  return `${object.metadata?.namespace ?? ''}/${object.metadata?.name ?? ''}`
}

/** Objects by namespace and name, with indexes. */
export class Store<T extends KubeObject> implements ReadonlyStore<T> {
  resourceVersion = ''
  readonly #objects = new Map<string, T>()
  readonly #indexes = new Map<string, { readonly of: IndexFunction<T>; readonly keys: Map<string, Set<string>> }>()

  constructor(indexes: Readonly<Record<string, IndexFunction<T>>> = {}) {
    for (const [name, of] of Object.entries(indexes)) this.#indexes.set(name, { of, keys: new Map() })
  }

  get size(): number {
    return this.#objects.size
  }

  get(name: string, namespace = ''): T | undefined {
    return this.#objects.get(`${namespace}/${name}`)
  }

  list(): T[] {
    return [...this.#objects.values()]
  }

  byIndex(index: string, value: string): T[] {
    const found = this.#indexes.get(index)
    if (!found) throw new TypeError(`index: ${index} does not exist`)
    return [...(found.keys.get(value) ?? [])].map((key) => this.#objects.get(key)!)
  }

  byKey(key: string): T | undefined {
    return this.#objects.get(key)
  }

  keys(): string[] {
    return [...this.#objects.keys()]
  }

  /** Sets an object, or takes it out. */
  put(key: string, object: T | undefined): void {
    const before = this.#objects.get(key)
    for (const { of, keys } of this.#indexes.values()) {
      for (const value of before ? of(before) : []) {
        const found = keys.get(value)
        if (found?.delete(key) && !found.size) keys.delete(value)
      }
      for (const value of object ? of(object) : []) {
        const found = keys.get(value)
        if (found) found.add(key)
        else keys.set(value, new Set([key]))
      }
    }
    if (object) this.#objects.set(key, object)
    else this.#objects.delete(key)
  }
}
