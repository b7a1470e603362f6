import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../meta/types.ts'
import type { ListOptions, ListResult } from '../storage/storage.ts'
import { StoredObject } from '../storage/stored-object.ts'
import { FakeClock } from '../testing/fake-clock.ts'
import { ConsistencyChecker, consistencyCheckPeriod } from './consistency.ts'
import { Fnv64 } from './fnv.ts'

function pod(name: string, resourceVersion: number): StoredObject {
  return StoredObject.at(`/pods/default/${name}`, resourceVersion, {
    metadata: { name, namespace: 'default' },
  } as KubeObject)
}

interface Answer {
  readonly rv: string
  readonly items: readonly StoredObject[]
  readonly continue?: string
}

function lister(answers: Answer[]) {
  const asked: object[] = []
  return {
    asked,
    getList: async (_key: string, options: ListOptions): Promise<ListResult> => {
      const { resourceVersion, resourceVersionMatch, predicate } = options
      asked.push({ resourceVersion, resourceVersionMatch, limit: predicate.limit, continue: predicate.continue })
      const answer = answers.shift()!
      const { rv, items, continue: token = '' } = answer
      return { resourceVersion: rv, items, continue: token, remainingItemCount: undefined }
    },
  }
}

function checker(cached: Answer[], stored: Answer[], isReady = true) {
  const clock = new FakeClock()
  const [cache, storage] = [lister(cached), lister(stored)]
  const marks: boolean[] = []
  const statuses: string[] = []
  const errors: string[] = []
  const made = new ConsistencyChecker({
    clock,
    cacher: { ...cache, ready: { isReady }, markConsistent: (consistent) => void marks.push(consistent) },
    storage,
    resourcePrefix: '/pods',
    metrics: { consistencyCheck: (status) => void statuses.push(status) },
    random: () => 0.5,
    onInconsistency: (error) => void errors.push(error.message),
  })
  return { clock, checker: made, cache, storage, marks, statuses, errors }
}

describe('ConsistencyChecker', () => {
  it('is content with equal lists', async () => {
    const at = checker([{ rv: '2', items: [pod('pod', 2)] }], [{ rv: '2', items: [pod('pod', 2)] }])
    expect(await at.checker.calculateDigests()).toEqual({
      resourceVersion: '2',
      cacheDigest: '86bf3a5e80d1c5cb',
      storageDigest: '86bf3a5e80d1c5cb',
      difference: undefined,
    })
    at.checker.stop()
  })

  it('knows the digest of nothing', async () => {
    const at = checker([{ rv: '2', items: [] }], [{ rv: '2', items: [] }])
    expect((await at.checker.calculateDigests()).cacheDigest).toBe('cbf29ce484222325')
    at.checker.stop()
  })

  it.each([
    ['missing from the cache', [], [pod('a', 2)], { index: 0, cached: undefined, stored: 'default/a/2' }],
    ['missing from the storage', [pod('a', 2)], [], { index: 0, cached: 'default/a/2', stored: undefined }],
    [
      'older in the cache',
      [pod('a', 2), pod('b', 3)],
      [pod('a', 2), pod('b', 4)],
      { index: 1, cached: 'default/b/3', stored: 'default/b/4' },
    ],
  ])('finds what is %s', async (_name, cached, stored, difference) => {
    const at = checker([{ rv: '9', items: cached }], [{ rv: '9', items: stored }])
    await at.checker.check()
    expect(at.marks).toEqual([false])
    expect(at.statuses).toEqual(['failure'])
    const { index, cached: ours = 'nothing', stored: theirs = 'nothing' } = difference
    expect(at.errors[0]).toContain(`item ${index} is ${ours} in the cache and ${theirs} in the storage`)
    at.checker.stop()
  })

  it('asks for the same version, and on later pages for nothing but the page', async () => {
    const stored = [
      { rv: '9', items: [pod('a', 2)], continue: 'more' },
      { rv: '9', items: [pod('b', 3)] },
    ]
    const at = checker([{ rv: '9', items: [pod('a', 2), pod('b', 3)] }], stored)
    await at.checker.check()
    expect(at.cache.asked).toEqual([
      { resourceVersion: '0', resourceVersionMatch: 'NotOlderThan', limit: 0, continue: '' },
    ])
    expect(at.storage.asked).toEqual([
      { resourceVersion: '9', resourceVersionMatch: 'Exact', limit: 10_000, continue: '' },
      { resourceVersion: '', resourceVersionMatch: '', limit: 10_000, continue: 'more' },
    ])
    expect(at.statuses).toEqual(['success'])
    at.checker.stop()
  })

  it('changes nothing when it cannot compare', async () => {
    const unready = checker([], [], false)
    await unready.checker.check()
    const other = checker([{ rv: '9', items: [] }], [{ rv: '8', items: [] }])
    await other.checker.check()
    expect([unready.statuses, other.statuses]).toEqual([['error'], ['error']])
    expect([unready.marks, other.marks]).toEqual([[], []])
    expect([...unready.errors, ...other.errors]).toEqual([
      'cache is not ready',
      'etcd returned different resource version then expected, cache: "9", etcd: "8"',
    ])
    unready.checker.stop()
    other.checker.stop()
  })

  it('compares every now and then until it is stopped', async () => {
    const answers = (): Answer[] => Array.from({ length: 3 }, () => ({ rv: '2', items: [] }))
    const at = checker(answers(), answers())
    await at.clock.step(375_000 - 1)
    expect(at.statuses).toEqual([])
    await at.clock.step(1)
    expect(at.statuses).toEqual(['success'])
    await at.clock.step(consistencyCheckPeriod * 1.25)
    expect(at.statuses).toEqual(['success', 'success'])
    at.checker.stop()
    await at.clock.step(consistencyCheckPeriod * 2)
    expect(at.statuses).toHaveLength(2)
    expect(at.clock.pendingTimers).toBe(0)
  })
})

it('hashes as Go does', () => {
  const hash = new Fnv64()
  hash.write('default/pod/2')
  expect(hash.toString()).toBe('86bf3a5e80d1c5cb')
})
