import { invalid, newBadRequest, type KubeObject } from '@freshread/core'
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

/** An object reduced to its metadata (`meta.AsPartialObjectMetadata`). */
export function partialObjectMetadata(object: KubeObject, version: string): Record<string, unknown> {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata }
}

/** What a Table is made of. */
export interface TableOptions {
  readonly resource: Resource
  readonly target: ConvertTarget
  readonly includeObject: IncludeObject
  /** Leaves the column definitions out, as events after a watch's first do. */
  readonly noHeaders?: boolean
  readonly list?: boolean
  /** Milliseconds since the epoch, for ages. */
  readonly now: number
}

/** One row of a Table. */
export function tableRow(
  object: KubeObject,
  options: TableOptions,
  cells: TablePrinter['cells'] = options.resource.printer.cells,
): Record<string, unknown> {
  const { resource, target, includeObject, now } = options
  const endsInitialEvents = object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true'
  let included: unknown = null
  if (includeObject === 'Object') included = object
  else if (includeObject === 'Metadata' || endsInitialEvents) included = partialObjectMetadata(object, target.version)
  // Columns of built-in kinds are made from the version that is stored, whichever one is asked for.
  const shown = resource.builtIn ? resource.toStorage(object) : object
  const conditions = resource.printer.conditions?.(shown)
  return { cells: cells(shown, now), ...(conditions && { conditions }), object: included }
}

/**
 * A Table of objects (`meta.k8s.io: Table`).
 *
 * @param options.list the objects are a list, whose rows may depend on each other
 */
export function tableOf(
  objects: readonly KubeObject[],
  metadata: ListMeta,
  options: TableOptions,
): Record<string, unknown> {
  const { printer } = options.resource
  const cells = (options.list === true ? printer.forList?.(objects) : undefined) ?? printer.cells
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${options.target.version}`,
    metadata,
    columnDefinitions: options.noHeaders === true ? null : printer.columns.map(columnDefinition),
    rows:
      objects.length === 0 && printer.emptyRowsAreNull === true
        ? null
        : objects.map((object) => tableRow(object, options, cells)),
  }
}

function columnDefinition(column: Resource['printer']['columns'][number]): Record<string, unknown> {
  const { name, type, format, description = '', priority } = column
  return { name, type, format, description, priority }
}
