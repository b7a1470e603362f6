import { expect, it } from 'vitest'
import { FakeClock } from '../testing/fake-clock.ts'
import { Backoff } from './backoff.ts'

it('doubles up to its limit, with up to as much again by chance, and starts over after a pause', async () => {
  const clock = new FakeClock()
  let chance = 0
  const backoff = new Backoff({ clock, initial: 800, max: 3_000, resetAfter: 120_000, random: () => chance })
  expect([backoff.next(), backoff.next(), backoff.next(), backoff.next()]).toEqual([800, 1_600, 3_000, 3_000])
  chance = 0.5
  await clock.step(120_000)
  expect(backoff.next()).toBe(4_500)
  await clock.step(120_001)
  expect(backoff.next()).toBe(1_200)
})
