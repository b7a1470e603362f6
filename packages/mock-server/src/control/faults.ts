import type { KubeRequest, KubeResponse } from '../api/message.ts'
import type { RequestInfo } from '../api/request-info.ts'

/** Which requests a fault hits: all given fields must be equal, or the function must say so. */
export type FaultMatch =
  | {
      readonly method?: string
      readonly verb?: string
      readonly group?: string
      readonly resource?: string
      readonly subresource?: string
      readonly namespace?: string
      readonly name?: string
    }
  | ((request: KubeRequest, info: RequestInfo) => boolean)

/** A fault told by the Status it answers with. */
export interface StatusFault {
  /** HTTP status code, 400 to 599. */
  readonly status: number
  readonly reason?: string
  readonly message?: string
  /** Also sent as the header `Retry-After`. */
  readonly retryAfterSeconds?: number
  readonly match?: FaultMatch
  /** How many matching requests are hit. Default 1. */
  readonly times?: number
}

/** Answers a request instead of the server; `undefined` lets the server answer it after all. */
export type FaultResponder = (
  request: KubeRequest,
  info: RequestInfo,
) => KubeResponse | undefined | Promise<KubeResponse | undefined>

interface Fault {
  left: number
  readonly match: FaultMatch | undefined
  readonly respond: FaultResponder
}

interface Latency {
  readonly ms: number
  readonly match: FaultMatch | undefined
}

const FIELDS: Readonly<Record<string, (request: KubeRequest, info: RequestInfo) => string>> = {
  method: (request) => request.method,
  verb: (_, info) => info.verb,
  group: (_, info) => info.apiGroup,
  resource: (_, info) => info.resource,
  subresource: (_, info) => info.subresource,
  namespace: (_, info) => info.namespace,
  name: (_, info) => info.name,
}

const FAULT_FIELDS: readonly string[] = ['status', 'reason', 'message', 'retryAfterSeconds', 'match', 'times']

/** Failures and delays that a test orders. */
export class Faults {
  #faults: Fault[] = []
  #latencies: Latency[] = []
  readonly #respond: (fault: StatusFault) => KubeResponse

  /** @param respond makes the answer of a fault told by its status */
  constructor(respond: (fault: StatusFault) => KubeResponse) {
    this.#respond = respond
  }

  /**
   * Lets the next matching request fail.
   *
   * @throws TypeError when the fault is wrong
   */
  failNext(fault: StatusFault | FaultResponder): void {
    if (typeof fault === 'function') {
      this.#faults.push({ left: 1, match: undefined, respond: fault })
      return
    }
    if (typeof fault !== 'object' || fault === null) throw new TypeError('failNext: expected a function or {status, …}')
    for (const name of Object.keys(fault)) {
      if (!FAULT_FIELDS.includes(name))
        throw new TypeError(`failNext: unknown field ${name}; known are ${FAULT_FIELDS.join(', ')}`)
    }
    const { status, match, times = 1 } = fault
    if (!Number.isInteger(status) || status < 400 || status > 599) {
      throw new TypeError(`failNext: status must be an HTTP status from 400 to 599, got ${String(status)}`)
    }
    if (!Number.isInteger(times) || times < 1)
      throw new TypeError(`failNext: times must be a positive integer, got ${String(times)}`)
    checkMatch('failNext', match)
    const response = this.#respond(fault)
    this.#faults.push({ left: times, match, respond: () => response })
  }

  /**
   * Delays every matching request by `ms`, until {@link Faults.clear} or a `latency(0)`.
   *
   * @throws TypeError when `ms` is no number ≥ 0 or `match` is wrong
   */
  latency(ms: number, match?: FaultMatch): void {
    if (!Number.isFinite(ms) || ms < 0)
      throw new TypeError(`latency: ms must be a number of milliseconds ≥ 0, got ${String(ms)}`)
    checkMatch('latency', match)
    if (match === undefined) this.#latencies = []
    if (ms > 0) this.#latencies.push({ ms, match })
  }

  /** Forgets all faults and delays. */
  clear(): void {
    this.#faults = []
    this.#latencies = []
  }

  get pending(): number {
    return this.#faults.length
  }

  /** Milliseconds this request has to wait. */
  delayOf(request: KubeRequest, info: RequestInfo): number {
    let sum = 0
    for (const latency of this.#latencies) if (hits(latency.match, request, info)) sum += latency.ms
    return sum
  }

  /** Takes the fault that hits this request, if there is one. */
  take(request: KubeRequest, info: RequestInfo): FaultResponder | undefined {
    const index = this.#faults.findIndex((fault) => hits(fault.match, request, info))
    if (index < 0) return undefined
    const fault = this.#faults[index]!
    if (--fault.left === 0) this.#faults.splice(index, 1)
    return fault.respond
  }
}

function checkMatch(method: string, match: FaultMatch | undefined): void {
  if (match === undefined || typeof match === 'function') return
  if (typeof match !== 'object' || match === null)
    throw new TypeError(`${method}: match must be an object or a function`)
  for (const name of Object.keys(match)) {
    if (!(name in FIELDS)) {
      throw new TypeError(`${method}: match has an unknown field ${name}; known are ${Object.keys(FIELDS).join(', ')}`)
    }
  }
}

function hits(match: FaultMatch | undefined, request: KubeRequest, info: RequestInfo): boolean {
  if (match === undefined) return true
  if (typeof match === 'function') return match(request, info)
  for (const [name, value] of Object.entries(match)) {
    if (value !== undefined && FIELDS[name]!(request, info) !== value) return false
  }
  return true
}
