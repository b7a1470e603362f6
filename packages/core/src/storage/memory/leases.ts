import type { Clock, TimerHandle } from '../../clock.ts'
import { compareKeys } from '../../meta/key.ts'
import { setBackgroundTimer } from '../background-timer.ts'
import { KVError } from '../kv.ts'

/** etcd's minimum with its default election timeout. */
const minTtlSeconds = 2
/** How often expiry is looked at, in milliseconds. */
const checkInterval = 500

interface Lease {
  readonly id: number
  readonly expiresAt: number
  readonly keys: Set<string>
}

/**
 * Leases: keys that hang on one vanish together, in one transaction, when it expires (etcd:
 * `server/lease/lessor.go`).
 */
export class Leases {
  readonly #clock: Clock
  readonly #revoke: (keys: readonly string[]) => void
  #leases = new Map<number, Lease>()
  #nextId = 1
  #timer: TimerHandle | undefined

  /** @param revoke deletes keys, in the order given, in one transaction */
  constructor(clock: Clock, revoke: (keys: readonly string[]) => void) {
    this.#clock = clock
    this.#revoke = revoke
  }

  grant(ttlSeconds: number): number {
    if (!Number.isSafeInteger(ttlSeconds) || ttlSeconds <= 0) {
      throw new TypeError(`a lease's time to live must be a whole number of seconds above 0, not ${ttlSeconds}`)
    }
    const id = this.#nextId++
    const expiresAt = this.#clock.now() + Math.max(ttlSeconds, minTtlSeconds) * 1000
    this.#leases.set(id, { id, expiresAt, keys: new Set() })
    this.#arm()
    return id
  }

  /** Throws when there is no such lease (any more). */
  check(id: number): void {
    if (!this.#leases.has(id)) throw new KVError('other', 'etcdserver: requested lease not found')
  }

  attach(id: number, key: string): void {
    this.#leases.get(id)?.keys.add(key)
  }

  detach(id: number, key: string): void {
    this.#leases.get(id)?.keys.delete(key)
  }

  /** One timer, for the first lease to expire. */
  #arm(): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#leases.size === 0) return
    let first = Infinity
    for (const lease of this.#leases.values()) first = Math.min(first, lease.expiresAt)
    const wait = Math.max(0, first - this.#clock.now())
    const ms = Math.ceil(wait / checkInterval) * checkInterval
    // Browsers and Node cut timers off at 2^31 ms.
    this.#timer = setBackgroundTimer(this.#clock, () => this.#expire(), Math.min(ms, 2 ** 31 - 1))
  }

  #expire(): void {
    this.#timer = undefined
    const now = this.#clock.now()
    for (const lease of Array.from(this.#leases.values())) {
      if (lease.expiresAt > now) continue
      this.#leases.delete(lease.id)
      this.#revoke([...lease.keys].sort(compareKeys))
    }
    this.#arm()
  }

  save(): unknown {
    return [...this.#leases.values()].map((lease) => ({ ...lease, keys: new Set(lease.keys) }))
  }

  load(saved: unknown): void {
    this.#leases = new Map((saved as Lease[]).map((lease) => [lease.id, { ...lease, keys: new Set(lease.keys) }]))
    this.#arm()
  }

  close(): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer)
    this.#timer = undefined
    this.#leases.clear()
  }
}
