import { forbidden, invalid, notSupported, required, type FieldError } from '@freshread/core'
import { internalValue } from '../decode/internal-value.ts'
import { semanticEqual } from '../fields.ts'
import { Quantity } from '../quantity.ts'
import { isPercent, isPortName, isPortNumber } from './names.ts'

/** What refusals of changes say. */
export const IMMUTABLE = 'field is immutable'
const NEGATIVE = 'must be greater than or equal to 0'

export function nonNegative(path: string, value: number | undefined): FieldError[] {
  return value !== undefined && value < 0 ? [invalid(path, value, NEGATIVE)] : []
}

export function positive(path: string, value: number): FieldError[] {
  return value <= 0 ? [invalid(path, value, 'must be greater than zero')] : []
}

export function nonNegativeQuantity(path: string, text: string): FieldError[] {
  return Quantity.parse(text).nano < 0n ? [invalid(path, text, NEGATIVE)] : []
}

/** The value must be one of those listed, which are named in this order; an empty one is missing. */
export function oneOf(path: string, value: string, supported: readonly string[]): FieldError[] {
  if (value === '') return [required(path, '')]
  return supported.includes(value) ? [] : [notSupported(path, value, supported)]
}

/** Refuses a change (`ValidateImmutableField`). */
export function immutable(path: string, value: unknown, current: unknown): FieldError[] {
  return semanticEqual(value, current) ? [] : [invalid(path, value ?? null, IMMUTABLE)]
}

/** Refuses a change, without showing the value: that is what fields declared immutable get. */
export function declaredImmutable(path: string, value: unknown, current: unknown): FieldError[] {
  return semanticEqual(value, current) ? [] : [invalid(path, null, IMMUTABLE)]
}

/** Refuses a change and shows the value as the internal type prints it. */
export function immutableInternal(path: string, type: string, value: unknown, current: unknown): FieldError[] {
  return semanticEqual(value, current) ? [] : [invalid(path, internalValue(type, value), IMMUTABLE)]
}

/** A port by number or name. */
export function portNumberOrName(path: string, port: unknown): FieldError[] {
  const texts = typeof port === 'number' ? isPortNumber(port) : isPortName(String(port ?? ''))
  return texts.map((text) => invalid(path, port, text))
}

/** A number or a percentage, not negative (`apis/apps/validation: ValidatePositiveIntOrPercent`). */
export function intOrPercent(path: string, value: unknown): FieldError[] {
  if (typeof value === 'string') return isPercent(value).map((text) => invalid(path, value, text))
  return typeof value === 'number' ? nonNegative(path, value) : []
}

/** A percentage above 100. */
export function notAboveHundredPercent(path: string, value: unknown): FieldError[] {
  if (typeof value !== 'string' || isPercent(value).length > 0) return []
  return Number(value.slice(0, -1)) > 100 ? [invalid(path, value, 'must not be greater than 100%')] : []
}

/** The number that a number or percentage stands for; percentages themselves count. */
export function intOrPercentValue(value: unknown): number {
  return typeof value === 'number' ? value : Number.parseInt(String(value ?? '0'), 10) || 0
}

/** Exactly one way of saying a thing may be used. */
export function moreThanOne(path: string, what: string): FieldError {
  return forbidden(path, `may not specify more than 1 ${what}`)
}
