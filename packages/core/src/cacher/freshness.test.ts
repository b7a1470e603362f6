import { describe, expect, it } from 'vitest'
import { isTooLargeResourceVersion } from '../errors/guards.ts'
import type { StatusError } from '../errors/status.ts'
import { FakeClock } from '../testing/fake-clock.ts'
import { Freshness } from './freshness.ts'

function newFreshness(clock = new FakeClock()) {
  const samples: (number | undefined)[] = []
  let begun = 0
  const freshness = new Freshness({ clock, onWait: () => begun++, onDone: (waited) => samples.push(waited) })
  return { clock, freshness, samples, begun: () => begun }
}

function outcome(promise: Promise<number> | undefined): { value?: number; error?: unknown } {
  const result: { value?: number; error?: unknown } = {}
  promise?.then(
    (value) => (result.value = value),
    (error: unknown) => (result.error = error),
  )
  return result
}

describe('Freshness', () => {
  it('makes 10 000 reads at RV 0 set no timer and touch no histogram', () => {
    const { clock, freshness, samples, begun } = newFreshness()
    for (let i = 0; i < 10_000; i++) expect(freshness.waitUntilFresh(i % 2 === 0 ? 0 : 0n)).toBeUndefined()
    expect(clock.pendingTimers).toBe(0)
    expect(samples).toEqual([])
    expect(begun()).toBe(0)
  })

  it('answers at once what is reached already', () => {
    const { freshness } = newFreshness()
    freshness.advance(5)
    expect(freshness.waitUntilFresh(5)).toBeUndefined()
    expect(freshness.waitUntilFresh(4n)).toBeUndefined()
  })

  it('answers how long it took when the version is reached', async () => {
    const { clock, freshness, samples } = newFreshness()
    const wait = freshness.waitUntilFresh(2n)
    await clock.step(1_000)
    freshness.advance(3)
    expect(await wait).toBe(1_000)
    expect(samples).toEqual([1_000])
    expect(clock.pendingTimers).toBe(0)
  })

  it('wakes only those whose version is reached, lowest first and then by arrival', async () => {
    const { freshness } = newFreshness()
    const order: string[] = []
    for (const [name, version] of [
      ['c', 9],
      ['a', 7],
      ['d', 9],
      ['b', 8],
      ['e', 10],
    ] as const) {
      void freshness.waitUntilFresh(version)!.then(() => order.push(name))
    }
    freshness.advance(9)
    await Promise.resolve()
    await Promise.resolve()
    expect(order).toEqual(['a', 'b', 'c', 'd'])
    expect(freshness.waiting).toBe(1)
  })

  it('gives up after three seconds with the version that was reached by then', async () => {
    const { clock, freshness, samples } = newFreshness()
    freshness.advance(80)
    const result = outcome(freshness.waitUntilFresh(1_000_000))
    await clock.step(2_000)
    freshness.advance(81)
    await clock.step(999)
    expect(result.error).toBeUndefined()
    await clock.step(1)
    expect(isTooLargeResourceVersion(result.error)).toBe(true)
    expect((result.error as StatusError).status).toMatchObject({
      message: 'Timeout: Too large resource version: 1000000, current: 81',
      details: { retryAfterSeconds: 1 },
      code: 504,
    })
    expect(samples).toEqual([3_000])
  })

  it('waits for the largest version there can be and says its digits', async () => {
    const { clock, freshness } = newFreshness()
    const result = outcome(freshness.waitUntilFresh(18446744073709551615n))
    freshness.advance(Number.MAX_SAFE_INTEGER)
    await clock.step(3_000)
    expect((result.error as Error).message).toContain('version: 18446744073709551615, current: 9007199254740991')
  })

  it('lets success win when version and deadline come together', async () => {
    const { clock, freshness } = newFreshness()
    // Armed first, so it fires first of the two.
    clock.setTimeout(() => freshness.advance(2), 3_000)
    const result = outcome(freshness.waitUntilFresh(2))
    await clock.step(3_000)
    expect(result).toEqual({ value: 3_000 })
  })

  it('arms one timer however many wait', async () => {
    const { clock, freshness } = newFreshness()
    const results = Array.from({ length: 10_000 }, (_, i) => outcome(freshness.waitUntilFresh(10 + i)))
    expect(clock.pendingTimers).toBe(1)
    await clock.step(3_000)
    expect(results.every((result) => result.error !== undefined)).toBe(true)
    expect(freshness.waiting).toBe(0)
    expect(clock.pendingTimers).toBe(0)
  })

  it('gives each waiter its own three seconds', async () => {
    const { clock, freshness } = newFreshness()
    const first = outcome(freshness.waitUntilFresh(2))
    await clock.step(1_000)
    const second = outcome(freshness.waitUntilFresh(3))
    await clock.step(2_000)
    expect([first.error !== undefined, second.error !== undefined]).toEqual([true, false])
    await clock.step(1_000)
    expect(second.error).toBeDefined()
  })

  it('arms its timer again when it fires early', async () => {
    const clock = new FakeClock()
    let timers = 0
    const early = {
      now: () => clock.now(),
      setTimeout: (callback: () => void, ms: number) => clock.setTimeout(callback, timers++ === 0 ? ms - 1 : ms),
      clearTimeout: (handle: unknown) => clock.clearTimeout(handle),
    }
    const freshness = new Freshness({ clock: early, blockTimeout: 100 })
    const result = outcome(freshness.waitUntilFresh(2))
    await clock.step(99)
    expect(result.error).toBeUndefined()
    expect(clock.pendingTimers).toBe(1)
    await clock.step(1)
    expect(result.error).toBeDefined()
  })

  it('frees an aborted waiter at once', async () => {
    const { clock, freshness, samples } = newFreshness()
    const controller = new AbortController()
    const result = outcome(freshness.waitUntilFresh(2, controller.signal))
    const other = outcome(freshness.waitUntilFresh(2))
    controller.abort(new Error('gone'))
    expect(freshness.waiting).toBe(1)
    await clock.step(0)
    expect(result.error).toMatchObject({ message: 'gone' })
    expect(samples).toEqual([undefined])
    freshness.advance(2)
    await clock.step(0)
    expect(other.value).toBe(0)
  })

  it('lets go of its listener when the wait is over', async () => {
    const { freshness } = newFreshness()
    const controller = new AbortController()
    let listeners = 0
    const { signal } = controller
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    Object.assign(signal, {
      addEventListener: (...args: Parameters<typeof add>) => (listeners++, add(...args)),
      removeEventListener: (...args: Parameters<typeof remove>) => (listeners--, remove(...args)),
    })
    const wait = freshness.waitUntilFresh(2, signal)
    expect(listeners).toBe(1)
    freshness.advance(2)
    await wait
    expect(listeners).toBe(0)
  })

  it('leaves no timer behind when the last waiter is gone', () => {
    const { clock, freshness } = newFreshness()
    const controller = new AbortController()
    outcome(freshness.waitUntilFresh(2, controller.signal))
    expect(clock.pendingTimers).toBe(1)
    controller.abort(new Error('gone'))
    expect(clock.pendingTimers).toBe(0)
  })

  it('refuses an aborted signal without waiting', async () => {
    const { freshness, begun } = newFreshness()
    await expect(freshness.waitUntilFresh(2, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
    expect(begun()).toBe(0)
  })

  it('ends all waits when it is closed, and those that come later', async () => {
    const { clock, freshness } = newFreshness()
    const result = outcome(freshness.waitUntilFresh(2))
    freshness.close(new Error('stopped'))
    await clock.step(0)
    expect(result.error).toMatchObject({ message: 'stopped' })
    await expect(freshness.waitUntilFresh(2)).rejects.toThrow('stopped')
    expect(freshness.waitUntilFresh(0)).toBeUndefined()
    expect(clock.pendingTimers).toBe(0)
  })

  it('survives a waiter that is released while it is being added', async () => {
    const clock = new FakeClock()
    const freshness: Freshness = new Freshness({ clock, onWait: () => freshness.advance(9) })
    expect(await freshness.waitUntilFresh(9)).toBe(0)
    expect(clock.pendingTimers).toBe(0)
  })

  it('keeps its heap right through any mix of waits, aborts, expiries and advances', async () => {
    const { clock, freshness } = newFreshness()
    // A fixed linear congruence instead of chance.
    let seed = 7
    const next = (below: number): number => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below
    const open = new Map<number, { version: number; deadline: number; abort: AbortController }>()
    let version = 0
    let early = 0
    for (let i = 0; i < 2_000; i++) {
      const action = next(10)
      if (action < 6) {
        const abort = new AbortController()
        const wanted = version + 1 + next(50)
        open.set(i, { version: wanted, deadline: clock.now() + 3_000, abort })
        freshness.waitUntilFresh(wanted, abort.signal)!.then(
          () => {
            if (wanted > version) early++
            open.delete(i)
          },
          () => open.delete(i),
        )
      } else if (action < 8) {
        version += next(10)
        freshness.advance(version)
      } else if (action < 9) {
        const [id] = [...open.keys()].slice(next(open.size + 1))
        if (id !== undefined) open.get(id)!.abort.abort(new Error('gone'))
      } else await clock.step(next(200))
      await Promise.resolve()
    }
    await clock.step(0)
    expect(early).toBe(0)
    expect(freshness.waiting).toBe(open.size)
    for (const { version: wanted, deadline } of open.values()) {
      expect(wanted).toBeGreaterThan(version)
      expect(deadline).toBeGreaterThan(clock.now())
    }
    await clock.step(3_000)
    expect(freshness.waiting).toBe(0)
  })
})
