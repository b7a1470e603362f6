import { createServer, type AddressInfo, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KV, KVWatchResponse } from '../kv.ts'
import { StoredValue } from '../value.ts'
import { EtcdKV } from './etcd-kv.ts'
import { externalTool } from '../../../../../scripts/external-tool.ts'
import { runEtcd, type RunningEtcd } from './run-etcd.ts'

const binary = externalTool('etcd')

/** A TCP proxy whose connections can be cut. */
async function startProxy(target: string) {
  const { port: targetPort } = new URL(target)
  const sockets = new Set<Socket>()
  const { connect } = await import('node:net')
  const server = createServer((client) => {
    const upstream = connect(Number(targetPort), '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.pipe(upstream).pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      for (const socket of sockets) socket.destroy()
    },
    close: () => server.close(),
  }
}

async function put(kv: KV, key: string): Promise<number> {
  const expectedRevision = (await kv.get(key)).kv?.modRevision ?? 0
  return (await kv.txn({ key, expectedRevision, put: StoredValue.fromObject({ metadata: {} }) })).revision
}

/** Watches, and lets a test wait until something was told. */
function record(kv: KV, key: string, startRevision: number) {
  const responses: KVWatchResponse[] = []
  let wake: (() => void) | undefined
  const watch = kv.watch({
    key,
    prefix: true,
    previous: true,
    startRevision,
    onResponse: (response) => {
      responses.push(response)
      wake?.()
    },
  })
  const revisions = (): number[] =>
    responses.flatMap((response) =>
      response.type === 'events' ? response.events.map((event) => event.kv.modRevision) : [],
    )
  const until = async (done: () => boolean): Promise<void> => {
    while (!done()) await new Promise<void>((resolve) => (wake = resolve))
  }
  return { responses, revisions, until, cancel: () => watch.cancel() }
}

describe('EtcdKV', () => {
  it('refuses endpoints that are none', async () => {
    await expect(EtcdKV.connect({ endpoints: [] })).rejects.toThrow('etcd needs at least one endpoint')
    await expect(EtcdKV.connect({ endpoints: 'nonsense' })).rejects.toThrow('not an etcd endpoint: "nonsense"')
    await expect(EtcdKV.connect({ endpoints: 'ftp://x' })).rejects.toThrow(TypeError)
  })

  it('says whom it cannot reach', async () => {
    // Nothing listens on port 1.
    const connecting = EtcdKV.connect({ endpoints: 'http://127.0.0.1:1', timeout: 50 })
    await expect(connecting).rejects.toThrow(/^no etcd answers at http:\/\/127\.0\.0\.1:1: /)
    await expect(connecting).rejects.toMatchObject({ code: 'timeout' })
  })
})

describe.skipIf(binary === undefined)('EtcdKV on a real etcd (skipped without one: set FRESHREAD_ETCD)', () => {
  let etcd: RunningEtcd
  beforeAll(async () => {
    etcd = await runEtcd(binary!)
  })
  afterAll(() => etcd.stop())

  it('knows the version and what it can do', async () => {
    const kv = await EtcdKV.connect({ endpoints: etcd.endpoint })
    expect(kv.version).toMatch(/^3\.\d+\.\d+/)
    expect(kv.supportsProgress).toBe(true)
    await kv.close()
  })

  it('goes on watching after its connection broke, without a gap and without a repetition', async () => {
    const proxy = await startProxy(etcd.endpoint)
    const kv = await EtcdKV.connect({ endpoints: proxy.endpoint })
    const direct = await EtcdKV.connect({ endpoints: etcd.endpoint })
    const expected = [await put(direct, '/reconnect/a')]
    const watched = record(kv, '/reconnect/', expected[0]!)
    for (let round = 0; round < 3; round++) {
      await watched.until(() => watched.revisions().length === expected.length)
      proxy.cut()
      for (const key of ['a', 'b']) expected.push(await put(direct, `/reconnect/${key}`))
    }
    await watched.until(() => watched.revisions().length >= expected.length)
    expect(watched.revisions()).toEqual(expected)
    // Progress works on the new stream, too.
    await put(direct, '/elsewhere')
    while (!watched.responses.some((response) => response.type === 'progress')) {
      await kv.requestProgress()
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await Promise.all([kv.close(), direct.close()])
    proxy.close()
  })

  it('goes on after etcd was killed and started again', async () => {
    const kv = await EtcdKV.connect({ endpoints: etcd.endpoint })
    const first = await put(kv, '/restart/a')
    const watched = record(kv, '/restart/', first)
    await watched.until(() => watched.revisions().length === 1)
    await etcd.kill()
    await etcd.start()
    // A request waits for the connection.
    const second = await put(kv, '/restart/b')
    await watched.until(() => watched.revisions().length === 2)
    expect(watched.revisions()).toEqual([first, second])
    await kv.close()
  })

  it('tells progress to all, though a watch has just begun and nothing was written since', async () => {
    const kv = await EtcdKV.connect({ endpoints: etcd.endpoint })
    const revision = await put(kv, '/fresh/a')
    const old = record(kv, '/fresh/', revision)
    await old.until(() => old.revisions().length === 1)
    const fresh = record(kv, '/other/', revision + 1)
    while (!old.responses.some((response) => response.type === 'progress')) {
      await kv.requestProgress()
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    // The one that starts in the future is not there yet.
    expect(fresh.responses).toEqual([])
    await kv.close()
  })

  it('watches right after a compaction', async () => {
    const kv = await EtcdKV.connect({ endpoints: etcd.endpoint })
    await put(kv, '/compacted/a')
    const revision = await put(kv, '/compacted/a')
    await kv.compact(revision)
    const watched = record(kv, '/compacted/', revision)
    await watched.until(() => watched.revisions().length === 1)
    expect(watched.responses).toMatchObject([{ type: 'events', events: [{ previous: undefined }] }])
    await kv.close()
  })

  it('says that an object is too large', async () => {
    const kv = await EtcdKV.connect({ endpoints: etcd.endpoint })
    const large = StoredValue.fromObject({ metadata: { name: 'x'.repeat(1_600_000) } })
    await expect(kv.txn({ key: '/large', expectedRevision: 0, put: large })).rejects.toMatchObject({
      code: 'too-large',
      message: 'etcdserver: request is too large',
    })
    const larger = StoredValue.fromObject({ metadata: { name: 'x'.repeat(2_200_000) } })
    await expect(kv.txn({ key: '/large', expectedRevision: 0, put: larger })).rejects.toMatchObject({
      code: 'too-large',
      message: expect.stringMatching(/trying to send message larger than max \(22000\d\d vs. 2097152\)$/),
    })
    await kv.close()
  })

  it('gives up a request whose caller has', async () => {
    const kv = await EtcdKV.connect({ endpoints: etcd.endpoint })
    const aborted = new AbortController()
    const asked = kv.get('/a', { signal: aborted.signal })
    aborted.abort(new Error('given up'))
    await expect(asked).rejects.toThrow('given up')
    await kv.close()
  })
})
