import { describe, expect, test } from 'vitest'
import { delay } from '../clock.ts'
import { FakeClock } from './fake-clock.ts'

describe('a clock that is stepped', () => {
  test('fires what falls due in order, each at its time', async () => {
    const clock = new FakeClock(0)
    const fired: string[] = []
    clock.setTimeout(() => fired.push(`b at ${clock.now()}`), 20)
    clock.setTimeout(() => fired.push(`a at ${clock.now()}`), 10)
    clock.setTimeout(() => fired.push('late'), 31)
    await clock.step(30)
    expect(fired).toEqual(['a at 10', 'b at 20'])
    expect([clock.now(), clock.pendingTimers]).toEqual([30, 1])
  })

  test('lets what a timer starts begin at the time of that timer', async () => {
    const clock = new FakeClock(0)
    const times: number[] = []
    const chain = async (): Promise<void> => {
      for (let i = 0; i < 3; i++) {
        await delay(clock, 10)
        times.push(clock.now())
      }
    }
    const done = chain()
    await clock.step(30)
    await done
    expect(times).toEqual([10, 20, 30])
  })

  test('does not fire what was cleared', async () => {
    const clock = new FakeClock()
    let fired = false
    clock.clearTimeout(clock.setTimeout(() => (fired = true), 1))
    await clock.step(2)
    expect([fired, clock.pendingTimers]).toEqual([false, 0])
  })

  test.each([-1, Number.NaN, '5' as unknown as number])('refuses a step of %s', async (ms) => {
    await expect(new FakeClock().step(ms)).rejects.toThrow(`step: ms must be a number of milliseconds ≥ 0, got ${ms}`)
  })
})
