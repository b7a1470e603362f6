import { MemoryKV, StoredValue, type KVWatchResponse } from '@freshread/core'
import { FakeClock } from '@freshread/core/testing'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LaggedKV } from './lagged-kv.ts'

function setUp(prefix = '/registry/pods/'): {
  clock: FakeClock
  lagged: LaggedKV
  seen: string[]
  put(key: string): Promise<void>
  cancel(): void
} {
  const clock = new FakeClock()
  const kv = new MemoryKV({ clock })
  const lagged = new LaggedKV(kv, clock)
  const seen: string[] = []
  const tell = (response: KVWatchResponse): void => {
    if (response.type === 'events') seen.push(...response.events.map((event) => event.kv.key))
    else if (response.type === 'progress') seen.push(`progress ${response.revision}`)
    else seen.push(response.type)
  }
  const watch = lagged.watch({ key: prefix, prefix: true, startRevision: 1, onResponse: tell })
  const put = async (key: string): Promise<void> => {
    const { kv: current } = await lagged.get(key)
    await lagged.txn({ key, expectedRevision: current?.modRevision ?? 0, put: StoredValue.fromText('{}') })
  }
  return { clock, lagged, seen, put, cancel: () => watch.cancel() }
}

describe('a KV without lag', () => {
  test('tells its watches of a write before the write returns', async () => {
    const { put, seen } = setUp()
    await put('/registry/pods/a')
    expect(seen).toEqual(['/registry/pods/a'])
  })
})

describe('a frozen KV', () => {
  test('holds back events and progress, but not reads', async () => {
    const { lagged, put, seen } = setUp()
    lagged.freeze()
    await put('/registry/pods/a')
    await lagged.requestProgress()
    expect(seen).toEqual([])
    expect(lagged.pending).toBe(1)
    expect((await lagged.get('/registry/pods/a')).kv).toBeDefined()
  })

  test('lets everything go in order when it thaws', async () => {
    const { lagged, put, seen } = setUp()
    lagged.freeze()
    await put('/registry/pods/a')
    await put('/registry/pods/b')
    await lagged.requestProgress()
    lagged.thaw()
    expect(seen).toEqual(['/registry/pods/a', '/registry/pods/b', 'progress 3'])
  })

  test('tells a cancelled watch nothing', async () => {
    const { clock, lagged, put, seen, cancel } = setUp()
    lagged.freeze()
    await put('/registry/pods/a')
    cancel()
    lagged.thaw()
    await clock.step(1000)
    expect(seen).toEqual([])
    expect(lagged.pending).toBe(0)
  })

  test('can be frozen for one prefix alone', async () => {
    const pods = setUp('/registry/')
    pods.lagged.freeze('/registry/secrets/')
    await pods.put('/registry/pods/a')
    expect(pods.seen).toEqual(['/registry/pods/a'])

    const secrets = setUp('/registry/secrets/')
    secrets.lagged.freeze('/registry/secrets/')
    await secrets.put('/registry/secrets/a')
    expect(secrets.seen).toEqual([])
    secrets.lagged.thaw()
    expect(secrets.seen).toEqual(['/registry/secrets/a'])
  })
})

describe('a lagging KV', () => {
  test('delays each response by that much', async () => {
    const { clock, lagged, put, seen } = setUp()
    lagged.lag(500)
    await put('/registry/pods/a')
    await clock.step(499)
    expect(seen).toEqual([])
    await clock.step(1)
    expect(seen).toEqual(['/registry/pods/a'])
  })

  test('never lets a later response pass an earlier one', async () => {
    const { clock, lagged, put, seen } = setUp()
    lagged.lag(500)
    await put('/registry/pods/a')
    lagged.lag(0)
    await put('/registry/pods/b')
    expect(seen).toEqual([])
    await clock.step(500)
    expect(seen).toEqual(['/registry/pods/a', '/registry/pods/b'])
  })

  test('leaves no timer behind', async () => {
    const { clock, lagged, put, cancel } = setUp()
    const before = clock.pendingTimers
    lagged.lag(500)
    await put('/registry/pods/a')
    cancel()
    expect(clock.pendingTimers).toBe(before)
  })
})

test('whatever is frozen, thawed and delayed: everything arrives once, in order', async () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('put' as const), key: fc.constantFrom('a', 'b', 'c') }),
    fc.record({ do: fc.constant('freeze' as const) }),
    fc.record({ do: fc.constant('thaw' as const) }),
    fc.record({ do: fc.constant('lag' as const), ms: fc.nat(300) }),
    fc.record({ do: fc.constant('wait' as const), ms: fc.nat(300) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const { clock, lagged, put, seen } = setUp()
      const written: string[] = []
      for (const now of steps) {
        if (now.do === 'put') {
          written.push(`/registry/pods/${now.key}`)
          await put(`/registry/pods/${now.key}`)
        } else if (now.do === 'freeze') lagged.freeze()
        else if (now.do === 'thaw') lagged.thaw()
        else if (now.do === 'lag') lagged.lag(now.ms)
        else await clock.step(now.ms)
        expect(seen).toEqual(written.slice(0, seen.length))
      }
      lagged.thaw()
      await clock.step(1000)
      expect(seen).toEqual(written)
    }),
    { numRuns: 50 },
  )
})
