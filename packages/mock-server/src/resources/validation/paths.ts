import { invalid, type FieldError } from '@freshread/core'

/** File modes, as errors name their range. */
export const FILE_MODE = 'must be a number between 0 and 0777 (octal), both inclusive'

export function noBacksteps(path: string, value: string): FieldError[] {
  return value.split('/').includes('..') ? [invalid(path, value, "must not contain '..'")] : []
}

export function descendingPath(path: string, value: string): FieldError[] {
  const errors = value.startsWith('/') ? [invalid(path, value, 'must be a relative path')] : []
  return [...errors, ...noBacksteps(path, value)]
}

/** A relative path whose name does not begin as those that kubelet keeps for itself. */
export function nonReservedPath(path: string, value: string): FieldError[] {
  const errors = descendingPath(path, value)
  if (value.startsWith('..') && !value.startsWith('../')) errors.push(invalid(path, value, "must not start with '..'"))
  return errors
}

export function fileMode(path: string, mode: number | undefined): FieldError[] {
  return mode !== undefined && (mode > 0o777 || mode < 0) ? [invalid(path, mode, FILE_MODE)] : []
}
