import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { triesOf } from '../src/exchange.ts'
import type { SessionOptions } from '../src/options.ts'
import { FreshReadSession } from '../src/session.ts'
import type { Adapter, Call, Result, Subject } from './adapters.ts'
import { CONFIG_MAPS, type Cluster, breakConnection, settle, startCluster } from './cluster.ts'
import { fakeXhr } from './fake-xhr.ts'

// axios looks for XMLHttpRequest when it is loaded.
let current: Cluster | undefined
vi.stubGlobal(
  'XMLHttpRequest',
  fakeXhr((request) => current!.fetch(request)),
)
const { adapters } = await import('./adapters.ts')

const named = (name: string, more: object = {}): object => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name },
  ...more,
})
const create = (name: string): Call => ({ method: 'POST', path: CONFIG_MAPS, body: named(name) })
const get = (name: string, query = ''): Call => ({ path: `${CONFIG_MAPS}/${name}${query}` })
const list = (query = ''): Call => ({ path: CONFIG_MAPS + query })
const remove = (name: string): Call => ({ method: 'DELETE', path: `${CONFIG_MAPS}/${name}` })

/** What the clients call a broken connection. */
const BROKEN = /fetch failed|Network Error|socket hang up|ECONNRESET|aborted/

interface Bench {
  readonly cluster: Cluster
  readonly subject: Subject
  readonly session: FreshReadSession
  readonly events: string[]
  call(call: Call, session?: FreshReadSession): Promise<Result>
  newSession(options?: SessionOptions): FreshReadSession
  /** A promise, and time until it settles. */
  run<T>(promise: Promise<T>): Promise<T>
}

const names = ({ text }: Result): string[] =>
  (JSON.parse(text) as { items: { metadata: { name: string } }[] }).items
    .map((item) => item.metadata.name)
    .filter((name) => !name.startsWith('kube-'))

const versionOf = ({ text }: Result): string =>
  (JSON.parse(text) as { metadata: { resourceVersion: string } }).metadata.resourceVersion

describe.each(adapters as Adapter[])('through $name', (adapter) => {
  const open: Bench[] = []

  async function start(options: Parameters<typeof startCluster>[0] = {}): Promise<Bench> {
    const cluster = (current = await startCluster(options))
    const subject = await adapter.make(cluster)
    const newSession = (more: SessionOptions = {}): FreshReadSession =>
      new FreshReadSession({ clock: cluster.clock, random: () => 0.5, ...more })
    const session = newSession()
    const events: string[] = []
    for (const name of ['wait', 'unpin', 'rewind', 'throttled', 'give-up'] as const)
      session.on(name, () => events.push(name))
    const bench: Bench = {
      cluster,
      subject,
      session,
      events,
      newSession,
      run: (promise) => settle(cluster.clock, promise, adapter.realMs),
      call: (call, own = session) => bench.run(subject.call(own, call)),
    }
    open.push(bench)
    return bench
  }

  afterEach(async () => {
    for (const { subject, cluster } of open.splice(0)) {
      await subject.close()
      await cluster.close()
    }
  })

  it('a read after a write shows it while the cache lags, and a plain one does not', async () => {
    const { call, cluster, events, newSession } = await start()
    cluster.kube.control.lag(500)
    await call(create('a'))
    expect((await call(get('a', '?resourceVersion=0'), newSession())).status).toBe(404)
    expect((await call(get('a', '?resourceVersion=0'))).status).toBe(200)
    await call(create('b'))
    expect(names(await call(list('?resourceVersion=0')))).toEqual(['a', 'b'])
    expect(events).toEqual([])
  })

  it('a read after a write shows it while the cache stands still', async () => {
    const { call, cluster, events } = await start()
    cluster.kube.control.freeze()
    await call(create('a'))
    const began = cluster.clock.now()
    expect((await call(get('a'))).status).toBe(200)
    expect(cluster.clock.now() - began).toBeGreaterThanOrEqual(7000)
    expect(events).toEqual(['wait', 'unpin'])
  })

  it('a list after a write shows it while the cache stands still', async () => {
    const { call, cluster, events } = await start()
    cluster.kube.control.freeze()
    await call(create('a'))
    expect(names(await call(list()))).toEqual(['a'])
    expect(events).toEqual(['wait', 'wait', 'wait', 'wait', 'unpin'])
  })

  it('the history of a surfaced "not yet" is attached', async () => {
    const { call, cluster, newSession } = await start()
    const session = newSession({ fallback: 'error' })
    cluster.kube.control.freeze()
    await call(create('a'), session)
    const result = await call(get('a'), session)
    expect(result.status).toBe(504)
    expect(JSON.parse(result.text)).toMatchObject({ kind: 'Status', reason: 'Timeout' })
    expect(triesOf(result.holder)).toMatchObject([{ outcome: 'behind', waitedMs: 1250 }, { outcome: 'behind' }])
  })

  it('create, delete, read under a frozen cache does not bring the object back; a pin by hand does', async () => {
    const { call, cluster, newSession } = await start()
    const { resourceVersion } = (
      JSON.parse((await call(create('a'))).text) as { metadata: { resourceVersion: string } }
    ).metadata
    await call(get('a'))
    cluster.kube.control.freeze()
    expect((await call(remove('a'))).status).toBe(200)
    expect((await call(get('a', `?resourceVersion=${resourceVersion}`), newSession())).status).toBe(200)
    expect((await call(get('a'))).status).toBe(404)
    expect((await call(get('a', '?resourceVersion=0'))).status).toBe(404)
    expect(names(await call(list('?resourceVersion=0')))).toEqual([])
    cluster.kube.control.thaw()
    expect((await call(get('a'))).status).toBe(404)
  })

  it('taking the last finalizer off a deleted object does not bring it back under a frozen cache', async () => {
    const { call, cluster, newSession } = await start()
    const { method, path } = create('a')
    await call({ method: method!, path, body: { metadata: { name: 'a', finalizers: ['example.com/hold'] } } })
    const held = JSON.parse((await call(remove('a'))).text) as { metadata: { resourceVersion: string } }
    expect((await call(get('a'))).status).toBe(200)
    cluster.kube.control.freeze()
    const freed = { ...held, metadata: { ...held.metadata, finalizers: [] } }
    expect((await call({ method: 'PUT', path: get('a').path, body: freed })).status).toBe(200)
    expect((await call(get('a', `?resourceVersion=${held.metadata.resourceVersion}`), newSession())).status).toBe(200)
    expect((await call(get('a'))).status).toBe(404)
    expect(names(await call(list('?resourceVersion=0')))).toEqual([])
  })

  it('a restart of the caches loses nothing', async () => {
    const { call, cluster, run } = await start()
    cluster.kube.control.freeze()
    await call(create('a'))
    await run(cluster.kube.control.restart())
    expect((await call(get('a', '?resourceVersion=0'))).status).toBe(200)
    expect(names(await call(list('?resourceVersion=0')))).toEqual(['a'])
  })

  it('a server that refuses the consistent list while it is behind is waited for', async () => {
    const { call, cluster, events, run, subject, session } = await start({
      featureGates: { ConsistentListFromCacheSkipTimeoutFallback: true },
    })
    cluster.kube.control.freeze()
    await call(create('a'), new FreshReadSession({ clock: cluster.clock }))
    const listed = subject.call(session, list())
    cluster.clock.setTimeout(() => cluster.kube.control.thaw(), 6000)
    expect(names(await run(listed))).toEqual(['a'])
    expect(events).toEqual(['throttled', 'wait'])
    expect(cluster.sent.filter((path) => path === CONFIG_MAPS)).toHaveLength(2)
  })

  it('a 429 in plain text is waited out on a write, which is sent again with its body', async () => {
    const { call, cluster, events } = await start()
    cluster.instead.push(
      () =>
        new Response('Too many requests, please try again later.', {
          status: 429,
          headers: { 'content-type': 'text/plain; charset=utf-8', 'retry-after': '2' },
        }),
    )
    const began = cluster.clock.now()
    expect((await call(create('a'))).status).toBe(201)
    expect(cluster.clock.now() - began).toBeGreaterThanOrEqual(2000)
    expect(events).toEqual(['throttled', 'wait'])
  })

  it.skipIf(adapter.name.includes('xhr'))('an ERROR event in a watch is passed on', async () => {
    const { call, cluster, run, subject, session } = await start()
    cluster.kube.control.freeze()
    await call(create('a'))
    const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=0'
    const event = await run(subject.firstEvent(session, `${CONFIG_MAPS}?${query}`))
    expect(event).toMatchObject({ type: 'ERROR', object: { code: 504 } })
    expect(cluster.sent.at(-1)).toMatch(/resourceVersion=[1-9]/)
  })

  it.each([
    ['HTML', 'text/html', '<html>Please sign in</html>', 200],
    ['truncated JSON', 'application/json', '{"kind":"ConfigMap","metadata":{"resourceVersion":"9', 201],
  ])('%s from a proxy is handed on unchanged and pins nothing', async (_, type, body, status) => {
    const { call, cluster, session } = await start()
    cluster.instead.push(() => new Response(body, { status, headers: { 'content-type': type } }))
    const result = await call(create('a'))
    expect([result.status, result.text]).toEqual([status, body])
    expect(Object.values(session.exportPins().servers)).not.toContainEqual(expect.stringMatching(/^\d/))
    cluster.instead.push(() => new Response(body, { status: 200, headers: { 'content-type': type } }))
    expect((await call(get('a'))).text).toBe(body)
  })

  it('a broken connection is retried on a read and surfaced on a write', async () => {
    const { call, cluster } = await start()
    await call(create('a'))
    cluster.instead.push(breakConnection, breakConnection)
    expect((await call(get('a'))).status).toBe(200)
    cluster.instead.push(breakConnection)
    await expect(call(create('b'))).rejects.toThrow(BROKEN)
    expect(cluster.sent.filter((line) => line.startsWith('POST'))).toHaveLength(2)
  })

  it('a write that may have happened is read as it is now', async () => {
    const { call, cluster } = await start()
    await call(create('a'))
    cluster.kube.control.freeze()
    cluster.instead.push(async (request) => {
      await cluster.kube.fetch(request)
      return breakConnection()
    })
    await expect(call(create('b'))).rejects.toThrow(BROKEN)
    expect((await call(get('b', '?resourceVersion=0'))).status).toBe(200)
  })

  it('a storage restored from a backup is noticed, and its pins are dropped', async () => {
    const { call, cluster, events, session, run } = await start()
    await call(create('a'))
    const backup = cluster.kube.control.snapshot()
    await call(create('b'))
    await call(create('c'))
    await run(cluster.kube.control.restore(backup))
    expect(names(await call(list()))).toEqual(['a'])
    expect(events.at(-1)).toBe('rewind')
    expect(session.exportPins().servers).toEqual({})
    expect(names(await call(list()))).toEqual(['a'])
  })

  it('replicas that lag differently behind one URL show every write', async () => {
    const { call, cluster } = await start({ replicas: 2 })
    cluster.servers[0]!.control.lag(200)
    cluster.servers[1]!.control.lag(2000)
    for (const name of ['a', 'b', 'c']) {
      await call(create(name))
      for (let i = 0; i < 2; i++) {
        expect((await call(get(name, '?resourceVersion=0'))).status).toBe(200)
        expect(names(await call(list('?resourceVersion=0')))).toContain(name)
      }
    }
    await call(remove('b'))
    for (let i = 0; i < 2; i++) expect((await call(get('b', '?resourceVersion=0'))).status).toBe(404)
    for (let i = 0; i < 3; i++) expect(names(await call(list('?resourceVersion=0')))).toEqual(['a', 'c'])
    expect((await call(get('b', '?resourceVersion=0'))).status).toBe(404)
  })

  it('identical reads on their way are one request', async () => {
    const { call, cluster, run, subject, session } = await start()
    cluster.kube.control.lag(500)
    await call(create('a'))
    const before = cluster.sent.length
    const results = await run(Promise.all([list(), list(), list()].map((each) => subject.call(session, each))))
    expect(results.map(names)).toEqual([['a'], ['a'], ['a']])
    expect(cluster.sent.length - before).toBe(1)
  })

  it('an abort during a wait rejects in the same turn', async () => {
    const { call, cluster, subject, session } = await start()
    cluster.kube.control.freeze()
    await call(create('a'))
    const controller = new AbortController()
    const waiting = new Promise<void>((resolve) => session.on('wait', () => resolve()))
    const settled = vi.fn()
    subject.call(session, { ...get('a'), signal: controller.signal }).then(settled, settled)
    await settle(cluster.clock, waiting, adapter.realMs)
    controller.abort()
    await new Promise((resolve) => setImmediate(resolve))
    expect(settled).toHaveBeenCalledOnce()
    expect((settled.mock.calls[0]![0] as Error).name).toMatch(/AbortError|CanceledError/)
  })

  it('pins travel to another process as a token', async () => {
    const { call, cluster, newSession, session } = await start()
    cluster.kube.control.lag(500)
    await call(create('a'))
    const next = newSession().fromToken(session.toToken())
    expect((await call(get('a', '?resourceVersion=0'), next)).status).toBe(200)
    expect(cluster.sent.at(-1)).toContain(`resourceVersion=${versionOf(await call(get('a')))}`)
  })
})

beforeAll(() => {
  // Node's own warning about many listeners would be a leak of ours.
  process.on('warning', (warning) => {
    if (warning.name === 'MaxListenersExceededWarning') throw warning
  })
})
