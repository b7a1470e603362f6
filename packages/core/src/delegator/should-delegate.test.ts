import { describe, expect, it } from 'vitest'
import { listOptions, thrown } from '../cacher/test-support.ts'
import { encodeContinue } from '../meta/continue-token.ts'
import { StatusError } from '../errors/status.ts'
import { shouldDelegateList, type DelegateHelper } from './should-delegate.ts'

const [old, cached, stored] = ['100', '200', '300']

function helper(options: Partial<DelegateHelper> = {}): DelegateHelper {
  return {
    resourceVersion: Number(cached),
    snapshots: true,
    supportsProgress: true,
    resourcePrefix: '/pods/',
    canServeExact: (resourceVersion) => resourceVersion >= BigInt(cached),
    ...options,
  }
}

const token = (resourceVersion: number): string => encodeContinue('/pods/a', '/pods/', resourceVersion)

type Answer = 'cache' | 'storage' | 'consistent' | 'consistent from storage'

function decide(rv: string, match: string, selector: object, cache: DelegateHelper, recursive = true): Answer {
  const { shouldDelegate, consistentRead } = shouldDelegateList(
    { ...listOptions(rv, match, selector), recursive },
    cache,
  )
  if (consistentRead) return shouldDelegate ? 'consistent from storage' : 'consistent'
  return shouldDelegate ? 'storage' : 'cache'
}

describe('shouldDelegateList', () => {
  // resourceVersion, match, continue, limit; with snapshots, without snapshots, without progress, not recursive.
  it.each<[string, string, number | '', number, Answer, Answer, Answer, Answer]>([
    ['', '', '', 0, 'consistent', 'consistent', 'consistent from storage', 'consistent'],
    ['', '', '', 100, 'consistent', 'consistent', 'consistent from storage', 'consistent'],
    ['0', '', '', 0, 'cache', 'cache', 'cache', 'cache'],
    ['0', '', '', 100, 'cache', 'cache', 'cache', 'cache'],
    ['0', 'NotOlderThan', '', 100, 'cache', 'cache', 'cache', 'cache'],
    [old, '', '', 0, 'cache', 'cache', 'cache', 'cache'],
    [old, '', '', 100, 'storage', 'storage', 'storage', 'storage'],
    [old, 'NotOlderThan', '', 100, 'cache', 'cache', 'cache', 'cache'],
    [old, 'Exact', '', 0, 'storage', 'storage', 'storage', 'storage'],
    [cached, '', '', 100, 'cache', 'storage', 'cache', 'storage'],
    [cached, 'Exact', '', 0, 'cache', 'storage', 'cache', 'storage'],
    [cached, 'NotOlderThan', '', 0, 'cache', 'cache', 'cache', 'cache'],
    [stored, '', '', 0, 'cache', 'cache', 'cache', 'cache'],
    [stored, '', '', 100, 'cache', 'storage', 'storage', 'storage'],
    [stored, 'Exact', '', 100, 'cache', 'storage', 'storage', 'storage'],
    [stored, 'NotOlderThan', '', 100, 'cache', 'cache', 'cache', 'cache'],
    ['', '', 100, 100, 'storage', 'storage', 'storage', 'storage'],
    ['', '', 200, 100, 'cache', 'storage', 'cache', 'storage'],
    ['', '', 300, 100, 'cache', 'storage', 'storage', 'storage'],
    ['', '', -1, 100, 'consistent', 'storage', 'consistent from storage', 'storage'],
    ['0', '', 200, 0, 'cache', 'storage', 'cache', 'storage'],
    ['00', '', '', 100, 'storage', 'storage', 'storage', 'storage'],
    ['', 'Other', '', 0, 'storage', 'storage', 'storage', 'storage'],
  ])('decides resourceVersion=%j match=%j continue=%j limit=%j', (rv, match, at, limit, ...expected) => {
    const selector = { limit, ...(at !== '' && { continue: token(at) }) }
    expect([
      decide(rv, match, selector, helper()),
      decide(rv, match, selector, helper({ snapshots: false })),
      decide(rv, match, selector, helper({ supportsProgress: false })),
      decide(rv, match, selector, helper(), false),
    ]).toEqual(expected)
  })

  it('refuses a continue token that is none', () => {
    const error = thrown(() => shouldDelegateList(listOptions('', '', { continue: 'a' }), helper()))
    expect(error).toBeInstanceOf(StatusError)
    expect(error).toMatchObject({ code: 400, message: expect.stringContaining('invalid continue token') })
  })
})
