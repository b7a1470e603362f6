import type { Clock } from '../clock.ts'
import { KVError, type KV } from './kv.ts'

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

  /**
   * Writes with a lease that lives for at least `ttlSeconds`, and not much longer; 0 seconds write without
   * one. Writes again with a new lease when the one remembered is gone, as after a restored backup.
   */
  async withLease<R>(ttlSeconds: number, write: (lease: number) => Promise<R>): Promise<R> {
    if (ttlSeconds === 0) return write(0)
    const lease = await this.getLease(ttlSeconds)
    try {
      return await write(lease)
    } catch (error) {
      if (!(error instanceof KVError && error.message === 'etcdserver: requested lease not found')) throw error
      if (this.#lease === lease) this.#expiresAt = 0
      return write(await this.getLease(ttlSeconds))
    }
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
