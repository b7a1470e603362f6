import type { Clock } from '../clock.ts'
import type { KV } from './kv.ts'

/** At most this much longer than asked for may an object live, in seconds. */
const maxReuseSeconds = 60
const reuseShare = 0.05
const maxObjectsPerLease = 1000

/**
 * Lets objects that expire at about the same time share a lease (`pkg/storage/etcd3/lease_manager.go`): one
 * is granted with a little extra time, and serves all who ask within it.
 */
export class LeaseManager {
  readonly #kv: KV
  readonly #clock: Clock
  readonly #onReplaced: (objectCount: number) => void
  #lease = 0
  #expiresAt = 0
  #objectCount = 0
  #granting: Promise<number> = Promise.resolve(0)

  /** @param onReplaced is told how many objects a lease had served when another takes its place */
  constructor(kv: KV, clock: Clock, onReplaced: (objectCount: number) => void = () => undefined) {
    this.#kv = kv
    this.#clock = clock
    this.#onReplaced = onReplaced
  }

  /** A lease that lives for at least `ttlSeconds`, and not much longer. */
  getLease(ttlSeconds: number): Promise<number> {
    // One after the other, so that a burst shares one lease instead of being granted one each.
    const lease = this.#granting.then(() => this.#get(ttlSeconds))
    this.#granting = lease.catch(() => 0)
    return lease
  }

  async #get(ttlSeconds: number): Promise<number> {
    const now = this.#clock.now()
    const extra = Math.min(Math.floor(ttlSeconds * reuseShare), maxReuseSeconds)
    const lastsLongEnough = now + ttlSeconds * 1000 < this.#expiresAt
    // Equal within the same millisecond that it was granted in.
    const endsSoonEnough = now + (ttlSeconds + extra) * 1000 >= this.#expiresAt
    this.#objectCount++
    if (lastsLongEnough && endsSoonEnough && this.#objectCount <= maxObjectsPerLease) return this.#lease
    this.#lease = await this.#kv.grantLease(ttlSeconds + extra)
    this.#expiresAt = now + (ttlSeconds + extra) * 1000
    this.#onReplaced(this.#objectCount)
    this.#objectCount = 1
    return this.#lease
  }
}
