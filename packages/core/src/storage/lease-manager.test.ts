import { describe, expect, it } from 'vitest'
import { FakeClock } from '../testing/fake-clock.ts'
import { LeaseManager } from './lease-manager.ts'
import { MemoryKV } from './memory/memory-kv.ts'

function setUp() {
  const clock = new FakeClock()
  const granted: number[] = []
  const replaced: number[] = []
  class CountingKV extends MemoryKV {
    override grantLease(ttlSeconds: number): Promise<number> {
      granted.push(ttlSeconds)
      return super.grantLease(ttlSeconds)
    }
  }
  const kv = new CountingKV({ clock })
  return { clock, granted, replaced, leases: new LeaseManager(kv, clock, (count) => replaced.push(count)) }
}

describe('LeaseManager', () => {
  it('grants a minute more for an hour, and shares the lease for that long', async () => {
    const { clock, granted, leases } = setUp()
    const first = await leases.getLease(3600)
    await clock.step(59_000)
    expect(await leases.getLease(3600)).toBe(first)
    await clock.step(1_000)
    // Now it would expire exactly after the hour: too soon.
    expect(await leases.getLease(3600)).not.toBe(first)
    expect(granted).toEqual([3660, 3660])
  })

  it('grants a twentieth more for less', async () => {
    const { granted, leases } = setUp()
    await leases.getLease(100)
    await leases.getLease(10)
    expect(granted).toEqual([105, 10])
  })

  it('does not share a lease that lasts too long', async () => {
    const { leases, granted } = setUp()
    await leases.getLease(3600)
    await leases.getLease(1800)
    expect(granted).toEqual([3660, 1860])
  })

  it('gives a lease to a thousand objects at most', async () => {
    const { leases, granted, replaced } = setUp()
    await Promise.all(Array.from({ length: 1001 }, () => leases.getLease(3600)))
    expect(granted).toHaveLength(2)
    expect(replaced.at(-1)).toBe(1001)
  })
})
