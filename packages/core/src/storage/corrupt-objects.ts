import { StatusError, type StatusCause } from '../errors/status.ts'
import { newCorruptObjectError, type StorageError } from '../errors/storage-error.ts'
import { groupResourceText, type GroupResource } from '../meta/types.ts'

/** An object's data is no object (`pkg/storage/etcd3/corrupt_obj_deleter.go`). */
export class UndecodableObjectError extends Error {
  override readonly name = 'UndecodableObjectError'

  constructor(revision: number, cause: Error) {
    super(`object not decodable revision=${revision}: ${cause.message}`, { cause })
  }
}

const maxCollected = 100

/** Collects the corrupt objects of a list, so that its error can name them all. */
export class CorruptObjectCollector {
  readonly #errors: StorageError[] = []

  /** Answers whether it is enough. Anything but a corrupt object is thrown on. */
  add(key: string, error: unknown): boolean {
    if (!(error instanceof UndecodableObjectError)) throw error
    this.#errors.push(newCorruptObjectError(key, error))
    return this.#errors.length >= maxCollected
  }

  /** Throws what the list is answered with, if there was any corrupt object. */
  throwIfAny(resource: GroupResource): void {
    const [first, ...more] = this.#errors
    if (first === undefined) return
    const causes = this.#errors.map((error): StatusCause => {
      return { reason: 'UnexpectedServerResponse', message: error.message, field: error.key }
    })
    if (this.#errors.length >= maxCollected) {
      causes.push({ reason: 'FieldValueTooMany', message: 'too many errors, the list is truncated' })
    }
    const others = more.length > 0 ? ` (and ${more.length} more)` : ''
    throw new StatusError({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `failed to read one or more ${groupResourceText(resource)} from the storage: ${first.message}${others}`,
      reason: 'StorageReadError',
      details: {
        name: 'list',
        ...(resource.group !== '' && { group: resource.group }),
        kind: resource.resource,
        causes,
      },
      code: 500,
    })
  }
}
