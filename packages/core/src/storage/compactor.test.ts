import { describe, expect, it } from 'vitest'
import { FakeClock } from '../testing/fake-clock.ts'
import { Compactor, compactRevisionKey, defaultCompactInterval } from './compactor.ts'
import { MemoryKV } from './memory/memory-kv.ts'
import { StoredValue } from './value.ts'

function setUp() {
  const clock = new FakeClock()
  const kv = new MemoryKV({ clock })
  const errors: unknown[] = []
  const start = (interval?: number): Compactor =>
    new Compactor({ kv, clock, onError: (error) => errors.push(error), ...(interval !== undefined && { interval }) })
  let writes = 0
  const write = async (): Promise<number> => {
    const put = StoredValue.fromObject({ metadata: {} })
    return (await kv.txn({ key: `/registry/w${writes++}`, expectedRevision: 0, put })).revision
  }
  return { clock, kv, start, write, errors }
}

describe('Compactor', () => {
  it('compacts at each tick what was current at the tick before', async () => {
    const { clock, kv, start, write } = setUp()
    const compactor = start()
    await write()
    await clock.step(defaultCompactInterval)
    expect([kv.compactRevision, compactor.compactRevision()]).toEqual([0, 0])
    // The tick itself is a write.
    const first = kv.revision
    expect(first).toBe(3)
    await write()
    await clock.step(defaultCompactInterval)
    expect([kv.compactRevision, compactor.compactRevision()]).toEqual([first, first])
    const { kv: bookkeeping } = await kv.get(compactRevisionKey)
    expect([bookkeeping!.value.text, bookkeeping!.version]).toEqual([String(first), 2])
    await clock.step(defaultCompactInterval)
    expect(kv.compactRevision).toBe(first + 2)
    compactor.close()
    expect(clock.pendingTimers).toBe(0)
  })

  it('shares the work with another', async () => {
    const { clock, kv, start, write } = setUp()
    const one = start(1000)
    await clock.step(500)
    const two = start(1000)
    await clock.step(500)
    await write()
    // The second sees that the first has ticked, and takes over its time.
    await clock.step(500)
    expect((await kv.get(compactRevisionKey)).kv!.version).toBe(1)
    await clock.step(500)
    expect((await kv.get(compactRevisionKey)).kv!.version).toBe(2)
    expect(kv.compactRevision).toBe(2)
    // Both know, whoever did it.
    expect([one.compactRevision(), two.compactRevision()]).toEqual([2, 2])
    one.close()
    await clock.step(1500)
    expect((await kv.get(compactRevisionKey)).kv!.version).toBe(3)
    two.close()
  })

  it('learns of what others compact without compacting itself', async () => {
    const { clock, kv, start } = setUp()
    const compactor = start(0)
    await clock.step(0)
    await kv.txn({ key: compactRevisionKey, expectedRevision: 0, put: StoredValue.fromText('7') })
    expect(compactor.compactRevision()).toBe(7)
    await clock.step(2 * defaultCompactInterval)
    expect(kv.compactRevision).toBe(0)
    compactor.close()
  })

  it('knows what was compacted before it started', async () => {
    const { clock, kv, start } = setUp()
    await kv.txn({ key: compactRevisionKey, expectedRevision: 0, put: StoredValue.fromText('7') })
    const compactor = start()
    await clock.step(0)
    expect(compactor.compactRevision()).toBe(7)
    compactor.close()
  })

  it('watches again after its watch broke', async () => {
    const { clock, kv, start } = setUp()
    const compactor = start(0)
    await clock.step(0)
    kv.restore(kv.snapshot())
    await clock.step(1000)
    await kv.txn({ key: compactRevisionKey, expectedRevision: 0, put: StoredValue.fromText('7') })
    expect(compactor.compactRevision()).toBe(7)
    compactor.close()
  })

  it('forgets what was compacted when the store goes back to before that', async () => {
    const { clock, kv, start, write } = setUp()
    const compactor = start(1000)
    const snapshot = kv.snapshot()
    for (let i = 0; i < 5; i++) await write()
    await clock.step(2000)
    expect(compactor.compactRevision()).toBe(7)
    kv.restore(snapshot)
    await clock.step(1000)
    expect(compactor.compactRevision()).toBe(0)
    await clock.step(5000)
    expect(kv.compactRevision).toBeGreaterThan(0)
    expect(compactor.compactRevision()).toBe(kv.compactRevision)
    compactor.close()
  })

  it('goes on after a tick that failed', async () => {
    const { clock, kv, start, write, errors } = setUp()
    const compactor = start(1000)
    await clock.step(1000)
    const revision = await write()
    // Somebody compacts further than the compactor is about to.
    await kv.compact(revision)
    await clock.step(1000)
    expect(errors).toMatchObject([{ code: 'compacted' }])
    await write()
    await clock.step(2000)
    expect(kv.compactRevision).toBeGreaterThan(revision)
    compactor.close()
  })

  it('refuses an interval that is none', () => {
    expect(() => setUp().start(-1)).toThrow(TypeError)
  })
})
