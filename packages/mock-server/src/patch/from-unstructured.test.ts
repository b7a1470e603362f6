import { describe, expect, it } from 'vitest'
import { schemaOfKind } from '../resources/catalogue.ts'
import { fromUnstructuredError } from './from-unstructured.ts'

const schema = schemaOfKind('apps', 'v1', 'Deployment')!
const container = (fields: object): object => ({ spec: { template: { spec: { containers: [fields] } } } })

describe('fromUnstructuredError', () => {
  it.each<[object, string]>([
    [{ spec: { replicas: '3' } }, 'unrecognized type: int32'],
    [{ spec: { replicas: 1.5 } }, 'cannot convert float64 to int32'],
    [{ spec: { paused: 1 } }, 'unrecognized type: bool'],
    [{ metadata: { labels: { a: 1 } } }, 'cannot convert int64 to string'],
    [{ metadata: { labels: { a: true } } }, 'unrecognized type: string'],
    [{ metadata: { labels: 'x' } }, 'cannot restore map from string'],
    [{ metadata: { ownerReferences: [{ uid: 5 }] } }, 'cannot convert int64 to types.UID'],
    [{ metadata: { creationTimestamp: 5 } }, 'json: cannot unmarshal number into Go value of type string'],
    [{ spec: [] }, 'cannot restore struct from: slice'],
    [container({ env: { a: 1 } }), 'cannot restore slice from map'],
    [
      container({ livenessProbe: { httpGet: { port: true } } }),
      'json: cannot unmarshal bool into Go value of type int32',
    ],
  ])('of %j is %s', (object, message) => {
    expect(fromUnstructuredError(object, schema)).toBe(message)
  })

  it('is undefined for what fits, nulls and fields that nobody knows included', () => {
    const object = {
      metadata: { name: 'd', labels: null },
      spec: { replicas: null, nope: 1 },
      ...container({ image: 'i' }),
    }
    expect(fromUnstructuredError(object, schema)).toBeUndefined()
  })

  it('is undefined for kinds without a Go type', () => {
    expect(fromUnstructuredError({ spec: 1 }, undefined)).toBeUndefined()
  })
})
