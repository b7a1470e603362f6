import type { KubeObject } from '@freshread/core'
import columnsByPath from '../../../data/tables.json' with { type: 'json' }
import type { TableColumn, TablePrinter } from '../resource.ts'
import { createdAt } from './cell-parts.ts'
import { cellMakers } from './cells.ts'
import { since } from './duration.ts'
import { podRowConditions } from './pod-cells.ts'
import { View } from './view.ts'

export { humanDuration } from './duration.ts'

const columnData = columnsByPath as Readonly<Record<string, readonly TableColumn[]>>

const defaultColumns: readonly TableColumn[] = [
  { name: 'Name', type: 'string', format: 'name', priority: 0 },
  { name: 'Age', type: 'string', format: '', priority: 0 },
]

/** How a built-in kind is shown as a Table: its own columns and cells, or name and age. */
export function printerFor(group: string, version: string, resource: string): TablePrinter {
  const path = group === '' ? `/api/${version}/${resource}` : `/apis/${group}/${version}/${resource}`
  const columns = columnData[path] ?? defaultColumns
  const maker = cellMakers[`${group}/${resource}`]
  if (!maker) return { columns, cells: defaultCells(columns), emptyRowsAreNull: columns.at(-1)?.name === 'Created At' }
  return {
    columns,
    cells: (object, now) => maker(new View(object), now),
    ...(resource === 'customresourcedefinitions' && { emptyRowsAreNull: true }),
    ...(group === '' && resource === 'pods' && { conditions: (object) => podRowConditions(new View(object)) }),
    ...(resource === 'flowschemas' && { order: byPrecedence }),
    ...(group === 'storage.k8s.io' && resource === 'storageclasses' && { forList: storageClassCells }),
  }
}

/** Cells of kinds that have nothing more to show than their name and when they were made. */
function defaultCells(columns: readonly TableColumn[]): TablePrinter['cells'] {
  const shows = columns.map(({ name }) => name)
  return (object, now) => {
    const view = new View(object)
    const made = view.at('metadata', 'creationTimestamp')
    return shows.map((name) => {
      if (name === 'Age') return since(made, now)
      return name === 'Created At' ? createdAt(view) : view.at('metadata', 'name').string()
    })
  }
}

/** Flow schemas are shown as they are tried (`printers.go: printFlowSchemaList`). */
function byPrecedence(a: KubeObject, b: KubeObject): number {
  const precedence = (object: KubeObject): number =>
    (object['spec'] as { readonly matchingPrecedence?: number } | undefined)?.matchingPrecedence ?? 0
  return precedence(a) - precedence(b) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1)
}

const DEFAULT_CLASS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
]

/** Among the classes that are marked as default, the one made last is it (`printers.go: getEffectiveDefaultStorageClass`). */
function storageClassCells(objects: readonly KubeObject[]): TablePrinter['cells'] {
  const maker = cellMakers['storage.k8s.io/storageclasses']!
  const marked = objects.filter((object) => DEFAULT_CLASS.some((key) => object.metadata.annotations?.[key] === 'true'))
  const [effective] = marked.toSorted((a, b) => {
    const [timeA, timeB] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '']
    if (timeA !== timeB) return timeA > timeB ? -1 : 1
    return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1
  })
  return (object, now) => {
    const [name, ...cells] = maker(new View(object), now)
    return [object.metadata.name === effective?.metadata.name ? `${String(name)} (default)` : name, ...cells]
  }
}
