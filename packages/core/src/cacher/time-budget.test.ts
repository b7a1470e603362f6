import { expect, it } from 'vitest'
import { FakeClock } from '../testing/fake-clock.ts'
import { TimeBudget } from './time-budget.ts'

it('starts empty, grows 50 ms per second, and is taken whole', async () => {
  const clock = new FakeClock()
  const budget = new TimeBudget(clock)
  expect(budget.takeAvailable()).toBe(0)
  await clock.step(2_000)
  expect(budget.takeAvailable()).toBe(100)
  expect(budget.takeAvailable()).toBe(0)
  await clock.step(1_000)
  expect(budget.takeAvailable()).toBe(50)
  await clock.step(100)
  expect(budget.takeAvailable()).toBeCloseTo(5)
})

it('never holds more than 100 ms', async () => {
  const clock = new FakeClock()
  const budget = new TimeBudget(clock)
  await clock.step(10_000)
  expect(budget.takeAvailable()).toBe(100)
  budget.returnUnused(80)
  budget.returnUnused(80)
  expect(budget.takeAvailable()).toBe(100)
})

it('takes back what was not used, and ignores what was overspent', () => {
  const budget = new TimeBudget(new FakeClock())
  budget.returnUnused(30)
  budget.returnUnused(-20)
  expect(budget.takeAvailable()).toBe(30)
})

it('gains nothing from a clock that goes backwards', () => {
  let now = 10_000
  const budget = new TimeBudget({ now: () => now, setTimeout: () => undefined, clearTimeout: () => {} })
  now = 5_000
  expect(budget.takeAvailable()).toBe(0)
  now = 6_000
  expect(budget.takeAvailable()).toBe(50)
})
