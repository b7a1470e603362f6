import type { KeyValue } from '../kv.ts'

/** A version of a key: a value, or the tombstone of a delete. */
export interface KeyVersion extends KeyValue {
  readonly deleted: boolean
}

/** All versions of one key that are still there, oldest first (etcd: `server/storage/mvcc: keyIndex`). */
export class KeyHistory {
  readonly key: string
  #versions: KeyVersion[]

  constructor(key: string, versions: KeyVersion[] = []) {
    this.key = key
    this.#versions = versions
  }

  /** The value the key has now. */
  get current(): KeyVersion | undefined {
    const last = this.#versions.at(-1)
    return last === undefined || last.deleted ? undefined : last
  }

  /** The value the key had at a revision that is not compacted. */
  at(revision: number): KeyVersion | undefined {
    const versions = this.#versions
    let low = 0
    let high = versions.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (versions[middle]!.modRevision <= revision) low = middle + 1
      else high = middle
    }
    const found = versions[low - 1]
    return found === undefined || found.deleted ? undefined : found
  }

  add(version: KeyVersion): void {
    this.#versions.push(version)
  }

  /** Drops what no revision from `revision` on shows. Answers whether anything is left. */
  compact(revision: number): boolean {
    const versions = this.#versions
    let keep = 0
    while (keep + 1 < versions.length && versions[keep + 1]!.modRevision <= revision) keep++
    const first = versions[keep]
    if (first !== undefined && first.deleted && first.modRevision <= revision) keep++
    if (keep > 0) this.#versions = versions.slice(keep)
    return this.#versions.length > 0
  }

  copy(): KeyHistory {
    return new KeyHistory(this.key, this.#versions.slice())
  }
}
