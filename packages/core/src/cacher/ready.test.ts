import { describe, expect, it } from 'vitest'
import { FakeClock } from '../testing/fake-clock.ts'
import { newUnreadyError, Ready, retryAfterForUnreadyCache } from './ready.ts'

function settled(promise: Promise<void>): { state: string } {
  const result = { state: 'pending' }
  promise.then(
    () => (result.state = 'ready'),
    (error: Error) => (result.state = error.message),
  )
  return result
}

describe('Ready', () => {
  it('counts how often it becomes ready', () => {
    const ready = new Ready(new FakeClock())
    expect(ready.check()).toMatchObject({ generation: 0 })
    ready.setReady()
    ready.setReady()
    expect(ready.check()).toEqual({ generation: 1, elapsed: 0, error: undefined })
    ready.setPending()
    ready.setPending()
    ready.setReady()
    expect(ready.check().generation).toBe(2)
  })

  it('says why it is not ready', () => {
    const ready = new Ready(new FakeClock())
    expect(ready.check().error?.message).toBe('storage is (re)initializing')
    ready.setPending(new Error('no luck'))
    expect(ready.check().error?.message).toBe('storage is (re)initializing: no luck')
    ready.setReady()
    ready.setPending()
    expect(ready.check().error?.message).toBe('storage is (re)initializing')
    ready.stop()
    expect(ready.check().error?.message).toBe('apiserver cacher is stopped')
    ready.setReady()
    expect(ready.isReady).toBe(false)
  })

  it('measures the time since its state changed, not since it was told again', async () => {
    const clock = new FakeClock()
    const ready = new Ready(clock)
    await clock.step(100)
    ready.setPending(new Error('still'))
    await clock.step(100)
    expect(ready.check().elapsed).toBe(200)
    ready.setReady()
    expect(ready.check().elapsed).toBe(0)
    await clock.step(50)
    ready.setReady()
    expect(ready.check().elapsed).toBe(50)
  })

  it('is waited for', async () => {
    const clock = new FakeClock()
    const ready = new Ready(clock)
    const wait = settled(ready.wait())
    await clock.step(0)
    expect(wait.state).toBe('pending')
    ready.setReady()
    await clock.step(0)
    expect(wait.state).toBe('ready')
    await ready.wait()
  })

  it('is waited for again when it was ready for a moment only', async () => {
    const clock = new FakeClock()
    const ready = new Ready(clock)
    const wait = settled(ready.wait())
    ready.setReady()
    ready.setPending()
    await clock.step(0)
    expect(wait.state).toBe('pending')
    ready.setReady()
    await clock.step(0)
    expect(wait.state).toBe('ready')
  })

  it('ends the waits when it is stopped or their signal aborts', async () => {
    const clock = new FakeClock()
    const ready = new Ready(clock)
    const controller = new AbortController()
    const aborted = settled(ready.wait(controller.signal))
    const stopped = settled(ready.wait())
    controller.abort(new Error('gone'))
    await clock.step(0)
    ready.stop()
    await clock.step(0)
    expect([aborted.state, stopped.state]).toEqual(['gone', 'apiserver cacher is stopped'])
    await expect(ready.wait()).rejects.toThrow('stopped')
  })
})

it.each([
  [0, 1],
  [11, 1],
  [14, 2],
  [20, 3],
  [30, 6],
  [40, 11],
  [57, 30],
  [100_000, 30],
])('asks to come back, after %i s of downtime, in %i s', (downtime, seconds) => {
  expect(retryAfterForUnreadyCache(downtime * 1_000)).toBe(seconds)
})

it('refuses with a 429 while it is not ready', async () => {
  const clock = new FakeClock()
  const ready = new Ready(clock)
  await clock.step(20_000)
  expect(newUnreadyError(ready.check()).status).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'storage is (re)initializing',
    reason: 'TooManyRequests',
    details: { retryAfterSeconds: 3 },
    code: 429,
  })
})
