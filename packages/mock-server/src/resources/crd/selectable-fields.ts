import type { KubeObject } from '@freshread/core'
import { goValue } from '../../go/text.ts'
import { parseJsonPath } from './json-path.ts'
import type { SelectableField } from './types.ts'

/** Reads the fields that objects of a version can be selected by (`pkg/registry/customresource/strategy.go: selectableFields`). */
export function selectableFieldReader(
  fields: readonly SelectableField[],
): (object: KubeObject) => Readonly<Record<string, string>> {
  const paths = fields.map(({ jsonPath = '' }) => ({ name: fieldName(jsonPath), path: parseJsonPath(jsonPath) }))
  return (object) => {
    const values: Record<string, string> = {}
    for (const { name, path } of paths) {
      const value = path.find(object)[0] ?? null
      values[name] = value === null ? '' : goValue(value)
    }
    return values
  }
}

/** `.spec.color` is selected as `spec.color`. */
export function fieldName(jsonPath: string): string {
  return jsonPath.startsWith('.') ? jsonPath.slice(1) : jsonPath
}
