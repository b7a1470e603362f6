import { goJSON, goNumber, goQuote } from './go-text.ts'

/** What is wrong with a field (`apimachinery: pkg/util/validation/field/errors.go`), by the reason its cause carries on the wire. */
export type FieldErrorType =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueDuplicate'
  | 'FieldValueNotFound'
  | 'FieldValueTooLong'
  | 'FieldValueTooShort'
  | 'FieldValueTooMany'
  | 'FieldValueTooFew'
  | 'FieldValueTypeInvalid'
  | 'InternalError'

/** One validation error; {@link FieldError.body} is the text without the field, {@link FieldError.message} the one with it. */
export interface FieldError {
  readonly type: FieldErrorType
  readonly field: string
  readonly body: string
  readonly message: string
}

const typeText: Readonly<Record<FieldErrorType, string>> = {
  FieldValueRequired: 'Required value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueNotFound: 'Not found',
  FieldValueTooLong: 'Too long',
  FieldValueTooShort: 'Too short',
  FieldValueTooMany: 'Too many',
  FieldValueTooFew: 'Too few',
  FieldValueTypeInvalid: 'Invalid value',
  InternalError: 'Internal error',
}

/** Given as the value of an error, leaves the value out of its text. */
export const omitValue: unique symbol = Symbol('omitValue')

/** Given as the value of an error, is printed as it stands: for values that JSON.stringify cannot print as Go does. */
export class PrintedValue {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/**
 * The error as `field: Type text: value: detail`; value and detail may be missing. Strings are quoted,
 * numbers and booleans printed, all else is shown as JSON.
 */
function fieldError(type: FieldErrorType, field: string, value: unknown, detail: string): FieldError {
  let body = typeText[type]
  if (value !== omitValue) body += `: ${printValue(value)}`
  if (detail !== '') body += `: ${detail}`
  return { type, field, body, message: `${field}: ${body}` }
}

function printValue(value: unknown): string {
  if (typeof value === 'string') return goQuote(value)
  if (typeof value === 'number') return goNumber(value)
  if (typeof value === 'bigint') return String(value)
  if (value instanceof PrintedValue) return value.text
  return goJSON(value)
}

/** A value is needed and there is none. */
export function required(field: string, detail: string): FieldError {
  return fieldError('FieldValueRequired', field, omitValue, detail)
}

/** The value is malformed. */
export function invalid(field: string, value: unknown, detail: string): FieldError {
  return fieldError('FieldValueInvalid', field, value, detail)
}

/** The value is of another type than the schema's. */
export function typeInvalid(field: string, value: unknown, detail: string): FieldError {
  return fieldError('FieldValueTypeInvalid', field, value, detail)
}

/** The value is none of those that are allowed, which are named in the order given. */
export function notSupported(field: string, value: unknown, validValues: readonly string[] = []): FieldError {
  const detail = validValues.length === 0 ? '' : `supported values: ${validValues.map(goQuote).join(', ')}`
  return fieldError('FieldValueNotSupported', field, value, detail)
}

/** The value is well-formed, but not allowed as things are. */
export function forbidden(field: string, detail: string): FieldError {
  return fieldError('FieldValueForbidden', field, omitValue, detail)
}

/** A value that must be unique is there twice. */
export function duplicate(field: string, value: unknown, detail = ''): FieldError {
  return fieldError('FieldValueDuplicate', field, value, detail)
}

/** The value refers to something that is not there. */
export function notFound(field: string, value: unknown): FieldError {
  return fieldError('FieldValueNotFound', field, value, '')
}

/** The value has more than `maxLength` bytes; a negative maximum is not named. */
export function tooLong(field: string, maxLength: number): FieldError {
  return fieldError('FieldValueTooLong', field, omitValue, atMost(maxLength, 'byte'))
}

/** The value has more than `maxLength` characters; a negative maximum is not named. */
export function tooLongCharacters(field: string, maxLength: number): FieldError {
  return fieldError('FieldValueTooLong', field, omitValue, atMost(maxLength, 'character'))
}

function atMost(length: number, unit: string): string {
  return length < 0 ? 'value is too long' : `may not be more than ${length} ${plural(length, unit)}`
}

/** The value has fewer than `minLength` characters; a negative minimum is not named. */
export function tooShort(field: string, minLength: number): FieldError {
  const detail =
    minLength < 0 ? 'value is too short' : `must be at least ${minLength} ${plural(minLength, 'character')}`
  return fieldError('FieldValueTooShort', field, omitValue, detail)
}

/** The list has more than `maxQuantity` items. Negative numbers are not named. */
export function tooMany(field: string, actualQuantity: number, maxQuantity: number): FieldError {
  const detail =
    maxQuantity < 0 ? 'has too many items' : `must have at most ${maxQuantity} ${plural(maxQuantity, 'item')}`
  return fieldError('FieldValueTooMany', field, actualQuantity < 0 ? omitValue : actualQuantity, detail)
}

/** The list has fewer than `minQuantity` items. A negative minimum is not named. */
export function tooFew(field: string, actualQuantity: number, minQuantity: number): FieldError {
  const detail =
    minQuantity < 0 ? 'has too few items' : `must have at least ${minQuantity} ${plural(minQuantity, 'item')}`
  return fieldError('FieldValueTooFew', field, actualQuantity, detail)
}

function plural(count: number, unit: string): string {
  return count === 1 ? unit : unit + 's'
}

/** Something failed that is not the value's fault. */
export function internalFieldError(field: string, error: Error | string): FieldError {
  return fieldError('InternalError', field, omitValue, typeof error === 'string' ? error : error.message)
}

/**
 * Several errors in one text (`apimachinery: pkg/util/errors: aggregate.Error`): one stands bare, more are
 * listed in brackets, equal texts only once.
 */
export function aggregateMessage(messages: readonly string[]): string {
  const unique = [...new Set(messages)]
  return unique.length === 1 ? unique[0]! : unique.length === 0 ? '' : `[${unique.join(', ')}]`
}
