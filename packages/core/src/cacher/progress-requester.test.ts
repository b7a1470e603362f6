import { describe, expect, it } from 'vitest'
import { FakeClock } from '../testing/fake-clock.ts'
import { ConditionalProgressRequester } from './progress-requester.ts'

function newRequester(options: { eager?: boolean; request?: () => Promise<void> } = {}) {
  const clock = new FakeClock()
  const start = clock.now()
  const requests: number[] = []
  const errors: unknown[] = []
  const requester = new ConditionalProgressRequester({
    clock,
    eager: options.eager ?? false,
    request: () => {
      requests.push(clock.now() - start)
      return options.request?.() ?? Promise.resolve()
    },
    onError: (error) => errors.push(error),
  })
  return { clock, requester, requests, errors }
}

describe('ConditionalProgressRequester', () => {
  it('sends nothing and runs no timer while nobody waits', async () => {
    const { clock, requests } = newRequester()
    await clock.step(200)
    expect(requests).toEqual([])
    expect(clock.pendingTimers).toBe(0)
  })

  it('sends at once for the first who waits, then once per 100 ms', async () => {
    const { clock, requester, requests } = newRequester()
    await clock.step(150)
    requester.add()
    expect(requests).toEqual([150])
    requester.add()
    await clock.step(250)
    expect(requests).toEqual([150, 250, 350])
  })

  it('keeps 100 ms between two requests and from its own beginning', async () => {
    const { clock, requester, requests } = newRequester()
    await clock.step(30)
    requester.add()
    expect(requests).toEqual([])
    await clock.step(70)
    expect(requests).toEqual([100])
    requester.remove()
    await clock.step(50)
    requester.add()
    await clock.step(49)
    expect(requests).toEqual([100])
    await clock.step(1)
    expect(requests).toEqual([100, 200])
  })

  it('waits on when its timer fires early', async () => {
    const clock = new FakeClock()
    const start = clock.now()
    const requests: number[] = []
    let timers = 0
    const requester = new ConditionalProgressRequester({
      clock: {
        now: () => clock.now(),
        setTimeout: (callback, ms) => clock.setTimeout(callback, timers++ === 0 ? ms - 1 : ms),
        clearTimeout: (handle) => clock.clearTimeout(handle),
      },
      request: async () => void requests.push(clock.now() - start),
    })
    requester.add()
    await clock.step(100)
    expect(requests).toEqual([100])
    requester.remove()
    expect(clock.pendingTimers).toBe(0)
  })

  it('sends nothing more once nobody waits', async () => {
    const { clock, requester, requests } = newRequester()
    await clock.step(100)
    requester.add()
    requester.add()
    requester.remove()
    await clock.step(100)
    requester.remove()
    expect(clock.pendingTimers).toBe(0)
    await clock.step(1_000)
    expect(requests).toEqual([100, 200])
  })

  it('sends nothing after it was stopped', async () => {
    const { clock, requester, requests } = newRequester()
    await clock.step(100)
    requester.add()
    requester.stop()
    requester.add()
    await clock.step(1_000)
    expect(requests).toEqual([100])
    expect(clock.pendingTimers).toBe(0)
  })

  it('goes on after a request that failed', async () => {
    const { clock, requester, requests, errors } = newRequester({ request: () => Promise.reject(new Error('no')) })
    await clock.step(100)
    requester.add()
    await clock.step(100)
    expect(requests).toEqual([100, 200])
    expect(errors).toHaveLength(2)
  })

  it('asks at once when requests cost nothing and the last one was answered', async () => {
    const { clock, requester, requests } = newRequester({ eager: true })
    requester.add()
    requester.remove()
    requester.answered()
    await clock.step(10)
    requester.add()
    requester.add()
    await clock.step(99)
    expect(requests).toEqual([0, 10])
    await clock.step(1)
    expect(requests).toEqual([0, 10, 110])
  })
})
