import { FakeClock } from '@freshread/core/testing'
import { describe, expect, it, vi } from 'vitest'
import {
  DELETED,
  LIST_NOT_YET,
  NOT_YET,
  STORAGE_BEHIND,
  type Scripted,
  configMap,
  configMapList,
  scriptedFetch,
} from '../test/scripted.ts'
import { wrapFetch, type Fetch } from './adapters/fetch.ts'
import { triesOf } from './exchange.ts'
import type { SessionOptions } from './options.ts'
import { FreshReadSession } from './session.ts'

const BASE = 'https://h:6443'
const LIST = `${BASE}/api/v1/namespaces/default/configmaps`
const OBJECT = `${LIST}/a`

interface Setup {
  readonly clock: FakeClock
  readonly session: FreshReadSession
  readonly fetch: Fetch
  /** The query of each request sent, in order; the method before it where it is no GET. */
  readonly queries: () => string[]
  readonly times: () => number[]
  readonly events: string[]
}

function setup(script: readonly (Scripted | ((url: URL) => Scripted))[], options: SessionOptions = {}): Setup {
  const clock = new FakeClock(0)
  const session = new FreshReadSession({ clock, random: () => 0, ...options })
  const server = scriptedFetch(clock, script)
  const events: string[] = []
  for (const name of ['pin', 'wait', 'retry', 'unpin', 'rewind', 'throttled', 'gone', 'give-up'] as const) {
    session.on(name, () => events.push(name))
  }
  return {
    clock,
    session,
    events,
    fetch: wrapFetch(server.fetch, session),
    queries: () =>
      server.sent.map(
        ({ method, url }) => (method === 'GET' ? '' : `${method} `) + decodeURIComponent(new URL(url).search),
      ),
    times: () => server.sent.map(({ at }) => at),
  }
}

const write = { method: 'POST', body: '{}' }
const PINNED_GET = '?resourceVersion=7'
const PINNED_LIST = '?resourceVersion=7&resourceVersionMatch=NotOlderThan'

/** Lets everything run that needs no time, then `ms` of it. */
async function after<T>(clock: FakeClock, ms: number, promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  await clock.step(ms)
  expect(clock.pendingTimers).toBe(0)
  return promise
}

describe('pins', () => {
  it.each([
    ['create', 'POST', LIST, ''],
    ['update', 'PUT', OBJECT, ''],
    ['patch', 'PATCH', OBJECT, ''],
    ['status', 'PUT', `${OBJECT}/status`, ''],
    ['scale', 'PATCH', `${OBJECT}/scale`, ''],
    ['delete', 'DELETE', OBJECT, ''],
  ])('come from a %s', async (_, method, url) => {
    const { fetch, session, queries } = setup([configMap('a', '7'), configMap('a', '8')])
    await fetch(url, { method, body: '{}' })
    expect(session.exportPins().servers).toEqual({ [BASE]: { configmaps: '7' } })
    await fetch(OBJECT)
    expect(queries()[1]).toBe(PINNED_GET)
  })

  it('keep the highest version written', async () => {
    const { fetch, session } = setup([configMap('a', '99999'), configMap('a', '100000'), configMap('a', '99999')])
    for (let i = 0; i < 3; i++) await fetch(LIST, write)
    expect(session.exportPins().servers[BASE]).toEqual({ configmaps: '100000' })
  })

  it('hold beyond 2^53', async () => {
    const { fetch, queries } = setup([configMap('a', '9007199254740993'), configMap('a', '9007199254740992')])
    for (let i = 0; i < 2; i++) await fetch(LIST, write)
    await fetch(OBJECT)
    expect(queries()[2]).toBe('?resourceVersion=9007199254740993')
  })

  it('go on a list with its match, and not on what follows its first page', async () => {
    const { fetch, queries } = setup([configMap('a', '7'), configMapList('8')])
    await fetch(LIST, write)
    await fetch(`${LIST}?limit=5`)
    await fetch(`${LIST}?limit=5&continue=abc`)
    expect(queries().slice(1)).toEqual([`?limit=5&${PINNED_LIST.slice(1)}`, '?limit=5&continue=abc'])
  })

  it('are shared by a resource’s versions and namespaces, not by resources or servers', async () => {
    const { fetch, queries } = setup([configMap('a', '7'), configMap('a', '7')])
    await fetch(`${BASE}/apis/apps/v1/namespaces/x/deployments`, write)
    await fetch(`${BASE}/apis/apps/v1beta1/namespaces/y/deployments/d`)
    await fetch(`${BASE}/apis/extensions/v1/namespaces/x/deployments/d`)
    await fetch(`${BASE}/k8s/clusters/c/apis/apps/v1/namespaces/x/deployments/d`)
    expect(queries().slice(1)).toEqual([PINNED_GET, '', ''])
  })

  it('are one for core events and those of events.k8s.io', async () => {
    const { fetch, queries } = setup([configMap('a', '7')])
    await fetch(`${BASE}/apis/events.k8s.io/v1/namespaces/x/events`, write)
    await fetch(`${BASE}/api/v1/namespaces/x/events/e`)
    expect(queries()[1]).toBe(PINNED_GET)
  })

  it.each(['MTIz', '', '0', '007', undefined])('are never %j', async (resourceVersion) => {
    const { fetch, queries, session } = setup([{ body: { kind: 'Odd', metadata: { name: 'a', resourceVersion } } }])
    await fetch(LIST, write)
    await fetch(OBJECT)
    expect(queries()[1]).toBe('')
    expect(session.exportPins().servers).toEqual({})
  })

  it.each([
    ['a dry run', 'POST', `${LIST}?dryRun=All`, '{}'],
    ['a dry run asked for in the body', 'DELETE', OBJECT, '{"dryRun":["All"]}'],
    ['a token', 'POST', `${BASE}/api/v1/namespaces/default/configmaps/sa/token`, '{}'],
  ])('do not come from %s', async (_, method, url, body) => {
    const { fetch, queries } = setup([configMap('a', '7')])
    await fetch(url, { method, body })
    await fetch(OBJECT)
    expect(queries()[1]).toBe('')
  })

  it('do not come from reads', async () => {
    const { fetch, queries } = setup([configMapList('7'), configMap('a', '7')])
    await fetch(LIST)
    await fetch(OBJECT)
    await fetch(OBJECT)
    expect(queries()).toEqual(['', '', ''])
  })

  it('survive a read that they were satisfied by', async () => {
    const { fetch, queries } = setup([configMap('a', '7')])
    await fetch(LIST, write)
    await fetch(OBJECT)
    await fetch(OBJECT)
    expect(queries().slice(1)).toEqual([PINNED_GET, PINNED_GET])
  })

  it('end with clear()', async () => {
    const { fetch, session, queries } = setup([configMap('a', '7')])
    await fetch(LIST, write)
    session.clear()
    await fetch(OBJECT)
    expect(queries()[1]).toBe('')
  })

  it('raise a caller’s 0 and leave any other version alone', async () => {
    const { fetch, queries } = setup([configMap('a', '7')])
    await fetch(LIST, write)
    const asked = [
      'resourceVersion=0',
      'resourceVersion=5',
      'resourceVersion=5&resourceVersionMatch=Exact',
      'resourceVersion=00',
    ]
    for (const query of asked) await fetch(`${LIST}?${query}`)
    expect(queries().slice(1)).toEqual([PINNED_LIST, ...asked.slice(1).map((query) => `?${query}`)])
  })

  it('leave a caller’s 0 alone with rv0: leave', async () => {
    const { fetch, queries } = setup([configMap('a', '7')], { rv0: 'leave' })
    await fetch(LIST, write)
    await fetch(`${OBJECT}?resourceVersion=0`)
    await fetch(OBJECT)
    expect(queries().slice(1)).toEqual(['?resourceVersion=0', PINNED_GET])
  })

  it('stay off a request that says so', async () => {
    const { fetch, queries } = setup([configMap('a', '7')])
    await fetch(LIST, write)
    await fetch(OBJECT, { freshRead: { pin: false } })
    expect(queries()[1]).toBe('')
  })

  it('give way to resource version 0 where there are none, with unpinned: any', async () => {
    const { fetch, queries } = setup(
      [configMapList('5'), configMapList('5'), configMap('a', '7'), configMapList('7')],
      { unpinned: 'any' },
    )
    await fetch(LIST)
    await fetch(`${LIST}?watch=1`)
    await fetch(LIST, write)
    await fetch(LIST)
    expect(queries()).toEqual(['?resourceVersion=0', '?watch=1', 'POST ', PINNED_LIST])
  })

  it.each(['log', 'exec', 'proxy', 'proxy/a/b'])('stay off %s', async (subresource) => {
    const { fetch, queries } = setup([configMap('a', '7')])
    await fetch(`${BASE}/api/v1/namespaces/default/pods`, write)
    await fetch(`${BASE}/api/v1/namespaces/default/pods/p/${subresource}`)
    expect(queries()[1]).toBe('')
  })

  it('go on a watch only with sendInitialEvents and resource version 0', async () => {
    const { fetch, queries } = setup([configMap('a', '7')])
    await fetch(LIST, write)
    const initial = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan'
    const asked = [
      'watch=1',
      'watch=1&resourceVersion=0',
      initial,
      `${initial}&resourceVersion=5`,
      `${initial}&resourceVersion=0`,
    ]
    for (const query of asked) await fetch(`${LIST}?${query}`)
    expect(queries().slice(1)).toEqual([
      ...asked.slice(0, 4).map((query) => `?${query}`),
      `?${initial}&resourceVersion=7`,
    ])
  })

  it('travel as JSON and as a token', async () => {
    const { fetch, session } = setup([configMap('a', '7'), DELETED])
    await fetch(LIST, write)
    await fetch(`${BASE}/apis/apps/v1/namespaces/x/deployments/d`, { method: 'DELETE' })
    const exported = session.exportPins()
    expect(exported).toEqual({ version: 1, servers: { [BASE]: { configmaps: '7', 'deployments.apps': '!x' } } })
    expect(session.toToken()).toMatch(/^[\w+/=]+$/)

    for (const restore of [
      (other: FreshReadSession) => other.importPins(JSON.parse(JSON.stringify(exported)) as typeof exported),
      (other: FreshReadSession) => other.fromToken(session.toToken()),
    ]) {
      const other = setup([configMap('a', '7')])
      restore(other.session)
      await other.fetch(OBJECT)
      await other.fetch(`${BASE}/apis/apps/v1/namespaces/x/deployments/d?resourceVersion=0`)
      expect(other.queries()).toEqual([PINNED_GET, ''])
      expect(other.session.exportPins()).toEqual(exported)
    }
  })

  it('take nothing but pins from a token that somebody made up', () => {
    const { session } = setup([])
    session.fromToken(btoa('{"__proto__":{"polluted":"7"},"h":{"__proto__":"8"}}'))
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    const again = setup([]).session.importPins(session.exportPins())
    expect(JSON.stringify(again.exportPins().servers)).toBe('{"__proto__":{"polluted":"7"},"h":{"__proto__":"8"}}')
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it('keep the newer when imported', () => {
    const { session } = setup([])
    const pins = (configmaps: string): Parameters<FreshReadSession['importPins']>[0] => ({
      version: 1,
      servers: { [BASE]: { configmaps } },
    })
    session.importPins(pins('100')).importPins(pins('99'))
    expect(session.exportPins()).toEqual(pins('100'))
  })

  it.each([
    undefined,
    {},
    { version: 2, servers: {} },
    { version: 1, servers: { a: { pods: '1' }, b: { pods: 'x' } } },
    { version: 1, servers: { a: { pods: 7 } } },
    { version: 1, servers: { a: { pods: '7!<script>' } } },
    { version: 1, servers: 'x' },
  ])('refuse to import %j', (exported) => {
    const { session } = setup([])
    expect(() => session.importPins(exported as never)).toThrow(TypeError)
    expect(session.exportPins().servers).toEqual({})
  })

  it.each(['', 'x', '!!!', btoa('7'), btoa('{"a":{"pods":"07"}}'), btoa('null')])('refuse the token %j', (token) => {
    expect(() => setup([]).session.fromToken(token)).toThrow(TypeError)
  })
})

describe('deletes', () => {
  it('send reads unpinned until a list of the scope has succeeded, whose version is the next pin', async () => {
    const { fetch, queries, session } = setup([
      configMap('a', '7'),
      DELETED,
      { status: 404, body: { kind: 'Status', reason: 'NotFound' } },
      configMapList('9'),
      configMapList('9'),
      configMapList('10'),
      configMap('b', '10'),
    ])
    await fetch(LIST, write)
    await fetch(OBJECT, { method: 'DELETE' })
    expect((await fetch(OBJECT)).status).toBe(404)
    await fetch(`${BASE}/api/v1/namespaces/other/configmaps`)
    await fetch(`${LIST}?continue=x`)
    await fetch(`${LIST}?resourceVersion=0&limit=1`)
    await fetch(OBJECT)
    expect(queries().slice(2)).toEqual(['', '', '?continue=x', '?limit=1', '?resourceVersion=10'])
    expect(session.exportPins().servers[BASE]).toEqual({ configmaps: '10' })
  })

  it('are confirmed only by a list sent after them', async () => {
    const { fetch, queries, clock } = setup([
      configMap('a', '7'),
      { ...configMapList('7'), after: 100 },
      DELETED,
      configMapList('9'),
    ])
    await fetch(LIST, write)
    const early = fetch(LIST, { freshRead: { pin: false } })
    await fetch(OBJECT, { method: 'DELETE' })
    await after(clock, 100, early)
    await fetch(LIST)
    await fetch(LIST)
    expect(queries().slice(3)).toEqual(['', '?resourceVersion=9&resourceVersionMatch=NotOlderThan'])
  })

  it('in two namespaces need a list of each, or one of all', async () => {
    const other = `${BASE}/api/v1/namespaces/other/configmaps`
    const { fetch, session } = setup([DELETED, DELETED, configMapList('9'), configMapList('10')])
    await fetch(OBJECT, { method: 'DELETE' })
    await fetch(`${other}/b`, { method: 'DELETE' })
    await fetch(LIST)
    expect(session.exportPins().servers[BASE]).toEqual({ configmaps: '9!other' })
    await fetch(`${BASE}/api/v1/configmaps`)
    expect(session.exportPins().servers[BASE]).toEqual({ configmaps: '10' })
  })

  it('of a collection count as well', async () => {
    const { fetch, queries } = setup([configMap('a', '7'), configMapList('8'), configMap('a', '7')])
    await fetch(LIST, write)
    await fetch(LIST, { method: 'DELETE' })
    await fetch(`${OBJECT}?resourceVersion=0`)
    expect(queries().slice(1)).toEqual(['DELETE ', ''])
  })

  it('that were refused change nothing', async () => {
    const { fetch, queries } = setup([
      configMap('a', '7'),
      { status: 404, body: { kind: 'Status' } },
      configMap('a', '7'),
    ])
    await fetch(LIST, write)
    await fetch(OBJECT, { method: 'DELETE' })
    await fetch(OBJECT)
    expect(queries()[2]).toBe(PINNED_GET)
  })

  it.each(['exec', 'proxy/x', 'token'])('are not what a failing %s is', async (subresource) => {
    const pods = `${BASE}/api/v1/namespaces/default/pods`
    const { fetch, queries } = setup([configMap('a', '7'), { status: 500, body: 'oops' }, configMap('a', '7')])
    await fetch(pods, write)
    await fetch(`${pods}/a/${subresource}`, write)
    await fetch(`${pods}/a`)
    expect(queries()[2]).toBe(PINNED_GET)
  })

  it('by an update that takes the last finalizer off are read as they are now', async () => {
    const { fetch, session, queries } = setup([
      configMap('a', '8', { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['x/y'] }),
      configMap('a', '8', { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['x/y'] }),
      configMap('a', '8', { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      { status: 404, body: { kind: 'Status', code: 404 } },
      configMapList('9'),
    ])
    await fetch(OBJECT, { method: 'DELETE' })
    await fetch(OBJECT)
    await fetch(OBJECT, { method: 'PATCH', body: '{}' })
    await fetch(OBJECT)
    await fetch(LIST)
    expect(queries()).toEqual(['DELETE ', '?resourceVersion=8', 'PATCH ', '', ''])
    expect(session.exportPins().servers[BASE]).toEqual({ configmaps: '9' })
  })

  it('by an eviction that may have happened are read as they are now', async () => {
    const pods = `${BASE}/api/v1/namespaces/default/pods`
    const { fetch, queries } = setup([configMap('a', '7'), { status: 503, body: '' }, configMap('a', '9')])
    await fetch(pods, write)
    await fetch(`${pods}/a/eviction`, write)
    await fetch(`${pods}/a`)
    expect(queries()[2]).toBe('')
  })

  it('by eviction pin nothing, and reads ask for the newest', async () => {
    const pods = `${BASE}/api/v1/namespaces/default/pods`
    const { fetch, queries, session } = setup([
      configMap('a', '7'),
      { status: 201, body: { kind: 'Status', status: 'Success' } },
      configMap('a', '9'),
    ])
    await fetch(pods, write)
    await fetch(`${pods}/a/eviction`, write)
    await fetch(`${pods}/a`)
    expect(queries()[2]).toBe('')
    expect(session.exportPins().servers[BASE]).toEqual({ pods: '7!default' })
  })
})

describe('"not yet"', () => {
  it('is waited out once on a GET, which is then read unpinned', async () => {
    const { fetch, clock, queries, times, events } = setup([configMap('a', '7'), NOT_YET, NOT_YET, configMap('a', '8')])
    await fetch(LIST, write)
    const response = await after(clock, 7000, fetch(OBJECT))
    expect(response.status).toBe(200)
    expect(queries().slice(1)).toEqual([PINNED_GET, PINNED_GET, ''])
    expect(times().slice(1)).toEqual([0, 4000, 7000])
    expect(events).toEqual(['pin', 'wait', 'retry', 'unpin', 'retry'])
    expect(triesOf(response)).toBeUndefined()
  })

  it('is waited out four times on a list, which is then sent unpinned', async () => {
    const { fetch, clock, queries, times } = setup([
      configMap('a', '7'),
      ...Array<Scripted>(5).fill(NOT_YET),
      configMapList('8'),
    ])
    await fetch(LIST, write)
    expect((await after(clock, 20_000, fetch(LIST))).status).toBe(200)
    expect(queries().slice(1)).toEqual([...Array<string>(5).fill(PINNED_LIST), ''])
    expect(times().slice(1)).toEqual([0, 4000, 8000, 12_000, 16_000, 19_000])
  })

  it('spreads the unpinned lists of a herd over a second', async () => {
    const { fetch, clock, times } = setup(
      [configMap('a', '7'), ...Array<Scripted>(5).fill(NOT_YET), configMapList('8')],
      { random: () => 0.5 },
    )
    await fetch(LIST, write)
    await after(clock, 25_000, fetch(LIST))
    expect(times().at(-1)! - times().at(-2)!).toBe(3500)
  })

  it('ends in what the unpinned read says, with the history attached', async () => {
    const { fetch, clock, events } = setup([configMap('a', '7'), NOT_YET, NOT_YET, { status: 503, body: {} }])
    await fetch(LIST, write)
    const response = await after(clock, 7000, fetch(OBJECT))
    expect(response.status).toBe(503)
    expect(triesOf(response)).toEqual([
      { resourceVersion: '7', status: 504, outcome: 'behind', waitedMs: 1000 },
      { resourceVersion: '7', status: 504, outcome: 'behind', waitedMs: 0 },
      { resourceVersion: '', status: 503, outcome: 'unavailable', waitedMs: 0 },
    ])
    expect(events.at(-1)).toBe('give-up')
  })

  it('ends for a type that never changes', async () => {
    const { fetch, clock, queries } = setup([
      configMap('a', '7'),
      (url) => (url.searchParams.has('resourceVersion') ? NOT_YET : configMapList('6')),
    ])
    await fetch(LIST, write)
    expect((await after(clock, 30_000, fetch(LIST))).status).toBe(200)
    expect(queries()).toHaveLength(7)
  })

  it('surfaces with fallback: error', async () => {
    const { fetch, clock } = setup([configMap('a', '7'), NOT_YET], { fallback: 'error' })
    await fetch(LIST, write)
    const response = await after(clock, 7000, fetch(OBJECT))
    expect(response.status).toBe(504)
    expect(triesOf(response)).toHaveLength(2)
    expect(await response.json()).toMatchObject({ kind: 'Status', reason: 'Timeout' })
  })

  it.each([
    ['the storage itself', STORAGE_BEHIND],
    [
      'an older server',
      { status: 500, body: { kind: 'Status', message: 'rpc error: mvcc: required revision is a future revision' } },
    ],
  ])('from %s is read unpinned at once', async (_, answer) => {
    const { fetch, queries, events } = setup([configMap('a', '7'), answer, configMapList('6')])
    await fetch(LIST, write)
    await fetch(LIST)
    expect(queries().slice(1)).toEqual([PINNED_LIST, ''])
    expect(events).toEqual(['pin', 'unpin', 'retry', 'rewind'])
  })

  it('of a consistent list is waited out', async () => {
    const { fetch, clock, queries, times } = setup([LIST_NOT_YET, LIST_NOT_YET, configMapList('7')])
    expect((await after(clock, 8000, fetch(LIST))).status).toBe(200)
    expect(queries()).toEqual(['', '', ''])
    expect(times()).toEqual([0, 4000, 8000])
  })

  it('to a caller’s own version is waited out, and never unpinned', async () => {
    const { fetch, clock, queries } = setup([NOT_YET])
    expect((await after(clock, 7000, fetch(`${OBJECT}?resourceVersion=99`))).status).toBe(504)
    expect(queries()).toEqual(['?resourceVersion=99', '?resourceVersion=99'])
  })

  it('surfaces at once when its hint goes beyond the deadline', async () => {
    const { fetch, clock, queries } = setup([configMap('a', '7'), NOT_YET], { deadlineMs: 3900 })
    await fetch(LIST, write)
    expect((await after(clock, 3000, fetch(OBJECT))).status).toBe(504)
    expect(queries()).toHaveLength(2)
  })

  it('is about what was written: a pin raised meanwhile is asked for next', async () => {
    const { fetch, clock, queries } = setup([configMap('a', '7'), NOT_YET, configMap('a', '8')])
    await fetch(LIST, write)
    const read = fetch(OBJECT)
    await clock.step(3500)
    await fetch(LIST, write)
    await after(clock, 500, read)
    expect(queries().slice(1)).toEqual([PINNED_GET, 'POST ', '?resourceVersion=8'])
  })
})

describe('timing', () => {
  it('never tries before a hint has passed, with jitter only above', async () => {
    for (const random of [0, 0.3, 0.999]) {
      const { fetch, clock, times } = setup([configMap('a', '7'), NOT_YET, NOT_YET, NOT_YET, configMapList('8')], {
        random: () => random,
      })
      await fetch(LIST, write)
      await after(clock, 20_000, fetch(LIST))
      const sent = times().slice(1)
      for (let i = 1; i < sent.length; i++) {
        expect(sent[i]! - sent[i - 1]!).toBeGreaterThanOrEqual(4000)
        expect(sent[i]! - sent[i - 1]!).toBeLessThanOrEqual(4500)
      }
    }
  })

  it('rejects in the same turn when aborted in a wait, and leaves no timer', async () => {
    const { fetch, clock, queries } = setup([configMap('a', '7'), NOT_YET])
    await fetch(LIST, write)
    const controller = new AbortController()
    const settled = vi.fn()
    void fetch(OBJECT, { signal: controller.signal }).catch(settled)
    await clock.step(3200)
    expect(clock.pendingTimers).toBe(1)
    controller.abort(new Error('enough'))
    expect(clock.pendingTimers).toBe(0)
    for (let i = 0; i < 20; i++) await Promise.resolve()
    expect(settled).toHaveBeenCalledWith(new Error('enough'))
    expect(queries()).toHaveLength(2)
  })

  it('warns once of a deadline that hides the server’s own', () => {
    const warn = vi.fn()
    const session = new FreshReadSession({ deadlineMs: 3000, warn })
    session.checkTimeout(100)
    expect(warn).toHaveBeenCalledOnce()
  })
})

describe('429', () => {
  it.each([
    ['seconds', () => '2', 2000],
    ['an HTTP date', () => new Date(7000).toUTCString(), 7000],
  ])('text/plain with %s is waited out, on a write too', async (_, hint, ms) => {
    const { fetch, clock, times, events } = setup([
      {
        status: 429,
        body: 'Too many requests, please try again later.',
        headers: { 'content-type': 'text/plain', 'retry-after': hint() },
      },
      configMap('a', '7'),
    ])
    expect((await after(clock, ms, fetch(LIST, write))).status).toBe(200)
    expect(times()).toEqual([0, ms])
    expect(events).toEqual(['throttled', 'wait', 'retry', 'pin'])
  })

  it('"storage is (re)initializing" is waited out', async () => {
    const body = {
      kind: 'Status',
      message: 'storage is (re)initializing',
      reason: 'TooManyRequests',
      details: { retryAfterSeconds: 1 },
      code: 429,
    }
    const { fetch, clock, times } = setup([{ status: 429, body }, configMap('a', '7')])
    await after(clock, 1000, fetch(OBJECT))
    expect(times()).toEqual([0, 1000])
  })

  it.each([{}, { 'retry-after': '10' }])('of a disruption budget is surfaced, %j', async (headers) => {
    const body = {
      kind: 'Status',
      reason: 'TooManyRequests',
      details: { causes: [{ reason: 'DisruptionBudget' }] },
      code: 429,
    }
    const { fetch, clock, queries } = setup([{ status: 429, body, headers: headers as Record<string, string> }])
    const response = await after(clock, 0, fetch(`${BASE}/api/v1/namespaces/default/pods/p/eviction`, write))
    expect(response.status).toBe(429)
    expect(await response.json()).toEqual(body)
    expect(queries()).toHaveLength(1)
  })

  it('without a hint is surfaced on a write', async () => {
    const { fetch, clock, queries } = setup([{ status: 429, body: '' }])
    expect((await after(clock, 0, fetch(LIST, write))).status).toBe(429)
    expect(queries()).toHaveLength(1)
  })

  it('without a hint is backed off from on a read', async () => {
    const { fetch, clock, times } = setup([{ status: 429, body: '' }, { status: 429, body: '' }, configMapList('7')])
    await after(clock, 1500, fetch(LIST))
    expect(times()).toEqual([0, 500, 1500])
  })

  it('to a delete-collection is waited out: nothing was deleted', async () => {
    const { fetch, clock, queries } = setup([LIST_NOT_YET, configMapList('7')])
    expect((await after(clock, 4000, fetch(LIST, { method: 'DELETE' }))).status).toBe(200)
    expect(queries()).toEqual(['DELETE ', 'DELETE '])
  })

  it('to a body that cannot be sent again is surfaced', async () => {
    const { fetch, clock, queries } = setup([{ status: 429, body: '', headers: { 'retry-after': '1' } }])
    const body = new Response('{}').body
    const sent = fetch(LIST, { method: 'POST', body, duplex: 'half' } as RequestInit)
    expect((await after(clock, 0, sent)).status).toBe(429)
    expect(queries()).toHaveLength(1)
  })

  it('to a body that comes from a generator is surfaced', async () => {
    const { fetch, queries } = setup([{ status: 429, headers: { 'retry-after': '1' } }])
    async function* body(): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode('{}')
    }
    const response = await fetch(LIST, { method: 'POST', body: body() as never, duplex: 'half' } as RequestInit)
    expect(response.status).toBe(429)
    expect(queries()).toHaveLength(1)
  })

  it('to a Request with a body is waited out', async () => {
    const { fetch, clock, queries } = setup([
      { status: 429, body: '', headers: { 'retry-after': '1' } },
      configMap('a', '7'),
    ])
    expect((await after(clock, 1000, fetch(new Request(LIST, { method: 'POST', body: '{}' })))).status).toBe(200)
    expect(queries()).toEqual(['POST ', 'POST '])
  })
})

describe('broken connections and proxies', () => {
  it('are retried on reads, with backoff', async () => {
    const { fetch, clock, times } = setup([
      { broken: true },
      { status: 502, body: '<html>' },
      { status: 504, body: '' },
      configMap('a', '7'),
    ])
    expect((await after(clock, 1750, fetch(OBJECT))).status).toBe(200)
    expect(times()).toEqual([0, 250, 750, 1750])
  })

  it('surface after three retries, the error itself with its history', async () => {
    const { fetch, clock } = setup([{ broken: true }])
    const error: unknown = await after(clock, 2000, fetch(OBJECT)).catch((error: unknown) => error)
    expect(error).toMatchObject({ name: 'TypeError', message: 'fetch failed' })
    expect(triesOf(error)).toHaveLength(4)
  })

  it.each([{ broken: true }, { status: 503, body: '' }, { status: 500, body: '' }, { status: 504, body: '' }])(
    'surface on writes, and reads ask for the newest: %j',
    async (answer) => {
      const { fetch, clock, queries, session } = setup([
        configMap('a', '7'),
        answer,
        configMapList('9'),
        configMapList('9'),
      ])
      await fetch(LIST, write)
      await after(clock, 0, fetch(LIST, write)).catch(() => {})
      await fetch(LIST)
      expect(queries()).toEqual(['POST ', 'POST ', ''])
      expect(session.exportPins().servers[BASE]).toEqual({ configmaps: '9' })
    },
  )

  it('never send a 500 again', async () => {
    const { fetch, queries } = setup([{ status: 500, body: { kind: 'Status', message: 'boom' } }])
    expect((await fetch(OBJECT)).status).toBe(500)
    expect(queries()).toHaveLength(1)
  })

  it.each([
    ['HTML', { status: 200, body: '<html>Sign in</html>', headers: { 'content-type': 'text/html' } }],
    ['truncated JSON', { status: 201, body: '{"metadata":{"resourceVersion":"9"' }],
    ['nothing', { status: 200, body: '' }],
    ['a bare value', { status: 200, body: '"x"' }],
  ])('that answer with %s are passed on unchanged and pin nothing', async (_, answer: Scripted) => {
    const { fetch, session } = setup([configMap('a', '7'), answer])
    await fetch(LIST, write)
    const before = session.exportPins().servers[BASE]!['configmaps']!
    const response = await fetch(LIST, write)
    expect(response.status).toBe(answer.status)
    expect(await response.text()).toBe(answer.body)
    expect(session.exportPins().servers[BASE]!['configmaps']!.split('!')[0]).toBe(before)
  })

  it('leave an HTML error page alone', async () => {
    const { fetch } = setup([{ status: 403, body: '<html>', headers: { 'content-type': 'text/html' } }])
    expect(await (await fetch(OBJECT)).text()).toBe('<html>')
  })

  it('requests to other software are not touched', async () => {
    const { fetch, clock, queries } = setup([{ status: 429, body: '', headers: { 'retry-after': '1' } }])
    expect((await after(clock, 0, fetch(`${BASE}/graphql`))).status).toBe(429)
    expect(queries()).toHaveLength(1)
  })
})

describe('rewind', () => {
  it('is seen in a list older than the pin it was sent under', async () => {
    const { fetch, session, queries, events } = setup([
      configMap('a', '700'),
      configMapList('500'),
      configMap('a', '500'),
    ])
    await fetch(LIST, write)
    await fetch(`${BASE}/apis/apps/v1/namespaces/x/deployments`, { method: 'GET' })
    await fetch(LIST, { freshRead: { pin: false } })
    expect(events).toContain('rewind')
    expect(session.exportPins().servers).toEqual({})
    await fetch(OBJECT)
    expect(queries().at(-1)).toBe('')
  })

  it('is not seen in a list sent before a write and answered after it', async () => {
    const { fetch, session, clock, events } = setup([
      configMap('a', '7'),
      { ...configMapList('8'), after: 100 },
      configMap('a', '9'),
    ])
    await fetch(LIST, write)
    const list = fetch(LIST, { freshRead: { pin: false } })
    await fetch(LIST, write)
    await after(clock, 100, list)
    expect(events).not.toContain('rewind')
    expect(session.exportPins().servers[BASE]).toEqual({ configmaps: '9' })
  })

  it('is seen in an object older than it was last written', async () => {
    const { fetch, session, events } = setup([configMap('a', '700'), configMap('a', '500')])
    await fetch(LIST, write)
    await fetch(OBJECT, { freshRead: { pin: false } })
    expect(events).toContain('rewind')
    expect(session.stats().rewind).toBe(1)
  })

  it('is not seen in an older object that is another one, in a pinned read, or in a 404', async () => {
    const { fetch, events } = setup([
      configMap('a', '700'),
      configMap('b', '500'),
      configMap('a', '500'),
      configMapList('500'),
      { status: 404, body: { kind: 'Status' } },
    ])
    await fetch(LIST, write)
    await fetch(`${LIST}/b`, { freshRead: { pin: false } })
    await fetch(OBJECT)
    await fetch(`${LIST}?resourceVersion=400&resourceVersionMatch=Exact`)
    await fetch(OBJECT, { freshRead: { pin: false } })
    expect(events).not.toContain('rewind')
  })

  it('is not seen in a GET sent before a write and answered after it', async () => {
    const { fetch, clock, events } = setup([
      configMap('a', '7'),
      { ...configMap('a', '7'), after: 100 },
      configMap('a', '9'),
    ])
    await fetch(LIST, write)
    const read = fetch(OBJECT, { freshRead: { pin: false } })
    await fetch(OBJECT, { method: 'PUT', body: '{}' })
    await after(clock, 100, read)
    expect(events).not.toContain('rewind')
  })

  it('is not seen in tables, which do not say which object they show', async () => {
    const table = (resourceVersion: string): Scripted => ({ body: { kind: 'Table', metadata: { resourceVersion } } })
    const { fetch, events } = setup([table('9'), table('5')])
    await fetch(LIST, write)
    await fetch(`${LIST}/b`, { freshRead: { pin: false } })
    expect(events).toEqual(['pin'])
  })

  it('drops the pins of that API server only', async () => {
    const other = 'https://other/api/v1/namespaces/default/secrets'
    const { fetch, session } = setup([
      configMap('a', '700'),
      configMap('s', '700'),
      configMap('s', '700'),
      configMapList('500'),
    ])
    await fetch(LIST, write)
    await fetch(`${BASE}/api/v1/namespaces/default/secrets`, write)
    await fetch(other, write)
    await fetch(LIST, { freshRead: { pin: false } })
    expect(session.exportPins().servers).toEqual({ 'https://other': { secrets: '700' } })
  })

  it('remembers only so many objects', async () => {
    const { fetch, events } = setup([configMap('a', '700'), configMap('b', '701'), configMap('a', '500')], {
      maxOwnObjects: 1,
    })
    await fetch(LIST, write)
    await fetch(LIST, write)
    await fetch(OBJECT, { freshRead: { pin: false } })
    expect(events).not.toContain('rewind')
  })
})

describe('reads in flight', () => {
  it('that are identical are one request', async () => {
    const { fetch, clock, queries, session } = setup([configMap('a', '7'), NOT_YET, configMapList('8')])
    await fetch(LIST, write)
    const reads = Promise.all([fetch(LIST), fetch(LIST), fetch(LIST)])
    const bodies = await Promise.all((await after(clock, 4000, reads)).map((response) => response.json()))
    expect(bodies).toEqual(Array(3).fill(configMapList('8').body))
    expect(queries()).toHaveLength(3)
    expect(session.stats().shared).toBe(2)
  })

  it('that differ in headers or credentials are not', async () => {
    const { fetch, queries } = setup([configMapList('8')])
    await Promise.all([
      fetch(LIST),
      fetch(LIST, { headers: { authorization: 'b' } }),
      fetch(LIST, { credentials: 'include' }),
    ])
    expect(queries()).toHaveLength(3)
  })

  it('do not answer a read that began after a later write or delete', async () => {
    for (const method of ['POST', 'DELETE']) {
      const { fetch, clock, queries } = setup([
        { ...configMapList('7'), after: 100 },
        method === 'POST' ? configMap('a', '8') : DELETED,
        configMapList('9'),
      ])
      const early = fetch(LIST)
      await fetch(method === 'POST' ? LIST : OBJECT, { method })
      await fetch(LIST)
      await after(clock, 100, early)
      expect(queries()).toHaveLength(3)
    }
  })

  it('that differ in method are not', async () => {
    const { fetch, queries } = setup([configMap('a', '7')])
    await Promise.all([fetch(OBJECT), fetch(OBJECT, { method: 'HEAD' })])
    expect(queries()).toEqual(['', 'HEAD '])
  })

  it('give the others a body of their own when the one that led is aborted while it arrives', async () => {
    const session = new FreshReadSession({ clock: new FakeClock(0) })
    const leader = new AbortController()
    let sent = 0
    const fetch = wrapFetch(async (_, init) => {
      if (sent++) return Response.json(configMapList('7').body)
      const body = new ReadableStream<Uint8Array>({
        start: (stream) => {
          stream.enqueue(new TextEncoder().encode('{"kind":'))
          init?.signal?.addEventListener('abort', () => stream.error(init.signal!.reason))
        },
      })
      return new Response(body, { headers: { 'content-type': 'application/json' } })
    }, session)
    const first = fetch(LIST, { signal: leader.signal }).then((response) => response.text())
    const second = fetch(LIST).then((response) => response.json())
    first.catch(() => {})
    await new Promise((resolve) => setImmediate(resolve))
    leader.abort(new Error('enough'))
    await expect(first).rejects.toThrow('enough')
    expect(await second).toEqual(configMapList('7').body)
  })

  it('let one caller go without the others', async () => {
    const { fetch, clock, queries } = setup([configMap('a', '7'), NOT_YET, configMapList('8')])
    await fetch(LIST, write)
    const leader = new AbortController()
    const follower = new AbortController()
    const first = fetch(LIST, { signal: leader.signal }).catch((error: unknown) => error)
    const second = fetch(LIST, { signal: follower.signal }).catch((error: unknown) => error)
    const third = fetch(LIST)
    await clock.step(3500)
    follower.abort(new Error('second'))
    expect(await second).toEqual(new Error('second'))
    leader.abort(new Error('first'))
    expect(await first).toEqual(new Error('first'))
    expect((await after(clock, 0, third)).status).toBe(200)
    expect(queries()).toHaveLength(3)
  })

  it('share an error as well', async () => {
    const { fetch, clock, queries } = setup([{ broken: true }])
    const reads = Promise.allSettled([fetch(OBJECT), fetch(OBJECT)])
    expect((await after(clock, 2000, reads)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(queries()).toHaveLength(4)
  })
})

describe('conflicts', () => {
  const conflict: Scripted = { status: 409, body: { kind: 'Status', reason: 'Conflict', code: 409 } }

  it('surface, and the object is next read as it is now', async () => {
    const { fetch, queries } = setup([configMap('a', '7'), conflict, configMap('a', '9'), configMap('a', '9')])
    await fetch(LIST, write)
    expect((await fetch(OBJECT, { method: 'PUT', body: '{}' })).status).toBe(409)
    await fetch(`${OBJECT}?resourceVersion=0`)
    await fetch(OBJECT)
    expect(queries()).toEqual(['POST ', 'PUT ', '', PINNED_GET])
  })
})

describe('gone', () => {
  it('is surfaced, and told with both ways on', async () => {
    const { fetch, session } = setup([
      { status: 410, body: { kind: 'Status', reason: 'Expired', metadata: { continue: 'abc' }, code: 410 } },
    ])
    const gone = vi.fn()
    session.on('gone', gone)
    expect((await fetch(`${LIST}?continue=old`)).status).toBe(410)
    expect(gone.mock.calls[0]![0]).toMatchObject({ outcome: { kind: 'gone', continueToken: 'abc' } })
  })
})

describe('the session', () => {
  it.each([
    ['rv0', 'x'],
    ['unpinned', 'none'],
    ['fallback', null],
    ['deadlineMs', -1],
    ['deadlineMs', Number.NaN],
    ['deadlineMs', '5'],
    ['maxOwnObjects', -1],
    ['clock', {}],
    ['clock', null],
    ['random', 0.5],
    ['warn', 'x'],
    ['retries', 3],
    ['toString', 3],
  ])('refuses the option %s: %j by name', (name, value) => {
    expect(() => new FreshReadSession({ [name]: value } as never)).toThrow(new RegExp(`TypeError|${name}`))
    expect(() => new FreshReadSession({ [name]: value } as never)).toThrow(TypeError)
  })

  it('takes undefined for the default', () => {
    expect(new FreshReadSession({ rv0: undefined } as never).options.rv0).toBe('pin')
  })

  it('keeps a listener’s error out of the request', async () => {
    const thrown: unknown[] = []
    const original = globalThis.queueMicrotask
    vi.stubGlobal('queueMicrotask', (callback: () => void) =>
      original(() => {
        try {
          callback()
        } catch (error) {
          thrown.push(error)
        }
      }),
    )
    try {
      const { fetch, session } = setup([configMap('a', '7')])
      session.on('pin', () => {
        throw new Error('listener')
      })
      expect((await fetch(LIST, write)).status).toBe(200)
      await Promise.resolve()
      expect(thrown).toEqual([new Error('listener')])
    } finally {
      vi.unstubAllGlobals()
    }
  })

  it('counts what it did', async () => {
    const { fetch, clock, session } = setup([configMap('a', '7'), NOT_YET, NOT_YET, configMap('a', '8')])
    await fetch(LIST, write)
    await after(clock, 7000, fetch(OBJECT))
    expect(session.stats()).toEqual({
      sent: 4,
      pinned: 2,
      shared: 0,
      waitedMs: 1000,
      pin: 1,
      wait: 1,
      retry: 2,
      unpin: 1,
      rewind: 0,
      throttled: 0,
      gone: 0,
      'give-up': 0,
    })
  })

  it('fetches through the global fetch, looked up at each call', async () => {
    const { clock } = setup([])
    const server = scriptedFetch(clock, [configMap('a', '7')])
    vi.stubGlobal('fetch', server.fetch)
    try {
      const session = new FreshReadSession({ clock })
      await session.fetch(LIST, write)
      await session.fetch(OBJECT)
      expect(server.sent[1]!.url).toBe(OBJECT + PINNED_GET)
    } finally {
      vi.unstubAllGlobals()
    }
  })
})
