import { describe, expect, it } from 'vitest'
import { heading, page, table } from './report.ts'
import { BEHAVIOURS, type Result, type Scenario, simulate } from './simulate.ts'
import { SimClock } from './sim-clock.ts'

const scenario: Scenario = { clients: 300, objects: 10, arrivalMs: 10_000, stallMs: 8000, seed: 1 }

async function play(more: Partial<Scenario> = {}): Promise<Result[]> {
  const results: Result[] = []
  for (const behaviour of BEHAVIOURS) results.push(await simulate({ ...scenario, ...more }, behaviour))
  return results
}

describe('a thundering herd', () => {
  it('costs an etcd read each by default, failures with the gate, and only waits with FreshRead', async () => {
    const results = await play()
    const [byDefault, givesUp, waits, pinned] = results as [Result, Result, Result, Result]
    // Half of them come when the stall still has three seconds or more to go.
    expect(byDefault).toMatchObject({ storageReads: 150, failures: 0, retries: 0 })
    expect(givesUp).toMatchObject({ storageReads: 0, failures: 150, retries: 0 })
    for (const result of [waits, pinned]) {
      expect(result).toMatchObject({ storageReads: 0, failures: 0 })
      expect(result.retries).toBeGreaterThan(0)
      expect(result.recoveryMs).toBeLessThanOrEqual(1500)
    }
    expect([byDefault, pinned].map(({ revisionReads }) => revisionReads)).toEqual([300, 0])
    for (const { stale } of results) expect(stale).toBe(0)

    const text = table(results)
    expect(text.split('\n')).toHaveLength(6)
    expect(text).toContain('150')
    expect(heading(scenario)).toContain('300 clients')
    expect(page(scenario, results)).toMatch(/<svg[\s\S]*<\/svg>/)
  })

  it('is not saved by waiting when the stall outlasts the deadline', async () => {
    const [, , waits, pinned] = (await play({ stallMs: 40_000 })) as [Result, Result, Result, Result]
    expect(waits.failures).toBeGreaterThan(0)
    expect(pinned.failures).toBe(0)
    expect(pinned.storageReads).toBeGreaterThan(0)
  })

  it('plays the same way twice', async () => {
    const strip = (result: Result): Result => ({ ...result, realMs: 0 })
    expect((await play({ clients: 50 })).map(strip)).toEqual((await play({ clients: 50 })).map(strip))
  })
})

describe('SimClock', () => {
  it('fires timers in the order of their time, and none that was taken back', async () => {
    const clock = new SimClock()
    const fired: number[] = []
    for (const ms of [50, 10, 30, 20, 40, 10]) clock.setTimeout(() => fired.push(ms), ms)
    clock.clearTimeout(clock.setTimeout(() => fired.push(-1), 15))
    clock.clearTimeout(undefined)
    clock.setTimeout(() => clock.setTimeout(() => fired.push(clock.now()), 5), 30)
    await clock.runUntil(45)
    expect(fired).toEqual([10, 10, 20, 30, 35, 40])
    expect(clock.now()).toBe(45)
  })
})
