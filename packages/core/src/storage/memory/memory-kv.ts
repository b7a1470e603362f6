import { systemClock, type Clock, type TimerHandle } from '../../clock.ts'
import { setBackgroundTimer } from '../background-timer.ts'
import {
  KVError,
  type GetResult,
  type KV,
  type KVWatch,
  type KVWatchOptions,
  type RangeOptions,
  type RangeResult,
  type TxnRequest,
  type TxnResult,
} from '../kv.ts'
import { Leases } from './leases.ts'
import { Mvcc, type Change, type Commit } from './mvcc.ts'
import { checkRequestSize, defaultMaxRequestBytes } from '../request-size.ts'
import { Watcher, WatcherGroup } from './watchers.ts'

/** Options of a {@link MemoryKV}. */
export interface MemoryKVOptions {
  /** Times leases and progress notifications. Default: the machine's clock. */
  readonly clock?: Clock
  /** Whether progress can be asked for; without it reads are routed as on an old etcd. Default true. */
  readonly supportsProgress?: boolean
  /** Milliseconds between automatic progress notifications, plus up to a tenth. Default 10 minutes. */
  readonly progressNotifyInterval?: number
  /** Bytes that one write may have (etcd: `--max-request-bytes`). Default 1.5 MiB. */
  readonly maxRequestBytes?: number
}

/** A copy of all that a {@link MemoryKV} holds. */
export interface MemoryKVSnapshot {
  readonly revision: number
}

interface SavedState extends MemoryKVSnapshot {
  readonly mvcc: unknown
  readonly leases: unknown
}

/**
 * An etcd in memory: every revision is kept until it is compacted. Reads and writes take effect when they
 * are called, and watches are told before the call returns, in commit order.
 */
export class MemoryKV implements KV {
  readonly supportsProgress: boolean
  readonly #clock: Clock
  readonly #progressNotifyInterval: number
  readonly #maxRequestBytes: number
  readonly #mvcc = new Mvcc()
  readonly #leases: Leases
  readonly #watchers = new WatcherGroup()
  /** Commits still to be told: a listener may write, and everyone must hear of its own commit first. */
  readonly #undelivered: Commit[] = []
  #delivering = false
  /** The last revision that every watch was told of. */
  #delivered = 1
  #progressTimer: TimerHandle | undefined
  #closed = false

  constructor(options: MemoryKVOptions = {}) {
    this.#clock = options.clock ?? systemClock
    this.supportsProgress = options.supportsProgress ?? true
    this.#progressNotifyInterval = options.progressNotifyInterval ?? 600_000
    if (!(this.#progressNotifyInterval >= 100)) {
      throw new TypeError(`progressNotifyInterval must be at least 100 ms, not ${this.#progressNotifyInterval}`)
    }
    this.#maxRequestBytes = options.maxRequestBytes ?? defaultMaxRequestBytes
    if (!(this.#maxRequestBytes > 0)) {
      throw new TypeError(`maxRequestBytes must be above 0, not ${this.#maxRequestBytes}`)
    }
    this.#leases = new Leases(this.#clock, (keys) => this.#commit(keys.map((key) => ({ key, value: undefined }))))
  }

  /** The current revision. */
  get revision(): number {
    return this.#mvcc.revision
  }

  /** The highest compacted revision, 0 for none. */
  get compactRevision(): number {
    return this.#mvcc.compactRevision
  }

  async get(
    key: string,
    options: { readonly revision?: number; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<GetResult> {
    this.#check(options.signal)
    return { revision: this.#mvcc.revision, kv: this.#mvcc.get(key, options.revision) }
  }

  async range(options: RangeOptions): Promise<RangeResult> {
    this.#check(options.signal)
    const { start, end, revision = 0, limit = 0, countOnly = false } = options
    const { kvs, count } = this.#mvcc.range(start, end, revision, limit, countOnly)
    return { revision: this.#mvcc.revision, kvs, count, more: limit > 0 && count > limit }
  }

  async txn(request: TxnRequest): Promise<TxnResult> {
    this.#check(request.signal)
    const { key, lease = 0 } = request
    checkRequestSize(request, this.#maxRequestBytes)
    const current = this.#mvcc.get(key)
    if ((current?.modRevision ?? 0) !== request.expectedRevision) {
      return { succeeded: false, revision: this.#mvcc.revision, current }
    }
    if (lease !== 0 && request.put !== undefined) this.#leases.check(lease)
    // Deliver last: a listener that writes must not change what is answered here.
    const revision = this.#commit([{ key, value: request.put, lease }])
    return { succeeded: true, revision, current: undefined }
  }

  /** Commits, tells the watches and answers the revision, which stays where it was if nothing changed. */
  #commit(changes: readonly Change[]): number {
    const commit = this.#mvcc.commit(changes)
    if (commit === undefined) return this.#mvcc.revision
    for (const { kv, previous } of commit.events) {
      if (previous !== undefined && previous.lease !== kv.lease) this.#leases.detach(previous.lease, kv.key)
      if (kv.lease !== 0) this.#leases.attach(kv.lease, kv.key)
    }
    this.#undelivered.push(commit)
    if (!this.#delivering) this.#deliver()
    return commit.revision
  }

  #deliver(): void {
    this.#delivering = true
    for (let commit = this.#undelivered.shift(); commit !== undefined; commit = this.#undelivered.shift()) {
      const told = commit
      this.#watchers.forCommit(told, (watcher) => watcher.deliver(told))
      this.#delivered = told.revision
    }
    this.#delivering = false
  }

  watch(options: KVWatchOptions): KVWatch {
    const watcher = new Watcher(options)
    const cancel = (): void => this.#end(watcher)
    if (this.#closed) {
      watcher.send({ type: 'error', error: closedError() })
      return { cancel }
    }
    const { startRevision } = options
    if (startRevision < this.#mvcc.compactRevision) {
      watcher.send({ type: 'compacted', compactRevision: this.#mvcc.compactRevision })
      return { cancel }
    }
    this.#watchers.add(watcher)
    if (options.progressNotify) this.#armProgress()
    const revision = this.#mvcc.revision
    if (startRevision <= revision) {
      watcher.nextRevision = revision + 1
      const missed = this.#mvcc.commitsSince(startRevision).flatMap((commit) => watcher.select(commit.events))
      if (missed.length > 0) watcher.send({ type: 'events', revision, events: missed })
    }
    return { cancel }
  }

  #end(watcher: Watcher): void {
    watcher.ended = true
    this.#watchers.delete(watcher)
  }

  async requestProgress(): Promise<void> {
    this.#check(undefined)
    for (const watcher of Array.from(this.#watchers)) this.#progress(watcher)
  }

  #progress(watcher: Watcher): void {
    const revision = Math.max(this.#delivered, watcher.nextRevision - 1)
    // A watch that starts in the future has nothing to tell of yet.
    if (watcher.options.startRevision <= revision) watcher.send({ type: 'progress', revision })
  }

  #armProgress(): void {
    if (this.#progressTimer !== undefined) return
    const ms = this.#progressNotifyInterval * (1 + Math.random() / 10)
    this.#progressTimer = setBackgroundTimer(this.#clock, () => this.#notifyProgress(), ms)
  }

  #notifyProgress(): void {
    this.#progressTimer = undefined
    const wanting = [...this.#watchers].filter((watcher) => watcher.options.progressNotify)
    if (wanting.length > 0) this.#armProgress()
    for (const watcher of wanting) {
      if (!watcher.sentSinceProgress) this.#progress(watcher)
      watcher.sentSinceProgress = false
    }
  }

  async compact(revision: number): Promise<void> {
    this.#check(undefined)
    this.#mvcc.compact(revision)
  }

  async grantLease(ttlSeconds: number): Promise<number> {
    this.#check(undefined)
    return this.#leases.grant(ttlSeconds)
  }

  /** Copies everything. Cheap in memory: values are shared. */
  snapshot(): MemoryKVSnapshot {
    const state: SavedState = { revision: this.revision, mvcc: this.#mvcc.save(), leases: this.#leases.save() }
    return state
  }

  /**
   * Goes back to a snapshot, as if etcd were restored from a backup: revisions count on from there, and all
   * watches end as compacted, so that whoever watches reads anew.
   *
   * @throws TypeError when `snapshot` is none
   */
  restore(snapshot: MemoryKVSnapshot): void {
    const state = snapshot as SavedState
    if (state?.mvcc === undefined) throw new TypeError('restore: expected what snapshot() gave')
    this.#mvcc.load(state.mvcc)
    this.#leases.load(state.leases)
    this.#undelivered.length = 0
    this.#delivered = this.#mvcc.revision
    for (const watcher of Array.from(this.#watchers)) {
      watcher.send({ type: 'compacted', compactRevision: this.#mvcc.compactRevision })
      this.#end(watcher)
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#leases.close()
    if (this.#progressTimer !== undefined) this.#clock.clearTimeout(this.#progressTimer)
    for (const watcher of Array.from(this.#watchers)) {
      watcher.send({ type: 'error', error: closedError() })
      this.#end(watcher)
    }
  }

  #check(signal: AbortSignal | undefined): void {
    if (this.#closed) throw closedError()
    signal?.throwIfAborted()
  }
}

function closedError(): KVError {
  return new KVError('closed', 'the store is closed')
}
