import { goQuote } from '@freshread/core'
import {
  CelError,
  CelList,
  CelMap,
  compare,
  equal,
  mapKey,
  Optional,
  show,
  typeName,
  ValueList,
  ValueMap,
  type Value,
} from '../values.ts'
import { declare, type FunctionDecl, type Implementation } from './declare.ts'
import { formatString } from './string-format.ts'

/** CEL's extensions that Kubernetes has: strings, lists, sets, optionals, maps of two-variable macros (`cel-go: ext`). */

const text = (value: Value | undefined): string => value as string
const list = (value: Value | undefined): CelList => value as CelList
const number = (value: Value | undefined): number => Number(value as bigint)
const outOfRange = (index: Value): CelError => new CelError(`index out of range: ${show(index)}`)

/** The longest list that `lists.range` makes. */
const maxRange = 1_000_000n

const charAt: Implementation = ([value, index]) => {
  const chars = Array.from(text(value))
  const at = number(index)
  return at < 0 || at > chars.length ? outOfRange(index!) : (chars[at] ?? '')
}

function startsAt(chars: readonly string[], part: readonly string[], at: number): boolean {
  return part.every((c, i) => chars[at + i] === c)
}

const indexOf: Implementation = ([value, part, offset = 0n]) => {
  if (value instanceof CelList) return listIndex(value, part!, false)
  const from = number(offset)
  if (from < 0) return outOfRange(offset)
  const chars = Array.from(text(value))
  const wanted = Array.from(text(part))
  if (wanted.length === 0) return BigInt(Math.min(from, chars.length))
  for (let i = from; i + wanted.length <= chars.length; i++) if (startsAt(chars, wanted, i)) return BigInt(i)
  return -1n
}

const lastIndexOf: Implementation = ([value, part, offset]) => {
  if (value instanceof CelList) return listIndex(value, part!, true)
  const chars = Array.from(text(value))
  const wanted = Array.from(text(part))
  if (offset === undefined && (wanted.length === 0 || chars.length < wanted.length)) {
    return wanted.length === 0 ? BigInt(chars.length) : -1n
  }
  const from = offset === undefined ? chars.length - 1 : number(offset)
  if (from < 0) return outOfRange(offset ?? -1n)
  if (wanted.length === 0) return BigInt(Math.min(from, chars.length))
  if (from >= chars.length) return -1n
  for (let i = Math.min(from, chars.length - wanted.length); i >= 0; i--)
    if (startsAt(chars, wanted, i)) return BigInt(i)
  return -1n
}

/** Lists have these functions from Kubernetes' own library, under the same names. */
function listIndex(values: CelList, wanted: Value, last: boolean): Value {
  for (let i = 0; i < values.size; i++) {
    const at = last ? values.size - 1 - i : i
    if (equal(values.at(at), wanted) === true) return BigInt(at)
  }
  return -1n
}

/** Longest text that is made, in UTF-16 units: far more than any object can hold. */
const maxText = 2 ** 26

const replace: Implementation = ([value, old, by, limit]) => {
  const times = text(old) === '' ? text(value).length + 1 : text(value).length / text(old).length
  if (times * text(by).length > maxText) return new CelError('replace: result is too large')
  const count = limit === undefined ? -1 : number(limit)
  if (count < 0) return text(value).replaceAll(text(old), () => text(by))
  const parts = splitText(text(value), text(old), text(old) === '' ? count : count + 1, true)
  if (text(old) !== '') return parts.join(text(by))
  return insertBetween(text(value), text(by), count)
}

/** Replacing nothing puts something before each character, and at the end. */
function insertBetween(value: string, by: string, count: number): string {
  const chars = Array.from(value)
  return chars.map((c, i) => (i < count ? by + c : c)).join('') + (chars.length < count ? by : '')
}

function splitText(value: string, separator: string, limit: number, whole = false): string[] {
  const parts = separator === '' ? Array.from(value) : value.split(separator)
  if (limit === 0 && !whole) return []
  if (limit < 0 || parts.length <= limit) return parts
  return [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)]
}

const substring: Implementation = ([value, start, end]) => {
  const chars = Array.from(text(value))
  const from = number(start)
  if (end === undefined) return from < 0 || from > chars.length ? outOfRange(start!) : chars.slice(from).join('')
  const to = number(end)
  if (from > to) return new CelError(`invalid substring range. start: ${from}, end: ${to}`)
  if (from < 0 || from > chars.length) return outOfRange(start!)
  return to < 0 || to > chars.length ? outOfRange(end) : chars.slice(from, to).join('')
}

const ascii = (value: Value | undefined, change: (c: string) => string, pattern: RegExp): string =>
  text(value).replace(pattern, change)

/** White space as Go knows it. */
const space =
  /^[\t\n\v\f\r \u0085\u00A0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+|[\t\n\v\f\r \u0085\u00A0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/g

const joinList: Implementation = ([values, separator = '']) => {
  const parts: string[] = []
  for (const value of list(values)) {
    if (typeof value !== 'string') return new CelError(`join: invalid input: ${show(value)}`)
    parts.push(value)
  }
  return parts.join(text(separator))
}

const strings: readonly FunctionDecl[] = [
  declare('charAt', 'string_char_at_int string.(int) string', charAt),
  declare(
    'indexOf',
    `string_index_of_string string.(string) int
     string_index_of_string_int string.(string, int) int
     list_a_index_of_int list(A).(A) int`,
    indexOf,
  ),
  declare(
    'lastIndexOf',
    `string_last_index_of_string string.(string) int
     string_last_index_of_string_int string.(string, int) int
     list_a_last_index_of_int list(A).(A) int`,
    lastIndexOf,
  ),
  declare('lowerAscii', 'string_lower_ascii string.() string', ([value]) =>
    ascii(value, (c) => c.toLowerCase(), /[A-Z]/g),
  ),
  declare('upperAscii', 'string_upper_ascii string.() string', ([value]) =>
    ascii(value, (c) => c.toUpperCase(), /[a-z]/g),
  ),
  declare(
    'replace',
    `string_replace_string_string string.(string, string) string
     string_replace_string_string_int string.(string, string, int) string`,
    replace,
  ),
  declare(
    'split',
    `string_split_string string.(string) list(string)
     string_split_string_int string.(string, int) list(string)`,
    ([value, separator, limit]) =>
      new ValueList(splitText(text(value), text(separator), limit === undefined ? -1 : number(limit))),
  ),
  declare(
    'substring',
    'string_substring_int string.(int) string\nstring_substring_int_int string.(int, int) string',
    substring,
  ),
  declare('trim', 'string_trim string.() string', ([value]) => text(value).replace(space, '')),
  declare('format', 'string_format string.(list(dyn)) string', ([value, args]) => {
    const result = formatString(text(value), list(args))
    return 'error' in result ? new CelError(result.error) : result.text
  }),
  declare('strings.quote', 'strings_quote (string) string', ([value]) => {
    // oxlint-disable-next-line no-control-regex
    return `"${text(value).replace(/[\x07-\r\\"]/g, (c) => goQuote(c).slice(1, -1))}"`
  }),
  declare('join', 'list_join list(string).() string\nlist_join_string list(string).(string) string', joinList),
]

const comparable = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes']
const wireName = (type: string): string =>
  type === 'duration' ? 'google.protobuf.Duration' : type === 'timestamp' ? 'google.protobuf.Timestamp' : type

function sortByKeys(values: CelList, keys: CelList): Value {
  if (values.size !== keys.size) {
    const text = '@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got'
    return new CelError(`${text} ${values.size} and ${keys.size} elements respectively`)
  }
  if (values.size === 0) return values
  const type = typeName(keys.at(0))
  const pairs = [...keys].map((key, i) => ({ key, value: values.at(i) }))
  if (typeof compare(pairs[0]!.key, pairs[0]!.key) !== 'number') return new CelError('list elements must be comparable')
  if (pairs.some(({ key }) => typeName(key) !== type)) return new CelError('list elements must have the same type')
  pairs.sort((a, b) => {
    const order = compare(a.key, b.key)
    return typeof order === 'number' ? order : 0
  })
  return new ValueList(pairs.map(({ value }) => value))
}

function flatten(values: CelList, depth: bigint): Value[] {
  return [...values].flatMap((value) => (value instanceof CelList && depth > 0n ? flatten(value, depth - 1n) : [value]))
}

const slice: Implementation = ([values, start, end]) => {
  const from = number(start)
  const to = number(end)
  const where = `cannot slice(${from}, ${to}),`
  if (from < 0 || to < 0) return new CelError(`${where} negative indexes not supported`)
  if (from > to) return new CelError(`${where} start index must be less than or equal to end index`)
  const { size } = list(values)
  if (size < to) return new CelError(`${where} list is length ${size}`)
  return new ValueList([...list(values)].slice(from, to))
}

const range: Implementation = ([size]) => {
  const count = size as bigint
  if (count < 0n) return new CelError(`lists.range: size must be non-negative, got ${count}`)
  if (count > maxRange) return new CelError(`lists.range: size ${count} exceeds maximum allowed (${maxRange})`)
  return new ValueList(Array.from({ length: Number(count) }, (_, i) => BigInt(i)))
}

const distinct: Implementation = ([values]) => {
  const kept: Value[] = []
  const seen = new Set<string>()
  for (const value of list(values)) {
    const key = mapKey(value)
    if (key === undefined ? kept.some((other) => equal(other, value) === true) : seen.has(key)) continue
    if (key !== undefined) seen.add(key)
    kept.push(value)
  }
  return new ValueList(kept)
}

const lists: readonly FunctionDecl[] = [
  declare('slice', 'list_slice list(T).(int, int) list(T)', slice),
  declare(
    'flatten',
    'list_flatten list(list(T)).() list(T)\nlist_flatten_int list(dyn).(int) list(dyn)',
    ([values, depth = 1n]) => {
      if ((depth as bigint) < 0n) return new CelError('level must be non-negative')
      return new ValueList(flatten(list(values), depth as bigint))
    },
  ),
  declare(
    'sort',
    comparable.map((type) => `list_${wireName(type)}_sort list(${type}).() list(${type})`).join('\n'),
    ([values]) => sortByKeys(list(values), list(values)),
  ),
  declare(
    '@sortByAssociatedKeys',
    comparable.map((type) => `list_${wireName(type)}_sortByAssociatedKeys list(T).(list(${type})) list(T)`).join('\n'),
    ([values, keys]) => sortByKeys(list(values), list(keys)),
  ),
  declare('lists.range', 'lists_range (int) list(int)', range),
  declare('reverse', 'list_reverse list(T).() list(T)', ([values]) => new ValueList([...list(values)].toReversed())),
  declare('distinct', 'list_distinct list(T).() list(T)', distinct),
]

function containsAll(values: CelList, wanted: CelList): Value {
  for (const value of wanted) {
    const found = contains(values, value)
    if (found !== true) return found
  }
  return true
}

function contains(values: CelList, wanted: Value): boolean | CelError {
  let failed: CelError | undefined
  for (const value of values) {
    const same = equal(value, wanted)
    if (same === true) return true
    if (same !== false) failed ??= same
  }
  return failed ?? false
}

const sets: readonly FunctionDecl[] = [
  declare('sets.contains', 'list_sets_contains_list (list(T), list(T)) bool', ([a, b]) =>
    containsAll(list(a), list(b)),
  ),
  declare('sets.equivalent', 'list_sets_equivalent_list (list(T), list(T)) bool', ([a, b]) => {
    const there = containsAll(list(a), list(b))
    return there === true ? containsAll(list(b), list(a)) : there
  }),
  declare('sets.intersects', 'list_sets_intersects_list (list(T), list(T)) bool', ([a, b]) =>
    [...list(a)].some((value) => contains(list(b), value) === true),
  ),
]

const optional = (value: Value | undefined): Optional => value as Optional

function isZero(value: Value): boolean {
  if (value === null || value === false || value === '' || value === 0 || value === 0n) return true
  if (value instanceof CelList || value instanceof CelMap) return value.size === 0
  if (value instanceof Uint8Array) return value.length === 0
  return typeof value === 'object' && value !== null && 'nanos' in value && value.nanos === 0n
}

const unwrap: Implementation = ([values]) => {
  const kept: Value[] = []
  for (const value of list(values)) {
    if (!(value instanceof Optional)) return new CelError(`value ${show(value)} is not optional`)
    if (value.value !== undefined) kept.push(value.value)
  }
  return new ValueList(kept)
}

const optionals: readonly FunctionDecl[] = [
  declare('optional.of', 'optional_of (V) optional(V)', ([value]) => new Optional(value)),
  declare('optional.ofNonZeroValue', 'optional_ofNonZeroValue (V) optional(V)', ([value]) =>
    isZero(value!) ? Optional.none : new Optional(value),
  ),
  declare('optional.none', 'optional_none () optional(V)', () => Optional.none),
  declare(
    'value',
    'optional_value optional(V).() V',
    ([value]) =>
      optional(value).value ?? (optional(value).value === null ? null : new CelError('optional.none() dereference')),
  ),
  declare('hasValue', 'optional_hasValue optional(V).() bool', ([value]) => optional(value).value !== undefined),
  declare('or', 'optional_or_optional optional(V).(optional(V)) optional(V)', ([a, b]) =>
    optional(a).value === undefined ? b! : a!,
  ),
  declare('orValue', 'optional_orValue_value optional(V).(V) V', ([a, b]) => {
    const { value } = optional(a)
    return value === undefined ? b! : value
  }),
  declare(
    '_[?_]',
    `list_optindex_optional_int (list(V), int) optional(V)
     optional_list_optindex_optional_int (optional(list(V)), int) optional(V)
     map_optindex_optional_value (map(K, V), K) optional(V)
     optional_map_optindex_optional_value (optional(map(K, V)), K) optional(V)`,
    ([value]) => value!,
    true,
  ),
  declare(
    '_[_]',
    `optional_list_index_int (optional(list(V)), int) optional(V)
     optional_map_index_value (optional(map(K, V)), K) optional(V)`,
    ([value]) => value!,
    true,
  ),
  declare('last', 'list_last list(V).() optional(V)', ([values]) =>
    list(values).size === 0 ? Optional.none : new Optional(list(values).at(list(values).size - 1)),
  ),
  declare('first', 'list_first list(V).() optional(V)', ([values]) =>
    list(values).size === 0 ? Optional.none : new Optional(list(values).at(0)),
  ),
  declare('optional.unwrap', 'optional_unwrap (list(optional(V))) list(V)', unwrap),
  declare('unwrapOpt', 'optional_unwrapOpt list(optional(V)).() list(V)', unwrap),
]

const mapInsert: Implementation = ([map, key, value]) => {
  const entries = new Map((map as ValueMap).entries)
  const insert = (at: Value, what: Value): CelError | undefined => {
    const name = mapKey(at)
    if (name === undefined) return new CelError('unsupported key type')
    if (entries.has(name)) return new CelError(`insert failed: key ${show(at)} already exists`)
    entries.set(name, [at, what])
    return undefined
  }
  if (value !== undefined) return insert(key!, value) ?? new ValueMap(entries)
  const added = key as CelMap
  for (const at of added.keys()) {
    const failed = insert(at, added.find(at)!)
    if (failed !== undefined) return failed
  }
  return new ValueMap(entries)
}

export const extensionFunctions: readonly FunctionDecl[] = [
  ...strings,
  ...lists,
  ...sets,
  ...optionals,
  declare(
    'cel.@mapInsert',
    `@mapInsert_map_key_value (map(K, V), K, V) map(K, V)
     @mapInsert_map_map (map(K, V), map(K, V)) map(K, V)`,
    mapInsert,
  ),
]
