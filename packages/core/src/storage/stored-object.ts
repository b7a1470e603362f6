import type { KubeObject } from '../meta/types.ts'

const encoder = new TextEncoder()

/**
 * One version of one object: its key, its revision, and the object with `metadata.resourceVersion` set.
 * Lists, watchers and reads of the same version share one of these, and with it one encoding.
 * `object` is frozen by agreement: copy before changing.
 */
export class StoredObject<T extends KubeObject = KubeObject> {
  readonly key: string
  readonly resourceVersion: number
  readonly object: T
  #json: Uint8Array | undefined
  #jsonLine: Uint8Array | undefined
  #forms: Map<unknown, unknown> | undefined

  constructor(key: string, resourceVersion: number, object: T) {
    this.key = key
    this.resourceVersion = resourceVersion
    this.object = object
  }

  /** From an object that carries no resourceVersion (as the storage keeps it), or another one. */
  static at<T extends KubeObject>(key: string, resourceVersion: number, object: T): StoredObject<T> {
    return new StoredObject(key, resourceVersion, {
      ...object,
      metadata: { ...object.metadata, resourceVersion: String(resourceVersion) },
    })
  }

  /** The same object under another resource version, as a deletion shows it. */
  withResourceVersion(resourceVersion: number): StoredObject<T> {
    return StoredObject.at(this.key, resourceVersion, this.object)
  }

  /** The object as JSON in UTF-8, encoded when first asked for. */
  get json(): Uint8Array {
    return (this.#json ??= this.jsonLine.subarray(0, -1))
  }

  /** {@link StoredObject.json} with a newline behind it, in the same memory. */
  get jsonLine(): Uint8Array {
    return (this.#jsonLine ??= encoder.encode(`${JSON.stringify(this.object)}\n`))
  }

  /**
   * What readers have made of this version, each under a key of its own; kept with it so that all share it. A
   * WeakMap would do the same, at several times the cost to those who read and to the garbage collector.
   */
  get forms(): Map<unknown, unknown> {
    return (this.#forms ??= new Map())
  }
}
