import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../testing/fake-clock.ts'
import type { KVWatchResponse } from '../kv.ts'
import type { EtcdConnection } from './connection.ts'
import type { WatchResponse } from './proto.ts'
import { WatchStream } from './watch-stream.ts'

/** A stream that does what the test says. */
class FakeStream extends EventEmitter {
  readonly sent: Record<string, Record<string, unknown>>[] = []
  canceled = false

  write(request: Record<string, Record<string, unknown>>): void {
    this.sent.push(request)
  }

  cancel(): void {
    this.canceled = true
  }

  answer(response: Partial<WatchResponse>): void {
    const nothing = { watch_id: 0, created: false, canceled: false, compact_revision: 0, cancel_reason: '', events: [] }
    this.emit('data', { header: { revision: 100 }, ...nothing, ...response })
  }

  get created(): unknown[] {
    return this.sent.flatMap(({ create_request: request }) =>
      request ? [[request['watch_id'], request['start_revision']]] : [],
    )
  }
}

function setUp() {
  const clock = new FakeClock()
  const streams: FakeStream[] = []
  const watchStream = (): ReturnType<EtcdConnection['watchStream']> => {
    streams.push(new FakeStream())
    return streams.at(-1) as unknown as ReturnType<EtcdConnection['watchStream']>
  }
  const watches = new WatchStream({ watchStream }, clock)
  const watch = (startRevision: number) => {
    const responses: KVWatchResponse[] = []
    const cancel = watches.watch({
      key: '/a/',
      prefix: true,
      startRevision,
      onResponse: (told) => responses.push(told),
    })
    return { responses, cancel }
  }
  const event = (revision: number): WatchResponse['events'][number] => {
    const key = Buffer.from('/a/x')
    const kv = { key, create_revision: 1, mod_revision: revision, version: 1, value: Buffer.from('{}'), lease: 0 }
    return { type: 'PUT', kv, prev_kv: null }
  }
  return { clock, streams, watches, watch, event }
}

describe('WatchStream', () => {
  it('asks for one revision more than it tells of', () => {
    const { streams, watch, event } = setUp()
    const { responses } = watch(50)
    streams[0]!.answer({ watch_id: 1, created: true })
    streams[0]!.answer({ watch_id: 1, events: [event(49)] })
    streams[0]!.answer({ watch_id: 1, events: [event(49), event(50)] })
    expect(streams[0]!.created).toEqual([[1, 49]])
    expect(responses).toMatchObject([{ type: 'events', events: [{ kv: { modRevision: 50 } }] }])
  })

  it('asks for exactly what is wanted when the one before is compacted', () => {
    const { streams, watch } = setUp()
    const { responses } = watch(50)
    streams[0]!.answer({ watch_id: 1, canceled: true, compact_revision: 50 })
    expect(streams[0]!.created).toEqual([
      [1, 49],
      [2, 50],
    ])
    expect(responses).toEqual([])
    streams[0]!.answer({ watch_id: 2, canceled: true, compact_revision: 51 })
    expect(responses).toEqual([{ type: 'compacted', compactRevision: 51 }])
  })

  it('goes on after what it has told when the stream breaks, waiting longer each time', async () => {
    const { clock, streams, watch, event } = setUp()
    watch(50)
    streams[0]!.answer({ watch_id: 1, created: true })
    streams[0]!.answer({ watch_id: 1, events: [event(60)] })
    streams[0]!.emit('error', { code: 14, details: 'gone' })
    await clock.step(99)
    expect(streams).toHaveLength(1)
    await clock.step(1)
    expect(streams[1]!.created).toEqual([[1, 60]])
    streams[1]!.emit('error', { code: 14, details: 'gone' })
    await clock.step(199)
    expect(streams).toHaveLength(2)
    await clock.step(1)
    // What a broken stream says is no longer heard.
    streams[1]!.answer({ watch_id: 1, events: [event(70)] })
    streams[2]!.emit('end')
    await clock.step(400)
    expect(streams).toHaveLength(4)
    expect(streams[3]!.created).toEqual([[1, 60]])
  })

  it('ends its watches when the cluster has no leader', async () => {
    const { clock, streams, watch } = setUp()
    const { responses } = watch(50)
    streams[0]!.emit('error', { code: 14, details: 'etcdserver: no leader' })
    expect(responses).toMatchObject([{ type: 'error', error: { message: 'etcdserver: no leader' } }])
    await clock.step(10_000)
    expect(streams).toHaveLength(1)
    watch(50)
    expect(streams).toHaveLength(2)
  })

  it('tells a watch that it is not permitted, though etcd leaves out its number', () => {
    const { streams, watch } = setUp()
    const permitted = watch(50)
    const refused = watch(50)
    streams[0]!.answer({ watch_id: 1, created: true })
    streams[0]!.answer({ watch_id: -1, created: true, canceled: true, cancel_reason: 'etcdserver: permission denied' })
    expect(refused.responses).toMatchObject([{ type: 'error', error: { message: 'etcdserver: permission denied' } }])
    expect(permitted.responses).toEqual([])
  })

  it('tells progress to all that the server knows of and that have begun', () => {
    const { streams, watch } = setUp()
    const [begun, future, unknown] = [watch(50), watch(101), watch(50)]
    streams[0]!.answer({ watch_id: 1, created: true })
    streams[0]!.answer({ watch_id: 2, created: true })
    streams[0]!.answer({ watch_id: -1 })
    expect(begun.responses).toEqual([{ type: 'progress', revision: 100 }])
    expect([future.responses, unknown.responses]).toEqual([[], []])
  })

  it('hangs up with its last watch', async () => {
    const { clock, streams, watch, watches } = setUp()
    const [one, two] = [watch(50), watch(50)]
    one.cancel()
    expect(streams[0]!.sent.at(-1)).toEqual({ cancel_request: { watch_id: 1 } })
    expect(streams[0]!.canceled).toBe(false)
    two.cancel()
    expect(streams[0]!.canceled).toBe(true)
    const three = watch(50)
    streams[1]!.emit('error', { code: 14, details: 'gone' })
    three.cancel()
    expect(clock.pendingTimers).toBe(0)
    watches.close()
    const late = watch(50)
    expect(late.responses).toMatchObject([{ type: 'error', error: { code: 'closed' } }])
    await clock.step(0)
    expect(streams).toHaveLength(2)
  })
})
