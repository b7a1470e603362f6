import { invalid, type FieldError } from '@freshread/core'
import { numberAt, type Fields } from '../fields.ts'
import { nonNegative } from './common.ts'

/** Counts of a status: none is negative. */
export function counts(status: Fields | undefined, names: readonly string[]): FieldError[] {
  return names.flatMap((name) => nonNegative(`status.${name}`, numberAt(status, name)))
}

/** Counts that cannot be more than another, which the text names. */
export function notAbove(
  status: Fields | undefined,
  names: readonly string[],
  limit: string,
  text: string,
): FieldError[] {
  const most = numberAt(status, limit) ?? 0
  return names.flatMap((name) => {
    const value = numberAt(status, name) ?? 0
    return value > most ? [invalid(`status.${name}`, value, text)] : []
  })
}

/** A count of hash collisions only grows. */
export function collisionCount(status: Fields | undefined, current: Fields | undefined): FieldError[] {
  const value = numberAt(status, 'collisionCount')
  const before = numberAt(current, 'collisionCount')
  if (before === undefined || (value !== undefined && value >= before)) return []
  return [invalid('status.collisionCount', value ?? 0, 'cannot be decremented')]
}
