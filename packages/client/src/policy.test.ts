import { describe, expect, it } from 'vitest'
import type { Outcome } from './classify.ts'
import { type Decision, type PolicyState, decide } from './policy.ts'

const fresh: PolicyState = {
  verb: 'list',
  replayable: true,
  pinned: true,
  last: false,
  fallback: 'unpin',
  behind: 0,
  throttled: 0,
  broken: 0,
  remainingMs: 30_000,
  random: 0,
}
const behind: Outcome = { kind: 'behind', hintMs: 1000 }
const storageBehind: Outcome = { kind: 'behind', hintMs: undefined }
const throttled = (hintMs?: number, more: object = {}): Outcome => ({
  kind: 'throttled',
  hintMs,
  disruptionBudget: false,
  behind: false,
  ...more,
})
const unavailable: Outcome = { kind: 'unavailable', hintMs: undefined }
const surface = (gaveUp: boolean): Decision => ({ action: 'surface', ms: 0, gaveUp })
const wait = (ms: number, reason: string): Decision => ({ action: 'wait', ms, reason }) as Decision
const unpin = (ms: number, reason: string): Decision => ({ action: 'unpin', ms, reason }) as Decision

const table: readonly [string, Partial<PolicyState>, Outcome, Decision][] = [
  ['surfaces success', {}, { kind: 'ok' }, surface(false)],
  ['surfaces what is plainly wrong', {}, { kind: 'failed' }, surface(false)],
  ['surfaces a conflict', { verb: 'write' }, { kind: 'conflict' }, surface(false)],
  ['surfaces gone', {}, { kind: 'gone', continueToken: 'x' }, surface(false)],

  ['waits out a GET’s hint once', { verb: 'get' }, behind, wait(1000, 'behind')],
  ['then reads the object unpinned at once', { verb: 'get', behind: 1 }, behind, unpin(0, 'behind')],
  ['and surfaces what that says', { verb: 'get', behind: 2, last: true, pinned: false }, behind, surface(true)],
  ['waits out a LIST’s hint', { behind: 0 }, behind, wait(1000, 'behind')],
  ['waits out a LIST’s hint four times', { behind: 3 }, behind, wait(1000, 'behind')],
  ['then lists unpinned', { behind: 4 }, behind, unpin(0, 'behind')],
  ['spreads the unpinned lists over a second', { behind: 4, random: 0.7 }, behind, unpin(700, 'behind')],
  ['surfaces instead with fallback: error', { behind: 4, fallback: 'error' }, behind, surface(true)],
  ['surfaces a caller’s own pin in the end', { behind: 4, pinned: false }, behind, surface(true)],
  ['adds jitter above the hint only', { random: 0.999 }, behind, wait(1500, 'behind')],
  ['surfaces a hint beyond the deadline at once', { remainingMs: 999 }, behind, surface(true)],
  ['keeps jitter within the deadline', { remainingMs: 1200, random: 0.9 }, behind, wait(1200, 'behind')],
  ['keeps the spread within the deadline', { behind: 4, random: 0.7, remainingMs: 300 }, behind, unpin(300, 'behind')],
  ['does not list unpinned past the deadline', { behind: 4, remainingMs: -1 }, behind, surface(true)],
  ['does not retry a write that is told "behind"', { verb: 'write', pinned: false }, behind, surface(true)],

  ['reads unpinned at once when the storage is behind', {}, storageBehind, unpin(0, 'storage-behind')],
  ['the same for a GET', { verb: 'get' }, storageBehind, unpin(0, 'storage-behind')],
  ['the same for a future revision', {}, { kind: 'future-revision' }, unpin(0, 'storage-behind')],
  ['surfaces a future revision nobody pinned', { pinned: false }, { kind: 'future-revision' }, surface(true)],
  ['surfaces the storage behind with fallback: error', { fallback: 'error' }, storageBehind, surface(true)],

  ['waits out a 429 on a read', {}, throttled(2000), wait(2000, 'throttled')],
  ['waits out a 429 on a write', { verb: 'write', pinned: false }, throttled(2000), wait(2000, 'throttled')],
  ['calls a 429 of the cache "behind"', { pinned: false }, throttled(1000, { behind: true }), wait(1000, 'behind')],
  ['surfaces a 429 whose body cannot be sent again', { replayable: false }, throttled(2000), surface(true)],
  ['surfaces a disruption budget', { verb: 'write' }, throttled(10_000, { disruptionBudget: true }), surface(false)],
  ['backs off a read after a 429 without a hint', {}, throttled(), wait(500, 'throttled')],
  ['doubles that', { throttled: 2 }, throttled(), wait(2000, 'throttled')],
  ['takes a hint of 0 for none', { throttled: 1 }, throttled(0), wait(1000, 'throttled')],
  ['surfaces a write’s 429 without a hint', { verb: 'write' }, throttled(), surface(true)],
  ['surfaces the eleventh 429', { throttled: 10 }, throttled(1000), surface(true)],
  ['surfaces a 429 on the last read', { last: true, pinned: false }, throttled(1000), surface(true)],

  ['sends a read again after a broken connection', {}, { kind: 'broken' }, wait(250, 'broken')],
  ['backs off', { broken: 2 }, { kind: 'broken' }, wait(1000, 'broken')],
  ['gives up after three', { broken: 3 }, { kind: 'broken' }, surface(true)],
  ['surfaces a write’s broken connection', { verb: 'write' }, { kind: 'broken' }, surface(true)],
  ['sends a read again when unavailable', {}, unavailable, wait(250, 'unavailable')],
  ['honours a 503’s hint', {}, { kind: 'unavailable', hintMs: 5000 }, wait(5000, 'unavailable')],
  ['surfaces a write when unavailable', { verb: 'write' }, unavailable, surface(true)],
  ['gives the last read one try', { last: true, pinned: false }, { kind: 'broken' }, surface(true)],
]

describe('the policy', () => {
  it.each(table)('%s', (_, state, outcome, decision) => {
    expect(decide({ ...fresh, ...state }, outcome)).toEqual(decision)
  })

  it('never asks again before a hint has passed', () => {
    for (let random = 0; random < 1; random += 0.05) {
      const decision = decide({ ...fresh, random }, behind)
      expect(decision.ms).toBeGreaterThanOrEqual(1000)
      expect(decision.ms).toBeLessThanOrEqual(1500)
    }
  })
})
