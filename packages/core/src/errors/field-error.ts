/** What is wrong with a field (`apimachinery: pkg/util/validation/field/errors.go`), by the reason its cause carries on the wire. */
export type FieldErrorType =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueDuplicate'
  | 'FieldValueNotFound'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'InternalError'

/** One validation error; {@link FieldError.body} is the text without the field, {@link FieldError.message} the one with it. */
export interface FieldError {
  readonly type: FieldErrorType
  readonly field: string
  readonly body: string
  readonly message: string
}
