import {
  newInvalid,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
  utf8Length,
} from '@freshread/core'
import { firstValue, queryBoolean, type Query } from '../api/query.ts'
import type { FieldValidation } from '../resources/decode/decode-object.ts'

/** Options of a create, update or patch (`apimachinery: CreateOptions, UpdateOptions, PatchOptions`). */
export interface WriteOptions {
  readonly dryRun: boolean
  /** `''` when not given. */
  readonly fieldManager: string
  readonly fieldValidation: FieldValidation
  /** `undefined` when not given; only for patches. */
  readonly force: boolean | undefined
}

const MAX_FIELD_MANAGER_LENGTH = 128
const FIELD_VALIDATIONS: ReadonlySet<string> = new Set(['', 'Ignore', 'Strict', 'Warn'])
const META_GROUP = 'meta.k8s.io'

/**
 * Reads and checks the options of a write from its query. Throws the 422 that wrong ones get.
 *
 * @param kind `CreateOptions`, `UpdateOptions` or `PatchOptions`
 * @param apply the patch is a server-side apply
 */
export function writeOptions(query: Query, kind: string, apply?: boolean): WriteOptions {
  const dryRun = query.get('dryRun') ?? []
  const fieldManager = firstValue(query, 'fieldManager') ?? ''
  const fieldValidation = firstValue(query, 'fieldValidation') ?? ''
  const force = kind === 'PatchOptions' ? queryBoolean(query, 'force') : undefined

  const errors: FieldError[] = []
  if (kind === 'PatchOptions') {
    if (apply === true) {
      if (fieldManager === '') errors.push(required('fieldManager', 'is required for apply patch'))
    } else if (force !== undefined) errors.push(forbidden('force', 'may not be specified for non-apply patch'))
  }
  errors.push(...validateFieldManager(fieldManager, 'fieldManager'), ...validateDryRun(dryRun))
  if (!FIELD_VALIDATIONS.has(fieldValidation)) {
    errors.push(notSupported('fieldValidation', fieldValidation, [...FIELD_VALIDATIONS]))
  }
  if (errors.length > 0) throw newInvalid({ group: META_GROUP, kind }, '', errors)
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: fieldValidation === '' ? 'Warn' : (fieldValidation as FieldValidation),
    force,
  }
}

/** `apimachinery: pkg/apis/meta/v1/validation: ValidateDryRun`. */
export function validateDryRun(values: readonly string[]): FieldError[] {
  return values.every((value) => value === 'All') ? [] : [notSupported('dryRun', values, ['All'])]
}

/** `apimachinery: pkg/apis/meta/v1/validation: ValidateFieldManager`; positions count bytes. */
export function validateFieldManager(manager: string, field: string): FieldError[] {
  if (manager.length <= MAX_FIELD_MANAGER_LENGTH && PLAIN.test(manager)) return []
  const errors: FieldError[] = []
  if (utf8Length(manager) > MAX_FIELD_MANAGER_LENGTH) errors.push(tooLong(field, MAX_FIELD_MANAGER_LENGTH))
  let position = 0
  for (const char of manager) {
    if (!isPrint(char)) {
      errors.push(invalid(field, manager, `invalid character ${codePoint(char)} (at position ${position})`))
    }
    position += utf8Length(char)
  }
  return errors
}

/** Needs no look at each character. */
const PLAIN = /^[ -~]*$/
const isPrint = (char: string): boolean => /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char)

/** Go's `%#U`: the code point, and the character if it can be shown. */
function codePoint(char: string): string {
  const hex = char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
  return isPrint(char) ? `U+${hex} '${char}'` : `U+${hex}`
}
