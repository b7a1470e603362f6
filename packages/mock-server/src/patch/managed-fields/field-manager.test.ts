import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KubeObject, ManagedFieldsEntry, StatusError } from '@freshread/core'
import { resolveSchema, type RawSchema } from '../../resources/schema.ts'
import { applyServerSide, updateManagedFields, type ManagedResource } from './index.ts'
import { parseFieldsV1 } from './fields-v1.ts'
import { pathText } from './path-element.ts'

const schema: RawSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        replicas: { type: 'integer' },
        paused: { type: 'boolean' },
        args: { type: 'array', items: { type: 'string' } },
        tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
        selector: { type: 'object', additionalProperties: { type: 'string' }, 'x-kubernetes-map-type': 'atomic' },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'protocol'],
          items: {
            type: 'object',
            properties: {
              port: { type: 'integer' },
              protocol: { type: 'string', default: 'TCP' },
              name: { type: 'string' },
            },
          },
        },
      },
    },
    status: { type: 'object', properties: { ready: { type: 'integer' } } },
  },
}

const resource: ManagedResource = {
  group: 'example.com',
  version: 'v1',
  resource: 'widgets',
  kind: 'Widget',
  builtIn: false,
  schema: resolveSchema(schema),
  subresources: new Map([['status', {}]]),
}

type Spec = Readonly<Record<string, unknown>>

function widget(spec: Spec, metadata: KubeObject['metadata'] = {}): KubeObject {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', ...metadata }, spec }
}

const base = { resource, subresource: '', now: Date.UTC(2026, 0, 2, 3, 4, 5, 678) }

function create(manager: string, spec: Spec): KubeObject {
  const made = updateManagedFields({ ...base, manager, live: undefined, object: widget(spec) })
  return { ...made, metadata: { ...made.metadata, uid: 'u' } }
}

function update(manager: string, live: KubeObject, spec: Spec): KubeObject {
  return updateManagedFields({ ...base, manager, live, object: { ...live, spec } })
}

function apply(manager: string, live: KubeObject | undefined, spec: Spec, force = false): KubeObject {
  const made = applyServerSide({ ...base, manager, live, applied: widget(spec), force })
  return { ...made, metadata: { ...made.metadata, uid: 'u' } }
}

/** What each manager owns, as `manager/operation: paths`. */
function owners(object: KubeObject): Record<string, string[]> {
  const entries = object.metadata.managedFields ?? []
  return Object.fromEntries(
    entries.map((entry) => [
      `${entry.manager}/${entry.operation}`,
      [...parseFieldsV1(entry.fieldsV1).paths()].map(pathText),
    ]),
  )
}

function failureOf(run: () => unknown): StatusError {
  try {
    run()
  } catch (error) {
    return error as StatusError
  }
  throw new Error('did not fail')
}

describe('updateManagedFields', () => {
  it('gives all of a new object to who creates it, but not its name', () => {
    expect(owners(create('a', { replicas: 1 }))).toEqual({ 'a/Update': ['.spec', '.spec.replicas'] })
  })

  it('writes entries in the order of the wire, with a time in seconds', () => {
    expect(JSON.stringify(create('a', { replicas: 1 }).metadata.managedFields)).toBe(
      '[{"manager":"a","operation":"Update","apiVersion":"example.com/v1","time":"2026-01-02T03:04:05Z",' +
        '"fieldsType":"FieldsV1","fieldsV1":{"f:spec":{".":{},"f:replicas":{}}}}]',
    )
  })

  it('moves a changed field to who changed it and forgets a removed one', () => {
    const live = create('a', { replicas: 1, paused: true, labels: { x: '1', y: '2' } })
    expect(owners(update('b', live, { replicas: 2, labels: { x: '1' } }))).toEqual({
      'a/Update': ['.spec', '.spec.labels', '.spec.labels.x'],
      'b/Update': ['.spec.replicas'],
    })
  })

  it('takes atomic lists and maps as one piece', () => {
    const live = create('a', { args: ['x', 'y'], selector: { a: '1' } })
    expect(owners(update('b', live, { args: ['x', 'z'], selector: { a: '1', b: '2' } }))).toEqual({
      'a/Update': ['.spec'],
      'b/Update': ['.spec.args', '.spec.selector'],
    })
  })

  it('tells list items by their keys, defaults included', () => {
    const live = create('a', { ports: [{ port: 80 }] })
    const next = update('b', live, {
      ports: [
        { port: 80, protocol: 'TCP', name: 'http' },
        { port: 80, protocol: 'UDP' },
      ],
    })
    expect(owners(next)['b/Update']).toEqual([
      '.spec.ports[port=80,protocol="UDP"]',
      '.spec.ports[port=80,protocol="TCP"].name',
      '.spec.ports[port=80,protocol="TCP"].protocol',
      '.spec.ports[port=80,protocol="UDP"].port',
      '.spec.ports[port=80,protocol="UDP"].protocol',
    ])
  })

  it('leaves times alone when nothing changed', () => {
    const live = create('a', { replicas: 1 })
    const again = updateManagedFields({ ...base, now: base.now + 60_000, manager: 'a', live, object: live })
    expect(again.metadata.managedFields).toEqual(live.metadata.managedFields)
  })

  it('keeps the owners when a request leaves them out, and takes them when it brings some', () => {
    const live = create('a', { replicas: 1 })
    const { managedFields: _, ...metadata } = live.metadata
    expect(owners(updateManagedFields({ ...base, manager: 'b', live, object: { ...live, metadata } }))).toEqual(
      owners(live),
    )
    const mine: ManagedFieldsEntry = { ...live.metadata.managedFields![0]!, manager: 'me' }
    const object = { ...live, metadata: { ...metadata, managedFields: [mine] } }
    expect(Object.keys(owners(updateManagedFields({ ...base, manager: 'b', live, object })))).toEqual(['me/Update'])
  })

  it.each([[[]], [[{}]]])(
    'clears all owners for managedFields %j, and does not track the object until it is applied',
    (managedFields) => {
      const live = create('a', { replicas: 1 })
      const cleared = updateManagedFields({
        ...base,
        manager: 'b',
        live,
        object: { ...live, metadata: { ...live.metadata, managedFields } },
      })
      expect(cleared.metadata.managedFields).toBeUndefined()
      const next = update('c', cleared, { replicas: 2 })
      expect(next.metadata.managedFields).toBeUndefined()
      expect(owners(apply('d', next, { paused: true }))).toEqual({
        'before-first-apply/Update': ['.spec', '.spec.replicas'],
        'd/Apply': ['.spec.paused'],
      })
    },
  )

  it('falls back to the current owners when those of the request make no sense', () => {
    const live = create('a', { replicas: 1 })
    const object = {
      ...live,
      metadata: { ...live.metadata, managedFields: [{ manager: 'x', operation: 'Steal', apiVersion: 'v1' }] },
    }
    expect(owners(updateManagedFields({ ...base, manager: 'b', live, object }))).toEqual(owners(live))
  })

  it('ignores owners that come through a subresource, and what it cannot set', () => {
    const live = create('a', { replicas: 1 })
    const object: KubeObject = {
      ...live,
      spec: { replicas: 9 },
      status: { ready: 1 },
      metadata: { ...live.metadata, labels: { a: 'b' }, managedFields: [] },
    }
    expect(owners(updateManagedFields({ ...base, subresource: 'status', manager: 's', live, object }))).toEqual({
      'a/Update': ['.spec', '.spec.replicas'],
      's/Update': ['.status', '.status.ready'],
    })
  })

  it('joins the oldest of more than ten updaters', () => {
    let live = create('m00', { labels: { l0: '0' } })
    for (let i = 1; i <= 12; i++) {
      const labels = { ...((live['spec'] as Spec)['labels'] as Spec), [`l${i}`]: '0' }
      const manager = `m${String(i).padStart(2, '0')}`
      live = updateManagedFields({
        ...base,
        now: base.now + i * 1000,
        manager,
        live,
        object: { ...live, spec: { labels } },
      })
    }
    const managers = owners(live)
    expect(Object.keys(managers)).toHaveLength(10)
    expect(managers['ancient-changes/Update']).toEqual([
      '.spec',
      '.spec.labels',
      '.spec.labels.l0',
      '.spec.labels.l1',
      '.spec.labels.l2',
      '.spec.labels.l3',
    ])
  })

  it('calls a writer without a name unknown', () => {
    expect(Object.keys(owners(create('', { replicas: 1 })))).toEqual(['unknown/Update'])
  })

  it('takes objects without a schema as maps of values', () => {
    const free = { ...resource, schema: undefined }
    const object = widget({ list: [{ name: 'a' }], map: { a: { b: 1 } } })
    const made = updateManagedFields({ ...base, resource: free, manager: 'a', live: undefined, object })
    expect(owners(made)['a/Update']).toEqual(['.spec', '.spec.list', '.spec.map', '.spec.map.a', '.spec.map.a.b'])
  })
})

describe('applyServerSide', () => {
  it('owns what is in the configuration and nothing else', () => {
    expect(owners(apply('a', undefined, { replicas: 1, labels: { x: '1' }, tags: ['t'] }))).toEqual({
      'a/Apply': ['.spec.replicas', '.spec.labels.x', '.spec.tags[="t"]'],
    })
  })

  it('removes what its owner does not apply any more, and nothing that others have', () => {
    const first = apply('a', undefined, { replicas: 1, labels: { x: '1', y: '2' } })
    const shared = apply('b', first, { labels: { y: '2', z: '3' } })
    const dropped = apply('a', shared, { replicas: 1 })
    expect(dropped['spec']).toEqual({ replicas: 1, labels: { y: '2', z: '3' } })
    expect(owners(dropped)).toEqual({ 'a/Apply': ['.spec.replicas'], 'b/Apply': ['.spec.labels.y', '.spec.labels.z'] })
  })

  it('removes whole items of lists, whoever else owns parts of them', () => {
    const first = apply('a', undefined, { ports: [{ port: 80 }, { port: 81 }] })
    const ports = [{ port: 80, name: 'x' }, { port: 81 }]
    const owned = update('controller', first, { ports })
    expect(apply('a', owned, { ports: [{ port: 81 }] })['spec']).toEqual({ ports: [{ port: 81 }] })
    const unowned = { ...first, spec: { ports } }
    expect(apply('a', unowned, { ports: [{ port: 81 }] })['spec']).toEqual({ ports: [{ port: 81 }] })
    const both = apply('b', first, { ports: [{ port: 80 }] })
    expect(apply('a', both, { ports: [{ port: 81 }] })['spec']).toEqual(first['spec'])
  })

  it('puts the items that it names into its order, and leaves the others where they are', () => {
    const live = create('a', { ports: [{ port: 1 }, { port: 2 }, { port: 3 }] })
    const next = apply('b', live, { ports: [{ port: 3 }, { port: 1 }] })
    expect((next['spec'] as { ports: { port: number }[] }).ports.map(({ port }) => port)).toEqual([2, 3, 1])
  })

  it('names each conflict and its manager', () => {
    const live = update('editor', apply('a', undefined, { replicas: 1, labels: { x: '1' } }), {
      replicas: 1,
      labels: { x: '1' },
      paused: true,
    })
    const { status } = failureOf(() => apply('b', live, { replicas: 2, labels: { x: '2' }, paused: false }))
    expect(status).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message:
        'Apply failed with 3 conflicts: conflicts with "a":\n- .spec.replicas\n- .spec.labels.x\n' +
        'conflicts with "editor" using example.com/v1:\n- .spec.paused',
      reason: 'Conflict',
      details: {
        causes: [
          { reason: 'FieldManagerConflict', message: 'conflict with "a"', field: '.spec.replicas' },
          { reason: 'FieldManagerConflict', message: 'conflict with "a"', field: '.spec.labels.x' },
          {
            reason: 'FieldManagerConflict',
            message: 'conflict with "editor" using example.com/v1',
            field: '.spec.paused',
          },
        ],
      },
      code: 409,
    })
    expect(owners(apply('b', live, { replicas: 2, labels: { x: '2' }, paused: false }, true))).toEqual({
      'b/Apply': ['.spec.paused', '.spec.replicas', '.spec.labels.x'],
    })
  })

  it('shares what is applied with the same value', () => {
    const live = apply('b', apply('a', undefined, { replicas: 1 }), { replicas: 1 })
    expect(owners(live)).toEqual({ 'a/Apply': ['.spec.replicas'], 'b/Apply': ['.spec.replicas'] })
  })

  it('keeps the time when it changes nothing', () => {
    const first = apply('a', undefined, { replicas: 1 })
    const again = applyServerSide({
      ...base,
      now: base.now + 60_000,
      manager: 'a',
      live: first,
      applied: widget({ replicas: 1 }),
      force: false,
    })
    expect(again.metadata.managedFields).toEqual(first.metadata.managedFields)
  })

  it.each<[string, Partial<KubeObject>, number, string]>([
    ['another kind', { kind: 'Gadget' }, 400, 'invalid object type: example.com/v1, Kind=Gadget'],
    ['no kind', { kind: undefined as never, apiVersion: undefined as never }, 400, 'invalid object type: /, Kind='],
    ['managedFields', { metadata: { managedFields: [] } }, 400, 'metadata.managedFields must be nil'],
    [
      'unknown fields',
      { spec: { nope: 1 } },
      500,
      'failed to create typed patch object (ns/w; example.com/v1, Kind=Widget): .spec.nope: field not declared in schema',
    ],
    [
      'wrong types',
      { spec: { replicas: 'x', paused: 1 } },
      500,
      'failed to create typed patch object (ns/w; example.com/v1, Kind=Widget): errors:\n' +
        '  .spec.paused: expected boolean, got &{1}\n' +
        '  .spec.replicas: expected numeric (int or float), got string',
    ],
    [
      'items that are there twice',
      { spec: { ports: [{ port: 80 }, { port: 80, protocol: 'TCP' }] } },
      500,
      'failed to create typed patch object (ns/w; example.com/v1, Kind=Widget): ' +
        '.spec.ports: duplicate entries for key [port=80,protocol="TCP"]',
    ],
  ])('refuses %s', (_, wrong, code, message) => {
    const applied = { ...widget({}, { namespace: 'ns' }), ...wrong }
    const { status } = failureOf(() =>
      applyServerSide({ ...base, manager: 'a', live: undefined, applied, force: true }),
    )
    expect(status).toMatchObject({ code, message })
  })

  it('takes over without a conflict what kubectl applied client-side before', () => {
    const annotation = 'kubectl.kubernetes.io/last-applied-configuration'
    const config = widget({ replicas: 1, paused: true })
    const live = updateManagedFields({
      ...base,
      manager: 'kubectl-client-side-apply',
      live: undefined,
      object: widget(
        { replicas: 1, paused: true },
        { annotations: { [annotation]: JSON.stringify(config) }, uid: 'u' },
      ),
    })
    const edited = update('editor', live, { replicas: 1, paused: false })
    const applied = widget({ replicas: 5, paused: true })
    expect(
      failureOf(() => applyServerSide({ ...base, manager: 'other', live: edited, applied, force: false })).message,
    ).toContain('2 conflicts')
    expect(
      failureOf(() => applyServerSide({ ...base, manager: 'kubectl', live: edited, applied, force: false })).message,
    ).toBe('Apply failed with 1 conflict: conflict with "editor" using example.com/v1: .spec.paused')
    const done = applyServerSide({ ...base, manager: 'kubectl', live, applied, force: false })
    expect(owners(done)['kubectl/Apply']).toEqual(['.spec.paused', '.spec.replicas'])
    expect(done.metadata.annotations?.[annotation]).toBe(
      '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"paused":true,"replicas":5}}\n',
    )
  })

  it('gives up what is owned in versions that are no more, and compares in the others', () => {
    const older: ManagedResource = {
      ...resource,
      version: 'v0',
      schema: resolveSchema({
        type: 'object',
        properties: {
          spec: { type: 'object', properties: { replicas: { type: 'integer' }, paused: { type: 'boolean' } } },
        },
      }),
    }
    const entry = (manager: string, apiVersion: string, field: string): ManagedFieldsEntry => ({
      manager,
      operation: 'Update',
      apiVersion,
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { [field]: {}, 'f:paused': {} } },
    })
    const live = widget(
      { replicas: 1, paused: true },
      {
        uid: 'u',
        managedFields: [entry('old', 'example.com/v0', 'f:replicas'), entry('lost', 'example.com/v9', 'f:replicas')],
      },
    )
    const versions = (apiVersion: string): ManagedResource | undefined =>
      apiVersion === 'example.com/v0' ? older : undefined
    const next = updateManagedFields({
      ...base,
      versions,
      manager: 'a',
      live,
      object: { ...live, spec: { replicas: 2, paused: true } },
    })
    expect(owners(next)).toEqual({ 'a/Update': ['.spec.replicas'], 'old/Update': ['.spec.paused'] })
  })

  it("refuses a configuration with fields that another owner's version of a custom resource does not know", () => {
    const older: ManagedResource = {
      ...resource,
      version: 'v0',
      schema: resolveSchema({ type: 'object', properties: { spec: { type: 'object', properties: { count: {} } } } }),
    }
    const managedFields = [
      {
        manager: 'old',
        operation: 'Update' as const,
        apiVersion: 'example.com/v0',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': {} },
      },
    ]
    const live = widget({}, { uid: 'u', managedFields })
    const versions = (): ManagedResource => older
    const applied = widget({ replicas: 2 })
    expect(() => applyServerSide({ ...base, versions, manager: 'a', live, applied, force: false })).toThrow(
      /^failed to convert new object: .*: field not declared in schema$/,
    )
    // An update goes on, and leaves the owners alone.
    const object = { ...live, spec: { replicas: 2 } }
    expect(updateManagedFields({ ...base, versions, manager: 'a', live, object }).metadata.managedFields).toEqual(
      managedFields,
    )
  })
})

const names = ['a', 'b', 'c']
const anySpec = fc.record(
  {
    replicas: fc.nat(3),
    paused: fc.boolean(),
    args: fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 }),
    tags: fc.uniqueArray(fc.constantFrom('t', 'u', 'v'), { minLength: 1 }),
    labels: fc.dictionary(fc.constantFrom('k', 'l'), fc.constantFrom('1', '2'), { minKeys: 1 }),
    ports: fc.uniqueArray(
      fc.record({ port: fc.constantFrom(80, 81), name: fc.constantFrom('m', 'n') }, { requiredKeys: ['port'] }),
      { minLength: 1, selector: ({ port }) => port },
    ),
  },
  { requiredKeys: [] },
)

interface Write {
  readonly manager: string
  readonly by: 'apply' | 'update'
  readonly spec: Spec
}

const writes: fc.Arbitrary<Write[]> = fc.array(
  fc.record({
    manager: fc.constantFrom(...names),
    by: fc.constantFrom<'apply' | 'update'>('apply', 'update'),
    spec: anySpec,
  }),
  { minLength: 1, maxLength: 6 },
)

function run(live: KubeObject | undefined, { manager, by, spec }: Write): KubeObject {
  if (by === 'apply') return apply(manager, live, spec, true)
  return live === undefined ? create(manager, spec) : update(manager, live, spec)
}

describe('any order of writes', () => {
  it('does nothing when a write is done again', () => {
    fc.assert(
      fc.property(writes, (all) => {
        let live: KubeObject | undefined
        for (const write of all) {
          live = run(live, write)
          const again = run(live, write)
          expect(again['spec']).toEqual(live['spec'])
          expect(again.metadata.managedFields).toEqual(live.metadata.managedFields)
        }
      }),
      { numRuns: 150 },
    )
  })

  it('leaves a field to who set it last, and to those who apply the same', () => {
    fc.assert(
      fc.property(writes, (all) => {
        let live: KubeObject | undefined
        let value: unknown
        let expected: string[] = []
        for (const write of all) {
          live = run(live, write)
          const { manager, by, spec } = write
          const name = `${manager}/${by === 'apply' ? 'Apply' : 'Update'}`
          const others = expected.filter((owner) => owner !== name)
          if ('replicas' in spec) {
            if (spec['replicas'] !== value) expected = [name]
            else if (by === 'apply') expected = [...others, name]
            value = spec['replicas']
          } else if (by === 'update' || (others.length === 0 && expected.length > 0)) {
            // Gone: from the whole object, or because its only owner does not apply it any more.
            expected = []
            value = undefined
          } else expected = others
          const owning = Object.entries(owners(live)).filter(([, paths]) => paths.includes('.spec.replicas'))
          expect(owning.map(([owner]) => owner).toSorted()).toEqual(expected.toSorted())
          expect((live['spec'] as Spec | undefined)?.['replicas']).toBe(value)
        }
      }),
      { numRuns: 200 },
    )
  })

  it('has owners only for what is there', () => {
    fc.assert(
      fc.property(writes, (all) => {
        let live: KubeObject | undefined
        for (const write of all) live = run(live, write)
        const everything = new Set(owners(create('x', live!['spec'] as Spec))['x/Update'])
        for (const paths of Object.values(owners(live!))) {
          for (const one of paths) expect(everything).toContain(one)
        }
      }),
      { numRuns: 150 },
    )
  })
})
