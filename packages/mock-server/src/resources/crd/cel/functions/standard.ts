import { compileRegexp, matchString } from '../../../../go/regexp.ts'
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
import { add, arithmetic, noTrait, subtract } from './arithmetic.ts'
import { toBool, toDouble, toDuration, toInt, toString, toTimestamp, toUint } from './conversion.ts'
import { dayOfYear, timeFunction, timePart } from './date.ts'
import { declare, type FunctionDecl, type Implementation } from './declare.ts'
import { duration, int } from './limits.ts'

/** CEL's standard functions (`cel-go: common/stdlib/standard.go`). */

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
