import type { KubeRequest, KubeResponse } from '../api/message.ts'
import { firstValue, parseQuery, type Query } from '../api/query.ts'
import type { Control } from './control.ts'

/** Where the control operations are, over HTTP. Hosts decide who may use them. */
export const CONTROL_PREFIX = '/_freshread/'

const encoder = new TextEncoder()

/**
 * Control over HTTP, for tests in other languages: `POST /_freshread/freeze`, `/thaw`, `/lag?ms=N`,
 * `/compact?revision=N`, `/restart`, `/reset`, each with an optional `resource`, and `GET /_freshread/state`. Answers
 * the state afterwards as JSON; errors are 400, 404 and 405 with a text.
 */
export async function handleControlRequest(control: Control, request: KubeRequest): Promise<KubeResponse> {
  const name = request.path.slice(CONTROL_PREFIX.length)
  const query = parseQuery(request.query)
  if (name !== 'state' && !Object.hasOwn(operations, name)) return text(404, `no such control operation: ${name}`)
  const method = name === 'state' ? 'GET' : 'POST'
  if (request.method !== method) return text(405, `control operation ${name} wants ${method}`, { allow: method })
  try {
    if (name !== 'state') await operations[name]!(control, query)
    const state = await control.state()
    return {
      status: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
      body: encoder.encode(`${JSON.stringify(state)}\n`),
    }
  } catch (error) {
    return text(400, error instanceof Error ? error.message : String(error))
  }
}

const operations: Readonly<Record<string, (control: Control, query: Query) => void | Promise<void>>> = {
  freeze: (control, query) => control.freeze(filterOf(query)),
  thaw: (control, query) => control.thaw(filterOf(query)),
  lag: (control, query) => control.lag(integer(query, 'ms'), filterOf(query)),
  compact: (control, query) => control.compact(query.has('revision') ? integer(query, 'revision') : undefined),
  restart: (control) => control.restart(),
  reset: (control) => control.reset(),
}

function filterOf(query: Query): { readonly resource?: string } {
  const resource = firstValue(query, 'resource')
  return resource === undefined || resource === '' ? {} : { resource }
}

function integer(query: Query, name: string): number {
  const value = firstValue(query, name) ?? ''
  if (!/^\d{1,15}$/.test(value)) throw new TypeError(`${name} must be a number, got ${JSON.stringify(value)}`)
  return Number(value)
}

function text(status: number, message: string, headers: Record<string, string> = {}): KubeResponse {
  return {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
    body: encoder.encode(`${message}\n`),
  }
}
