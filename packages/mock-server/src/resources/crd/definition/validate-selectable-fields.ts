import type { FieldError } from '@freshread/core'
import { child, duplicate, index, invalid, required, tooMany, type FieldPath } from '../field-errors.ts'
import { unsupportedKeyword } from '../structural.ts'
import type { JsonSchemaProps, SelectableField } from '../types.ts'
import { validFieldPath } from './field-path.ts'
import { maxSelectableFields, type ValidationOptions } from './validation-options.ts'

/** The fields that a version's objects can be selected by, which must be in its schema. */
export function validateFieldsOf(
  schema: JsonSchemaProps | undefined,
  fields: readonly SelectableField[],
  path: FieldPath,
  options: Pick<ValidationOptions, 'tooManySelectableFields'>,
  version: string,
): FieldError[] {
  const problem = unsupportedKeyword(schema)
  const errors = problem === undefined ? [] : [invalid(child(path, 'schema.openAPIV3Schema'), '', problem)]
  return [
    ...errors,
    ...validateSelectableFields(fields, schema ?? {}, child(path, 'selectableFields'), options, version),
  ]
}

function validateSelectableFields(
  fields: readonly SelectableField[],
  schema: JsonSchemaProps,
  path: FieldPath,
  options: Pick<ValidationOptions, 'tooManySelectableFields'>,
  version: string,
): FieldError[] {
  const errors: FieldError[] = []
  const unique = new Set<string>()
  for (const [i, { jsonPath = '' }] of fields.entries()) {
    const at = child(index(path, i), 'jsonPath')
    if (jsonPath === '') {
      errors.push(required(at))
      continue
    }
    const found = validFieldPath(jsonPath, schema, false)
    if ('error' in found) {
      errors.push(invalid(at, jsonPath, `is an invalid path: ${found.error}`))
      continue
    }
    if (found.root === 'metadata') errors.push(invalid(at, jsonPath, 'must not point to fields in metadata'))
    if (!['string', 'boolean', 'integer'].includes(found.schema?.type ?? '')) {
      const message =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.'
      errors.push(invalid(at, jsonPath, message))
    }
    if (unique.has(found.path)) errors.push(duplicate(at, jsonPath))
    unique.add(found.path)
  }
  if (unique.size > maxSelectableFields && !options.tooManySelectableFields.has(version)) {
    errors.push(tooMany(path, unique.size, maxSelectableFields))
  }
  return errors
}
