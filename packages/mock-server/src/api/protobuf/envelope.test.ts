import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeProtobuf, encodeProtobuf, encodeProtobufFrame, hasProtobuf, ProtobufError } from './envelope.ts'
import recorded from './recorded.json' with { type: 'json' }

const bytes = (base64: string): Uint8Array => Uint8Array.from(Buffer.from(base64, 'base64'))
/** Go prints an empty list of items as `[]`; protobuf does not know it from none. */
const withItems = (object: Record<string, unknown>): object =>
  String(object['kind']).endsWith('List') ? { ...object, items: object['items'] ?? [] } : object
/** A list without rules is `null` in JSON and absent in protobuf. */
const withoutNulls = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, v: unknown) => (v === null ? undefined : v)))

describe('protobuf', () => {
  it.each(recorded)('reads what the real server writes for $path', ({ json, protobuf }) => {
    expect(withItems(decodeProtobuf(bytes(protobuf)))).toEqual(withoutNulls(json))
  })

  it.each(recorded)('reads back what it wrote of $path', ({ json }) => {
    expect(withItems(decodeProtobuf(encodeProtobuf(json)))).toEqual(withoutNulls(json))
  })

  it('writes a field whose type and tag disagree as its type', () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a' },
      spec: { priority: -5, hostUsers: false, containers: [] },
    }
    expect(decodeProtobuf(encodeProtobuf(pod))).toMatchObject({ spec: { priority: -5, hostUsers: false } })
  })

  it('keeps a key that is a name of Object.prototype', () => {
    const labels = JSON.parse('{"__proto__":"x","constructor":"y"}') as Record<string, string>
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: labels }
    expect(JSON.stringify((decodeProtobuf(encodeProtobuf(object)) as typeof object).data)).toBe(
      '{"__proto__":"x","constructor":"y"}',
    )
  })

  it('keeps seconds apart from fractions in times before the epoch', () => {
    const lease = (renewTime: string): object => ({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'a' },
      spec: { renewTime },
    })
    expect(decodeProtobuf(encodeProtobuf(lease('1969-12-31T23:59:59.250000Z') as Record<string, unknown>))).toEqual(
      lease('1969-12-31T23:59:59.250000Z'),
    )
  })

  it('holds the verbs of a resource in a message of their own', () => {
    const list = {
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: 'coordination.k8s.io/v1',
      resources: [
        {
          name: 'leases',
          singularName: 'lease',
          namespaced: true,
          kind: 'Lease',
          verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
          storageVersionHash: 'gqkMMb/YqFM=',
        },
      ],
    }
    const real = bytes(
      'azhzAAoVCgJ2MRIPQVBJUmVzb3VyY2VMaXN0EokBChZjb29yZGluYXRpb24uazhzLmlvL3YxEm8KBmxlYXNlcxABGgVMZWFzZSJD' +
        'CgZjcmVhdGUKBmRlbGV0ZQoQZGVsZXRlY29sbGVjdGlvbgoDZ2V0CgRsaXN0CgVwYXRjaAoGdXBkYXRlCgV3YXRjaDIFbGVhc2VC' +
        'AEoAUgxncWtNTWIvWXFGTT0aACIA',
    )
    expect(decodeProtobuf(real)).toEqual(list)
    expect(decodeProtobuf(encodeProtobuf(list))).toEqual(list)
  })

  it('frames a watch event behind its length', () => {
    const frame = encodeProtobufFrame(
      'ADDED',
      encodeProtobuf({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } }),
    )
    expect(new DataView(frame.buffer).getUint32(0)).toBe(frame.length - 4)
  })

  it('has no messages for custom resources', () => {
    expect(hasProtobuf('example.com/v1', 'Gizmo')).toBe(false)
    expect(hasProtobuf('v1', 'constructor')).toBe(false)
    expect(() => encodeProtobuf({ apiVersion: 'example.com/v1', kind: 'Gizmo' })).toThrow(ProtobufError)
  })

  it('refuses what is no protobuf, is cut off, or is of an unknown kind', () => {
    const whole = encodeProtobuf({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } })
    expect(() => decodeProtobuf(new TextEncoder().encode('{"kind":"ConfigMap"}'))).toThrow(ProtobufError)
    expect(() => decodeProtobuf(whole.subarray(0, whole.length - 5))).toThrow(ProtobufError)
    expect(() => decodeProtobuf(Uint8Array.of(0x6b, 0x38, 0x73, 0))).toThrow('no kind ""')
  })

  it('never throws anything but its own error, whatever the bytes', () => {
    const whole = encodeProtobuf({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', labels: { x: 'y' } },
      data: { k: 'v' },
    })
    fc.assert(
      fc.property(fc.nat(whole.length - 5), fc.integer({ min: 0, max: 255 }), (at, byte) => {
        const broken = whole.slice()
        broken[at + 4] = byte
        try {
          decodeProtobuf(broken)
        } catch (error) {
          expect(error).toBeInstanceOf(ProtobufError)
        }
      }),
    )
  })
})
