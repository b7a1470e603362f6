import { gunzipSync } from 'node:zlib'
import { FakeClock } from '@freshread/core/testing'
import type { WatchEvent } from '@freshread/core'
import { describe, expect, it } from 'vitest'
import { negotiateFormat } from './encode.ts'
import type { BodyStream } from './message.ts'
import { CollectingSink, configMap, contextOf, FedWatch, resourceOf, stored } from './test-support.ts'
import { respondWatch, type WatchResponseOptions } from './watch-stream.ts'

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io'
const resource = resourceOf()

function open(
  headers: Readonly<Record<string, string>> = {},
  options: Partial<WatchResponseOptions> = {},
  sink: CollectingSink = new CollectingSink(),
) {
  const clock = new FakeClock(0)
  const context = contextOf(headers, '', clock)
  const watch = new FedWatch()
  const response = respondWatch(context, watch, resource, {
    format: negotiateFormat(context, resource),
    ...options,
  })
  const body = response.body as BodyStream
  return { clock, watch, response, body, sink, start: () => body.start(sink) }
}

const added = (name: string, rv = 1): WatchEvent => ({ type: 'ADDED', object: stored(configMap(name), rv) })
const lines = (sink: CollectingSink): unknown[] =>
  sink.text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown)

describe('respondWatch', () => {
  it('has its headers before anything happens, then a line for each event', () => {
    const { response, watch, sink, start } = open()
    expect(response).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } })
    start()
    expect(sink.chunks).toEqual([])
    watch.feed(added('a', 3), { type: 'BOOKMARK', resourceVersion: 9, initialEventsEnd: true })
    expect(lines(sink)).toEqual([
      {
        type: 'ADDED',
        object: { ...configMap('a'), metadata: { name: 'a', namespace: 'default', resourceVersion: '3' } },
      },
      {
        type: 'BOOKMARK',
        object: {
          kind: 'ConfigMap',
          apiVersion: 'v1',
          metadata: { resourceVersion: '9', annotations: { 'k8s.io/initial-events-end': 'true' } },
        },
      },
    ])
    expect(sink.text.endsWith('}\n')).toBe(true)
  })

  it('gives all watchers of a format the same bytes', () => {
    const [one, two] = [open(), open()]
    const event = added('a')
    for (const { start, watch } of [one, two]) {
      start()
      watch.feed(event)
    }
    expect(one.sink.chunks[0]).toBe(two.sink.chunks[0])
  })

  it('does not let a Table watcher change what others get', () => {
    const [table, plain] = [open({ accept: TABLE }), open()]
    const event = added('a')
    for (const { start, watch } of [table, plain]) {
      start()
      watch.feed(event, { ...added('b'), type: 'MODIFIED' } as WatchEvent)
    }
    const [first, second] = lines(table.sink) as { object: { kind: string; columnDefinitions: unknown } }[]
    expect(first!.object).toMatchObject({
      kind: 'Table',
      columnDefinitions: [{ name: 'Name' }],
      rows: [{ cells: ['a'] }],
    })
    expect(second!.object.columnDefinitions).toBeNull()
    expect(lines(plain.sink)[0]).toMatchObject({ object: { kind: 'ConfigMap' } })
  })

  it('sends errors as they are, in any format', () => {
    const { watch, sink, start } = open({ accept: TABLE })
    start()
    watch.feed({
      type: 'ERROR',
      status: { metadata: {}, status: 'Failure', message: 'too old', reason: 'Expired', code: 410 },
    })
    watch.close()
    expect(lines(sink)).toEqual([
      {
        type: 'ERROR',
        object: {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message: 'too old',
          reason: 'Expired',
          code: 410,
        },
      },
    ])
    expect(sink.ended).toBe(true)
  })

  it('leaves events in the watch while the sink is full', () => {
    const { watch, sink, body, start } = open({}, {}, new CollectingSink(1))
    start()
    watch.feed(added('a'))
    watch.feed(added('b'), added('c'))
    expect(lines(sink).length).toBe(1)
    sink.room = 5
    body.drain()
    expect(lines(sink).length).toBe(3)
    // What waited together is written together.
    expect(sink.chunks.length).toBe(2)
  })

  it('ends cleanly when the watch does, at its timeout, and not at all when cancelled', async () => {
    const ended = open()
    ended.start()
    ended.watch.close()
    expect(ended.sink.ended).toBe(true)

    let ends = 0
    const timed = open({}, { timeoutMs: 5000, onEnd: () => ends++ })
    timed.start()
    await timed.clock.step(4999)
    expect(timed.sink.ended).toBe(false)
    await timed.clock.step(1)
    expect([timed.sink.ended, timed.watch.stopped, ends]).toEqual([true, true, 1])

    const cancelled = open({}, { timeoutMs: 5000 })
    cancelled.start()
    cancelled.body.cancel()
    cancelled.body.cancel()
    cancelled.watch.feed(added('a'))
    await cancelled.clock.step(10_000)
    expect([cancelled.sink.ended, cancelled.sink.chunks.length, cancelled.watch.stopped]).toEqual([false, 0, true])
  })

  it('ends a watch that it cannot write', () => {
    for (const [headers, query] of [
      [{ accept: 'application/yaml' }, ''],
      [{ accept: TABLE }, 'includeObject=Nope'],
    ] as const) {
      const context = contextOf(headers, query)
      const watch = new FedWatch()
      const format = negotiateFormat(context, resource)
      expect(() => respondWatch(context, watch, resource, { format })).toThrow()
      expect(watch.stopped).toBe(true)
    }
  })

  it('stops a watch whose body nobody ever reads', () => {
    const { body, watch } = open()
    body.cancel()
    expect(watch.stopped).toBe(true)
  })

  it('compresses watch-lists, one member for each flush and an empty one after it', async () => {
    const headers = { 'accept-encoding': 'gzip' }
    expect(open(headers).response.headers['content-encoding']).toBeUndefined()
    const { response, watch, sink, start } = open(headers, { isWatchList: true })
    expect(response.headers['content-encoding']).toBe('gzip')
    const written = (count: number): Promise<void> =>
      new Promise((resolve) => {
        const write = sink.write.bind(sink)
        sink.write = (chunk) => {
          const room = write(chunk)
          if (sink.chunks.length === count) resolve()
          return room
        }
      })
    start()
    const first = written(1)
    watch.feed(added('a'))
    await first
    const second = written(2)
    watch.feed(added('b'))
    await second
    expect(sink.chunks.map((chunk) => (JSON.parse(gunzipSync(chunk).toString()) as { type: string }).type)).toEqual([
      'ADDED',
      'ADDED',
    ])
    // Go's gzip reader keeps the events of a member until it has read the header of the next one.
    for (const chunk of sink.chunks) expect(gunzipSync(chunk.subarray(-20))).toHaveLength(0)
    watch.close()
    expect(sink.ended).toBe(true)
  })
})
