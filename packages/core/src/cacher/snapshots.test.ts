import { describe, expect, it } from 'vitest'
import { OrderedMap } from './ordered-map.ts'
import { Snapshots, type Snapshot } from './snapshots.ts'
import { element } from './test-support.ts'

function state(name: string): Snapshot {
  return OrderedMap.from([element(name, 1)])
}

describe('Snapshots', () => {
  it('finds the newest that is not above', () => {
    const snapshots = new Snapshots()
    const [a, b, c] = [state('a'), state('b'), state('c')]
    expect(snapshots.getLessOrEqual(1)).toBeUndefined()
    snapshots.add(10, a)
    snapshots.add(20, b)
    snapshots.add(30, c)
    expect(snapshots.getLessOrEqual(9)).toBeUndefined()
    expect(snapshots.getLessOrEqual(10)).toBe(a)
    expect(snapshots.getLessOrEqual(19n)).toBe(a)
    expect(snapshots.getLessOrEqual(20)).toBe(b)
    expect(snapshots.getLessOrEqual(1_000n)).toBe(c)
  })

  it('replaces the one of the same version', () => {
    const snapshots = new Snapshots()
    const [a, b] = [state('a'), state('b')]
    snapshots.add(10, a)
    snapshots.add(10, b)
    expect(snapshots.length).toBe(1)
    expect(snapshots.getLessOrEqual(10)).toBe(b)
  })

  it('removes those below a version, not the one of it', () => {
    const snapshots = new Snapshots()
    for (let i = 1; i <= 300; i++) snapshots.add(i, state(`s${i}`))
    snapshots.removeLess(200)
    expect(snapshots.length).toBe(101)
    expect(snapshots.getLessOrEqual(199)).toBeUndefined()
    expect(snapshots.getLessOrEqual(200)?.toArray()[0]?.key).toBe('/configmaps/t1/s200')
    snapshots.add(301, state('s301'))
    expect(snapshots.getLessOrEqual(300)?.toArray()[0]?.key).toBe('/configmaps/t1/s300')
    snapshots.removeLess(1_000)
    expect(snapshots.length).toBe(0)
  })

  it('keeps the newest when the storage compacts past it', () => {
    const snapshots = new Snapshots()
    const [a, b] = [state('a'), state('b')]
    snapshots.add(10, a)
    snapshots.add(20, b)
    snapshots.compact(10)
    // What is compacted to can still be read.
    expect(snapshots.getLessOrEqual(19)).toBe(a)
    snapshots.compact(20)
    expect(snapshots.getLessOrEqual(19)).toBeUndefined()
    snapshots.compact(1_000)
    expect(snapshots.getLessOrEqual(1_000)).toBe(b)
  })

  it('is empty after it was cleared', () => {
    const snapshots = new Snapshots()
    snapshots.add(10, state('a'))
    snapshots.clear()
    expect(snapshots.length).toBe(0)
    expect(snapshots.getLessOrEqual(10)).toBeUndefined()
  })
})
