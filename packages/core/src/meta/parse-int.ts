import { goQuote } from '../errors/go-text.ts'

const minInt64 = -(2n ** 63n)
const maxInt64 = 2n ** 63n - 1n

/** Parses a decimal 64-bit integer as Go's `strconv.ParseInt` does; throws a SyntaxError with its text. */
export function parseInt64(text: string): bigint {
  const fail = (why: string): SyntaxError => new SyntaxError(`strconv.ParseInt: parsing ${goQuote(text)}: ${why}`)
  if (!/^[+-]?[0-9]+$/.test(text)) throw fail('invalid syntax')
  const value = BigInt(text.replace(/^\+/, ''))
  if (value < minInt64 || value > maxInt64) throw fail('value out of range')
  return value
}

/** The same, `undefined` where it would throw. */
export function tryParseInt64(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined
  const value = BigInt(text.replace(/^\+/, ''))
  return value < minInt64 || value > maxInt64 ? undefined : value
}
