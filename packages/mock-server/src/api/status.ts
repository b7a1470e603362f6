import { errorToStatus, newBadRequest, type Status } from '@freshread/core'
import { PlainTextError } from './errors.ts'
import type { KubeResponse } from './message.ts'
import { allCodecs, negotiateOutput, noTransform, type Negotiated } from './negotiation.ts'
import { answerHeaders, type ResponseContext } from './response-context.ts'
import { encodeValue } from './serialize.ts'

/**
 * Answers with a Status in what the client accepts. A failure is told in JSON when nothing acceptable can
 * be written: negotiation must not hide it.
 */
export function respondStatus(context: ResponseContext, status: Status, statusCode: number): KubeResponse {
  let negotiated: Negotiated | undefined
  try {
    negotiated = negotiateOutput(
      { accept: context.requestHeaders['accept'], 'user-agent': context.requestHeaders['user-agent'] },
      context.query,
      { allows: noTransform, codecs: allCodecs },
    )
  } catch {
    negotiated = { mediaType: 'application/json', pretty: true, convert: undefined }
  }
  return {
    status: statusCode,
    headers: answerHeaders(context, { 'content-type': negotiated.mediaType }),
    body: encodeValue(status, negotiated),
  }
}

/**
 * The answer for anything that was thrown: its Status, with `Retry-After` where it asks to wait
 * (`pkg/endpoints/handlers/responsewriters/writers.go: ErrorNegotiated`); errors without a Status are a 500
 * that tells their message, never their stack.
 */
export function respondError(context: ResponseContext, error: unknown): KubeResponse {
  if (error instanceof PlainTextError) return respondText(context, error.code, error.message)
  const status = errorToStatus(isOverflow(error) ? newBadRequest('the body is nested too deeply') : error)
  const response = respondStatus(context, status, status.code ?? 500)
  const seconds = status.details?.retryAfterSeconds ?? 0
  return seconds > 0 ? { ...response, headers: { ...response.headers, 'retry-after': String(seconds) } } : response
}

/** Bodies are walked by recursion, which ends before the 10 000 levels that Go reads. */
function isOverflow(error: unknown): boolean {
  return error instanceof RangeError && /call stack/.test(error.message)
}

const encoder = new TextEncoder()

/** A plain-text answer, as Go's `http.Error` and health checks give. */
export function respondText(context: ResponseContext, statusCode: number, text: string): KubeResponse {
  return {
    status: statusCode,
    headers: answerHeaders(context, {
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
    }),
    body: encoder.encode(text),
  }
}

/** The answer to a request that no handler gets to see, as its path cannot be read: nothing but a line of text. */
export function respondUnreadable(context: ResponseContext, statusCode: number, text: string): KubeResponse {
  const { 'audit-id': auditId = '' } = context.headers
  return {
    status: statusCode,
    headers: { 'audit-id': auditId, 'content-type': 'text/plain; charset=utf-8' },
    body: encoder.encode(text),
  }
}

/**
 * The answer when a request's deadline passes before its handler is done (`pkg/server/filters/timeout.go`):
 * a Status without kind, apiVersion or `Retry-After`, told as plain text.
 */
export function respondTimeout(context: ResponseContext): KubeResponse {
  const status = {
    metadata: {},
    status: 'Failure',
    message: 'Timeout: request did not complete within the allotted timeout',
    reason: 'Timeout',
    details: {},
    code: 504,
  }
  return {
    status: 504,
    headers: {
      'audit-id': context.headers['audit-id'] ?? '',
      'cache-control': 'no-cache, private',
      'content-type': 'text/plain; charset=utf-8',
    },
    body: encoder.encode(`${JSON.stringify(status)}\n`),
  }
}
