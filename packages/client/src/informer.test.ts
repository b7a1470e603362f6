import { assert, asyncProperty, array, constantFrom } from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CONFIG_MAPS, type Cluster, breakConnection, settle, startCluster } from '../test/cluster.ts'
import { type ConfigMap, clientOf } from '../test/kube.ts'
import { Informer, type InformerOptions } from './informer.ts'
import type { KubeClient } from './kube-client.ts'
import type { ResourceClient } from './resource-client.ts'

let cluster: Cluster
let kube: KubeClient
let maps: ResourceClient<ConfigMap>
const run = <T>(promise: Promise<T>): Promise<T> => settle(cluster.clock, promise)
const map = (name: string, data: Record<string, string> = {}): ConfigMap => ({
  metadata: { name, labels: { test: 'yes' } },
  data,
})

beforeEach(async () => {
  cluster = await startCluster()
  kube = clientOf(cluster)
  maps = kube.resource<ConfigMap>('v1', 'configmaps', { namespace: 'default' })
})
afterEach(() => cluster.close())

interface Followed {
  readonly informer: Informer<ConfigMap>
  /** `add a`, `update a`, `delete a`, in order; errors apart. */
  readonly log: string[]
  readonly errors: unknown[]
  names(): string[]
}

async function follow(
  options: InformerOptions<ConfigMap> = {},
  client: ResourceClient<ConfigMap> = maps,
): Promise<Followed> {
  const informer = new Informer(client, { labelSelector: 'test=yes', ...options })
  const log: string[] = []
  const errors: unknown[] = []
  const note = (event: string) => (object: ConfigMap) => void log.push(`${event} ${object.metadata.name}`)
  informer.on('add', note('add')).on('update', note('update')).on('delete', note('delete'))
  informer.on('error', (error) => errors.push(error))
  informer.start()
  await run(informer.whenSynced())
  return {
    informer,
    log,
    errors,
    names: () =>
      informer.store
        .list()
        .map(({ metadata }) => metadata.name!)
        .sort(),
  }
}

const watches = (): string[] => cluster.sent.filter((path) => path.includes('watch=true'))
const errorEvent = (code: number, more: object = {}): Response =>
  new Response(`${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code, ...more } })}\n`, {
    headers: { 'content-type': 'application/json' },
  })

describe.each([
  ['with WatchList', true],
  ['with list and watch', false],
] as const)('an informer %s', (_, watchList) => {
  it('tells what is there, and each change once', async () => {
    await run(maps.create(map('a')))
    const { informer, log, names } = await follow({ watchList })
    expect(log).toEqual(['add a'])
    await run(maps.create(map('b')))
    await run(maps.patch('a', { data: { k: '1' } }))
    await run(maps.delete('b'))
    await cluster.clock.step(200)
    expect(log).toEqual(['add a', 'add b', 'update a', 'delete b'])
    expect(names()).toEqual(['a'])
    expect(informer.store.get('a', 'default')?.data).toEqual({ k: '1' })
    informer.stop()
  })

  it('tells an object that leaves its selection as deleted', async () => {
    await run(maps.create(map('a')))
    const { informer, log } = await follow({ watchList })
    await run(maps.patch('a', { metadata: { labels: { test: 'no' } } }))
    await run(maps.patch('a', { metadata: { labels: { test: 'yes' } } }))
    await cluster.clock.step(200)
    expect(log).toEqual(['add a', 'delete a', 'add a'])
    informer.stop()
  })

  it('resumes where it was when the connection breaks or the server ends the watch', async () => {
    const { informer, log } = await follow({ watchList })
    for (const [i, clean] of [true, false, true].entries()) {
      await run(maps.create(map(`a${i}`)))
      await cluster.clock.step(200)
      cluster.kube.control.dropWatches({ clean })
      await run(maps.create(map(`b${i}`)))
      await cluster.clock.step(2000)
    }
    expect(log).toEqual(['add a0', 'add b0', 'add a1', 'add b1', 'add a2', 'add b2'])
    expect(cluster.sent.filter((path) => path.startsWith(`${CONFIG_MAPS}?`) && !path.includes('watch'))).toHaveLength(
      watchList ? 0 : 1,
    )
    informer.stop()
  })

  it('resumes from the last bookmark', async () => {
    const { informer } = await follow({ watchList })
    const before = informer.store.resourceVersion
    await run(kube.resource<ConfigMap>('v1', 'secrets', { namespace: 'default' }).create(map('s')))
    await run(maps.create({ metadata: { name: 'unselected' } }))
    await cluster.clock.step(70_000)
    const bookmark = informer.store.resourceVersion
    expect(Number(bookmark)).toBeGreaterThan(Number(before))
    cluster.kube.control.dropWatches()
    await cluster.clock.step(1000)
    expect(watches().at(-1)).toContain(`resourceVersion=${bookmark}`)
    informer.stop()
  })

  it('begins anew on 410, telling only the differences', async () => {
    for (const name of ['a', 'b', 'c']) await run(maps.create(map(name)))
    const { informer, log, errors, names } = await follow({ watchList })
    cluster.instead.push(breakConnection, breakConnection, breakConnection, breakConnection)
    cluster.kube.control.dropWatches()
    await cluster.clock.step(100)
    cluster.instead.length = 0
    cluster.instead.push(() => errorEvent(410, { reason: 'Expired' }))
    const direct = (request: Request): Promise<Response> => run(cluster.kube.fetch(request))
    await direct(new Request(`http://h${CONFIG_MAPS}/b`, { method: 'DELETE' }))
    await direct(
      new Request(`http://h${CONFIG_MAPS}/c`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/merge-patch+json' },
        body: '{"data":{"k":"1"}}',
      }),
    )
    await cluster.clock.step(10_000)
    expect(log).toEqual(['add a', 'add b', 'add c', 'delete b', 'update c'])
    expect(names()).toEqual(['a', 'c'])
    expect(errors.at(-1)).toMatchObject({ code: 410 })
    informer.stop()
  })

  it('does not run in circles on an endless 410', async () => {
    const { informer } = await follow({ watchList })
    const from = cluster.sent.length
    for (let i = 0; i < 1000; i++) {
      cluster.instead.push((request) =>
        request.url.includes('watch=true') && !request.url.includes('sendInitialEvents')
          ? errorEvent(410)
          : cluster.kube.fetch(request),
      )
    }
    cluster.kube.control.dropWatches()
    for (let i = 0; i < 60; i++) {
      cluster.kube.control.dropWatches()
      await cluster.clock.step(1000)
    }
    expect(cluster.sent.length - from).toBeLessThan(45)
    expect(cluster.sent.length - from).toBeGreaterThan(5)
    informer.stop()
  })

  it.each([
    [
      504,
      { reason: 'Timeout', details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 } },
      1000,
    ],
    [429, { reason: 'TooManyRequests', details: { retryAfterSeconds: 5 } }, 5000],
    [500, { reason: 'InternalError' }, 0],
  ])('watches on after an ERROR event of %i, when its hint has passed', async (code, status, ms) => {
    const { informer, log, errors } = await follow({ watchList })
    cluster.instead.push(() => errorEvent(code, status))
    cluster.kube.control.dropWatches({ clean: true })
    while (!errors.length) await cluster.clock.step(100)
    const began = cluster.clock.now()
    const count = watches().length
    while (watches().length === count) await cluster.clock.step(10)
    expect(cluster.clock.now() - began).toBeGreaterThanOrEqual(ms)
    await run(maps.create(map('a')))
    await cluster.clock.step(200)
    expect(log).toEqual(['add a'])
    informer.stop()
  })

  it('survives a restart of the caches', async () => {
    const { informer, log } = await follow({ watchList })
    await run(maps.create(map('a')))
    await run(cluster.kube.control.restart())
    await run(maps.create(map('b')))
    await cluster.clock.step(5000)
    expect(log).toEqual(['add a', 'add b'])
    informer.stop()
  })

  it('shows what its session wrote, from the beginning', async () => {
    cluster.kube.control.lag(1000)
    await run(maps.create(map('a')))
    const { informer, names } = await follow({ watchList })
    expect(names()).toEqual(['a'])
    informer.stop()
  })

  it('follows a storage that went back in time', async () => {
    await run(maps.create(map('a')))
    const backup = cluster.kube.control.snapshot()
    const { informer, names } = await follow({ watchList })
    for (const name of ['b', 'c', 'd']) await run(maps.create(map(name)))
    await cluster.clock.step(200)
    expect(names()).toEqual(['a', 'b', 'c', 'd'])
    await run(cluster.kube.control.restore(backup))
    cluster.instead.push(() => errorEvent(410))
    await cluster.clock.step(20_000)
    expect(names()).toEqual(['a'])
    informer.stop()
  })

  it('never misses or repeats a change, whatever breaks', async () => {
    type Step =
      | 'create'
      | 'update'
      | 'delete'
      | 'drop'
      | 'drop clean'
      | 'restart'
      | 'lag'
      | 'no lag'
      | '410'
      | 'break'
      | 'time'
    const steps = array(
      constantFrom<Step>(
        'create',
        'update',
        'delete',
        'drop',
        'drop clean',
        'restart',
        'lag',
        'no lag',
        '410',
        'break',
        'time',
      ),
      { minLength: 5, maxLength: 30 },
    )
    await assert(
      asyncProperty(steps, async (script) => {
        await cluster.close()
        cluster = await startCluster()
        const writer = clientOf(cluster).resource<ConfigMap>('v1', 'configmaps', { namespace: 'default' })
        const { informer } = await follow(
          { watchList },
          clientOf(cluster).resource('v1', 'configmaps', { namespace: 'default' }),
        )
        const told = new Map<string, string>()
        const wrong: string[] = []
        const seen =
          (kind: string) =>
          ({ metadata: { name = '', resourceVersion = '' } }: ConfigMap): void => {
            const before = told.get(name)
            if ((before === undefined) !== (kind === 'add') || (kind === 'update' && before === resourceVersion)) {
              wrong.push(`${kind} ${name} ${resourceVersion} after ${before}`)
            }
            if (kind === 'delete') told.delete(name)
            else told.set(name, resourceVersion)
          }
        informer.on('add', seen('add')).on('update', seen('update')).on('delete', seen('delete'))
        let made = 0
        let alive: string[] = []
        for (const step of script) {
          const { control } = cluster.kube
          if (step === 'create') {
            alive.push(`m${made}`)
            await run(writer.create(map(`m${made++}`)))
          } else if (step === 'update' && alive[0]) await run(writer.patch(alive[0], { data: { k: String(made++) } }))
          else if (step === 'delete' && alive[0]) {
            await run(writer.delete(alive[0]))
            alive = alive.slice(1)
          } else if (step === 'drop' || step === 'drop clean') control.dropWatches({ clean: step === 'drop clean' })
          else if (step === 'restart') await run(control.restart())
          else if (step === 'lag' || step === 'no lag') control.lag(step === 'lag' ? 700 : 0)
          else if (step === '410' || step === 'break') {
            cluster.instead.push((request) => {
              if (!request.url.includes('watch=true')) return cluster.kube.fetch(request)
              return step === 'break' ? breakConnection() : errorEvent(410)
            })
            control.dropWatches()
          } else if (step === 'time') await cluster.clock.step(1500)
        }
        await cluster.clock.step(60_000)
        expect(wrong).toEqual([])
        expect([...told.keys()].sort()).toEqual(alive.sort())
        expect(
          informer.store
            .list()
            .map(({ metadata }) => [metadata.name, metadata.resourceVersion])
            .sort(),
        ).toEqual([...told].sort())
        informer.stop()
      }),
      { numRuns: 12 },
    )
  })
})

describe('an informer', () => {
  it('falls back to a list where the server cannot send initial events', async () => {
    await run(maps.create(map('a')))
    cluster.instead.push(() =>
      Response.json(
        {
          kind: 'Status',
          code: 422,
          reason: 'Invalid',
          message: 'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
        },
        { status: 422 },
      ),
    )
    const { informer, log } = await follow()
    expect(log).toEqual(['add a'])
    expect(watches()[1]).not.toContain('sendInitialEvents')
    informer.stop()
  })

  it('takes a list in the end where the cache stands still', async () => {
    cluster.kube.control.freeze()
    await run(maps.create(map('a')))
    const { informer, names, errors } = await follow()
    expect(names()).toEqual(['a'])
    expect(errors.length).toBeGreaterThan(0)
    informer.stop()
  })

  it('finds objects by index', async () => {
    const { informer } = await follow({ indexes: { k: (object) => Object.values(object.data ?? {}) } })
    await run(maps.create(map('a', { x: '1', y: '2' })))
    await run(maps.create(map('b', { x: '1' })))
    await run(maps.patch('a', { data: { x: null } }))
    await cluster.clock.step(200)
    const found = (value: string): unknown[] => informer.store.byIndex('k', value).map(({ metadata }) => metadata.name)
    expect([found('1'), found('2'), found('3')]).toEqual([['b'], ['a'], []])
    expect(() => informer.store.byIndex('x', '1')).toThrow(TypeError)
    informer.stop()
  })

  it('keeps a handler’s error from the others and from the store', async () => {
    const thrown: unknown[] = []
    vi.stubGlobal('queueMicrotask', (callback: () => void) => {
      try {
        callback()
      } catch (error) {
        thrown.push(error)
      }
    })
    try {
      const { informer, names } = await follow()
      informer.on('add', () => {
        throw new Error('handler')
      })
      await run(maps.create(map('a')))
      await run(maps.create(map('b')))
      await cluster.clock.step(200)
      expect(names()).toEqual(['a', 'b'])
      expect(thrown).toHaveLength(2)
      informer.stop()
    } finally {
      vi.unstubAllGlobals()
    }
  })

  it('tells nothing more once a handler has stopped it, though more has come', async () => {
    for (const watchList of [true, false]) {
      const names = [`a${watchList}`, `b${watchList}`, `c${watchList}`]
      const { informer, log } = await follow({ watchList })
      log.length = 0
      informer.on('add', () => informer.stop())
      cluster.instead.push(
        () =>
          new Response(
            names.map((name) => `${JSON.stringify({ type: 'ADDED', object: { ...map(name) } })}\n`).join(''),
          ),
      )
      cluster.kube.control.dropWatches({ clean: true })
      await cluster.clock.step(2000)
      expect(log).toEqual([`add ${names[0]}`])
    }
  })

  it('tells nothing of a list once a handler has stopped it', async () => {
    for (const name of ['a', 'b']) await run(maps.create(map(name)))
    for (const watchList of [true, false]) {
      const informer = new Informer(maps, { watchList })
      const log: string[] = []
      informer.on('add', ({ metadata }) => (log.push(metadata.name!), informer.stop()))
      informer.on('synced', () => log.push('synced'))
      await run(
        informer
          .start()
          .whenSynced()
          .catch(() => {}),
      )
      expect(log).toHaveLength(1)
    }
  })

  it.each([
    { code: 500, reason: 'InternalError' },
    { code: 504, details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } },
  ])('begins anew when a watch is refused again and again where it goes on: %o', async (status) => {
    for (const watchList of [true, false]) {
      const { informer, log } = await follow({ watchList })
      log.length = 0
      const refuse = (request: Request): Response | Promise<Response> => {
        cluster.instead.push(refuse)
        const resumes = /watch=true.*resourceVersion=[1-9]/.test(request.url) && !request.url.includes('sendInitial')
        return resumes && !cured ? errorEvent(status.code, status) : cluster.kube.fetch(request)
      }
      let cured = false
      cluster.instead.push(refuse)
      cluster.kube.control.dropWatches({ clean: true })
      await run(maps.create(map(`new-${watchList}`)))
      await cluster.clock.step(15_000)
      expect(log).toEqual([`add new-${watchList}`])
      cured = true
      informer.stop()
      cluster.instead.length = 0
    }
  })

  it('knows an ERROR event that only has a reason', async () => {
    const { informer, errors } = await follow()
    cluster.instead.push(() => errorEvent(undefined as never, { reason: 'Expired' }))
    cluster.kube.control.dropWatches({ clean: true })
    while (!errors.length) await cluster.clock.step(100)
    await cluster.clock.step(1000)
    expect(errors[0]).toMatchObject({ code: 410 })
    expect(watches().at(-1)).toContain('sendInitialEvents=true')
    informer.stop()
  })

  it('stops for good: no watch, no timer, no event', async () => {
    const controller = new AbortController()
    const { informer, log } = await follow({ signal: controller.signal })
    await cluster.clock.step(1000)
    const waiting = informer.waitForFresh('99999')
    waiting.catch(() => {})
    controller.abort()
    informer.stop()
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
    await expect(informer.whenSynced()).rejects.toMatchObject({ name: 'AbortError' })
    await run(maps.create(map('a')))
    await cluster.clock.step(5000)
    expect(log).toEqual([])
    expect((await run(cluster.kube.control.state())).watches).toBe(0)
  })
})

describe('waitForFresh', () => {
  it('resolves when the store holds it and the handlers were told, without a moment in between', async () => {
    const { informer, log } = await follow()
    cluster.kube.control.lag(500)
    const { resourceVersion } = (await run(maps.create(map('a')))).metadata
    const began = cluster.clock.now()
    let at: [number, string[]] | undefined
    const waiting = informer.waitForFresh(resourceVersion!).then(() => (at = [cluster.clock.now(), [...log]]))
    informer.on('add', () => queueMicrotask(() => log.push('after')))
    await run(waiting)
    expect(at![0] - began).toBeLessThanOrEqual(500)
    expect(at![1]).toContain('add a')
    await informer.waitForFresh(resourceVersion!)
    await informer.waitForFresh('1')
    informer.stop()
  })

  it('rejects at its deadline and with its signal, and leaves no timer', async () => {
    const { informer } = await follow()
    await cluster.clock.step(100)
    const timers = cluster.clock.pendingTimers
    const controller = new AbortController()
    const late = informer.waitForFresh('99999', { timeoutMs: 1000 })
    const aborted = informer.waitForFresh('99999', { signal: controller.signal, timeoutMs: 1000 })
    aborted.catch(() => {})
    controller.abort(new Error('enough'))
    await expect(aborted).rejects.toThrow('enough')
    await expect(run(late)).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(cluster.clock.pendingTimers).toBeLessThanOrEqual(timers)
    informer.stop()
  })

  it.each(['', 'abc', '0'])('refuses %j', async (resourceVersion) => {
    await expect(new Informer(maps).waitForFresh(resourceVersion)).rejects.toThrow(TypeError)
  })
})
