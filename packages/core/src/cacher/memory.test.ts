import { describe, expect, it } from 'vitest'
import { defaultNamespaceScopedAttributes } from '../meta/selection-predicate.ts'
import type { Storage, WatchEvent } from '../storage/storage.ts'
import type { StoredObject } from '../storage/stored-object.ts'
import { StoreWatch } from '../storage/store-watch.ts'
import { FakeClock } from '../testing/fake-clock.ts'
import type { CacheWatcher } from './cache-watcher.ts'
import { Cacher } from './cacher.ts'
import { WatchCacheHistory } from './history.ts'
import { drain, stored, watchOptions } from './test-support.ts'

const gc = (globalThis as { gc?: () => void }).gc!

async function heapUsed(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setImmediate(resolve))
    gc()
  }
  return process.memoryUsage().heapUsed
}

/** A cache that is told what happens, with nothing behind it that would keep anything. */
async function newCache(capacity: number) {
  const clock = new FakeClock()
  const source = new StoreWatch<WatchEvent, never>(
    (event) => event as WatchEvent<never>,
    () => ({ type: 'ERROR', status: { metadata: {} } }),
    () => {},
  )
  source.push({ type: 'BOOKMARK', resourceVersion: 1, initialEventsEnd: true })
  const storage = {
    watch: async () => source,
    compactRevision: () => 0,
    currentResourceVersion: async () => 1,
    requestWatchProgress: async () => {},
    close: async () => {},
  } as unknown as Storage
  const cacher = new Cacher({
    storage,
    clock,
    groupResource: { group: '', resource: 'configmaps' },
    resourcePrefix: '/configmaps',
    getAttributes: defaultNamespaceScopedAttributes,
    tuning: { history: { capacity, lowerBoundCapacity: capacity, upperBoundCapacity: capacity } },
  })
  await cacher.ready.wait()
  let rv = 1
  return {
    cacher,
    clock,
    /** Changes one of a hundred objects; answers its new state. */
    change: (): StoredObject => {
      rv++
      const object = stored(`o${rv % 100}`, rv, { data: 'x'.repeat(100) })
      source.push({ type: rv <= 100 ? 'ADDED' : 'MODIFIED', object })
      return object
    },
  }
}

describe('The cache lets go', () => {
  it('of events that have left its history, however long a watch has been running', async () => {
    const { cacher, change } = await newCache(100)
    for (let i = 0; i < 100; i++) change()
    // One that reads, one that is about nothing, one that has yet to read its history.
    const reading = await cacher.watch('/configmaps', watchOptions('1'))
    const idle = await cacher.watch('/configmaps', watchOptions('1', { labels: 'none=such' }))
    const behind = await cacher.watch('/configmaps', watchOptions('1'))
    reading.onReadable = () => void drain(reading)
    drain(reading)
    const references: WeakRef<StoredObject>[] = []
    for (let i = 0; i < 2_000; i++) {
      references.push(new WeakRef(change()))
      if (i % 64 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    expect([reading, idle, behind].map((watch) => (watch as CacheWatcher).stopped)).toEqual([false, false, true])
    await heapUsed()
    const alive = references.flatMap((reference, i) => (reference.deref() === undefined ? [] : [i]))
    // The last hundred, what each of those replaced, and what the watch that was too slow was given before its end.
    expect(alive.length).toBeLessThanOrEqual(2 * 100 + 1)
    expect(alive.every((i) => i >= 2_000 - 2 * 100 - 1)).toBe(true)
    await cacher.close()
  })

  it('of all it held for a watch that was stopped before it had read anything', async () => {
    const { cacher, change } = await newCache(100)
    const references: WeakRef<StoredObject>[] = []
    for (let i = 0; i < 100; i++) references.push(new WeakRef(change()))
    const watch = await cacher.watch('/configmaps', watchOptions('1'))
    watch.stop()
    for (let i = 0; i < 300; i++) change()
    await heapUsed()
    expect(references.filter((reference) => reference.deref() !== undefined)).toHaveLength(0)
    expect(watch.ended).toBe(true)
    await cacher.close()
  })

  it('so that a million events through its history keep the heap flat', async () => {
    const history = new WatchCacheHistory<{ resourceVersion: number; recordTime: number; payload: number[] }>()
    const run = (from: number, to: number): void => {
      for (let rv = from; rv < to; rv++) {
        // Now many in a second, now few: it grows and shrinks on the way.
        const recordTime = rv % 200_000 < 100_000 ? rv * 10 : rv * 1_000
        history.append({ resourceVersion: rv, recordTime, payload: [rv, rv, rv, rv] })
      }
    }
    run(1, 100_000)
    const before = await heapUsed()
    run(100_000, 1_000_001)
    const after = await heapUsed()
    expect(history.endIndex).toBe(1_000_000)
    expect(after - before).toBeLessThan(2_000_000)
  })

  it('so that many events through all of it keep the heap flat', async () => {
    const { cacher, change } = await newCache(1_000)
    const watch = await cacher.watch('/configmaps', watchOptions('1'))
    watch.onReadable = () => void drain(watch)
    const run = async (events: number): Promise<void> => {
      for (let i = 0; i < events; i++) {
        change()
        // The dispatcher lets others have a turn now and then.
        if (i % 128 === 0) await new Promise((resolve) => setImmediate(resolve))
      }
    }
    await run(20_000)
    const before = await heapUsed()
    await run(100_000)
    const after = await heapUsed()
    expect(cacher.state()).toMatchObject({ historyLength: 1_000, resourceVersion: 120_001, watchers: 1 })
    expect(after - before).toBeLessThan(2_000_000)
    await cacher.close()
  })
})
