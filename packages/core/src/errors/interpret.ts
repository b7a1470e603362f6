import type { GroupResource } from '../meta/types.ts'
import { newAlreadyExists, newConflict, newInternalError, newNotFound, newServerTimeout } from './api-errors.ts'
import { StatusError, type Status } from './status.ts'
import { InternalStorageError, isStorageError, StorageError } from './storage-error.ts'

/*
 * What API error a storage's error is, by operation (`pkg/storage/errors/storage.go`). Anything that is no
 * storage error comes back unchanged.
 */

const retryAfterSeconds = 2

/** Of a read of one object: a missing key is a 404. */
export function interpretGetError(error: unknown, gr: GroupResource, name: string): unknown {
  if (isStorageError(error, 'key not found')) return newNotFound(gr, name)
  return interpretCommon(error, gr, 'get')
}

/** Of a list: a missing key is a 404, a storage that took too long a 504 to retry after two seconds. */
export function interpretListError(error: unknown, gr: GroupResource): unknown {
  if (isStorageError(error, 'key not found')) return newNotFound(gr, '')
  if (isStorageError(error, 'request timeout')) return newServerTimeout(gr, 'list', retryAfterSeconds)
  return interpretCommon(error, gr, 'list')
}

/** Of a create: a key that is there is a 409 `AlreadyExists`. */
export function interpretCreateError(error: unknown, gr: GroupResource, name: string): unknown {
  if (isStorageError(error, 'key exists')) return newAlreadyExists(gr, name)
  return interpretCommon(error, gr, 'create')
}

/** Of an update: a missing key is a 404, a wrong resource version or precondition a 409 `Conflict`. */
export function interpretUpdateError(error: unknown, gr: GroupResource, name: string): unknown {
  return interpretWrite(error, gr, name, 'update')
}

/** Of a delete: as of an update. */
export function interpretDeleteError(error: unknown, gr: GroupResource, name: string): unknown {
  return interpretWrite(error, gr, name, 'delete')
}

function interpretWrite(error: unknown, gr: GroupResource, name: string, operation: string): unknown {
  if (error instanceof StorageError) {
    if (error.code === 'key not found') return newNotFound(gr, name)
    if (error.code === 'key exists' || error.code === 'resource version conflicts' || error.code === 'invalid object') {
      return newConflict(gr, name, error)
    }
  }
  return interpretCommon(error, gr, operation)
}

function interpretCommon(error: unknown, gr: GroupResource, operation: string): unknown {
  if (isStorageError(error, 'server unreachable')) return newServerTimeout(gr, operation, retryAfterSeconds)
  if (isStorageError(error, 'corrupt object') || error instanceof InternalStorageError) return newInternalError(error)
  return error
}

/**
 * The Status to answer with for any error (`pkg/endpoints/handlers/responsewriters/status.go:
 * ErrorToAPIStatus`): its own, or a 500 (409 for a storage conflict) that has its message and no reason.
 */
export function errorToStatus(error: unknown): Status {
  if (error instanceof StatusError) {
    const { metadata, status = 'Failure', message, reason, details } = error.status
    const { code = status === 'Success' ? 200 : 500 } = error.status
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata,
      status,
      ...(message && { message }),
      ...(reason && { reason }),
      ...(details !== undefined && { details }),
      code,
    }
  }
  const message = error instanceof Error ? error.message : String(error)
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    ...(message !== '' && { message }),
    code: isStorageError(error, 'resource version conflicts') ? 409 : 500,
  }
}
