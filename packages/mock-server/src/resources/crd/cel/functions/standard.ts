import { parseGoDuration } from '../../formats.ts'
import { compileRegexp, matchString } from '../../../../go/regexp.ts'
import { doubleText, formatDuration, formatTimestamp } from '../text.ts'
import { inZone, maxTimestamp, minTimestamp, parseTimestamp } from '../time.ts'
import {
  CelError,
  CelList,
  CelMap,
  compare,
  Duration,
  equal,
  isError,
  noSuchOverload,
  sizeOf,
  Timestamp,
  typeName,
  TypeValue,
  Uint,
  type Value,
} from '../values.ts'
import { declare, type FunctionDecl, type Implementation } from './declare.ts'

/** CEL's standard functions (`cel-go: common/stdlib/standard.go`). */

const maxInt = (1n << 63n) - 1n
const minInt = -(1n << 63n)
const overflow = new CelError('integer overflow')
const unsignedOverflow = new CelError('unsigned integer overflow')
const durationOverflow = new CelError('duration overflow')
const timestampOverflow = new CelError('timestamp overflow')

const int = (value: bigint): Value => (value > maxInt || value < minInt ? overflow : value)
const uint = (value: bigint): Value =>
  value < 0n || BigInt.asUintN(64, value) !== value ? unsignedOverflow : new Uint(value)
const duration = (nanos: bigint): Value => (nanos > maxInt || nanos < minInt ? durationOverflow : new Duration(nanos))
const timestamp = (nanos: bigint, offset = 0): Value =>
  nanos > maxTimestamp || nanos < minTimestamp ? timestampOverflow : new Timestamp(nanos, offset)

function noTrait(name: string): CelError {
  return new CelError(`no such overload: ${name}`)
}

function concatBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(a.length + b.length)
  bytes.set(a)
  bytes.set(b, a.length)
  return bytes
}

const add: Implementation = ([a, b]) => {
  if (typeof a === 'bigint') return typeof b === 'bigint' ? int(a + b) : noSuchOverload
  if (typeof a === 'number') return typeof b === 'number' ? a + b : noSuchOverload
  if (typeof a === 'string') return typeof b === 'string' ? a + b : noSuchOverload
  if (a instanceof Uint) return b instanceof Uint ? uint(a.value + b.value) : noSuchOverload
  if (a instanceof CelList) return b instanceof CelList ? a.concat(b) : noSuchOverload
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? concatBytes(a, b) : noSuchOverload
  if (a instanceof Duration) {
    if (b instanceof Duration) return duration(a.nanos + b.nanos)
    return b instanceof Timestamp ? timestamp(a.nanos + b.nanos, b.offset) : noSuchOverload
  }
  if (a instanceof Timestamp) return b instanceof Duration ? timestamp(a.nanos + b.nanos, a.offset) : noSuchOverload
  return noTrait('_+_')
}

const subtract: Implementation = ([a, b]) => {
  if (typeof a === 'bigint') return typeof b === 'bigint' ? int(a - b) : noSuchOverload
  if (typeof a === 'number') return typeof b === 'number' ? a - b : noSuchOverload
  if (a instanceof Uint) return b instanceof Uint ? uint(a.value - b.value) : noSuchOverload
  if (a instanceof Duration) return b instanceof Duration ? duration(a.nanos - b.nanos) : noSuchOverload
  if (a instanceof Timestamp) {
    if (b instanceof Duration) return timestamp(a.nanos - b.nanos, a.offset)
    return b instanceof Timestamp ? duration(a.nanos - b.nanos) : noSuchOverload
  }
  return noTrait('_-_')
}

function arithmetic(
  name: string,
  onInts: (a: bigint, b: bigint) => bigint | CelError,
  onDoubles?: (a: number, b: number) => number,
): Implementation {
  return ([a, b]) => {
    if (typeof a === 'bigint') {
      if (typeof b !== 'bigint') return noSuchOverload
      const result = onInts(a, b)
      return typeof result === 'bigint' ? int(result) : result
    }
    if (a instanceof Uint) {
      if (!(b instanceof Uint)) return noSuchOverload
      const result = onInts(a.value, b.value)
      return typeof result === 'bigint' ? uint(result) : result
    }
    if (typeof a === 'number' && onDoubles !== undefined)
      return typeof b === 'number' ? onDoubles(a, b) : noSuchOverload
    return noTrait(name)
  }
}

const divideByZero = new CelError('division by zero')
const modulusByZero = new CelError('modulus by zero')

const hasOrder = (value: Value): boolean =>
  typeof value === 'boolean' ||
  typeof value === 'string' ||
  typeof value === 'bigint' ||
  typeof value === 'number' ||
  value instanceof Uint ||
  value instanceof Uint8Array ||
  value instanceof Duration ||
  value instanceof Timestamp

function ordering(name: string, test: (order: number) => boolean): Implementation {
  return ([a, b]) => {
    if (!hasOrder(a!)) return noTrait(name)
    const order = compare(a!, b!)
    return typeof order === 'number' ? test(order) : order
  }
}

const orderedTypes = ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'timestamp', 'duration']
const wireNames: Readonly<Record<string, string>> = { int: 'int64', uint: 'uint64' }

/** Comparisons, with those of numbers of different types in upstream's order. */
function orderingForms(name: string): string {
  const form = (a: string, b: string): string => {
    const wire = (type: string): string => wireNames[type] ?? type
    return `${name}_${wire(a)}${a === b ? '' : `_${wire(b)}`} (${a}, ${b}) bool`
  }
  const numbers: Readonly<Record<string, readonly string[]>> = {
    int: ['int', 'double', 'uint'],
    uint: ['uint', 'double', 'int'],
    double: ['double', 'int', 'uint'],
  }
  return orderedTypes.flatMap((type) => (numbers[type] ?? [type]).map((other) => form(type, other))).join('\n')
}

const within: Implementation = ([needle, haystack]) => {
  if (haystack instanceof CelMap) {
    const found = haystack.find(needle!)
    return found !== undefined && isError(found) ? found : found !== undefined
  }
  if (!(haystack instanceof CelList)) return noSuchOverload
  let failed: CelError | undefined
  for (const element of haystack) {
    const same = equal(element, needle!)
    if (same === true) return true
    if (same !== false) failed ??= same
  }
  return failed ?? false
}

const conversionError = (value: Value, to: string): CelError =>
  new CelError(`type conversion error from '${typeName(value)}' to '${to}'`)

const toInt: Implementation = ([value]) => {
  if (typeof value === 'bigint') return value
  if (value instanceof Uint) return int(value.value)
  if (typeof value === 'number') {
    return Number.isFinite(value) && value > -(2 ** 63) && value < 2 ** 63 ? BigInt(Math.trunc(value)) : overflow
  }
  if (value instanceof Duration) return value.nanos
  if (value instanceof Timestamp) {
    const seconds = value.nanos / 1_000_000_000n
    return value.nanos % 1_000_000_000n < 0n ? seconds - 1n : seconds
  }
  if (typeof value === 'string' && /^[-+]?\d+$/.test(value)) {
    const number = BigInt(value.replace(/^\+/, ''))
    if (number <= maxInt && number >= minInt) return number
  }
  return conversionError(value!, 'int')
}

const toUint: Implementation = ([value]) => {
  if (value instanceof Uint) return value
  if (typeof value === 'bigint') return value < 0n ? unsignedOverflow : new Uint(value)
  if (typeof value === 'number') {
    return Number.isFinite(value) && value >= 0 && value < 2 ** 64
      ? new Uint(BigInt(Math.trunc(value)))
      : unsignedOverflow
  }
  if (typeof value === 'string' && /^\d+$/.test(value)) {
    const number = BigInt(value)
    if (BigInt.asUintN(64, number) === number) return new Uint(number)
  }
  return conversionError(value!, 'uint')
}

const goFloat = /^[-+]?(?:(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|inf(?:inity)?|nan)$/i

const toDouble: Implementation = ([value]) => {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Uint) return Number(value.value)
  if (typeof value === 'string' && goFloat.test(value)) {
    const lower = value.toLowerCase()
    if (lower.endsWith('nan')) return NaN
    if (lower.includes('inf')) return lower.startsWith('-') ? -Infinity : Infinity
    const number = Number(value)
    if (Number.isFinite(number)) return number
  }
  return conversionError(value!, 'double')
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** `string(x)`. */
export const toString: Implementation = ([value]) => {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (value instanceof Uint) return String(value.value)
  if (typeof value === 'number') {
    return doubleText(value)
  }
  if (value instanceof Duration) return formatDuration(value.nanos)
  if (value instanceof Timestamp) return formatTimestamp(value)
  if (value instanceof TypeValue) return value.name
  if (value instanceof Uint8Array) {
    try {
      return decoder.decode(value)
    } catch {
      return new CelError('invalid UTF-8 in bytes, cannot convert to string')
    }
  }
  return conversionError(value!, 'string')
}

const trueTexts = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])
const falseTexts = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False'])

const toBool: Implementation = ([value]) => {
  if (typeof value === 'boolean') return value
  if (typeof value === 'string' && trueTexts.has(value)) return true
  return typeof value === 'string' && falseTexts.has(value) ? false : conversionError(value!, 'bool')
}

const toDuration: Implementation = ([value]) => {
  if (value instanceof Duration) return value
  const nanos = typeof value === 'string' ? parseGoDuration(value) : undefined
  return nanos === undefined ? conversionError(value!, 'google.protobuf.Duration') : duration(nanos)
}

const toTimestamp: Implementation = ([value]) => {
  if (value instanceof Timestamp) return value
  if (typeof value === 'bigint') return timestamp(value * 1_000_000_000n)
  const time = typeof value === 'string' ? parseTimestamp(value) : undefined
  return time === undefined ? conversionError(value!, 'google.protobuf.Timestamp') : timestamp(time.nanos, time.offset)
}

const encoder = new TextEncoder()

const identity: Implementation = ([value]) => value!

const text = (value: Value | undefined): string => value as string

const textTest =
  (test: (a: string, b: string) => boolean): Implementation =>
  ([a, b]) =>
    typeof a === 'string' && typeof b === 'string' ? test(a, b) : noSuchOverload

const matches: Implementation = ([value, pattern]) => {
  if (typeof value !== 'string' || typeof pattern !== 'string') return noSuchOverload
  const compiled = compileRegexp(pattern)
  return 'error' in compiled ? new CelError(compiled.error) : matchString(compiled.pattern, value)
}

type Part = (time: { readonly date: Date; readonly nanos: number }) => number

function timePart(part: Part, ofDuration?: (nanos: bigint) => bigint): Implementation {
  return ([value, zone]) => {
    if (value instanceof Duration && ofDuration !== undefined) return ofDuration(value.nanos)
    const local = inZone((value as Timestamp).nanos, zone as string | undefined)
    return typeof local === 'string' ? new CelError(local) : BigInt(part(local))
  }
}

function dayOfYear({ date }: { readonly date: Date }): number {
  const start = new Date(date)
  start.setUTCMonth(0, 1)
  return Math.floor((date.getTime() - start.getTime()) / 86_400_000 + 0.5)
}

function timeFunction(name: string, id: string, run: Implementation, durationId?: string): FunctionDecl {
  const forms = [`timestamp_to_${id} timestamp.() int`, `timestamp_to_${id}_with_tz timestamp.(string) int`]
  if (durationId !== undefined) forms.push(`duration_to_${durationId} duration.() int`)
  return declare(name, forms.join('\n'), run)
}

const numeric = (name: string): string =>
  `${name}_double (double, double) double\n${name}_int64 (int, int) int\n${name}_uint64 (uint, uint) uint`

/** The whole standard library. Operators that evaluation itself knows have no implementation of use here. */
export const standardFunctions: readonly FunctionDecl[] = [
  declare('_?_:_', 'conditional (bool, A, A) A', identity, true),
  declare('_&&_', 'logical_and (bool, bool) bool', identity, true),
  declare('_||_', 'logical_or (bool, bool) bool', identity, true),
  declare('!_', 'logical_not (bool) bool', ([a]) => (typeof a === 'boolean' ? !a : noSuchOverload), true),
  declare('@not_strictly_false', 'not_strictly_false (bool) bool', ([a]) => (typeof a === 'boolean' ? a : true), true),
  declare('_==_', 'equals (A, A) bool', ([a, b]) => equal(a!, b!), true),
  declare(
    '_!=_',
    'not_equals (A, A) bool',
    ([a, b]) => {
      const same = equal(a!, b!)
      return typeof same === 'boolean' ? !same : same
    },
    true,
  ),
  declare(
    '_+_',
    `add_bytes (bytes, bytes) bytes
     add_double (double, double) double
     add_duration_duration (duration, duration) duration
     add_duration_timestamp (duration, timestamp) timestamp
     add_timestamp_duration (timestamp, duration) timestamp
     add_int64 (int, int) int
     add_list (list(A), list(A)) list(A)
     add_string (string, string) string
     add_uint64 (uint, uint) uint`,
    add,
    true,
  ),
  declare(
    '_/_',
    numeric('divide'),
    arithmetic(
      '_/_',
      (a, b) => (b === 0n ? divideByZero : a / b),
      (a, b) => a / b,
    ),
    true,
  ),
  declare(
    '_%_',
    'modulo_int64 (int, int) int\nmodulo_uint64 (uint, uint) uint',
    arithmetic('_%_', (a, b) => (b === 0n ? modulusByZero : a % b)),
    true,
  ),
  declare(
    '_*_',
    numeric('multiply'),
    arithmetic(
      '_*_',
      (a, b) => a * b,
      (a, b) => a * b,
    ),
    true,
  ),
  declare(
    '-_',
    'negate_double (double) double\nnegate_int64 (int) int',
    ([a]) => {
      if (typeof a === 'bigint') return int(-a)
      if (typeof a === 'number') return -a
      return a instanceof Duration ? duration(-a.nanos) : noTrait('-_')
    },
    true,
  ),
  declare(
    '_-_',
    `subtract_double (double, double) double
     subtract_duration_duration (duration, duration) duration
     subtract_int64 (int, int) int
     subtract_timestamp_duration (timestamp, duration) timestamp
     subtract_timestamp_timestamp (timestamp, timestamp) duration
     subtract_uint64 (uint, uint) uint`,
    subtract,
    true,
  ),
  declare(
    '_<_',
    orderingForms('less'),
    ordering('_<_', (order) => order < 0),
    true,
  ),
  declare(
    '_<=_',
    orderingForms('less_equals'),
    ordering('_<=_', (order) => order <= 0),
    true,
  ),
  declare(
    '_>_',
    orderingForms('greater'),
    ordering('_>_', (order) => order > 0),
    true,
  ),
  declare(
    '_>=_',
    orderingForms('greater_equals'),
    ordering('_>=_', (order) => order >= 0),
    true,
  ),
  declare('_[_]', 'index_list (list(A), int) A\nindex_map (map(A, B), A) B', identity, true),
  declare('@in', 'in_list (A, list(A)) bool\nin_map (A, map(A, B)) bool', within, true),
  declare(
    'size',
    `size_bytes (bytes) int
     bytes_size bytes.() int
     size_list (list(A)) int
     list_size list(A).() int
     size_map (map(A, B)) int
     map_size map(A, B).() int
     size_string (string) int
     string_size string.() int`,
    ([value]) => {
      const sized =
        typeof value === 'string' || value instanceof Uint8Array || value instanceof CelList || value instanceof CelMap
      return sized ? BigInt(sizeOf(value)) : noTrait('size')
    },
    true,
  ),
  declare('type', 'type (A) type(A)', ([value]) => new TypeValue(typeName(value!)), true),
  declare('bool', 'bool_to_bool (bool) bool\nstring_to_bool (string) bool', toBool),
  declare('bytes', 'bytes_to_bytes (bytes) bytes\nstring_to_bytes (string) bytes', ([value]) =>
    value instanceof Uint8Array ? value : encoder.encode(text(value)),
  ),
  declare(
    'double',
    `double_to_double (double) double
     int64_to_double (int) double
     string_to_double (string) double
     uint64_to_double (uint) double`,
    toDouble,
  ),
  declare('duration', 'duration_to_duration (duration) duration\nstring_to_duration (string) duration', toDuration),
  declare('dyn', 'to_dyn (A) dyn', identity, true),
  declare(
    'int',
    `int64_to_int64 (int) int
     double_to_int64 (double) int
     duration_to_int64 (duration) int
     string_to_int64 (string) int
     timestamp_to_int64 (timestamp) int
     uint64_to_int64 (uint) int`,
    toInt,
  ),
  declare(
    'string',
    `string_to_string (string) string
     bool_to_string (bool) string
     bytes_to_string (bytes) string
     double_to_string (double) string
     duration_to_string (duration) string
     int64_to_string (int) string
     timestamp_to_string (timestamp) string
     uint64_to_string (uint) string`,
    toString,
  ),
  declare(
    'timestamp',
    `timestamp_to_timestamp (timestamp) timestamp
     int64_to_timestamp (int) timestamp
     string_to_timestamp (string) timestamp`,
    toTimestamp,
  ),
  declare(
    'uint',
    `uint64_to_uint64 (uint) uint
     double_to_uint64 (double) uint
     int64_to_uint64 (int) uint
     string_to_uint64 (string) uint`,
    toUint,
  ),
  declare(
    'contains',
    'contains_string string.(string) bool',
    textTest((a, b) => a.includes(b)),
    true,
  ),
  declare(
    'endsWith',
    'ends_with_string string.(string) bool',
    textTest((a, b) => a.endsWith(b)),
    true,
  ),
  declare(
    'startsWith',
    'starts_with_string string.(string) bool',
    textTest((a, b) => a.startsWith(b)),
    true,
  ),
  declare('matches', 'matches (string, string) bool\nmatches_string string.(string) bool', matches, true),
  timeFunction(
    'getFullYear',
    'year',
    timePart(({ date }) => date.getUTCFullYear()),
  ),
  timeFunction(
    'getMonth',
    'month',
    timePart(({ date }) => date.getUTCMonth()),
  ),
  timeFunction('getDayOfYear', 'day_of_year', timePart(dayOfYear)),
  timeFunction(
    'getDayOfMonth',
    'day_of_month',
    timePart(({ date }) => date.getUTCDate() - 1),
  ),
  timeFunction(
    'getDate',
    'day_of_month_1_based',
    timePart(({ date }) => date.getUTCDate()),
  ),
  timeFunction(
    'getDayOfWeek',
    'day_of_week',
    timePart(({ date }) => date.getUTCDay()),
  ),
  timeFunction(
    'getHours',
    'hours',
    timePart(
      ({ date }) => date.getUTCHours(),
      (nanos) => nanos / 3_600_000_000_000n,
    ),
    'hours',
  ),
  timeFunction(
    'getMinutes',
    'minutes',
    timePart(
      ({ date }) => date.getUTCMinutes(),
      (nanos) => nanos / 60_000_000_000n,
    ),
    'minutes',
  ),
  timeFunction(
    'getSeconds',
    'seconds',
    timePart(
      ({ date }) => date.getUTCSeconds(),
      (nanos) => nanos / 1_000_000_000n,
    ),
    'seconds',
  ),
  timeFunction(
    'getMilliseconds',
    'milliseconds',
    timePart(
      ({ nanos }) => Math.floor(nanos / 1_000_000),
      (nanos) => nanos / 1_000_000n,
    ),
    'milliseconds',
  ),
]
