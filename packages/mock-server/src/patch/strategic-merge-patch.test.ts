import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { StatusError } from '@freshread/core'
import { schemaOfKind } from '../resources/catalogue.ts'
import { applyStrategicMergePatch } from './strategic-merge-patch.ts'

const schema = schemaOfKind('', 'v1', 'Pod')!

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', labels: { a: '1', b: '2' }, finalizers: ['x/1', 'x/2'] },
  spec: {
    nodeSelector: { zone: 'z' },
    tolerations: [{ key: 'k' }],
    containers: [
      {
        name: 'main',
        image: 'i:1',
        args: ['x', 'y'],
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: '2' },
        ],
      },
      { name: 'side', image: 's:1', ports: [{ containerPort: 80, name: 'http' }] },
    ],
    volumes: [{ name: 'v', emptyDir: { medium: 'Memory' } }],
  },
}

type Pod = typeof pod

function patched(patch: unknown): Pod {
  return applyStrategicMergePatch(pod, patch, schema) as Pod
}

function names(list: readonly { readonly name: string }[]): string[] {
  return list.map(({ name }) => name)
}

function failure(patch: unknown): StatusError['status'] {
  try {
    patched(patch)
  } catch (error) {
    return (error as StatusError).status
  }
  throw new Error('did not fail')
}

describe('applyStrategicMergePatch', () => {
  it('merges maps, and removes what is null', () => {
    expect(patched({ metadata: { labels: { a: '9', b: null, c: '3', d: null } } }).metadata.labels).toEqual({
      a: '9',
      c: '3',
    })
  })

  it('merges lists by their key, in the order of the patch', () => {
    const { containers } = patched({
      spec: {
        containers: [
          { name: 'new', image: 'n' },
          { name: 'main', image: 'i:2' },
        ],
      },
    }).spec
    expect(names(containers)).toEqual(['new', 'main', 'side'])
    expect(containers[1]).toEqual({ ...pod.spec.containers[0], image: 'i:2' })
  })

  it('merges lists within items', () => {
    const { containers } = patched({
      spec: { containers: [{ name: 'main', env: [{ name: 'B', value: '9' }, { name: 'C' }] }] },
    }).spec
    expect(containers[0]!.env).toEqual([{ name: 'A', value: '1' }, { name: 'B', value: '9' }, { name: 'C' }])
  })

  it('replaces atomic lists', () => {
    const patch = { spec: { tolerations: [], containers: [{ name: 'main', args: ['z'] }] } }
    expect(patched(patch).spec.tolerations).toEqual([])
    expect(patched(patch).spec.containers[0]!.args).toEqual(['z'])
  })

  it('merges lists of scalars without doubles', () => {
    expect(patched({ metadata: { finalizers: ['x/3', 'x/1'] } }).metadata.finalizers).toEqual(['x/3', 'x/1', 'x/2'])
  })

  it('removes scalars that $deleteFromPrimitiveList names, and nothing from a list that is not there', () => {
    const list = '$deleteFromPrimitiveList/finalizers'
    expect(patched({ metadata: { [list]: ['x/1'] } }).metadata.finalizers).toEqual(['x/2'])
    expect(patched({ metadata: { [list]: ['x/1'], finalizers: ['x/1'] } }).metadata.finalizers).toEqual(['x/1', 'x/2'])
    expect(applyStrategicMergePatch({ metadata: {} }, { metadata: { [list]: ['x/1'] } }, schema)).toEqual({
      metadata: {},
    })
  })

  it('deletes items, whether they are there or not', () => {
    const containers = [
      { name: 'side', $patch: 'delete' },
      { name: 'none', $patch: 'delete' },
    ]
    expect(names(patched({ spec: { containers } }).spec.containers)).toEqual(['main'])
  })

  it('replaces a list that has an item to say so', () => {
    expect(patched({ spec: { containers: [{ $patch: 'replace' }, { name: 'only' }] } }).spec.containers).toEqual([
      { name: 'only' },
    ])
  })

  it('replaces and empties maps', () => {
    expect(patched({ metadata: { labels: { $patch: 'replace', c: '3' } } }).metadata.labels).toEqual({ c: '3' })
    expect(patched({ metadata: { labels: { $patch: 'delete' } } }).metadata.labels).toEqual({})
  })

  it('keeps only the fields that $retainKeys names', () => {
    const volume = { name: 'v', configMap: { name: 'c' }, $retainKeys: ['name', 'configMap'] }
    expect(patched({ spec: { volumes: [volume] } }).spec.volumes).toEqual([{ name: 'v', configMap: { name: 'c' } }])
  })

  it('orders lists as $setElementOrder says, and what it does not name as it was', () => {
    const order = (...keys: string[]): object => ({
      spec: { '$setElementOrder/containers': keys.map((name) => ({ name })) },
    })
    expect(names(patched(order('side', 'main')).spec.containers)).toEqual(['side', 'main'])
    expect(names(patched(order('side')).spec.containers)).toEqual(['main', 'side'])
    const patch = {
      spec: {
        '$setElementOrder/containers': [{ name: 'side' }, { name: 'new' }, { name: 'main' }],
        containers: [{ name: 'new', image: 'n' }],
      },
    }
    expect(names(patched(patch).spec.containers)).toEqual(['side', 'new', 'main'])
  })

  it('leaves directives out of what is new', () => {
    const { spec } = applyStrategicMergePatch(
      { spec: {} },
      { spec: { nodeSelector: { a: null, b: '1' }, containers: [{ name: 'a', $patch: 'delete' }, { name: 'b' }] } },
      schema,
    ) as { spec: object }
    expect(spec).toEqual({ nodeSelector: { b: '1' }, containers: [{ name: 'b' }] })
  })

  it.each<[string, unknown, number, string]>([
    ['a list', [], 400, 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
    [
      'an item without its key',
      { spec: { containers: [{ image: 'x' }] } },
      500,
      'map: map[image:x] does not contain declared merge key: name',
    ],
    [
      'a deletion without a key',
      { spec: { containers: [{ $patch: 'delete' }] } },
      500,
      'map: map[$patch:delete] does not contain declared merge key: name',
    ],
    [
      'an unknown directive',
      { spec: { containers: [{ name: 'main', $patch: 'bogus' }] } },
      500,
      'unknown patch type: bogus in map: map[$patch:bogus name:main]',
    ],
    [
      'merge as a directive',
      { spec: { containers: [{ $patch: 'merge' }] } },
      500,
      'merging lists cannot yet be specified in the patch',
    ],
    [
      'an unknown directive of a map',
      { metadata: { $patch: 'x' } },
      500,
      'unknown patch type: x in map: map[$patch:x]',
    ],
    [
      'items of several types',
      { spec: { containers: ['x'] } },
      500,
      /^list element types are not identical: \[\[map\[args:\[x y\] env:/ as never,
    ],
    [
      'lists of lists',
      { metadata: { finalizers: [['x']] } },
      500,
      'list element types are not identical: [[x/1 x/2] [[x]]]',
    ],
    [
      'fields that $retainKeys does not name',
      { spec: { volumes: [{ name: 'v', emptyDir: {}, $retainKeys: ['name'] }] } },
      400,
      'invalid patch format of retainKeys',
    ],
    ['$retainKeys that is no list', { spec: { $retainKeys: 'x' } }, 400, 'invalid patch format of retainKeys'],
    [
      'a list of deletions without a name',
      { metadata: { $deleteFromPrimitiveList: ['x'] } },
      400,
      'invalid patch format of primitive list',
    ],
    [
      'an order without a name',
      { spec: { $setElementOrder: [] } },
      400,
      'invalid patch format of setElementOrder list',
    ],
    [
      'an order that is no list',
      { spec: { '$setElementOrder/containers': {} } },
      500,
      'expected a []interface {}, but received a map[string]interface {}',
    ],
    [
      'an order other than that of the patch',
      {
        metadata: { '$setElementOrder/finalizers': ['x/2', 'x/1'], finalizers: ['x/1', 'x/2'] },
      },
      500,
      "The order in patch list:\n[x/1 x/2]\n doesn't match $setElementOrder list:\n[x/2 x/1]\n",
    ],
    [
      'an order of a field that does not exist',
      { spec: { '$setElementOrder/none': [] } },
      500,
      'unable to find api field in struct PodSpec for the json field "none"',
    ],
  ])('refuses %s', (_, patch, code, message) => {
    const status = failure(patch)
    expect(status.code).toBe(code)
    expect(status.message).toMatch(message)
  })

  it('changes nothing when applied again, nor what it is given', () => {
    const container = fc.record(
      {
        name: fc.constantFrom('main', 'side', 'new'),
        image: fc.constantFrom('i:1', 'i:2'),
        env: fc.uniqueArray(fc.record({ name: fc.constantFrom('A', 'B', 'C'), value: fc.constantFrom('1', '2') }), {
          selector: ({ name }) => name,
        }),
        $patch: fc.constant('delete'),
      },
      { requiredKeys: ['name'] },
    )
    const patch = fc.record(
      {
        metadata: fc.record(
          {
            labels: fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('1', null)),
            finalizers: fc.uniqueArray(fc.constantFrom('x/1', 'x/2', 'x/3')),
          },
          { requiredKeys: [] },
        ),
        spec: fc.record(
          { containers: fc.uniqueArray(container, { selector: ({ name }) => name }), nodeSelector: fc.constant(null) },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(patch, (one) => {
        const before = JSON.stringify([pod, one])
        const once = patched(one)
        expect(applyStrategicMergePatch(once, one, schema)).toEqual(once)
        expect(JSON.stringify([pod, one])).toBe(before)
      }),
      { numRuns: 200 },
    )
  })
})
