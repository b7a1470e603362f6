import { describe, expect, it } from 'vitest'
import { isResourceExpired } from '../errors/guards.ts'
import { capacityUpperBound, WatchCacheHistory, type HistoryOptions } from './history.ts'
import { thrown } from './test-support.ts'

const fresh = 75_000

interface Event {
  readonly resourceVersion: number
  readonly recordTime: number
}

function history(options: HistoryOptions = {}): WatchCacheHistory<Event> {
  return new WatchCacheHistory<Event>(options)
}

function fill(ring: WatchCacheHistory<Event>, count: number, spacing: number, from = 1): void {
  for (let i = 0; i < count; i++) ring.append({ resourceVersion: from + i, recordTime: i * spacing })
}

function versions(ring: WatchCacheHistory<Event>, since: number, listed = 0): number[] {
  const { start, end } = ring.eventsSince(since, listed)
  return Array.from({ length: end - start }, (_, i) => ring.at(start + i).resourceVersion)
}

describe('WatchCacheHistory', () => {
  describe('resizes', () => {
    // Capacity, time between events, expected capacity after one more event; bounds 1 and 1000 unless given.
    it.each([
      [5, fresh / 6, 10, {}],
      [5, fresh / 4, 5, {}],
      [5, fresh + 1_000, 2, {}],
      [5, fresh + 1_000, 3, { lowerBoundCapacity: 3 }],
      [5, fresh / 6, 8, { upperBoundCapacity: 8 }],
      [8, fresh / 9, 16, {}],
      [8, fresh / 8, 8, {}],
      [8, fresh / 2 + 1_000, 4, {}],
    ])('from %i with events every %i ms to %i %o', (capacity, spacing, expected, bounds) => {
      for (const rotation of [0, 3]) {
        const ring = history({ capacity, lowerBoundCapacity: 1, upperBoundCapacity: 1_000, ...bounds })
        // Filled and emptied, so that the ring begins in the middle of its slots.
        fill(ring, rotation, 0)
        ring.reset()
        fill(ring, capacity, spacing)
        ring.append({ resourceVersion: capacity + 1, recordTime: capacity * spacing })
        expect(ring.capacity).toBe(expected)
        expect(ring.endIndex).toBe(rotation + capacity + 1)
        expect(ring.at(ring.endIndex - 1).resourceVersion).toBe(capacity + 1)
      }
    })

    it('keeping indexes and events', () => {
      const ring = history({ capacity: 2, lowerBoundCapacity: 2, upperBoundCapacity: 8 })
      for (let i = 1; i <= 5; i++) expect(ring.append({ resourceVersion: i, recordTime: i })).toBe(i - 1)
      expect([ring.capacity, ring.startIndex, ring.endIndex]).toEqual([8, 0, 5])
      expect(versions(ring, 1)).toEqual([2, 3, 4, 5])
      ring.append({ resourceVersion: 6, recordTime: 6 })
      ring.append({ resourceVersion: 7, recordTime: 7 })
      ring.append({ resourceVersion: 8, recordTime: 8 })
      ring.append({ resourceVersion: 9, recordTime: 10 * fresh })
      expect([ring.capacity, ring.startIndex, ring.endIndex]).toEqual([4, 5, 9])
      expect(versions(ring, 5)).toEqual([6, 7, 8, 9])
    })

    it('not when its newest quarter is just as old as events are kept', () => {
      const ring = history({ capacity: 8, lowerBoundCapacity: 1, upperBoundCapacity: 1_000 })
      fill(ring, 8, 0)
      ring.append({ resourceVersion: 9, recordTime: fresh })
      expect(ring.capacity).toBe(8)
    })

    it('telling of each change', () => {
      const changes: number[][] = []
      const ring = history({
        capacity: 4,
        lowerBoundCapacity: 2,
        upperBoundCapacity: 8,
        onResize: (to, from) => changes.push([from, to]),
      })
      fill(ring, 9, 1)
      ring.append({ resourceVersion: 10, recordTime: 10 * fresh })
      expect(changes).toEqual([
        [0, 4],
        [4, 8],
        [8, 4],
      ])
    })
  })

  it.each([
    [1, 102_400],
    [fresh, 102_400],
    [fresh + 1, 2 * 102_400],
    [2 * fresh, 2 * 102_400],
    [3 * fresh, 4 * 102_400],
    [4 * fresh, 4 * 102_400],
    [2 ** 20 * fresh, 2 ** 14 * 102_400],
  ])('bounds a history of %i ms by %i events', (duration, bound) => {
    expect(capacityUpperBound(duration)).toBe(bound)
  })

  it.each([
    [100, 10, 10, 10],
    [750, 10, 10, 10],
    [7_500, 100, 10, 100],
    [75_000, 100, 10, 1_000],
    [100_000, 100, 10, 1_000],
    [1, 10, 10, 10],
  ])('suggests queues by capacity %i: %i without index, %i with trigger, %i with index only', (capacity, a, b, c) => {
    const ring = history({ capacity })
    expect(ring.suggestedWatchChannelSize(false, false)).toBe(a)
    expect(ring.suggestedWatchChannelSize(true, true)).toBe(b)
    expect(ring.suggestedWatchChannelSize(true, false)).toBe(c)
  })

  describe('eventsSince', () => {
    it('refuses before the first list, as long as there are no events', () => {
      expect(() => history().eventsSince(0, 0)).toThrow("watch cache isn't correctly initialized")
    })

    it('accepts the version of the list and nothing below', () => {
      const ring = history()
      expect(versions(ring, 9, 9)).toEqual([])
      expect(() => ring.eventsSince(8, 9)).toThrow('too old resource version: 8 (9)')
    })

    it('accepts one below the oldest event of a full ring and nothing below that', () => {
      const ring = history({ capacity: 2, upperBoundCapacity: 2 })
      fill(ring, 4, 1, 10)
      expect(versions(ring, 11, 5)).toEqual([12, 13])
      const error = thrown(() => ring.eventsSince(10, 5))
      expect(isResourceExpired(error)).toBe(true)
      expect(error.message).toBe('too old resource version: 10 (11)')
    })

    it('does not let growth hide that an event was removed', () => {
      const ring = history({ capacity: 2, lowerBoundCapacity: 2, upperBoundCapacity: 100 })
      ring.append({ resourceVersion: 20, recordTime: 0 })
      ring.append({ resourceVersion: 30, recordTime: 2 * fresh })
      ring.append({ resourceVersion: 40, recordTime: 2 * fresh + 1 })
      ring.append({ resourceVersion: 50, recordTime: 2 * fresh + 2 })
      expect(ring.capacity).toBe(4)
      expect(() => ring.eventsSince(15, 10)).toThrow('too old resource version: 15 (29)')
      expect(versions(ring, 29, 10)).toEqual([30, 40, 50])
    })

    it('gives nothing for a version that is not there yet', () => {
      const ring = history()
      fill(ring, 3, 1)
      expect(versions(ring, 1_000, 0)).toEqual([])
    })

    it('gives all events of a version that several share', () => {
      const ring = history()
      for (const resourceVersion of [2, 3, 3, 3, 4]) ring.append({ resourceVersion, recordTime: 0 })
      expect(versions(ring, 2)).toEqual([3, 3, 3, 4])
      expect(versions(ring, 3)).toEqual([4])
    })
  })

  it('starts over with growing indexes after a reset', () => {
    const ring = history({ capacity: 2, upperBoundCapacity: 2 })
    fill(ring, 3, 1)
    ring.reset()
    expect([ring.startIndex, ring.endIndex, ring.length]).toEqual([3, 3, 0])
    expect(versions(ring, 9, 9)).toEqual([])
    expect(ring.oldest).toBeUndefined()
  })
})
