import * as core from '@freshread/core'
import type { FieldError } from '@freshread/core'
import { goJson } from '../../go/text.ts'

/** Path of a field as errors print it; {@link nilPath} for none (`field.Path(nil)`). */
export type FieldPath = string

/** The path of "no field": printed as `<nil>`, and left out when a child is appended. */
export const nilPath: FieldPath = ''

export function child(path: FieldPath, ...names: readonly string[]): FieldPath {
  const below = names.join('.')
  return path === nilPath ? below : `${path}.${below}`
}

export function index(path: FieldPath, i: number): FieldPath {
  return `${path}[${i}]`
}

export function key(path: FieldPath, name: string): FieldPath {
  return `${path}[${name}]`
}

function printed(path: FieldPath): string {
  return path === nilPath ? '<nil>' : path
}

/** Objects print with their keys sorted, as Go's maps do. */
function shown(value: unknown): unknown {
  if (typeof value !== 'object' || value instanceof core.PrintedValue) return value
  return new core.PrintedValue(goJson(value))
}

export function required(path: FieldPath, detail = ''): FieldError {
  return core.required(printed(path), detail)
}

export function invalid(path: FieldPath, value: unknown, detail: string): FieldError {
  return core.invalid(printed(path), shown(value), detail)
}

export function typeInvalid(path: FieldPath, value: unknown, detail: string): FieldError {
  return core.typeInvalid(printed(path), shown(value), detail)
}

export function forbidden(path: FieldPath, detail: string): FieldError {
  return core.forbidden(printed(path), detail)
}

export function duplicate(path: FieldPath, value: unknown): FieldError {
  return core.duplicate(printed(path), shown(value))
}

export function notSupported(path: FieldPath, value: unknown, supported: readonly string[]): FieldError {
  return core.notSupported(printed(path), shown(value), supported)
}

export function tooLong(path: FieldPath, maxLength: number): FieldError {
  return core.tooLong(printed(path), maxLength)
}

export function tooMany(path: FieldPath, actual: number, max: number): FieldError {
  return core.tooMany(printed(path), actual, max)
}

export function internalError(path: FieldPath, message: string): FieldError {
  return core.internalFieldError(printed(path), message)
}

/** A value that must be given and one of a few. */
export function oneOf(path: FieldPath, value: string, accepted: readonly string[]): FieldError[] {
  if (value === '') return [required(path)]
  return accepted.includes(value) ? [] : [notSupported(path, value, accepted)]
}
