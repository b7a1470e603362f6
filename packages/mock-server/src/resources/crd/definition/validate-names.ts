import type { FieldError } from '@freshread/core'
import { isDNS1035Label } from '../../validation/names.ts'
import { child, index, invalid, type FieldPath } from '../field-errors.ts'
import type { CustomResourceDefinitionNames } from '../types.ts'

/** Names of a kind, wanted or accepted (`ValidateCustomResourceDefinitionNames`). */
export function validateNames(names: CustomResourceDefinitionNames, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  for (const name of ['plural', 'singular'] as const) {
    const value = names[name] ?? ''
    const problems = value === '' ? [] : isDNS1035Label(value)
    if (problems.length > 0) errors.push(invalid(child(path, name), value, problems.join(',')))
  }
  for (const name of ['kind', 'listKind'] as const) {
    const value = names[name] ?? ''
    const problems = value === '' ? [] : isDNS1035Label(value.toLowerCase())
    if (problems.length > 0) {
      const message = `may have mixed case, but should otherwise match: ${problems.join(',')}`
      errors.push(invalid(child(path, name), value, message))
    }
  }
  const list = (field: 'shortNames' | 'categories'): void => {
    names[field]?.forEach((value, i) => {
      const problems = isDNS1035Label(value)
      if (problems.length > 0) errors.push(invalid(index(child(path, field), i), value, problems.join(',')))
    })
  }
  list('shortNames')
  if (names.kind && names.kind === names.listKind) {
    errors.push(invalid(child(path, 'listKind'), names.listKind, 'kind and listKind may not be the same'))
  }
  list('categories')
  return errors
}
