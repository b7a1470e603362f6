import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KVError } from '../kv.ts'
import { StoredValue } from '../value.ts'
import { Mvcc } from './mvcc.ts'

const keys = ['a', 'a/b', 'b', 'é', '\uffff', '\u{10000}']
const byteOrder = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

interface ModelVersion {
  value: number
  createRevision: number
  modRevision: number
  version: number
}

/** What an MVCC store is: a whole map for each revision. */
class Model {
  revisions: Map<string, ModelVersion>[] = [new Map(), new Map()]
  log: { revision: number; key: string; put: boolean }[] = []
  compacted = 0

  get revision(): number {
    return this.revisions.length - 1
  }

  commit(changes: readonly { key: string; value: number | undefined }[]): void {
    const next = new Map(this.revisions.at(-1))
    const revision = this.revision + 1
    const log: typeof this.log = []
    for (const { key, value } of changes) {
      const previous = next.get(key)
      if (value === undefined) {
        if (!next.delete(key)) continue
      } else {
        const createRevision = previous?.createRevision ?? revision
        next.set(key, { value, createRevision, modRevision: revision, version: (previous?.version ?? 0) + 1 })
      }
      log.push({ revision, key, put: value !== undefined })
    }
    if (log.length === 0) return
    this.revisions.push(next)
    this.log.push(...log)
  }
}

type Step =
  | { kind: 'commit'; changes: { key: string; value: number | undefined }[] }
  | { kind: 'compact'; share: number }
  | { kind: 'reload' }

const change = fc.record({ key: fc.constantFrom(...keys), value: fc.option(fc.nat(9), { nil: undefined }) })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      changes: fc.uniqueArray(change, { selector: ({ key }) => key, minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('compact' as const), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'reload' as const }) },
)

/** The code of the error that `run` throws. */
function refusal(run: () => unknown): string | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    return (error as KVError).code
  }
}

function read(mvcc: Mvcc, key: string, revision: number): ModelVersion | undefined {
  const kv = mvcc.get(key, revision)
  if (kv === undefined) return undefined
  const { value, createRevision, modRevision, version } = kv
  return { value: Number(value.text), createRevision, modRevision, version }
}

function check(mvcc: Mvcc, model: Model): void {
  expect(mvcc.revision).toBe(model.revision)
  expect(mvcc.compactRevision).toBe(model.compacted)
  for (let revision = Math.max(1, model.compacted); revision <= model.revision; revision++) {
    const expected = model.revisions[revision]!
    for (const key of keys) expect(read(mvcc, key, revision)).toEqual(expected.get(key))
    const sorted = [...expected.keys()].sort(byteOrder)
    const found = mvcc.range('a', '\u{10ffff}', revision, 2, false)
    expect(found.kvs.map((kv) => kv.key)).toEqual(sorted.slice(0, 2))
    expect(found.count).toBe(sorted.length)
  }
  for (const key of keys) expect(read(mvcc, key, 0)).toEqual(model.revisions.at(-1)!.get(key))
  const since = Math.max(1, model.compacted)
  const events = mvcc.commitsSince(since).flatMap((commit) => commit.events)
  expect(events.map(({ type, kv }) => ({ revision: kv.modRevision, key: kv.key, put: type === 'put' }))).toEqual(
    model.log.filter((entry) => entry.revision >= since),
  )
  for (const { kv, previous } of events) {
    const before = kv.modRevision - 1
    const expected = before < model.compacted ? undefined : model.revisions[before]!.get(kv.key)
    expect(previous && Number(previous.value.text)).toBe(expected?.value)
  }
}

/** Takes a step in both. Answers how the store refused to, and how it should have. */
function take(step: Step, mvcc: Mvcc, model: Model): [actual: string | undefined, expected: string | undefined] {
  if (step.kind === 'commit') {
    model.commit(step.changes)
    const stored = (value: number | undefined): StoredValue | undefined =>
      value === undefined ? undefined : StoredValue.fromText(String(value))
    mvcc.commit(step.changes.map(({ key, value }) => ({ key, value: stored(value) })))
    return [undefined, undefined]
  }
  if (step.kind === 'reload') {
    const saved = mvcc.save()
    mvcc.commit([{ key: 'a', value: StoredValue.fromText('lost') }])
    mvcc.load(saved)
    return [undefined, undefined]
  }
  const revision = Math.round(step.share * model.revision)
  const expected = revision <= model.compacted ? 'compacted' : undefined
  model.compacted = Math.max(model.compacted, revision)
  return [refusal(() => mvcc.compact(revision)), expected]
}

describe('Mvcc', () => {
  it('shows at each revision what a copy of everything would show', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const mvcc = new Mvcc()
        const model = new Model()
        for (const step of steps) {
          const [actual, expected] = take(step, mvcc, model)
          expect(actual).toBe(expected)
        }
        check(mvcc, model)
        expect(refusal(() => mvcc.get('a', model.revision + 1))).toBe('future-revision')
        const below = refusal(() => mvcc.get('a', model.compacted - 1))
        expect(below).toBe(model.compacted > 1 ? 'compacted' : undefined)
      }),
      { numRuns: 200 },
    )
  })

  it('forgets keys that are deleted and compacted', () => {
    const mvcc = new Mvcc()
    for (let i = 0; i < 10; i++) mvcc.commit([{ key: `k${i}`, value: StoredValue.fromText(String(i)) }])
    for (let i = 0; i < 10; i++) mvcc.commit([{ key: `k${i}`, value: undefined }])
    mvcc.compact(mvcc.revision)
    const { histories, commits } = mvcc.save() as { histories: unknown[]; commits: unknown[] }
    // The last deletion can still be watched from.
    expect([histories.length, commits.length]).toEqual([0, 1])
  })
})
