import { describe, expect, it } from 'vitest'
import { WatchCacheEvent } from './event.ts'
import { WatchCacheHistory } from './history.ts'
import { HistoryInterval, StateInterval } from './interval.ts'
import { OrderedMap } from './ordered-map.ts'
import { element } from './test-support.ts'

function filled(count: number, capacity = 1_000) {
  const history = new WatchCacheHistory<WatchCacheEvent>({ capacity, upperBoundCapacity: capacity })
  const add = (resourceVersion: number): void => {
    const event = new WatchCacheEvent(
      'ADDED',
      element(`o${resourceVersion}`, resourceVersion),
      undefined,
      resourceVersion,
      0,
      0,
    )
    event.index = history.append(event)
  }
  for (let i = 1; i <= count; i++) add(i)
  return { history, add }
}

function take(interval: { next(): { key: string } | undefined }, count = Infinity): string[] {
  const keys: string[] = []
  while (keys.length < count) {
    const item = interval.next()
    if (item === undefined) break
    keys.push(item.key.slice(item.key.lastIndexOf('/') + 1))
  }
  return keys
}

function expected(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, i) => `o${from + i}`)
}

describe('HistoryInterval', () => {
  it.each([0, 1, 99, 100, 101, 250])('gives %i events in order, then nothing', (count) => {
    const { history } = filled(count)
    const interval = new HistoryInterval(history, { start: 0, end: count }, 0)
    expect(take(interval)).toEqual(count === 0 ? [] : expected(1, count))
    expect(interval.next()).toBeUndefined()
  })

  it('does not give what comes after it was taken', () => {
    const { history, add } = filled(3)
    const interval = new HistoryInterval(history, history.eventsSince(1, 0), 1)
    add(4)
    expect(take(interval)).toEqual(['o2', 'o3'])
  })

  it('delivers a batch that it has copied though the ring has moved on, and fails at the next', () => {
    const { history, add } = filled(200, 200)
    const interval = new HistoryInterval(history, { start: 0, end: 200 }, 0)
    expect(take(interval, 1)).toEqual(['o1'])
    for (let i = 201; i <= 301; i++) add(i)
    expect(take(interval, 99)).toEqual(expected(2, 100))
    expect(() => interval.next()).toThrow('cache interval invalidated, interval startIndex: 100')
  })

  it('goes on as long as the ring has not passed its position', () => {
    const { history, add } = filled(200, 200)
    const interval = new HistoryInterval(history, { start: 0, end: 200 }, 0)
    take(interval, 100)
    for (let i = 201; i <= 300; i++) add(i)
    expect(take(interval)).toEqual(expected(101, 200))
  })

  it('fails after the cache was filled anew', () => {
    const { history } = filled(3)
    const interval = new HistoryInterval(history, { start: 0, end: 3 }, 0)
    history.reset()
    expect(() => interval.next()).toThrow('cache interval invalidated')
  })
})

describe('StateInterval', () => {
  it('lists once, when the first is taken, in key order', () => {
    const state = OrderedMap.from([element('b', 2), element('c', 3), element('a', 1)])
    let lists = 0
    const interval = new StateInterval(() => (lists++, state.withPrefix('/configmaps/t1/')), 7)
    expect(lists).toBe(0)
    expect(take(interval)).toEqual(['a', 'b', 'c'])
    expect(interval.next()).toBeUndefined()
    expect(lists).toBe(1)
    expect(interval.resourceVersion).toBe(7)
  })

  it('lists once even when there is nothing', () => {
    let lists = 0
    const interval = new StateInterval(() => (lists++, []), 7)
    expect(interval.next()).toBeUndefined()
    expect(interval.next()).toBeUndefined()
    expect(lists).toBe(1)
  })
})
