import type { Clock } from '@freshread/core'
import type { ResponseHeaders, WarningRecorder } from './headers.ts'
import type { Query } from './query.ts'

/** What writing an answer needs to know of its request. */
export interface ResponseContext {
  /** The request's headers, names in lower case. */
  readonly requestHeaders: Readonly<Record<string, string | undefined>>
  readonly query: Query
  /** Headers that every answer to this request carries. */
  readonly headers: ResponseHeaders
  readonly warnings: WarningRecorder
  readonly clock: Clock
  /** See {@link KubeRequest.local}. */
  readonly local?: boolean | undefined
}

/** The headers of an answer: the request's own, the warnings, and those given. */
export function answerHeaders(context: ResponseContext, headers: ResponseHeaders): ResponseHeaders {
  const warnings = context.warnings.headers()
  return { ...context.headers, ...(warnings.length > 0 && { warning: warnings }), ...headers }
}

/** Whether the client takes gzip (`pkg/endpoints/handlers/responsewriters: responseContentEncodingSupported`). */
export function acceptsGzip(context: ResponseContext): boolean {
  if (context.local === true) return false
  const header = context.requestHeaders['accept-encoding'] ?? ''
  // A coding with a weight is another one to the real server, whatever the weight.
  return header.split(',').some((coding) => coding.trim() === 'gzip')
}
