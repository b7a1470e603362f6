import { describe, expect, it } from 'vitest'
import { isResourceExpired } from '../errors/guards.ts'
import type { KubeObject } from '../meta/types.ts'
import { Indexer } from './indexer.ts'
import { WatchCacheStorage } from './store.ts'
import { element, keyOf, thrown } from './test-support.ts'

function keys(elements: readonly { key: string }[]): string[] {
  return elements.map(({ key }) => key.slice(key.lastIndexOf('/') + 1)).sort()
}

describe('Indexer', () => {
  const byLabels = (object: KubeObject): string[] => Object.values(object.metadata.labels ?? {})
  const indexer = (): Indexer => new Indexer({ 'l:any': byLabels })

  it('moves an element between the values it has', () => {
    const index = indexer()
    const [a1, a2] = [element('a', 1, { labels: { x: '1', y: '2' } }), element('a', 2, { labels: { x: '2', y: '3' } })]
    index.update(undefined, a1)
    expect(keys(index.byIndex('l:any', '1'))).toEqual(['a'])
    index.update(a1, a2)
    expect(index.byIndex('l:any', '1')).toEqual([])
    expect(index.byIndex('l:any', '2')).toEqual([a2])
    expect(index.byIndex('l:any', '3')).toEqual([a2])
    index.update(a2, undefined)
    expect(index.byIndex('l:any', '2')).toEqual([])
  })

  it('keeps several elements of one value apart', () => {
    const index = indexer()
    const [a, b] = [element('a', 1, { labels: { x: '1' } }), element('b', 2, { labels: { x: '1' } })]
    index.update(undefined, a)
    index.update(undefined, b)
    expect(keys(index.byIndex('l:any', '1'))).toEqual(['a', 'b'])
    index.update(a, undefined)
    expect(keys(index.byIndex('l:any', '1'))).toEqual(['b'])
  })

  it('refuses an index it does not have', () => {
    expect(() => indexer().byIndex('f:none', 'x')).toThrow('index with name f:none does not exist')
  })
})

describe('WatchCacheStorage', () => {
  it('serves each state it has been in', () => {
    const storage = new WatchCacheStorage({ snapshots: true })
    storage.replace([element('a', 2)], 3)
    storage.update('ADDED', element('b', 5), 5)
    storage.update('MODIFIED', element('a', 7), 7)
    storage.update('DELETED', element('b', 9), 9)
    expect(keys(storage.exact(3).toArray())).toEqual(['a'])
    expect(keys(storage.exact(6n).toArray())).toEqual(['a', 'b'])
    expect(storage.exact(8).get(keyOf('a'))?.object.resourceVersion).toBe(7)
    expect(keys(storage.exact(100).toArray())).toEqual(['a'])
    expect(() => storage.exact(2n)).toThrow('too old resource version: 2')
    expect(storage.canServeExact(2)).toBe(false)
    expect(storage.canServeExact(3)).toBe(true)
    expect(storage.listResourceVersion).toBe(3)
  })

  it('has nothing but its list after it was replaced', () => {
    const storage = new WatchCacheStorage({ snapshots: true, indexers: { 'f:n': (o) => [o.metadata.name!] } })
    storage.replace([element('a', 2)], 3)
    storage.update('ADDED', element('b', 5), 5)
    storage.replace([element('c', 8)], 9)
    expect(storage.canServeExact(8)).toBe(false)
    expect(keys(storage.latest.toArray())).toEqual(['c'])
    expect(storage.byIndex('f:n', 'a')).toEqual([])
    expect(keys(storage.byIndex('f:n', 'c'))).toEqual(['c'])
  })

  it('keeps no states where it is not to', () => {
    const storage = new WatchCacheStorage({ snapshots: false })
    storage.replace([element('a', 2)], 3)
    expect(storage.snapshottingEnabled).toBe(false)
    expect(isResourceExpired(thrown(() => storage.exact(3)))).toBe(true)
    storage.markConsistent(true)
    expect(storage.snapshottingEnabled).toBe(false)
  })

  it('stops keeping states while it is not consistent', () => {
    const storage = new WatchCacheStorage({ snapshots: true })
    storage.replace([element('a', 2)], 3)
    storage.markConsistent(false)
    storage.update('ADDED', element('b', 5), 5)
    expect(storage.snapshotCount).toBe(0)
    expect(storage.canServeExact(5)).toBe(false)
    storage.markConsistent(true)
    expect(storage.canServeExact(5)).toBe(false)
    storage.update('ADDED', element('c', 6), 6)
    expect(keys(storage.exact(6).toArray())).toEqual(['a', 'b', 'c'])
  })

  it('drops states below what the history begins with', () => {
    const storage = new WatchCacheStorage({ snapshots: true })
    storage.replace([], 3)
    for (let i = 4; i < 9; i++) storage.update('ADDED', element(`o${i}`, i), i)
    storage.dropBelow(6)
    expect(storage.canServeExact(5)).toBe(false)
    expect(storage.canServeExact(6)).toBe(true)
  })
})
