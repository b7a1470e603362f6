import type { SchemaNode } from '../../resources/schema.ts'

/** What a scalar may be. */
type Scalar = 'numeric' | 'string' | 'boolean' | 'untyped'

/**
 * What a value may be, as merging and ownership see it (`structured-merge-diff: schema/elements.go: Atom`): a
 * scalar, a list, a map, or one of several. One without any accepts nothing.
 */
export interface Atom {
  readonly scalar: Scalar | undefined
  readonly list: ListAtom | undefined
  readonly map: MapAtom | undefined
}

/** A list; `keys` only where it is associative, and none for a set of scalars. */
export interface ListAtom {
  readonly associative: boolean
  /** In the order in which the schema names them. */
  readonly keys: readonly KeyField[]
  readonly element: Atom
}

/** A field that an item of a list goes by. */
export interface KeyField {
  readonly name: string
  /** Of items that leave the field out. */
  readonly default: unknown
}

/** A struct, a map, or both. */
export interface MapAtom {
  readonly atomic: boolean
  /** Declared fields. */
  readonly field: (name: string) => Atom | undefined
  /** What undeclared fields are; `undefined` forbids them. */
  readonly element: Atom | undefined
  /** No field is declared and any is allowed. */
  readonly untyped: boolean
}

const noField = (): undefined => undefined

/** Anything, as one piece. */
const untypedAtomic: Atom = {
  scalar: 'untyped',
  get list() {
    return untypedList
  },
  get map() {
    return untypedMap
  },
}

const untypedList: ListAtom = { associative: false, keys: [], element: untypedAtomic }
const untypedMap: MapAtom = { atomic: true, field: noField, element: untypedAtomic, untyped: false }

/** Anything: maps are granular, lists are one piece. What an object without a schema is made of. */
export const deduced: Atom = {
  scalar: 'untyped',
  list: untypedList,
  get map() {
    return deducedMap
  },
}

const deducedMap: MapAtom = { atomic: false, field: noField, element: deduced, untyped: true }

function scalarAtom(scalar: Scalar): Atom {
  return { scalar, list: undefined, map: undefined }
}

const untypedScalar = scalarAtom('untyped')
const scalars: Readonly<Record<string, Atom>> = {
  integer: scalarAtom('numeric'),
  number: scalarAtom('numeric'),
  boolean: scalarAtom('boolean'),
  string: scalarAtom('string'),
}

const quantity = 'io.k8s.apimachinery.pkg.api.resource.Quantity'
const rawExtension = 'io.k8s.apimachinery.pkg.runtime.RawExtension'

const strict = new WeakMap<SchemaNode, Atom>()
const preserving = new WeakMap<SchemaNode, Atom>()

/**
 * The atom of a schema (`kube-openapi: pkg/schemaconv/openapi.go`). `preserve` lets undeclared fields be,
 * which is inherited by all that is below `x-kubernetes-preserve-unknown-fields`.
 */
export function atomOf(schema: SchemaNode | undefined, preserve: boolean = false): Atom {
  if (schema === undefined) return deduced
  const atoms = preserve ? preserving : strict
  let atom = atoms.get(schema)
  if (atom === undefined) {
    atom = makeAtom(schema, preserve)
    atoms.set(schema, atom)
  }
  return atom
}

function makeAtom(schema: SchemaNode, inherited: boolean): Atom {
  if (schema.ref === quantity) return untypedScalar
  if (schema.ref === rawExtension) return untypedAtomic
  const preserve = inherited || schema.preserveUnknownFields
  switch (schema.type) {
    case undefined:
      return { scalar: 'untyped', list: listAtom(schema, preserve), map: mapAtom(schema, preserve) }
    case 'object':
      return { scalar: undefined, list: undefined, map: mapAtom(schema, preserve) }
    case 'array':
      return { scalar: undefined, list: listAtom(schema, preserve), map: undefined }
    case 'string':
      return schema.format === undefined || schema.format === 'byte' ? scalars['string']! : untypedScalar
    default:
      return scalars[schema.type] ?? untypedScalar
  }
}

function mapAtom(schema: SchemaNode, preserve: boolean): MapAtom {
  const properties = schema.properties
  // The same name is asked for in every object, so what is found is kept.
  const fields = new Map<string, Atom | undefined>()
  const additional = schema.additionalProperties
  const open = additional === undefined && schema.raw.additionalProperties !== false
  const free = open && (preserve || properties.size === 0)
  const embedded = schema.embeddedResource
  return {
    atomic: schema.mapType === 'atomic',
    field(name) {
      if (fields.has(name)) return fields.get(name)
      const own = properties.get(name)
      const atom = (embedded ? typeMeta(name) : undefined) ?? (own === undefined ? undefined : atomOf(own, preserve))
      if (atom !== undefined) fields.set(name, atom)
      return atom
    },
    get element() {
      if (free) return deduced
      return additional === undefined ? undefined : isAnything(additional) ? deduced : atomOf(additional, preserve)
    },
    untyped: free && properties.size === 0 && !embedded,
  }
}

/** `additionalProperties: true`, which schemas here read as an empty one. */
function isAnything(schema: SchemaNode): boolean {
  for (const _ in schema.raw) return false
  return true
}

function listAtom(schema: SchemaNode, preserve: boolean): ListAtom {
  const items = schema.items
  const { associative, keys } = listRelationship(schema)
  return {
    associative,
    keys: keys.map((name) => ({ name, default: items?.properties.get(name)?.default })),
    get element() {
      return items === undefined ? untypedAtomic : atomOf(items, preserve)
    },
  }
}

/** Which lists are sets or keyed: what the schema says of the list, else what it says of strategic patches. */
function listRelationship(schema: SchemaNode): { associative: boolean; keys: readonly string[] } {
  switch (schema.listType) {
    case 'atomic':
      return { associative: false, keys: [] }
    case 'set':
      return { associative: true, keys: [] }
    case 'map':
      return { associative: true, keys: schema.listMapKeys }
  }
  if (!schema.patchStrategy.includes('merge')) return { associative: false, keys: [] }
  const key = schema.patchMergeKey
  return { associative: true, keys: key === undefined ? [] : [key] }
}

function fieldsAtom(fields: Readonly<Record<string, Atom>>): Atom {
  const known = new Map(Object.entries(fields))
  return {
    scalar: undefined,
    list: undefined,
    map: { atomic: false, field: (name) => known.get(name), element: undefined, untyped: false },
  }
}

function mapOf(element: Atom): Atom {
  return { scalar: undefined, list: undefined, map: { atomic: false, field: noField, element, untyped: false } }
}

function listOf(element: Atom, associative: boolean, keys: readonly string[]): Atom {
  const list: ListAtom = { associative, keys: keys.map((name) => ({ name, default: undefined })), element }
  return { scalar: undefined, list, map: undefined }
}

const text = scalars['string']!
const integer = scalars['integer']!
const ownerReference: Atom = {
  scalar: undefined,
  list: undefined,
  map: {
    ...fieldsAtom({
      apiVersion: text,
      blockOwnerDeletion: scalars['boolean']!,
      controller: scalars['boolean']!,
      kind: text,
      name: text,
      uid: text,
    }).map!,
    atomic: true,
  },
}

/** `metadata` of every object, whatever a CRD's schema says of it (`apimachinery: pkg/apis/meta/v1: ObjectMeta`). */
const objectMeta: Atom = fieldsAtom({
  annotations: mapOf(text),
  creationTimestamp: untypedScalar,
  deletionGracePeriodSeconds: integer,
  deletionTimestamp: untypedScalar,
  finalizers: listOf(text, true, []),
  generateName: text,
  generation: integer,
  labels: mapOf(text),
  managedFields: listOf(untypedAtomic, false, []),
  name: text,
  namespace: text,
  ownerReferences: listOf(ownerReference, true, ['uid']),
  resourceVersion: text,
  selfLink: text,
  uid: text,
})

function typeMeta(name: string): Atom | undefined {
  return name === 'metadata' ? objectMeta : name === 'apiVersion' || name === 'kind' ? text : undefined
}

const roots = new WeakMap<SchemaNode, Atom>()

/** The atom of a whole object: as the schema says, but with apiVersion, kind and metadata as every object has them. */
export function objectAtom(schema: SchemaNode | undefined): Atom {
  if (schema === undefined) return deduced
  let root = roots.get(schema)
  if (root === undefined) {
    const own = atomOf(schema).map ?? deducedMap
    root = {
      scalar: undefined,
      list: undefined,
      map: { ...own, field: (name) => typeMeta(name) ?? own.field(name), element: own.element, untyped: false },
    }
    roots.set(schema, root)
  }
  return root
}
