import type { FieldError } from './field-error.ts'
import { aggregateMessage } from './field-error.ts'

/** What a storage refused for (`pkg/storage/errors.go`). */
export type StorageErrorCode =
  | 'key not found'
  | 'key exists'
  | 'resource version conflicts'
  | 'invalid object'
  | 'server unreachable'
  | 'request timeout'
  | 'corrupt object'

const codeNumbers: Readonly<Record<StorageErrorCode, number>> = {
  'key not found': 1,
  'key exists': 2,
  'resource version conflicts': 3,
  'invalid object': 4,
  'server unreachable': 5,
  'request timeout': 6,
  'corrupt object': 7,
}

/**
 * An error of the storage. Its text is visible to clients within the messages of 409 answers, the full
 * storage key included.
 */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  readonly code: StorageErrorCode
  /** The full storage key: `/registry/configmaps/default/a`. */
  readonly key: string
  readonly resourceVersion: number

  constructor(
    code: StorageErrorCode,
    key: string,
    options: { readonly resourceVersion?: number; readonly cause?: Error } = {},
  ) {
    const { resourceVersion = 0, cause } = options
    super(
      `StorageError: ${code}, Code: ${codeNumbers[code]}, Key: ${key}, ResourceVersion: ${resourceVersion}, AdditionalErrorMsg: ${cause === undefined ? '<nil>' : cause.message}`,
      cause === undefined ? undefined : { cause },
    )
    this.code = code
    this.key = key
    this.resourceVersion = resourceVersion
  }
}

/** There is nothing at the key. */
export function newKeyNotFoundError(key: string, resourceVersion: number): StorageError {
  return new StorageError('key not found', key, { resourceVersion })
}

/** There is something at the key that a create wants. */
export function newKeyExistsError(key: string, resourceVersion: number): StorageError {
  return new StorageError('key exists', key, { resourceVersion })
}

/** What is at the key is of another revision than the write expects. */
export function newResourceVersionConflictsError(key: string, resourceVersion: number): StorageError {
  return new StorageError('resource version conflicts', key, { resourceVersion })
}

/** The store cannot be reached. */
export function newUnreachableError(key: string, resourceVersion: number): StorageError {
  return new StorageError('server unreachable', key, { resourceVersion })
}

/** The storage did not get to it in time; `message` says what it waited for. */
export function newStorageTimeoutError(key: string, message: string): StorageError {
  return new StorageError('request timeout', key, { cause: new Error(message) })
}

/** A precondition does not hold for what is at the key; `message` says which. */
export function newInvalidObjectError(key: string, message: string): StorageError {
  return new StorageError('invalid object', key, { cause: new Error(message) })
}

/** What is at the key cannot be decoded. */
export function newCorruptObjectError(key: string, error: Error): StorageError {
  return new StorageError('corrupt object', key, { cause: error })
}

/** Whether `error` is a storage error, of that code if one is given. */
export function isStorageError(error: unknown, code?: StorageErrorCode): error is StorageError {
  return error instanceof StorageError && (code === undefined || error.code === code)
}

/**
 * A request that is wrong in itself, found out too late for a proper answer (`pkg/storage/errors.go:
 * InvalidError`): over HTTP it is a 500 without reason. A malformed resource version is the case known.
 */
export class InvalidStorageRequestError extends Error {
  override readonly name = 'InvalidStorageRequestError'
  readonly errors: readonly FieldError[]

  constructor(errors: readonly FieldError[]) {
    super(aggregateMessage(errors.map((error) => error.message)))
    this.errors = errors
  }
}

/** The storage itself failed, not what is below it (`pkg/storage/errors.go: InternalError`). */
export class InternalStorageError extends Error {
  override readonly name = 'InternalStorageError'

  constructor(cause: Error) {
    super(cause.message, { cause })
  }
}

/** The storage cannot serve reads yet. */
export class StorageNotReadyError extends Error {
  override readonly name = 'StorageNotReadyError'

  constructor() {
    super('storage not ready')
  }
}
