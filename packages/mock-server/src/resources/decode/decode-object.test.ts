import { describe, expect, it } from 'vitest'
import { schemaOfKind } from '../catalogue.ts'
import { decodeGoType, decodeObject, emptyGoType, emptyObjectOf } from './decode-object.ts'

const pod = schemaOfKind('', 'v1', 'Pod')
const deployment = schemaOfKind('apps', 'v1', 'Deployment')

function decode(object: object, schema = pod): ReturnType<typeof decodeObject> {
  return decodeObject(object, schema, { mode: 'Strict' })
}

describe('decodeObject', () => {
  it('drops fields that the kind does not have, and names them', () => {
    const { object, unknown } = decode({
      metadata: { name: 'a', color: 'red' },
      spec: { containers: [{ name: 'a', foo: 1 }] },
      bar: {},
    })
    expect(unknown).toEqual([
      'unknown field "metadata.color"',
      'unknown field "spec.containers[0].foo"',
      'unknown field "bar"',
    ])
    expect(object.metadata).toEqual({ name: 'a' })
    expect(JSON.stringify(object)).not.toContain('foo')
  })

  it.each<[string, object, string]>([
    [
      'a number for a string',
      { metadata: { name: 1 } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string',
    ],
    [
      'a string for a list',
      { spec: { containers: 'x' } },
      'json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type []v1.Container',
    ],
    [
      'a list for a map',
      { metadata: { labels: ['x'] } },
      'json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type map[string]string',
    ],
    [
      'a fraction for a number',
      { spec: { terminationGracePeriodSeconds: 1.5 } },
      'json: cannot unmarshal number 1.5 into Go struct field PodSpec.spec.terminationGracePeriodSeconds of type int64',
    ],
    [
      'text for a truth',
      { spec: { hostNetwork: 'yes' } },
      'json: cannot unmarshal string into Go struct field PodSpec.spec.hostNetwork of type bool',
    ],
  ])("says in Go's words what is wrong with %s", (_, object, error) => {
    expect(decode(object).error).toBe(error)
  })

  it('takes null for a missing field', () => {
    const { object, error } = decode({
      metadata: { labels: null, name: null },
      spec: { nodeName: null, containers: null, hostNetwork: null },
    })
    expect(error).toBeUndefined()
    expect(object['spec']).toEqual({ containers: null })
    expect(object.metadata).toEqual({})
  })

  it('leaves out what Go leaves out, and writes what Go writes', () => {
    const { object } = decode(
      { spec: { selector: null, paused: false, replicas: 0, template: { spec: {} } } },
      deployment,
    )
    expect(object['spec']).toEqual({
      replicas: 0,
      selector: null,
      strategy: {},
      template: { metadata: {}, spec: { containers: null } },
    })
  })

  it('keeps empty lists where Go prints them', () => {
    const role = schemaOfKind('rbac.authorization.k8s.io', 'v1', 'Role')
    expect(decode({ rules: [] }, role).object['rules']).toEqual([])
    expect(decode({}, role).object['rules']).toBeNull()
    expect(decode({ metadata: { finalizers: [] } }, role).object.metadata).toEqual({})
  })

  it('writes quantities, times and ports as Go does', () => {
    const container = {
      name: 'a',
      resources: { limits: { cpu: '1000m', memory: 1024 } },
      ports: [{ containerPort: 80 }],
      livenessProbe: { httpGet: { port: 'web' } },
    }
    const { object } = decode({
      metadata: { creationTimestamp: '2024-01-01T02:00:00.5+02:00' },
      spec: { containers: [container] },
    })
    const [decoded] = (object['spec'] as { containers: [{ resources: object; livenessProbe: object }] }).containers
    expect(decoded.resources).toEqual({ limits: { cpu: '1', memory: '1024' } })
    expect(decoded.livenessProbe).toEqual({ httpGet: { port: 'web' } })
    expect(object.metadata).toMatchObject({ creationTimestamp: '2024-01-01T00:00:00Z' })
  })

  it("puts fields in the order of Go's types", () => {
    const { object } = decode({ spec: { containers: [{ image: 'i', name: 'n', args: ['a'], command: ['c'] }] } })
    const [container] = (object['spec'] as { containers: [object] }).containers
    expect(Object.keys(container)).toEqual(['name', 'image', 'command', 'args', 'resources'])
  })

  it('changes nothing the second time', () => {
    const first = decode({
      metadata: { name: 'a' },
      spec: { containers: [{ name: 'a', resources: { requests: { cpu: '0.10' } } }] },
    }).object
    expect(decode(first)).toEqual({ object: first, unknown: [] })
  })

  it('matches the names of fields in any case, as Go does', () => {
    const { object, unknown } = decodeObject({ metadata: { Name: 'a' } }, pod, { mode: 'Ignore' })
    expect(unknown).toEqual([])
    expect(object.metadata).toBeDefined()
  })
})

describe('emptyObjectOf', () => {
  it('has what an empty object prints', () => {
    expect(emptyObjectOf(pod)).toMatchObject({ spec: { containers: null }, status: {} })
    expect(emptyGoType('api.core.v1.ServiceStatus')).toEqual({ loadBalancer: {} })
  })
})

describe('decodeGoType', () => {
  it('decodes a value of a named type', () => {
    const { object } = decodeGoType({ gracePeriodSeconds: 3 }, 'apimachinery.pkg.apis.meta.v1.DeleteOptions', {
      mode: 'Ignore',
    })
    expect(object).toMatchObject({ gracePeriodSeconds: 3 })
  })
})
