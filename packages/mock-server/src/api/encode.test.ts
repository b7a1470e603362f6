import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { ListResult, StoredObject } from '@freshread/core'
import { CHUNK_BYTES } from './body-stream.ts'
import { negotiateFormat, respondList, respondObject, respondValue } from './encode.ts'
import type { BodyStream } from './message.ts'
import { bodyText, CollectingSink, configMap, contextOf, resourceOf, stored } from './test-support.ts'

const resource = resourceOf()
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io'

const listOf = (items: readonly StoredObject[], more: Partial<ListResult> = {}): ListResult => ({
  resourceVersion: '7',
  continue: '',
  remainingItemCount: undefined,
  items,
  ...more,
})

const answer = (list: ListResult, headers: Readonly<Record<string, string>> = {}, query = '', of = resource) => {
  const context = contextOf(headers, query)
  return respondList(context, list, of, { format: negotiateFormat(context, of) })
}

describe('respondObject', () => {
  const object = stored(configMap('a', { k: 'v' }), 5)

  it('sends the bytes that the object was encoded to, and a newline', () => {
    const context = contextOf()
    const response = respondObject(context, 200, object, resource, {
      format: negotiateFormat(context, resource),
      trace: { source: 'cache', waitedMs: 812.04 },
    })
    expect(bodyText(response)).toBe(`${new TextDecoder().decode(object.json)}\n`)
    expect(response.headers).toMatchObject({
      'content-type': 'application/json',
      'server-timing': 'cache, wait;dur=812',
    })
  })

  it('indents for people and converts to metadata or a Table', () => {
    const as = (accept: string, query = ''): unknown => {
      const context = contextOf({ accept }, query)
      return JSON.parse(
        bodyText(respondObject(context, 200, object, resource, { format: negotiateFormat(context, resource) })),
      )
    }
    const context = contextOf({ 'user-agent': 'curl/8' })
    expect(
      bodyText(respondObject(context, 200, object, resource, { format: negotiateFormat(context, resource) })),
    ).toMatch(/^\{\n {2}"/)
    expect(as('application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io')).toEqual({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: object.object.metadata,
    })
    expect(as(TABLE, 'includeObject=None')).toMatchObject({
      kind: 'Table',
      metadata: { resourceVersion: '5' },
      columnDefinitions: [{ name: 'Name' }],
      rows: [{ cells: ['a'], object: null }],
    })
    expect(() => as(TABLE, 'includeObject=Nope')).toThrow('Unable to convert to Table as requested: includeObject')
    expect(() => as('application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io')).toThrow(
      'you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)',
    )
  })

  it('speaks protobuf of the metadata of custom resources, but not of themselves', () => {
    const custom = resourceOf({ group: 'example.com', kind: 'Gizmo', resource: 'gizmos' })
    const mediaType = (accept: string): string => negotiateFormat(contextOf({ accept }), custom).mediaType
    const protobuf = 'application/vnd.kubernetes.protobuf'
    expect(mediaType(`${protobuf};as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json`)).toBe(protobuf)
    expect(mediaType(`${protobuf},application/json`)).toBe('application/json')
    expect(() => mediaType(protobuf)).toThrow('only the following media types are accepted')
    expect(() => mediaType(`${protobuf};as=Table;v=v1;g=meta.k8s.io`)).toThrow('only the following media types')
  })

  it('converts a stored version once for all who ask', () => {
    let conversions = 0
    const v2 = resourceOf({ version: 'v2', fromStorage: (o) => (conversions++, { ...o, apiVersion: 'v2' }) })
    const context = contextOf()
    const options = { format: negotiateFormat(context, v2) }
    const [first, second] = [
      respondObject(context, 200, object, v2, options),
      respondObject(context, 200, object, v2, options),
    ]
    expect(JSON.parse(bodyText(first))).toMatchObject({ apiVersion: 'v2', data: { k: 'v' } })
    expect(bodyText(second)).toBe(bodyText(first))
    expect(conversions).toBe(1)
  })
})

describe('respondValue', () => {
  it('shows a scale by columns of its own, and a review as itself', () => {
    const scale = {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'd' },
      spec: { replicas: 3 },
      status: { replicas: 2 },
    }
    const show = (of: typeof resource): unknown => {
      const context = contextOf({ accept: `${TABLE},application/json` })
      return JSON.parse(bodyText(respondValue(context, 200, scale, of, { format: negotiateFormat(context, of) })))
    }
    expect(show(resource)).toMatchObject({
      columnDefinitions: [
        { name: 'Name' },
        { name: 'Desired', type: 'integer' },
        { name: 'Available' },
        { name: 'Age' },
      ],
      rows: [{ cells: ['d', 3, 2, '<unknown>'] }],
    })
    expect(show(resourceOf({ verbs: ['create'] }))).toEqual(scale)
  })

  it('writes objects that are not stored', () => {
    const context = contextOf({ accept: 'application/yaml' })
    const response = respondValue(context, 201, configMap('a'), resource, {
      format: negotiateFormat(context, resource),
    })
    expect(bodyText(response)).toBe(
      'apiVersion: v1\ndata: {}\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: default\n',
    )
  })
})

describe('respondList', () => {
  it('leaves kind and apiVersion out of typed items, whatever their order in the storage', () => {
    const reordered = stored({ metadata: { name: 'b' }, kind: 'ConfigMap', apiVersion: 'v1', data: { x: 'y' } }, 3)
    const list = listOf([stored(configMap('a'), 2), reordered], { continue: 'token', remainingItemCount: 4 })
    expect(bodyText(answer(list))).toBe(
      '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"token","remainingItemCount":4},"items":[' +
        '{"metadata":{"name":"a","namespace":"default","resourceVersion":"2"},"data":{}},' +
        '{"metadata":{"name":"b","resourceVersion":"3"},"data":{"x":"y"}}]}\n',
    )
    expect(JSON.parse(bodyText(answer(list, { 'user-agent': 'curl' })))).toEqual(JSON.parse(bodyText(answer(list))))
  })

  it('keeps them in custom resources, whose lists have sorted keys', () => {
    const widget = resourceOf({
      group: 'example.com',
      kind: 'Widget',
      listKind: 'WidgetList',
      storageApiVersion: 'example.com/v1',
      builtIn: false,
    })
    const object = stored({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } }, 2)
    expect(bodyText(answer(listOf([object]), {}, '', widget))).toBe(
      '{"apiVersion":"example.com/v1","items":[{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","resourceVersion":"2"}}],"kind":"WidgetList","metadata":{"continue":"","resourceVersion":"7"}}\n',
    )
    expect(bodyText(answer(listOf([]), {}, '', widget))).toContain('"items":[]')
  })

  it('streams what is large in chunks, no faster than the sink takes them', () => {
    const items = Array.from({ length: 300 }, (_, i) => stored(configMap(`c${i}`, { big: 'x'.repeat(4000) }), i + 1))
    const { body } = answer(listOf(items))
    expect(body).not.toBeInstanceOf(Uint8Array)
    const stream = body as BodyStream
    const sink = new CollectingSink(2)
    stream.start(sink)
    expect(sink.chunks.length).toBe(2)
    while (!sink.ended) {
      sink.room = 1
      stream.drain()
    }
    expect(Math.max(...sink.chunks.map((chunk) => chunk.length))).toBeLessThanOrEqual(CHUNK_BYTES)
    const parsed = JSON.parse(sink.text) as { items: { metadata: { name: string } }[] }
    expect(parsed.items.map((item) => item.metadata.name)).toEqual(items.map((item) => item.object.metadata.name))
  })

  it('neither streams nor compresses what stays in the process', () => {
    const list = listOf(
      Array.from({ length: 300 }, (_, i) => stored(configMap(`c${i}`, { big: 'x'.repeat(4000) }), i + 1)),
    )
    const context = { ...contextOf({ 'accept-encoding': 'gzip' }), local: true }
    const response = respondList(context, list, resource, { format: negotiateFormat(context, resource) })
    expect(response.headers['content-encoding']).toBeUndefined()
    expect(new TextDecoder().decode(response.body as Uint8Array)).toBe(bodyText(answer(list)))
  })

  it('writes no more after the client is gone', () => {
    const items = Array.from({ length: 300 }, (_, i) => stored(configMap(`c${i}`, { big: 'x'.repeat(4000) }), i + 1))
    const stream = answer(listOf(items)).body as BodyStream
    const sink = new CollectingSink(1)
    stream.start(sink)
    stream.cancel()
    stream.drain()
    expect(sink.chunks.length).toBe(1)
    expect(sink.ended).toBe(false)
  })

  it('compresses large bodies for those who accept it', async () => {
    const list = listOf(
      Array.from({ length: 60 }, (_, i) => stored(configMap(`c${i}`, { big: 'x'.repeat(4000) }), i + 1)),
    )
    const response = answer(list, { 'accept-encoding': 'deflate, gzip' })
    expect(response.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
    const sink = new CollectingSink()
    await new Promise<void>((resolve) => {
      const end = sink.end.bind(sink)
      sink.end = () => (end(), resolve())
      ;(response.body as BodyStream).start(sink)
    })
    expect(gunzipSync(Buffer.concat(sink.chunks)).toString()).toBe(bodyText(answer(list)))
    expect(
      answer(listOf([stored(configMap('a'))]), { 'accept-encoding': 'gzip' }).headers['content-encoding'],
    ).toBeUndefined()
  })

  it('has null for no metadata and an empty list for no rows', () => {
    const partial = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'
    expect(JSON.parse(bodyText(answer(listOf([]), { accept: partial })))).toMatchObject({
      kind: 'PartialObjectMetadataList',
      items: null,
    })
    expect(JSON.parse(bodyText(answer(listOf([]), { accept: TABLE })))).toMatchObject({ kind: 'Table', rows: [] })
    expect(() =>
      answer(listOf([]), { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' }),
    ).toThrow('you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)')
  })
})
