import { describe, expect, it } from 'vitest'
import { FakeClock } from '../testing/fake-clock.ts'
import { BookmarkTimeBuckets, type BookmarkReceiver } from './bookmarks.ts'

interface Receiver extends BookmarkReceiver {
  readonly name: string
}

function receiver(name: string, time: (now: number) => number | 'immediately' | undefined): Receiver {
  return { name, nextBookmarkTime: (now) => time(now) }
}

function pop(buckets: BookmarkTimeBuckets<Receiver>): string[] {
  return buckets.popExpired().map(({ name }) => name)
}

describe('BookmarkTimeBuckets', () => {
  it('gives each watcher within a second of its time', async () => {
    const clock = new FakeClock()
    const buckets = new BookmarkTimeBuckets<Receiver>(clock)
    buckets.add(receiver('8s', (now) => now + 8_000))
    buckets.add(receiver('18s', (now) => now + 18_000))
    await clock.step(7_999)
    expect(pop(buckets)).toEqual([])
    await clock.step(1)
    expect(pop(buckets)).toEqual(['8s'])
    await clock.step(9_000)
    expect(pop(buckets)).toEqual([])
    await clock.step(1_000)
    expect(pop(buckets)).toEqual(['18s'])
    expect(buckets.size).toBe(0)
  })

  it('gives a watcher that waits at the next turn, not twice in the same', async () => {
    const clock = new FakeClock()
    const buckets = new BookmarkTimeBuckets<Receiver>(clock)
    const waiting = receiver('waiting', () => 'immediately')
    buckets.add(waiting)
    expect(pop(buckets)).toEqual(['waiting'])
    buckets.add(waiting)
    expect(pop(buckets)).toEqual([])
    await clock.step(1_000)
    expect(pop(buckets)).toEqual(['waiting'])
  })

  it('does not take a watcher that gets no more bookmarks', () => {
    const buckets = new BookmarkTimeBuckets<Receiver>(new FakeClock())
    expect(buckets.add(receiver('done', () => undefined))).toBe(false)
    expect(buckets.size).toBe(0)
  })

  it('lets a watcher go that has ended', async () => {
    const clock = new FakeClock()
    const buckets = new BookmarkTimeBuckets<Receiver>(clock)
    const [a, b] = [receiver('a', (now) => now), receiver('b', (now) => now)]
    buckets.add(a)
    buckets.add(b)
    buckets.delete(a)
    buckets.delete(a)
    expect(buckets.size).toBe(1)
    expect(pop(buckets)).toEqual(['b'])
  })

  it('goes on after a pause longer than anything planned', async () => {
    const clock = new FakeClock()
    const buckets = new BookmarkTimeBuckets<Receiver>(clock)
    buckets.add(receiver('late', (now) => now + 1_000))
    await clock.step(3_600_000)
    expect(pop(buckets)).toEqual(['late'])
    buckets.add(receiver('past', () => 0))
    expect(pop(buckets)).toEqual([])
    await clock.step(1_000)
    expect(pop(buckets)).toEqual(['past'])
  })
})
