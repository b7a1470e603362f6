import { describe, expect, it } from 'vitest'
import {
  aggregateMessage,
  duplicate,
  forbidden,
  internalFieldError,
  invalid,
  notFound,
  notSupported,
  omitValue,
  PrintedValue,
  required,
  tooFew,
  tooLong,
  tooLongCharacters,
  tooMany,
  tooShort,
  typeInvalid,
} from './field-error.ts'

describe('field errors', () => {
  it.each([
    [required('spec', 'must be set'), 'FieldValueRequired', 'spec: Required value: must be set'],
    [required('spec', ''), 'FieldValueRequired', 'spec: Required value'],
    [invalid('a', 'x"y', 'no'), 'FieldValueInvalid', 'a: Invalid value: "x\\"y": no'],
    [invalid('a', -1, 'no'), 'FieldValueInvalid', 'a: Invalid value: -1: no'],
    [invalid('a', 9223372036854775807n, 'no'), 'FieldValueInvalid', 'a: Invalid value: 9223372036854775807: no'],
    [invalid('a', true, 'no'), 'FieldValueInvalid', 'a: Invalid value: true: no'],
    [invalid('a', null, 'no'), 'FieldValueInvalid', 'a: Invalid value: null: no'],
    [invalid('a', { b: ['<'] }, 'no'), 'FieldValueInvalid', 'a: Invalid value: {"b":["\\u003c"]}: no'],
    [invalid('a', new PrintedValue('map[a:b]'), 'no'), 'FieldValueInvalid', 'a: Invalid value: map[a:b]: no'],
    [invalid('a', omitValue, 'no'), 'FieldValueInvalid', 'a: Invalid value: no'],
    [typeInvalid('a', 'x', 'must be integer'), 'FieldValueTypeInvalid', 'a: Invalid value: "x": must be integer'],
    [
      notSupported('a', 'c', ['b', 'a']),
      'FieldValueNotSupported',
      'a: Unsupported value: "c": supported values: "b", "a"',
    ],
    [notSupported('a', 'c'), 'FieldValueNotSupported', 'a: Unsupported value: "c"'],
    [forbidden('a', 'not now'), 'FieldValueForbidden', 'a: Forbidden: not now'],
    [duplicate('a[1]', 'x'), 'FieldValueDuplicate', 'a[1]: Duplicate value: "x"'],
    [notFound('a', 'x'), 'FieldValueNotFound', 'a: Not found: "x"'],
    [tooLong('a', 63), 'FieldValueTooLong', 'a: Too long: may not be more than 63 bytes'],
    [tooLong('a', 1), 'FieldValueTooLong', 'a: Too long: may not be more than 1 byte'],
    [tooLong('a', -1), 'FieldValueTooLong', 'a: Too long: value is too long'],
    [tooLongCharacters('a', 2), 'FieldValueTooLong', 'a: Too long: may not be more than 2 characters'],
    [tooShort('a', 1), 'FieldValueTooShort', 'a: Too short: must be at least 1 character'],
    [tooMany('a', 5, 1), 'FieldValueTooMany', 'a: Too many: 5: must have at most 1 item'],
    [tooMany('a', -1, -1), 'FieldValueTooMany', 'a: Too many: has too many items'],
    [tooFew('a', 0, 2), 'FieldValueTooFew', 'a: Too few: 0: must have at least 2 items'],
    [internalFieldError('a', new Error('broken')), 'InternalError', 'a: Internal error: broken'],
  ] as const)('prints %o', (error, type, message) => {
    expect(error).toMatchObject({ type, message })
    expect(`${error.field}: ${error.body}`).toBe(message)
  })

  it('lists several messages in brackets, and equal ones once', () => {
    expect(aggregateMessage(['a'])).toBe('a')
    expect(aggregateMessage(['a', 'b', 'a'])).toBe('[a, b]')
    expect(aggregateMessage(['a', 'a'])).toBe('a')
  })
})
