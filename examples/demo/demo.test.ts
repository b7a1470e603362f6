import { FakeClock } from '@freshread/core/testing'
import { expect, it } from 'vitest'
import { runDemo } from './demo.ts'
import { Timeline } from './timeline.ts'

it('shows the past to a plain client, a 504 to a pinned one, and its own write to FreshRead', async () => {
  const clock = new FakeClock()
  let text = ''
  const out = { isTTY: false, columns: 80, write: (chunk: string | Uint8Array) => ((text += String(chunk)), true) }
  let done = false
  const running = runDemo(clock, new Timeline(out, clock)).finally(() => (done = true))
  while (!done) await clock.step(20)
  await running
  expect(text).toMatch(/image checkout:1\.8\.2.*: the past/)
  expect(text).toMatch(/504 Timeout: Too large resource version: \d+, current: \d+ \(Retry-After: 1\)/)
  expect(text).toMatch(/image checkout:1\.9\.0.*: its own write/)
  expect(text).toMatch(/429 Timeout: Too large resource version: .*\(Retry-After: 1\)/)
  expect(text).toMatch(/FreshRead.*└─ cart-7d4b9c/)
  expect(text).toMatch(/consistent_read_total\{.*fallback="skipped".*\} 2/)
  expect(text).not.toContain('\u001b')
  expect(clock.pendingTimers).toBe(0)
})
