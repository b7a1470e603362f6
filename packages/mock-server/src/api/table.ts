import { invalid, newBadRequest, type KubeObject, type ObjectMeta } from '@freshread/core'
import type { Resource, TablePrinter } from '../resources/resource.ts'
import type { ConvertTarget } from './negotiation.ts'
import { firstValue, type Query } from './query.ts'

/** `metadata` of a list. */
export interface ListMeta {
  readonly resourceVersion?: string
  readonly continue?: string
  readonly remainingItemCount?: number
}

/** What a Table's rows carry beside their cells. */
export type IncludeObject = 'None' | 'Metadata' | 'Object'

/** Reads `?includeObject=`; throws the 400 Status for other values. */
export function includeObjectOption(query: Query): IncludeObject {
  const value = firstValue(query, 'includeObject') ?? ''
  if (value === '' || value === 'Metadata') return 'Metadata'
  if (value === 'Object' || value === 'None') return value
  const error = invalid('includeObject', value, "must be 'Metadata', 'Object', 'None', or empty")
  throw newBadRequest(`Unable to convert to Table as requested: ${error.message}`)
}

/** Annotations that only the versions on the wire have: where an older version kept a field. */
const WIRE_ANNOTATIONS: Readonly<Record<string, string>> = {
  'apps/v1 DaemonSet': 'deprecated.daemonset.template.generation',
}

/** An object reduced to its metadata (`meta.AsPartialObjectMetadata`), as the server has it inside. */
export function partialObjectMetadata(object: KubeObject, version: string): Record<string, unknown> {
  const { metadata } = object
  const wireOnly = WIRE_ANNOTATIONS[`${object.apiVersion} ${object.kind}`]
  return {
    kind: 'PartialObjectMetadata',
    apiVersion: `meta.k8s.io/${version}`,
    metadata: wireOnly === undefined ? metadata : withoutAnnotation(metadata, wireOnly),
  }
}

function withoutAnnotation(metadata: ObjectMeta, name: string): ObjectMeta {
  const { annotations, ...rest } = metadata
  if (annotations?.[name] === undefined) return metadata
  const { [name]: _dropped, ...kept } = annotations
  return Object.keys(kept).length === 0 ? rest : { ...metadata, annotations: kept }
}

/** What a Table is made of. */
export interface TableOptions {
  readonly resource: Resource
  readonly target: ConvertTarget
  readonly includeObject: IncludeObject
  /** Leaves the column definitions out, as events after a watch's first do. */
  readonly noHeaders?: boolean
  readonly list?: boolean
  /** For objects that are not of the resource's own kind. */
  readonly printer?: TablePrinter | undefined
  /** Milliseconds since the epoch, for ages. */
  readonly now: number
}

/** An object in the version that is asked for, and in the one that its columns and metadata are taken from. */
export interface ShownObject {
  readonly object: KubeObject
  /** As it is stored, for built-in kinds. */
  readonly internal: KubeObject
}

/**
 * A Table of objects (`meta.k8s.io: Table`).
 *
 * @param options.list the objects are a list, whose rows may depend on each other
 */
export function tableOf(
  objects: readonly ShownObject[],
  metadata: ListMeta,
  options: TableOptions,
): Record<string, unknown> {
  const { printer = options.resource.printer, now } = options
  const forList = options.list === true ? printer.forList?.(objects.map(({ internal }) => internal)) : undefined
  const cells = forList ?? printer.cells
  const { order } = printer
  const shownObjects = order === undefined ? objects : objects.toSorted((a, b) => order(a.internal, b.internal))
  const rows = shownObjects.map((shown) => {
    const conditions = printer.conditions?.(shown.internal)
    return { cells: cells(shown.internal, now), ...(conditions && { conditions }), object: included(shown, options) }
  })
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${options.target.version}`,
    metadata,
    columnDefinitions: options.noHeaders === true ? null : printer.columns.map(columnDefinition),
    rows: rows.length === 0 && printer.emptyRowsAreNull === true ? null : rows,
  }
}

/** What a row carries of its object; the end of the initial events is told even to who wants nothing. */
function included({ object, internal }: ShownObject, { includeObject, target }: TableOptions): unknown {
  if (includeObject === 'Object') return object
  const endsInitialEvents = object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true'
  if (includeObject === 'Metadata' || endsInitialEvents) return partialObjectMetadata(internal, target.version)
  return null
}

function columnDefinition(column: TablePrinter['columns'][number]): Record<string, unknown> {
  const { name, type, format, description = '', priority } = column
  return { name, type, format, description, priority }
}
