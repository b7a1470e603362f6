import { describe, expect, it } from 'vitest'
import { classify } from './classify.ts'

const NOW = Date.UTC(2026, 0, 1)

function outcome(status: number, body?: unknown, headers: Record<string, string> = {}): unknown {
  return classify(status, (name) => headers[name] ?? null, body, NOW)
}

function status(more: object): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', ...more }
}

describe('classify', () => {
  it('knows a 504 by its cause', () => {
    const body = status({ details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 } })
    expect(outcome(504, body, { 'retry-after': '2' })).toEqual({ kind: 'behind', hintMs: 2000 })
  })

  it('knows a 504 whose cause has only a message', () => {
    const body = status({ details: { causes: [{ message: 'Too large resource version' }] } })
    expect(outcome(504, body)).toEqual({ kind: 'behind', hintMs: undefined })
  })

  it('knows a 504 with only the status message', () => {
    const body = status({
      message: 'Timeout: Too large resource version: 9, current: 8',
      details: { retryAfterSeconds: 1 },
    })
    expect(outcome(504, body)).toEqual({ kind: 'behind', hintMs: 1000 })
  })

  it('tells a gateway’s 504 from the server’s own', () => {
    expect(outcome(504)).toEqual({ kind: 'unavailable', hintMs: undefined })
    expect(outcome(504, { error: 'upstream' })).toEqual({ kind: 'unavailable', hintMs: undefined })
    expect(outcome(504, status({ message: 'Timeout: request did not complete within the allotted timeout' }))).toEqual({
      kind: 'failed',
    })
  })

  it('knows the future revision of older servers, and no other 500', () => {
    const message = 'etcdserver: mvcc: required revision is a future revision'
    expect(outcome(500, status({ message }))).toEqual({ kind: 'future-revision' })
    expect(outcome(500, status({ message: 'boom' }))).toEqual({ kind: 'failed' })
  })

  it('reads Retry-After in seconds, and as a date against the answer’s own clock or ours', () => {
    const at = new Date(NOW + 7000).toUTCString()
    expect(outcome(429, undefined, { 'retry-after': '2' })).toMatchObject({ kind: 'throttled', hintMs: 2000 })
    expect(outcome(429, undefined, { 'retry-after': at })).toMatchObject({ hintMs: 7000 })
    expect(outcome(429, undefined, { 'retry-after': at, date: new Date(NOW + 4000).toUTCString() })).toMatchObject({
      hintMs: 3000,
    })
    expect(outcome(429, undefined, { 'retry-after': 'soon' })).toMatchObject({ hintMs: undefined })
    expect(outcome(429, status({ details: { retryAfterSeconds: 3 } }))).toMatchObject({ hintMs: 3000 })
  })

  it('tells a disruption budget and the cache’s 429 from a plain one', () => {
    expect(outcome(429, status({ details: { causes: [{ reason: 'DisruptionBudget' }] } }))).toMatchObject({
      disruptionBudget: true,
    })
    expect(outcome(429, status({ message: 'Timeout: Too large resource version: 9, current: 8' }))).toMatchObject({
      behind: true,
      disruptionBudget: false,
    })
  })

  it('keeps a 410’s token', () => {
    expect(outcome(410, status({ metadata: { continue: 'abc' } }))).toEqual({ kind: 'gone', continueToken: 'abc' })
    expect(outcome(410)).toEqual({ kind: 'gone', continueToken: undefined })
  })

  it('tells a conflict from what exists already', () => {
    expect(outcome(409, status({ reason: 'Conflict' }))).toEqual({ kind: 'conflict' })
    expect(outcome(409, status({ reason: 'AlreadyExists' }))).toEqual({ kind: 'failed' })
  })

  it.each([
    null,
    'text',
    7,
    [],
    {},
    { kind: 'Pod' },
    { kind: 'Status', details: null },
    { kind: 'Status', details: { causes: null } },
    { kind: 'Status', details: { causes: [null, 'x'] } },
    { kind: 'Status', details: { causes: 'x' }, message: 7 },
  ])('takes any body: %j', (body) => {
    for (const code of [400, 404, 409, 410, 429, 500, 502, 503, 504]) {
      expect(outcome(code, body)).toHaveProperty('kind')
    }
  })
})
