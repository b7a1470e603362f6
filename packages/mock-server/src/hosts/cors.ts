const EXPOSED = 'Retry-After, Warning, Server-Timing, Audit-Id, Location'
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

/** Whether a browser asks for permission rather than for the resource. */
export function isPreflight(method: string, headers: Readonly<Record<string, unknown>>): boolean {
  return (
    method === 'OPTIONS' && headers['origin'] !== undefined && headers['access-control-request-method'] !== undefined
  )
}

/** What lets a page of `origin` use the API and read the headers that tell it how a read was served; nothing without an origin. */
export function corsHeaders(
  origin: string | undefined,
  requestedHeaders?: string | string[] | undefined,
): Record<string, string> {
  if (origin === undefined) return {}
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-allow-methods': METHODS,
    'access-control-allow-headers':
      requestedHeaders === undefined ? 'Content-Type, Authorization' : String(requestedHeaders),
    'access-control-expose-headers': EXPOSED,
    'access-control-max-age': '600',
    vary: 'Origin',
  }
}
