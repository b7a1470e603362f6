import type { KubeObject } from '@freshread/core'
import type { TableColumn, TablePrinter } from '../resource.ts'
import { humanDuration } from '../tables/duration.ts'
import { parseJsonPath, printResult, type JsonPath } from './json-path.ts'
import type { CustomResourceColumnDefinition } from './types.ts'

/*
 * Custom resources as Tables (`pkg/registry/customresource/tableconvertor`): the name, then what the definition's
 * columns find.
 */

const age: CustomResourceColumnDefinition = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
}

/** The printer of a version. A version without columns has the age. */
export function customPrinter(columns: readonly CustomResourceColumnDefinition[] | undefined): TablePrinter {
  const heads: TableColumn[] = [{ name: 'Name', type: 'string', format: 'name', priority: 0 }]
  const cells: ((object: KubeObject, now: number) => unknown)[] = []
  for (const column of columns === undefined || columns.length === 0 ? [age] : columns) {
    const { name = '', type = '', format = '', description = '', priority = 0, jsonPath = '' } = column
    let path: JsonPath
    try {
      path = parseJsonPath(jsonPath)
    } catch {
      // What cannot be parsed ends the columns.
      break
    }
    heads.push({
      name,
      type,
      format,
      description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
      priority,
    })
    cells.push((object, now) => cell(path, type, object, now))
  }
  return {
    columns: heads,
    cells: (object, now) => [object.metadata.name ?? '', ...cells.map((print) => print(object, now))],
  }
}

function cell(path: JsonPath, type: string, object: KubeObject, now: number): unknown {
  let results: readonly unknown[]
  try {
    results = path.find(object)
  } catch {
    return null
  }
  if (results.length === 0) return null
  const value = results[0] ?? null
  if (type === 'string') return value === null ? '<no value>' : printResult(value)
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null
    case 'number':
      return typeof value === 'number' ? value : null
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    case 'date':
      return typeof value === 'string' ? since(value, now) : null
    default:
      return null
  }
}

/** How long ago a time was (`pkg/api/meta/table: ConvertToHumanReadableDateType`). */
function since(text: string, now: number): string {
  if (text === '' || text === 'null') return '<unknown>'
  const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/
  const time = rfc3339.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(time) ? '<invalid>' : humanDuration(now - time)
}
