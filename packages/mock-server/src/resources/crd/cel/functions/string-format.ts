import { compareUtf8 } from '../../../../go/text.ts'
import { CelList, CelMap, Duration, Timestamp, typeName, TypeValue, Uint, type Value } from '../values.ts'
import { doubleText, formatDuration, formatTimestamp } from '../text.ts'

/** `"%s and %d".format([…])` (`cel-go: ext/formatting.go`). */

export type Formatted =
  | { readonly text: string }
  | { readonly error: string; /** Which argument is to blame. */ readonly argument?: number }

const defaultPrecision = 6
/** Longer fractions than this say nothing. */
const maxPrecision = 10_000

class FormatFailure extends Error {
  readonly argument: number | undefined

  constructor(message: string, argument?: number) {
    super(message)
    this.argument = argument
  }
}

/** What a clause does with an argument; throws a {@link FormatFailure} for one of a wrong type. */
export interface Clauses {
  readonly count: number
  format(clause: string, precision: number | undefined, argument: number): string
}

/** Texts for arguments of wrong types, by clause. */
export const clauseErrors: Readonly<Record<string, string>> = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given',
  d: 'decimal clause can only be used on integers, was given',
  f: 'fixed-point clause can only be used on doubles, was given',
  e: 'scientific clause can only be used on doubles, was given',
  b: 'only integers and bools can be formatted as binary, was given',
  x: 'only integers, byte buffers, and strings can be formatted as hex, was given',
  X: 'only integers, byte buffers, and strings can be formatted as hex, was given',
  o: 'octal clause can only be used on integers, was given',
}

export function wrongArgument(clause: string, type: string, argument?: number): FormatFailure {
  return new FormatFailure(`${clauseErrors[clause]!} ${type}`, argument)
}

/** Walks a format; every clause is handed to `clauses`. */
export function walkFormat(format: string, clauses: Clauses): Formatted & { readonly used: number } {
  let out = ''
  let used = 0
  try {
    for (let i = 0; i < format.length;) {
      if (format[i] !== '%') {
        out += format[i++]
        continue
      }
      if (format[i + 1] === '%') {
        out += '%'
        i += 2
        continue
      }
      if (used >= clauses.count) throw new FormatFailure(`index ${used} out of range`)
      if (i + 1 >= format.length) throw new FormatFailure('unexpected end of string')
      const match = /^%(?:\.(\d*))?/.exec(format.slice(i))!
      const [whole, precision] = match
      i += whole.length
      if (i >= format.length) {
        throw new FormatFailure(
          'could not parse formatting clause: error while parsing precision: could not find end of precision specifier',
        )
      }
      const clause = format[i++]!
      out += oneClause(clause, precision, used, clauses)
      used++
    }
    return { text: out, used }
  } catch (error) {
    if (!(error instanceof FormatFailure)) throw error
    return { error: error.message, used, ...(error.argument !== undefined && { argument: error.argument }) }
  }
}

function oneClause(clause: string, precisionText: string | undefined, argument: number, clauses: Clauses): string {
  const precision = precisionText === undefined ? undefined : Math.min(Number(precisionText), maxPrecision)
  if (precisionText === '') {
    throw new FormatFailure(
      'could not parse formatting clause: error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
    )
  }
  if (!Object.hasOwn(clauseErrors, clause)) {
    throw new FormatFailure(`could not parse formatting clause: unrecognized formatting clause "${clause}"`)
  }
  try {
    return clauses.format(clause, precision, argument)
  } catch (error) {
    if (!(error instanceof FormatFailure)) throw error
    throw new FormatFailure(`error during formatting: ${error.message}`, error.argument)
  }
}

/** Formats at evaluation. */
export function formatString(format: string, args: CelList): Formatted {
  return walkFormat(format, {
    count: args.size,
    format: (clause, precision, argument) => formatValue(clause, precision ?? defaultPrecision, args.at(argument)),
  })
}

function formatValue(clause: string, precision: number, value: Value): string {
  const integer = typeof value === 'bigint' ? value : value instanceof Uint ? value.value : undefined
  switch (clause) {
    case 's':
      return stringOf(value)
    case 'd':
      if (integer !== undefined) return String(integer)
      break
    case 'f':
    case 'e': {
      const special = value === 'NaN' || value === 'Infinity' || value === '-Infinity'
      if (typeof value === 'number' || special) {
        return clause === 'f' ? fixed(Number(value), precision) : scientific(Number(value), precision)
      }
      break
    }
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0'
      if (integer !== undefined) return integer.toString(2)
      break
    case 'o':
      if (integer !== undefined) return integer.toString(8)
      break
    default: {
      const hex = integer === undefined ? hexOf(value) : integer.toString(16)
      if (hex !== undefined) return clause === 'X' ? hex.toUpperCase() : hex
    }
  }
  throw wrongArgument(clause, typeName(value))
}

function hexOf(value: Value): string | undefined {
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value
  if (!(bytes instanceof Uint8Array)) return undefined
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** As English prints numbers: with commas. */
function fixed(value: number, precision: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '-∞'
  // JavaScript knows 100 decimals at most; those after are none that a double has.
  const digits = Math.min(precision, 100)
  const text = value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
  return text + '0'.repeat(precision - digits)
}

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹'

function scientific(value: number, precision: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '-∞'
  const known = Math.min(precision, 100)
  const [start = '', exponent = '+0'] = value.toExponential(known).split('e')
  const mantissa = start + '0'.repeat(precision - known)
  const digits = exponent.slice(1).padStart(2, '0')
  const raised = Array.from(digits, (digit) => superscripts[Number(digit)]!).join('')
  return `${mantissa}\u202f×\u202f10${exponent.startsWith('-') ? '⁻' : ''}${raised}`
}

function stringOf(value: Value): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return value
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return doubleText(value)
  if (value instanceof Uint) return String(value.value)
  if (value instanceof Uint8Array) return new TextDecoder().decode(value)
  if (value instanceof Duration) return formatDuration(value.nanos)
  if (value instanceof Timestamp) return formatTimestamp(value)
  if (value instanceof TypeValue) return value.name
  if (value instanceof CelList) return `[${[...value].map(nested).join(', ')}]`
  if (value instanceof CelMap) return mapText(value)
  throw wrongArgument('s', typeName(value))
}

function mapText(map: CelMap): string {
  const entries = [...map.keys()].map((key) => {
    const plain = typeof key === 'string' || typeof key === 'boolean' || typeof key === 'bigint' || key instanceof Uint
    if (!plain) throw new FormatFailure(`no formatting function for map key of type ${typeName(key)}`)
    return [nested(key), nested(map.find(key)!)] as const
  })
  entries.sort(([a], [b]) => compareUtf8(a, b))
  return `{${entries.map(([key, value]) => `${key}:${value}`).join(', ')}}`
}

/** Within lists and maps, texts stand in quotes, and times and durations in calls that make them. */
function nested(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (value instanceof Uint8Array) return `b${JSON.stringify(new TextDecoder().decode(value))}`
  if (value instanceof Duration) return `duration(${JSON.stringify(stringOf(value))})`
  if (value instanceof Timestamp) return `timestamp(${JSON.stringify(stringOf(value))})`
  if (typeof value === 'number')
    return Number.isFinite(value) ? value.toFixed(defaultPrecision) : JSON.stringify(doubleText(value))
  return stringOf(value)
}
