import { StatusError, type StatusCause } from './status.ts'

/*
 * What kind of error is this? (`apimachinery: pkg/api/errors/errors.go: IsNotFound` and its like.) The reason
 * decides; the code only where the reason is none that Kubernetes knows. Causes are followed.
 */

const knownReasons: ReadonlySet<string> = new Set([
  'Unauthorized',
  'Forbidden',
  'NotFound',
  'AlreadyExists',
  'Conflict',
  'Gone',
  'Invalid',
  'ServerTimeout',
  'StorageReadError',
  'Timeout',
  'TooManyRequests',
  'BadRequest',
  'MethodNotAllowed',
  'NotAcceptable',
  'RequestEntityTooLarge',
  'UnsupportedMediaType',
  'InternalError',
  'Expired',
  'ServiceUnavailable',
])

/** The StatusError that `error` is or was caused by. */
export function findStatusError(error: unknown): StatusError | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof StatusError) return at
  }
  return undefined
}

function is(error: unknown, reason: string, code?: number): boolean {
  const status = findStatusError(error)?.status
  if (status === undefined) return false
  return (
    status.reason === reason || (code !== undefined && status.code === code && !knownReasons.has(status.reason ?? ''))
  )
}

/** 404: there is no such object, or no such resource. */
export function isNotFound(error: unknown): boolean {
  return is(error, 'NotFound', 404)
}

/** 409 of a create: the name is taken. */
export function isAlreadyExists(error: unknown): boolean {
  return is(error, 'AlreadyExists')
}

/** 409: the object is no longer the one that the update started from. Read it again and retry. */
export function isConflict(error: unknown): boolean {
  return is(error, 'Conflict', 409)
}

/** 422: fields of the object are wrong; the causes say which. */
export function isInvalid(error: unknown): boolean {
  return is(error, 'Invalid', 422)
}

/** 410 without a better reason; see {@link isResourceExpired} for resource versions that are too old. */
export function isGone(error: unknown): boolean {
  return is(error, 'Gone', 410)
}

/** A resource version or a continue token is too old: list or watch anew. */
export function isResourceExpired(error: unknown): boolean {
  return is(error, 'Expired')
}

/** 406: the server has none of the media types asked for. */
export function isNotAcceptable(error: unknown): boolean {
  return is(error, 'NotAcceptable', 406)
}

/** 415: the body is of a media type that the server does not read. */
export function isUnsupportedMediaType(error: unknown): boolean {
  return is(error, 'UnsupportedMediaType', 415)
}

/** 405: the resource has no such verb. */
export function isMethodNotSupported(error: unknown): boolean {
  return is(error, 'MethodNotAllowed', 405)
}

/** 503: the server cannot answer for now. */
export function isServiceUnavailable(error: unknown): boolean {
  return is(error, 'ServiceUnavailable', 503)
}

/** 400: the request is malformed. */
export function isBadRequest(error: unknown): boolean {
  return is(error, 'BadRequest', 400)
}

/** 401: nobody the server knows. */
export function isUnauthorized(error: unknown): boolean {
  return is(error, 'Unauthorized', 401)
}

/** 403: known, but not allowed to, or refused by admission. */
export function isForbidden(error: unknown): boolean {
  return is(error, 'Forbidden', 403)
}

/** Any 504; {@link isTooLargeResourceVersion} tells the one that only needs patience. */
export function isTimeout(error: unknown): boolean {
  return is(error, 'Timeout', 504)
}

/** The server could not do it in time, whatever the code; the same request may succeed later. */
export function isServerTimeout(error: unknown): boolean {
  return is(error, 'ServerTimeout')
}

/** 500: the server failed. */
export function isInternalError(error: unknown): boolean {
  return is(error, 'InternalError', 500)
}

/** 429: too many requests, or a budget that an eviction would overdraw; {@link suggestsClientDelay} says how long to wait. */
export function isTooManyRequests(error: unknown): boolean {
  return is(error, 'TooManyRequests') || findStatusError(error)?.status.code === 429
}

/** 413: the body is too large. */
export function isRequestEntityTooLarge(error: unknown): boolean {
  return is(error, 'RequestEntityTooLarge') || findStatusError(error)?.status.code === 413
}

/** The cause of that reason among an error's details. */
export function statusCause(error: unknown, reason: string): StatusCause | undefined {
  return findStatusError(error)?.status.details?.causes?.find((cause) => cause.reason === reason)
}

/** The resource version asked for is not there *yet* (`pkg/storage/errors.go: IsTooLargeResourceVersion`); a plain 504 is none. */
export function isTooLargeResourceVersion(error: unknown): boolean {
  return isTimeout(error) && statusCause(error, 'ResourceVersionTooLarge') !== undefined
}

/** How many seconds the server asks to wait, `undefined` when it does not ask (`SuggestsClientDelay`). */
export function suggestsClientDelay(error: unknown): number | undefined {
  const status = findStatusError(error)?.status
  if (status?.details === undefined) return undefined
  const seconds = status.details.retryAfterSeconds ?? 0
  return status.reason === 'ServerTimeout' || seconds > 0 ? seconds : undefined
}
