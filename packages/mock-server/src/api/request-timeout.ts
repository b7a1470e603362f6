import { goQuote, newBadRequest } from '@freshread/core'
import { firstValue, type Query } from './query.ts'

const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}

/**
 * Reads a Go duration (`time.ParseDuration`) into milliseconds. Throws an Error with Go's text.
 */
export function parseGoDuration(text: string): number {
  const invalid = new Error(`time: invalid duration ${goQuote(text)}`)
  const negative = text.startsWith('-')
  let rest = /^[+-]/.test(text) ? text.slice(1) : text
  if (rest === '0') return 0
  if (rest === '') throw invalid
  let total = 0
  while (rest !== '') {
    const number = /^(\d*)(\.\d*)?/.exec(rest)!
    if (!/\d/.test(number[0])) throw invalid
    rest = rest.slice(number[0].length)
    const unit = /^[^.\d]*/.exec(rest)![0]
    if (unit === '') throw new Error(`time: missing unit in duration ${goQuote(text)}`)
    const factor = UNITS[unit]
    if (factor === undefined) throw new Error(`time: unknown unit ${goQuote(unit)} in duration ${goQuote(text)}`)
    total += Number(number[0] === '.' ? 0 : number[0]) * factor
    rest = rest.slice(unit.length)
  }
  // More than an int64 of nanoseconds holds.
  if (total > 9_223_372_036_854.775) throw invalid
  return negative ? -total : total
}

/** Default of `--request-timeout`, in milliseconds. */
export const DEFAULT_REQUEST_TIMEOUT_MS = 60_000

/**
 * How long a request may take, in milliseconds (`pkg/endpoints/filters/request_deadline.go`): what
 * `?timeout=` asks for, at most the server's own limit. Throws the 400 Status for a value that is no
 * duration. Watches have no such limit: do not ask for them.
 */
export function requestTimeout(query: Query, maxMs: number = DEFAULT_REQUEST_TIMEOUT_MS): number {
  const value = firstValue(query, 'timeout') ?? ''
  if (value === '') return maxMs
  let ms: number
  try {
    ms = parseGoDuration(value)
  } catch (error) {
    throw newBadRequest(`invalid timeout specified in the request URL - ${(error as Error).message}`)
  }
  return ms <= 0 || ms > maxMs ? maxMs : ms
}
