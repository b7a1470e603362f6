import { groupResourceText, type GroupResource } from '../meta/types.ts'
import { aggregateMessage, type FieldError } from './field-error.ts'
import { goQuote } from './go-text.ts'
import { StatusError, type StatusCause, type StatusDetails } from './status.ts'

/*
 * The errors a Kubernetes API answers (`apimachinery: pkg/api/errors/errors.go`). Where a constructor takes
 * an error, its message is what counts; it becomes the cause of the StatusError.
 */

/** A kind and its API group; the core group is `''`. */
export interface GroupKind {
  readonly group: string
  readonly kind: string
}

/** Prints `Kind.group`, or `Kind` alone for the core group (`schema.GroupKind.String`). */
export function groupKindText(gk: GroupKind): string {
  return gk.group === '' ? gk.kind : `${gk.kind}.${gk.group}`
}

function failure(code: number, reason: string, message: string, details?: StatusDetails, cause?: unknown): StatusError {
  return new StatusError(
    {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      ...(reason !== '' && { reason }),
      ...(details !== undefined && { details }),
      code,
    },
    cause === undefined ? undefined : { cause },
  )
}

interface DetailParts {
  readonly name?: string
  readonly group?: string
  readonly kind?: string
  readonly causes?: readonly StatusCause[]
  readonly retryAfterSeconds?: number
}

/** Details in wire order, without what is empty. */
function detailsOf(parts: DetailParts): StatusDetails {
  const details: StatusDetails = {}
  if (parts.name) details.name = parts.name
  if (parts.group) details.group = parts.group
  if (parts.kind) details.kind = parts.kind
  if (parts.causes !== undefined && parts.causes.length > 0) details.causes = [...parts.causes]
  if (parts.retryAfterSeconds) details.retryAfterSeconds = parts.retryAfterSeconds
  return details
}

function resourceDetails(gr: GroupResource, name: string, retryAfterSeconds = 0): StatusDetails {
  return detailsOf({ name, group: gr.group, kind: gr.resource, retryAfterSeconds })
}

function text(error: Error | string): string {
  return typeof error === 'string' ? error : error.message
}

function causeOf(error: Error | string): Error | undefined {
  return typeof error === 'string' ? undefined : error
}

/** 400 */
export function newBadRequest(message: string): StatusError {
  return failure(400, 'BadRequest', message)
}

/** 401; an empty reason reads `not authorized`. */
export function newUnauthorized(reason: string): StatusError {
  return failure(401, 'Unauthorized', reason === '' ? 'not authorized' : reason)
}

/** 403 */
export function newForbidden(gr: GroupResource, name: string, error: Error | string): StatusError {
  const what = groupResourceText(gr)
  const subject =
    gr.resource === '' && gr.group === '' ? '' : name === '' ? `${what} is ` : `${what} ${goQuote(name)} is `
  return failure(403, 'Forbidden', `${subject}forbidden: ${text(error)}`, resourceDetails(gr, name), causeOf(error))
}

/** 404 */
export function newNotFound(gr: GroupResource, name: string): StatusError {
  return failure(404, 'NotFound', `${groupResourceText(gr)} ${goQuote(name)} not found`, resourceDetails(gr, name))
}

/** 405 */
export function newMethodNotSupported(gr: GroupResource, action: string): StatusError {
  const message = `${action} is not supported on resources of kind ${goQuote(groupResourceText(gr))}`
  return failure(405, 'MethodNotAllowed', message, resourceDetails(gr, ''))
}

/** 406 */
export function newNotAcceptable(accepted: readonly string[]): StatusError {
  return failure(406, 'NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`)
}

/** 406 for a conversion (as=Table) that the accepted media types do not have. */
export function newNotAcceptableConversion(target: string, accepted: readonly string[]): StatusError {
  const message = `only the following media types are accepted when converting to ${target}: ${accepted.join(', ')}`
  return failure(406, 'NotAcceptable', message)
}

/** 409 */
export function newAlreadyExists(gr: GroupResource, name: string): StatusError {
  const message = `${groupResourceText(gr)} ${goQuote(name)} already exists`
  return failure(409, 'AlreadyExists', message, resourceDetails(gr, name))
}

/** 409 after every generated name that was tried is taken. */
export function newGenerateNameConflict(gr: GroupResource, name: string, retryAfterSeconds: number): StatusError {
  const message = `${groupResourceText(gr)} ${goQuote(name)} already exists, the server was not able to generate a unique name for the object`
  return failure(409, 'AlreadyExists', message, resourceDetails(gr, name, retryAfterSeconds))
}

/** 409 */
export function newConflict(gr: GroupResource, name: string, error: Error | string): StatusError {
  const message = `Operation cannot be fulfilled on ${groupResourceText(gr)} ${goQuote(name)}: ${text(error)}`
  return failure(409, 'Conflict', message, resourceDetails(gr, name), causeOf(error))
}

/** 409 of a server-side apply, a cause for each field and its manager. */
export function newApplyConflict(causes: readonly StatusCause[], message: string): StatusError {
  return failure(409, 'Conflict', message, detailsOf({ causes }))
}

/** 410 with the reason Gone; reads and watches use {@link newResourceExpired}. */
export function newGone(message: string): StatusError {
  return failure(410, 'Gone', message)
}

/** 410 */
export function newResourceExpired(message: string): StatusError {
  return failure(410, 'Expired', message)
}

/** 413 */
export function newRequestEntityTooLarge(message: string): StatusError {
  return failure(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`)
}

/** 415 */
export function newUnsupportedMediaType(accepted: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`
  return failure(415, 'UnsupportedMediaType', message)
}

/** 422, a cause for each error. */
export function newInvalid(gk: GroupKind, name: string, errors: readonly FieldError[]): StatusError {
  const causes = errors.map((error): StatusCause => ({ reason: error.type, message: error.body, field: error.field }))
  const subject = `${groupKindText(gk)} ${goQuote(name)} is invalid`
  const message =
    errors.length === 0 ? subject : `${subject}: ${aggregateMessage(errors.map((error) => error.message))}`
  return failure(422, 'Invalid', message, detailsOf({ name, group: gk.group, kind: gk.kind, causes }))
}

/** 429 */
export function newTooManyRequests(message: string, retryAfterSeconds: number): StatusError {
  return failure(429, 'TooManyRequests', message, detailsOf({ retryAfterSeconds }))
}

/** 500 */
export function newInternalError(error: Error | string): StatusError {
  const causes = [{ message: text(error) }]
  return failure(500, 'InternalError', `Internal error occurred: ${text(error)}`, detailsOf({ causes }), causeOf(error))
}

/** 500 that is worth another try. */
export function newServerTimeout(gr: GroupResource, operation: string, retryAfterSeconds: number): StatusError {
  const message = `The ${operation} operation against ${groupResourceText(gr)} could not be completed at this time, please try again.`
  return failure(500, 'ServerTimeout', message, resourceDetails(gr, operation, retryAfterSeconds))
}

/** 503 */
export function newServiceUnavailable(message: string): StatusError {
  return failure(503, 'ServiceUnavailable', message)
}

/** 504 */
export function newTimeoutError(message: string, retryAfterSeconds: number): StatusError {
  return failure(504, 'Timeout', `Timeout: ${message}`, detailsOf({ retryAfterSeconds }))
}

/**
 * 504 for a resource version that is not there yet (`pkg/storage/errors.go: NewTooLargeResourceVersionError`).
 * Waiting for it and trying again is the right answer to it: see {@link isTooLargeResourceVersion}.
 */
export function newTooLargeResourceVersionError(
  minimumResourceVersion: bigint | number,
  currentRevision: bigint | number,
  retryAfterSeconds: number,
): StatusError {
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }]
  const message = `Timeout: Too large resource version: ${minimumResourceVersion}, current: ${currentRevision}`
  return failure(504, 'Timeout', message, detailsOf({ causes, retryAfterSeconds }))
}

/** What a code alone says, for answers that have no Status of their own (`NewGenericServerResponse`). */
export function newGenericServerResponse(
  code: number,
  options: {
    readonly verb?: string
    readonly groupResource?: GroupResource
    readonly name?: string
    readonly serverMessage?: string
    readonly retryAfterSeconds?: number
    /** Adds the server's message as a cause. */
    readonly unexpected?: boolean
  } = {},
): StatusError {
  const { verb = '', groupResource: gr = { group: '', resource: '' }, name = '', serverMessage = '' } = options
  let [reason, message] = genericResponse(code, verb, serverMessage)
  if (gr.resource !== '' || gr.group !== '') {
    const what = `${verb.toLowerCase()} ${groupResourceText(gr)}`
    message += name === '' ? ` (${what})` : ` (${what} ${name})`
  }
  const causes = options.unexpected ? [{ reason: 'UnexpectedServerResponse', message: serverMessage }] : []
  const { retryAfterSeconds = 0 } = options
  return failure(
    code,
    reason,
    message,
    detailsOf({ name, group: gr.group, kind: gr.resource, causes, retryAfterSeconds }),
  )
}

function genericResponse(code: number, verb: string, serverMessage: string): [reason: string, message: string] {
  switch (code) {
    case 400:
      return ['BadRequest', 'the server rejected our request for an unknown reason']
    case 401:
      return ['Unauthorized', 'the server has asked for the client to provide credentials']
    case 403:
      return ['Forbidden', serverMessage]
    case 404:
      return ['NotFound', 'the server could not find the requested resource']
    case 405:
      return ['MethodNotAllowed', 'the server does not allow this method on the requested resource']
    case 406: {
      const known = serverMessage !== '' && serverMessage !== 'unknown'
      const message = 'the server was unable to respond with a content type that the client supports'
      return ['NotAcceptable', known ? serverMessage : message]
    }
    case 409:
      return [verb.toUpperCase() === 'POST' ? 'AlreadyExists' : 'Conflict', 'the server reported a conflict']
    case 415:
      return ['UnsupportedMediaType', serverMessage]
    case 422:
      return ['Invalid', 'the server rejected our request due to an error in our request']
    case 429:
      return ['TooManyRequests', 'the server has received too many requests and has asked us to try again later']
    case 503:
      return ['ServiceUnavailable', 'the server is currently unable to handle the request']
    case 504:
      return [
        'Timeout',
        'the server was unable to return a response in the time allotted, but may still be processing the request',
      ]
  }
  if (code >= 500) {
    return [
      'InternalError',
      `an error on the server (${goQuote(serverMessage)}) has prevented the request from succeeding`,
    ]
  }
  return ['', `the server responded with the status code ${code} but did not return more information`]
}
