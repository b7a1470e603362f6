import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { StatusError } from '@freshread/core'
import { applyJsonPatch, MAX_JSON_PATCH_OPERATIONS, unknownOperationFields } from './json-patch.ts'

const object = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', annotations: { 'ex.com/k': 'v', 'a~b': 'w' } },
  data: { x: '1', list: ['a', 'b', 'c'], nothing: null },
}

function run(...operations: readonly object[]): typeof object {
  return applyJsonPatch(object, operations, 'Warn') as typeof object
}

function failure(patch: unknown, validation: 'Warn' | 'Ignore' = 'Warn'): StatusError['status'] {
  try {
    applyJsonPatch(object, patch, validation)
  } catch (error) {
    return (error as StatusError).status
  }
  throw new Error('did not fail')
}

describe('applyJsonPatch', () => {
  it.each<[string, object, object]>([
    ['adds', { op: 'add', path: '/data/n', value: 'new' }, { n: 'new' }],
    ['adds null when there is no value', { op: 'add', path: '/data/n' }, { n: null }],
    ['sets what is to be replaced but missing', { op: 'replace', path: '/data/n', value: 'new' }, { n: 'new' }],
    ['appends', { op: 'add', path: '/data/list/-', value: 'd' }, { list: ['a', 'b', 'c', 'd'] }],
    ['inserts', { op: 'add', path: '/data/list/1', value: 'd' }, { list: ['a', 'd', 'b', 'c'] }],
    ['counts from the end', { op: 'replace', path: '/data/list/-1', value: 'd' }, { list: ['a', 'b', 'd'] }],
    ['removes items', { op: 'remove', path: '/data/list/0' }, { list: ['b', 'c'] }],
    ['copies', { op: 'copy', from: '/data/x', path: '/data/y' }, { y: '1' }],
    ['copies nothing as null', { op: 'copy', from: '/data/none', path: '/data/y' }, { y: null }],
    ['moves within a list', { op: 'move', from: '/data/list/0', path: '/data/list/2' }, { list: ['b', 'c', 'a'] }],
  ])('%s', (_, operation, data) => {
    expect(run(operation).data).toEqual({ ...object.data, ...data })
  })

  it('decodes escapes in paths', () => {
    const patched = run(
      { op: 'replace', path: '/metadata/annotations/ex.com~1k', value: '1' },
      { op: 'replace', path: '/metadata/annotations/a~0b', value: '2' },
    )
    expect(patched.metadata.annotations).toEqual({ 'ex.com/k': '1', 'a~b': '2' })
  })

  it.each<[string, object]>([
    ['a value', { op: 'test', path: '/data/x', value: '1' }],
    ['a list', { op: 'test', path: '/data/list', value: ['a', 'b', 'c'] }],
    ['null for null', { op: 'test', path: '/data/nothing', value: null }],
    ['null for what is missing', { op: 'test', path: '/data/none' }],
    ['the whole', { op: 'test', path: '', value: object }],
  ])('tests %s', (_, operation) => {
    expect(run(operation)).toEqual(object)
  })

  it.each<[string, unknown]>([
    ['a failed test', [{ op: 'test', path: '/data/x', value: '2' }]],
    ['a test for null of what is there', [{ op: 'test', path: '/data/x' }]],
    ['removing what is missing', [{ op: 'remove', path: '/data/none' }]],
    ['a path below what is missing', [{ op: 'add', path: '/none/deep', value: 1 }]],
    ['a path below a scalar', [{ op: 'add', path: '/data/x/y', value: 1 }]],
    ['a path below null', [{ op: 'add', path: '/data/nothing/y', value: 1 }]],
    ['an index behind the end', [{ op: 'add', path: '/data/list/4', value: 1 }]],
    ['an index before the start', [{ op: 'remove', path: '/data/list/-4' }]],
    ['an index that is no number', [{ op: 'replace', path: '/data/list/x', value: 1 }]],
    ['appending as replacement', [{ op: 'replace', path: '/data/list/-', value: 1 }]],
    ['adding the whole', [{ op: 'add', path: '', value: {} }]],
    ['replacing the whole by a scalar', [{ op: 'replace', path: '', value: 'x' }]],
    ['an unknown operation', [{ op: 'frobnicate', path: '/data/x' }]],
    ['no operation', [{}]],
    ['no path', [{ op: 'remove' }]],
    ['null', [null]],
  ])('answers 422 for %s', (_, patch) => {
    expect(failure(patch)).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'the server rejected our request due to an error in our request',
      reason: 'Invalid',
      details: {},
      code: 422,
    })
  })

  it.each<[unknown, string, string]>([
    [
      { op: 'add' },
      'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
      'json: cannot unmarshal object into Go value of type jsonpatch.Patch',
    ],
    [
      [1],
      'error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp',
      'json: cannot unmarshal number into Go value of type jsonpatch.Operation',
    ],
  ])('answers 400 for %j', (patch, strict, lenient) => {
    expect(failure(patch)).toMatchObject({ code: 400, message: strict })
    expect(failure(patch, 'Ignore')).toMatchObject({ code: 400, message: lenient })
  })

  it('answers 400 for fields of the wrong type, unless validation is off', () => {
    const message =
      'error decoding patch: json: cannot unmarshal bool into Go struct field jsonPatchOp.from of type string'
    expect(failure([{ op: 'copy', from: true, path: '/a' }])).toMatchObject({ code: 400, message })
    expect(failure([{ op: 'copy', from: true, path: '/a' }], 'Ignore')).toMatchObject({ code: 422 })
  })

  it('answers 413 for too many operations', () => {
    const operations = Array.from({ length: MAX_JSON_PATCH_OPERATIONS + 1 }, () => ({
      op: 'test',
      path: '/data/x',
      value: '1',
    }))
    expect(failure(operations)).toMatchObject({
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    })
    expect(applyJsonPatch(object, operations.slice(1), 'Warn')).toEqual(object)
  })

  it('changes neither the object nor what it is given', () => {
    const before = structuredClone(object)
    const value = { deep: ['x'] }
    run(
      { op: 'add', path: '/data/n', value },
      { op: 'add', path: '/data/n/deep/-', value: 'y' },
      { op: 'remove', path: '/data/list/0' },
    )
    expect(object).toEqual(before)
    expect(value).toEqual({ deep: ['x'] })
  })

  it('makes copies that change by themselves', () => {
    const patched = run(
      { op: 'add', path: '/data/list/-', value: 'd' },
      { op: 'copy', from: '/data/list', path: '/data/other' },
      { op: 'add', path: '/data/list/-', value: 'e' },
    ) as { data: Record<string, unknown> }
    expect(patched.data).toMatchObject({ list: ['a', 'b', 'c', 'd', 'e'], other: ['a', 'b', 'c', 'd'] })
  })

  it('copies an object into itself', () => {
    const patched = run({ op: 'copy', from: '/metadata/annotations', path: '/metadata/annotations/self' })
    const { annotations } = object.metadata
    expect(patched.metadata.annotations).toEqual({ ...annotations, self: annotations })
  })

  it('puts the keys of objects that it went through in order, and leaves the others', () => {
    const text = JSON.stringify(run({ op: 'add', path: '/data/a', value: 1 }))
    expect(text).toBe(
      '{"apiVersion":"v1","data":{"a":1,"list":["a","b","c"],"nothing":null,"x":"1"},"kind":"ConfigMap",' +
        '"metadata":{"name":"a","annotations":{"ex.com/k":"v","a~b":"w"}}}',
    )
  })

  it('does not reach prototypes', () => {
    expect(failure([{ op: 'add', path: '/__proto__/polluted', value: 1 }])).toMatchObject({ code: 422 })
    run({ op: 'add', path: '/__proto__', value: { polluted: 1 } })
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })

  it('undoes an addition by a removal', () => {
    const key = fc.string({ minLength: 1 }).filter((name) => !(name in object.data))
    fc.assert(
      fc.property(key, fc.jsonValue(), (name, value) => {
        const path = `/data/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
        expect(run({ op: 'add', path, value }, { op: 'test', path, value }, { op: 'remove', path })).toEqual(object)
      }),
      { numRuns: 100 },
    )
  })
})

describe('unknownOperationFields', () => {
  it('names each with its operation', () => {
    expect(unknownOperationFields([{ op: 'add' }, { op: 'add', foo: 1, bar: 2 }])).toEqual([
      'unknown field "[1].foo"',
      'unknown field "[1].bar"',
    ])
  })
})
