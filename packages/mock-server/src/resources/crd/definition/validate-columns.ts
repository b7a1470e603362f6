import type { FieldError } from '@freshread/core'
import { child, invalid, required, type FieldPath } from '../field-errors.ts'
import type { CustomResourceColumnDefinition } from '../types.ts'
import { validateSimpleJsonPath } from './field-path.ts'

const printerColumnTypes = ['boolean', 'date', 'integer', 'number', 'string']
const printerColumnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']

/** A column of a kind's tables (`ValidateCustomResourceColumnDefinition`). */
export function validateColumn(column: CustomResourceColumnDefinition, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const oneOfTypes = `must be one of ${printerColumnTypes.join(',')}`
  if (!column.name) errors.push(required(child(path, 'name')))
  if (!column.type) errors.push(required(child(path, 'type'), oneOfTypes))
  else if (!printerColumnTypes.includes(column.type)) errors.push(invalid(child(path, 'type'), column.type, oneOfTypes))
  if (column.format && !printerColumnFormats.includes(column.format)) {
    errors.push(invalid(child(path, 'format'), column.format, `must be one of ${printerColumnFormats.join(',')}`))
  }
  if (!column.jsonPath) errors.push(required(child(path, 'JSONPath')))
  else errors.push(...validateSimpleJsonPath(column.jsonPath, child(path, 'JSONPath')))
  return errors
}
