import BTreeModule from 'sorted-btree'
import { orderKey } from '../../meta/key.ts'
import { StoredValue } from '../value.ts'
import { KVError, type KeyValue, type KVEvent } from '../kv.ts'
import { KeyHistory, type KeyVersion } from './key-history.ts'

// The package is CommonJS: Node gives its exports object, bundlers the class itself.
const BTree = ((BTreeModule as { default?: unknown }).default ?? BTreeModule) as typeof BTreeModule.default
type BTree<K, V> = InstanceType<typeof BTree<K, V>>

function compactedError(): KVError {
  return new KVError('compacted', 'etcdserver: mvcc: required revision has been compacted')
}

function futureRevisionError(): KVError {
  return new KVError('future-revision', 'etcdserver: mvcc: required revision is a future revision')
}

/** The tree's own comparator knows every type; this one need only know strings. */
function compareOrder(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** One change within a transaction. */
export interface Change {
  readonly key: string
  /** `undefined` deletes the key. */
  readonly value: StoredValue | undefined
  readonly lease?: number
}

/** All that one transaction changed. */
export interface Commit {
  readonly revision: number
  readonly events: readonly KVEvent[]
}

/** What {@link Mvcc.range} finds. */
export interface Found {
  readonly kvs: readonly KeyValue[]
  readonly count: number
}

/** A copy of everything in an {@link Mvcc}. */
interface MvccState {
  readonly revision: number
  readonly compactRevision: number
  readonly histories: readonly KeyHistory[]
  readonly commits: readonly Commit[]
}

/**
 * Keys with all their versions, and the log of what changed, in memory (etcd: `server/storage/mvcc`). An
 * empty one is at revision 1; each transaction that changes something is one revision on.
 */
export class Mvcc {
  #revision = 1
  #compactRevision = 0
  readonly #histories = new Map<string, KeyHistory>()
  /** The histories in the order of their keys' UTF-8 bytes. */
  #index: BTree<string, KeyHistory> = new BTree(undefined, compareOrder)
  /** Every commit from the compaction on, oldest first. */
  #commits: Commit[] = []

  get revision(): number {
    return this.#revision
  }

  get compactRevision(): number {
    return this.#compactRevision
  }

  /** The version of a key at a revision, the current one for 0. Throws when the revision cannot be read. */
  get(key: string, revision: number = 0): KeyValue | undefined {
    const history = this.#histories.get(key)
    if (revision <= 0) return history?.current
    this.#checkReadable(revision)
    return history?.at(revision)
  }

  /** What is in `[start, end)` at a revision, the current one for 0, in order. */
  range(start: string, end: string, revision: number, limit: number, countOnly: boolean): Found {
    if (revision > 0) this.#checkReadable(revision)
    const kvs: KeyValue[] = []
    const most = countOnly ? 0 : limit > 0 ? limit : Infinity
    let count = 0
    this.#index.forRange(orderKey(start), orderKey(end), false, (_key, history) => {
      const kv = revision > 0 ? history.at(revision) : history.current
      if (kv === undefined) return
      if (count++ < most) kvs.push(kv)
    })
    return { kvs, count }
  }

  #checkReadable(revision: number): void {
    if (revision > this.#revision) throw futureRevisionError()
    if (revision < this.#compactRevision) throw compactedError()
  }

  /** Makes changes as one revision. Deletes of absent keys change nothing; `undefined` when nothing is left. */
  commit(changes: readonly Change[]): Commit | undefined {
    const revision = this.#revision + 1
    const events: KVEvent[] = []
    for (const change of changes) {
      const event = this.#apply(change, revision)
      if (event !== undefined) events.push(event)
    }
    if (events.length === 0) return undefined
    this.#revision = revision
    const commit: Commit = { revision, events }
    this.#commits.push(commit)
    return commit
  }

  #apply({ key, value, lease = 0 }: Change, revision: number): KVEvent | undefined {
    let history = this.#histories.get(key)
    const previous = history?.current
    if (value === undefined && previous === undefined) return undefined
    if (history === undefined) {
      history = new KeyHistory(key)
      this.#histories.set(key, history)
      this.#index.set(orderKey(key), history)
    }
    const kv: KeyVersion = {
      key,
      value: value ?? StoredValue.empty,
      createRevision: value === undefined ? 0 : (previous?.createRevision ?? revision),
      modRevision: revision,
      version: value === undefined ? 0 : (previous?.version ?? 0) + 1,
      lease,
      deleted: value === undefined,
    }
    history.add(kv)
    return { type: value === undefined ? 'delete' : 'put', kv, previous }
  }

  /** The commits from a revision on, which must not be compacted; a previous version that is, is left out. */
  commitsSince(revision: number): Commit[] {
    const commits = this.#commits.slice(this.#firstCommitFrom(revision))
    const first = commits[0]
    // Its previous versions would have to be read at a compacted revision.
    if (first !== undefined && first.revision <= this.#compactRevision) {
      commits[0] = { ...first, events: first.events.map((event) => ({ ...event, previous: undefined })) }
    }
    return commits
  }

  #firstCommitFrom(revision: number): number {
    let low = 0
    let high = this.#commits.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#commits[middle]!.revision < revision) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Drops what only revisions below `revision` show. */
  compact(revision: number): void {
    if (revision > this.#revision) throw futureRevisionError()
    if (revision <= this.#compactRevision) throw compactedError()
    this.#compactRevision = revision
    const dropped = this.#commits.splice(0, this.#firstCommitFrom(revision))
    // Only keys that changed since the last compaction can have anything to drop.
    const touched = new Set<string>()
    for (const commit of [...dropped, ...this.#commits.slice(0, 1)]) {
      if (commit.revision > revision) break
      for (const event of commit.events) touched.add(event.kv.key)
    }
    for (const key of touched) {
      if (this.#histories.get(key)!.compact(revision)) continue
      this.#histories.delete(key)
      this.#index.delete(orderKey(key))
    }
  }

  /** Copies everything; values are shared, they never change. */
  save(): unknown {
    const state: MvccState = {
      revision: this.#revision,
      compactRevision: this.#compactRevision,
      histories: [...this.#index.values()].map((history) => history.copy()),
      commits: this.#commits.slice(),
    }
    return state
  }

  /** Goes back to what {@link Mvcc.save} copied. */
  load(saved: unknown): void {
    const state = saved as MvccState
    this.#revision = state.revision
    this.#compactRevision = state.compactRevision
    this.#commits = state.commits.slice()
    this.#histories.clear()
    this.#index = new BTree(undefined, compareOrder)
    for (const saved of state.histories) {
      const history = saved.copy()
      this.#histories.set(history.key, history)
      this.#index.set(orderKey(history.key), history)
    }
  }
}
