import { delay, systemClock, type Clock, type TimerHandle } from '../clock.ts'
import { setBackgroundTimer } from './background-timer.ts'
import type { KV, KVWatch } from './kv.ts'
import { StoredValue } from './value.ts'

/** Where compactors of several servers agree on who compacts. */
export const compactRevisionKey = 'compact_rev_key'

/** 5 minutes, in milliseconds (`pkg/storage/storagebackend/config.go: DefaultCompactInterval`). */
export const defaultCompactInterval: number = 300_000

/** Options of a {@link Compactor}. */
export interface CompactorOptions {
  readonly kv: KV
  /** Default: the machine's. */
  readonly clock?: Clock
  /** Milliseconds between ticks; 0 never compacts, and only learns of what others compact. Default 5 minutes. */
  readonly interval?: number
  /** Is told of a tick that failed; the next one comes all the same. */
  readonly onError?: (error: unknown) => void
}

/**
 * Compacts a KV on a timer (`pkg/storage/etcd3/compact.go`). Each tick compacts what was current at the tick
 * before, so that everything stays readable for one to two intervals. Several compactors share one KV: the
 * first to tick does the work for all.
 */
export class Compactor {
  readonly #kv: KV
  readonly #clock: Clock
  readonly #interval: number
  readonly #onError: (error: unknown) => void
  readonly #stopped = new AbortController()
  #timer: TimerHandle | undefined
  #watch: KVWatch | undefined
  /** The key's version as last seen: the logical time. */
  #time = 0
  /** The revision at the last tick, to be compacted at the next. */
  #revision = 0
  #compactRevision = 0

  constructor(options: CompactorOptions) {
    this.#kv = options.kv
    this.#clock = options.clock ?? systemClock
    this.#interval = options.interval ?? defaultCompactInterval
    this.#onError = options.onError ?? (() => undefined)
    if (!(this.#interval >= 0)) throw new TypeError(`interval must be 0 or more milliseconds, not ${this.#interval}`)
    this.#arm()
    void this.#follow()
  }

  /** The highest revision that any compactor of this KV is known to have compacted; 0 for none. */
  compactRevision(): number {
    return this.#compactRevision
  }

  /** Ends timers and watches. Idempotent. */
  close(): void {
    this.#stopped.abort()
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer)
    this.#watch?.cancel()
  }

  #arm(): void {
    if (this.#interval === 0 || this.#stopped.signal.aborted) return
    this.#timer = setBackgroundTimer(this.#clock, () => void this.#tick(), this.#interval)
  }

  async #tick(): Promise<void> {
    try {
      await this.#compact()
    } catch (error) {
      if (!this.#stopped.signal.aborted) this.#onError(error)
    }
    this.#arm()
  }

  async #compact(): Promise<void> {
    const { kv } = await this.#kv.get(compactRevisionKey)
    if ((kv?.version ?? 0) !== this.#time) return this.#lost(kv, undefined)
    const put = StoredValue.fromText(String(this.#revision))
    const request = { key: compactRevisionKey, expectedRevision: kv?.modRevision ?? 0, put }
    const { succeeded, revision, current } = await this.#kv.txn(request)
    if (!succeeded) return this.#lost(current, revision)
    this.#time++
    const compacted = this.#revision
    this.#revision = revision
    // The first tick only remembers.
    if (compacted === 0) return
    await this.#kv.compact(compacted)
    this.#learn(compacted)
  }

  /** Somebody else ticked: take over their time, and what they compacted. */
  async #lost(
    kv: { readonly version: number; readonly value: StoredValue } | undefined,
    revision?: number,
  ): Promise<void> {
    this.#time = kv?.version ?? 0
    this.#revision = revision ?? (await this.#kv.get(compactRevisionKey)).revision
    if (kv !== undefined) this.#learn(Number(kv.value.text))
  }

  #learn(revision: number): void {
    if (revision > this.#compactRevision) this.#compactRevision = revision
  }

  /** Learns of compactions by watching the key, beginning anew a second after the watch breaks. */
  async #follow(): Promise<void> {
    const { signal } = this.#stopped
    while (!signal.aborted) {
      try {
        const { kv, revision } = await this.#kv.get(compactRevisionKey)
        // A restored backup has gone back to before what was compacted.
        if (revision < this.#compactRevision) this.#compactRevision = 0
        if (kv !== undefined) this.#learn(Number(kv.value.text))
        await this.#watchFrom(revision + 1)
      } catch (error) {
        if (!signal.aborted) this.#onError(error)
      }
      await delay(this.#clock, 1000, signal).catch(() => undefined)
    }
  }

  /** Resolves when the watch ends. */
  #watchFrom(startRevision: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#stopped.signal.aborted) return resolve()
      this.#watch = this.#kv.watch({
        key: compactRevisionKey,
        startRevision,
        onResponse: (response) => {
          if (response.type === 'compacted' || response.type === 'error') resolve()
          if (response.type !== 'events') return
          for (const { kv } of response.events) this.#learn(Number(kv.value.text))
        },
      })
    })
  }
}
