import { newGenericServerResponse, StatusError } from '@freshread/core'

// What the router refuses before a handler is chosen has empty details, what a handler refuses has none.

/** 404 for a path below a known group that leads nowhere. */
export function newPathNotFound(): StatusError {
  return newGenericServerResponse(404)
}

/** 405 for a path that exists, with other methods. */
export function newPathMethodNotAllowed(): StatusError {
  return newGenericServerResponse(405)
}

/** 406 from the router: none of the accepted types is one that the path produces. */
export function newRouteNotAcceptable(available: readonly string[]): StatusError {
  const serverMessage = `406: Not Acceptable\n\nAvailable representations: ${available.join(', ')}`
  return newGenericServerResponse(406, { serverMessage })
}

/** 415 from the router: the path does not consume the body's type. */
export function newRouteUnsupportedMediaType(): StatusError {
  return newGenericServerResponse(415, { serverMessage: '415: Unsupported Media Type' })
}

/** 406 for a transformation that an object does not allow. */
export function newNotAcceptableTransform(message: string): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: 'NotAcceptable',
    code: 406,
  })
}

/** An answer of plain text instead of a Status: what no API handler was chosen for. */
export class PlainTextError extends Error {
  override readonly name: string = 'PlainTextError'
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** 404 for a path that belongs to no group. */
export function newPageNotFound(): PlainTextError {
  return new PlainTextError(404, '404 page not found\n')
}
