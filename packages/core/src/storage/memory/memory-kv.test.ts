import { describe, expect, it, vi } from 'vitest'
import { FakeClock } from '../../testing/fake-clock.ts'
import type { KubeObject } from '../../meta/types.ts'
import type { KVWatchOptions, KVWatchResponse } from '../kv.ts'
import { StoredValue } from '../value.ts'
import { MemoryKV } from './memory-kv.ts'

const value = StoredValue.fromObject({ metadata: {} })

function setUp(options: ConstructorParameters<typeof MemoryKV>[0] = {}) {
  const clock = new FakeClock()
  const kv = new MemoryKV({ clock, ...options })
  const put = async (key: string, lease = 0): Promise<number> => {
    const expectedRevision = (await kv.get(key)).kv?.modRevision ?? 0
    return (await kv.txn({ key, expectedRevision, put: value, lease })).revision
  }
  const watch = (options: Partial<KVWatchOptions> = {}): KVWatchResponse[] => {
    const responses: KVWatchResponse[] = []
    const onResponse = (response: KVWatchResponse): void => void responses.push(response)
    kv.watch({ key: '/a/', prefix: true, startRevision: kv.revision + 1, previous: true, onResponse, ...options })
    return responses
  }
  return { clock, kv, put, watch }
}

describe('MemoryKV', () => {
  it('begins at revision 1', () => {
    expect(setUp().kv.revision).toBe(1)
  })

  it('tells its watches before a write returns', async () => {
    const { kv, watch } = setUp()
    const responses = watch()
    const written = kv.txn({ key: '/a/x', expectedRevision: 0, put: value })
    expect(responses).toHaveLength(1)
    await written
  })

  it('tells everybody of one write before the next, though a listener writes', async () => {
    const { kv, put, watch } = setUp()
    const order: string[] = []
    const note = (name: string) => (response: KVWatchResponse) => {
      order.push(`${name}${response.type === 'events' ? response.revision : '?'}`)
    }
    kv.watch({
      key: '/a/',
      prefix: true,
      startRevision: 2,
      onResponse: (response) => {
        note('first')(response)
        if (response.type === 'events' && response.revision === 2) void put('/a/y')
      },
    })
    watch({ onResponse: note('second') })
    await put('/a/x')
    expect(order).toEqual(['first2', 'second2', 'first3', 'second3'])
  })

  it('keeps on though a listener throws', async () => {
    const { kv, put, watch } = setUp()
    const thrown: (() => void)[] = []
    vi.stubGlobal('queueMicrotask', (callback: () => void) => thrown.push(callback))
    try {
      const startRevision = kv.revision + 1
      watch({
        startRevision,
        onResponse: () => {
          throw new Error('listener')
        },
      })
      const responses = watch({ startRevision })
      expect(await put('/a/x')).toBe(startRevision)
      expect(responses).toHaveLength(1)
      expect(thrown).toHaveLength(1)
      expect(thrown[0]).toThrow('listener')
    } finally {
      vi.unstubAllGlobals()
    }
  })

  it('tells a watch that starts while others are told nothing twice', async () => {
    const { kv, put, watch } = setUp()
    let late: KVWatchResponse[] = []
    kv.watch({
      key: '/a/x',
      startRevision: 2,
      onResponse: () => {
        if (late.length === 0) late = watch({ startRevision: 2 })
      },
    })
    await put('/a/x')
    await put('/a/z')
    expect(late.map((response) => response.type === 'events' && response.revision)).toEqual([2, 3])
  })

  describe('progress', () => {
    it('is told to watches that are there, not to those that start in the future', async () => {
      const { kv, put, watch } = setUp()
      const now = watch()
      const past = watch({ startRevision: 1 })
      await kv.requestProgress()
      expect(now).toEqual([])
      expect(past).toEqual([{ type: 'progress', revision: 1 }])
      // Any write moves the revision on, wherever it is.
      await put('/elsewhere')
      await kv.requestProgress()
      expect(now).toEqual([{ type: 'progress', revision: 2 }])
    })

    it('is told by itself every ten minutes, if nothing else was', async () => {
      const { clock, put, watch } = setUp()
      const asked = watch({ progressNotify: true })
      const silent = watch()
      await put('/elsewhere')
      await clock.step(660_000)
      expect(asked).toEqual([{ type: 'progress', revision: 2 }])
      await put('/a/x')
      await clock.step(660_000)
      expect(asked.map((response) => response.type)).toEqual(['progress', 'events'])
      await clock.step(660_000)
      expect(asked.map((response) => response.type)).toEqual(['progress', 'events', 'progress'])
      expect(silent.map((response) => response.type)).toEqual(['events'])
    })

    it('needs no timer when nobody wants it', async () => {
      const { clock, kv, watch } = setUp()
      watch()
      expect(clock.pendingTimers).toBe(0)
      watch({ progressNotify: true })
      expect(clock.pendingTimers).toBe(1)
      await kv.close()
      expect(clock.pendingTimers).toBe(0)
    })

    it('can be switched off and refuses to be told all the time', () => {
      expect(setUp().kv.supportsProgress).toBe(true)
      expect(setUp({ supportsProgress: false }).kv.supportsProgress).toBe(false)
      expect(() => setUp({ progressNotifyInterval: 50 })).toThrow(TypeError)
    })
  })

  describe('leases', () => {
    it('live for two seconds at least, and are looked at every half', async () => {
      const { clock, kv, put } = setUp()
      await put('/a/x', await kv.grantLease(1))
      await clock.step(1_999)
      expect((await kv.get('/a/x')).kv).toBeDefined()
      await clock.step(1)
      expect((await kv.get('/a/x')).kv).toBeUndefined()
      expect(clock.pendingTimers).toBe(0)
    })

    it('must exist to be used', async () => {
      const { clock, kv, put } = setUp()
      const lease = await kv.grantLease(5)
      await clock.step(5_000)
      await expect(put('/a/x', lease)).rejects.toThrow('etcdserver: requested lease not found')
      await expect(kv.grantLease(0)).rejects.toThrow(TypeError)
    })

    it('let go of a key that is written without one', async () => {
      const { clock, kv, put } = setUp()
      const lease = await kv.grantLease(5)
      await put('/a/x', lease)
      await put('/a/x')
      await clock.step(10_000)
      expect((await kv.get('/a/x')).kv).toBeDefined()
    })

    it('may last longer than a timer can', async () => {
      const { clock, kv, put } = setUp()
      const days = 100 * 24 * 3600
      await put('/a/x', await kv.grantLease(days))
      await clock.step(days * 1000 - 1)
      expect((await kv.get('/a/x')).kv).toBeDefined()
      await clock.step(500)
      expect((await kv.get('/a/x')).kv).toBeUndefined()
    })
  })

  describe('snapshot and restore', () => {
    it('goes back in time, and ends the watches as compacted', async () => {
      const { kv, put, watch } = setUp()
      await put('/a/x')
      const snapshot = kv.snapshot()
      expect(snapshot.revision).toBe(2)
      await put('/a/y')
      await put('/a/x')
      const responses = watch()
      kv.restore(snapshot)
      expect(responses).toEqual([{ type: 'compacted', compactRevision: 0 }])
      expect(kv.revision).toBe(2)
      expect((await kv.get('/a/y')).kv).toBeUndefined()
      expect((await kv.get('/a/x')).kv!.modRevision).toBe(2)
      expect(await put('/a/z')).toBe(3)
      expect(responses).toHaveLength(1)
    })

    it('can be done again and again', async () => {
      const { kv, put } = setUp()
      await put('/a/x')
      const snapshot = kv.snapshot()
      for (let i = 0; i < 3; i++) {
        await put('/a/x')
        await put(`/a/y${i}`)
        await kv.compact(kv.revision)
        kv.restore(snapshot)
        expect(kv.compactRevision).toBe(0)
        expect((await kv.range({ start: '/a/', end: '/a0' })).kvs.map((kv) => kv.key)).toEqual(['/a/x'])
      }
    })

    it('brings leases back', async () => {
      const { clock, kv, put } = setUp()
      await put('/a/x', await kv.grantLease(5))
      const snapshot = kv.snapshot()
      await clock.step(5_000)
      kv.restore(snapshot)
      expect((await kv.get('/a/x')).kv).toBeDefined()
      await clock.step(500)
      expect((await kv.get('/a/x')).kv).toBeUndefined()
    })
  })

  describe('a large write', () => {
    const key = '/registry/e.io/bigs/default/aaaaaab'
    /** JSON of so many bytes. */
    const sized = (bytes: number): StoredValue => {
      const frame = JSON.stringify({ metadata: { name: '' } }).length
      return StoredValue.fromObject({ metadata: { name: 'x'.repeat(bytes - frame) } })
    }
    const write = (put: StoredValue, expectedRevision = 0) => setUp().kv.txn({ key, expectedRevision, put })

    // Both limits as a real etcd was seen to draw them for a key of that length.
    it('fits up to the size that etcd takes', async () => {
      expect((await write(sized(1_572_754))).succeeded).toBe(true)
      await expect(write(sized(1_572_755))).rejects.toMatchObject({
        code: 'too-large',
        message: 'etcdserver: request is too large',
      })
    })

    it('is not even sent when it is larger than what the client of etcd sends', async () => {
      await expect(write(sized(2_200_199))).rejects.toMatchObject({
        code: 'too-large',
        message:
          'rpc error: code = ResourceExhausted desc = trying to send message larger than max (2200295 vs. 2097152)',
      })
    })

    it('counts bytes, not characters, and escapes, wherever they are', async () => {
      const texts = ['€'.repeat(600_000), '"'.repeat(800_000), '\u0001'.repeat(300_000)]
      for (const text of texts) {
        for (const data of [text, [[text]], { [text]: 1 }]) {
          const object = { metadata: {}, data } as object as KubeObject
          await expect(write(StoredValue.fromObject(object))).rejects.toMatchObject({ code: 'too-large' })
          await expect(write(StoredValue.fromText(JSON.stringify(object)))).rejects.toMatchObject({ code: 'too-large' })
        }
      }
      const numbers = Array.from({ length: 200_000 }, (_, i) => i)
      expect(
        (await write(StoredValue.fromObject({ metadata: {}, data: numbers } as object as KubeObject))).succeeded,
      ).toBe(true)
    })

    it('is refused before anybody looks whether the key is as expected, and changes nothing', async () => {
      const { kv, put } = setUp({ maxRequestBytes: 1_000 })
      await put(key)
      await expect(kv.txn({ key, expectedRevision: 0, put: sized(1_000) })).rejects.toThrow('too large')
      expect(kv.revision).toBe(2)
      const unlimited = setUp({ maxRequestBytes: Infinity })
      expect((await unlimited.kv.txn({ key, expectedRevision: 0, put: sized(1_600_000) })).succeeded).toBe(true)
      expect(() => new MemoryKV({ maxRequestBytes: 0 })).toThrow('maxRequestBytes must be above 0, not 0')
    })
  })
})
