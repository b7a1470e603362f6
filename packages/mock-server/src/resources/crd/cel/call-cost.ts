import { FormatValue } from './library-values.ts'
import { CelList, CelMap, LibraryValue, sizeOf, type Value } from './values.ts'

/*
 * What calls cost when they are evaluated (`cel-go: interpreter/runtimecost.go`, `apiserver: pkg/cel/library/cost.go`).
 */

/** Cost of looking at a character. */
export const traversalFactor = 0.1
/** Cost of a character of a pattern. */
export const patternFactor = 0.25
/** Cost of making a list. */
export const listCost = 10

type CallCost = (args: readonly Value[], result: Value, overloadId: string) => number

const scan = (value: Value, factor = 1): number => Math.ceil(sizeOf(value) * factor * traversalFactor)
const one: CallCost = () => 1

function patternCost(text: number, pattern: number): number {
  return Math.ceil((1 + text) * traversalFactor) * Math.ceil(pattern * patternFactor)
}

/** Looking at all there is in a value. */
function traversal(value: Value): number {
  if (typeof value === 'string') return Math.trunc(new TextEncoder().encode(value).length * traversalFactor)
  if (value instanceof Uint8Array) return Math.trunc(value.length * traversalFactor)
  if (value instanceof CelList) {
    let cost = 0
    for (const element of value) cost += traversal(element)
    return cost
  }
  if (value instanceof CelMap) {
    let cost = 0
    for (const key of value.keys()) cost += traversal(key) + traversal(value.find(key)!)
    return cost
  }
  return 1
}

const ofFirst =
  (factor = 1): CallCost =>
  ([value]) =>
    scan(value!, factor)
const wholeFirst: CallCost = ([value]) => traversal(value!)
const find: CallCost = ([text, pattern]) => patternCost(sizeOf(text!), sizeOf(pattern!))

function containsNetwork(parsed: string, withBits: boolean): CallCost {
  return ([network, other], _result, overloadId) => {
    const size = sizeOf(network!)
    let cost = Math.ceil(2 * size * traversalFactor)
    if (withBits) cost += Math.ceil(size * traversalFactor) + 1
    return overloadId === parsed ? cost + scan(other!) : cost
  }
}

/** Costs by function; Kubernetes charges for these whatever the form. */
const byFunction: Readonly<Record<string, CallCost>> = {
  check: () => 350_000,
  isSorted: wholeFirst,
  sum: wholeFirst,
  max: wholeFirst,
  min: wholeFirst,
  indexOf: wholeFirst,
  lastIndexOf: wholeFirst,
  includes: wholeFirst,
  url: ofFirst(),
  lowerAscii: ofFirst(),
  upperAscii: ofFirst(),
  substring: ofFirst(),
  trim: ofFirst(),
  replace: ofFirst(2),
  split: ofFirst(2),
  join: (_args, result) => scan(result, 2),
  find,
  findAll: find,
  cidr: ofFirst(),
  isIP: ofFirst(),
  isCIDR: ofFirst(),
  ip: ([value], _result, overloadId) => (overloadId === 'cidr_ip' ? 1 : scan(value!)),
  'ip.isCanonical': ofFirst(2),
  containsIP: containsNetwork('cidr_contains_ip_string', false),
  containsCIDR: containsNetwork('cidr_contains_cidr_string', true),
  quantity: ofFirst(),
  isQuantity: ofFirst(),
  semver: ofFirst(),
  isSemver: ofFirst(),
  validate: ([format, value]) =>
    format instanceof FormatValue ? patternCost(sizeOf(value!), format.patternLength) : 1,
}

const accessors = new Set(
  `masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast
   format.named sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch
   getScheme getHostname getHost getPort getEscapedPath getQuery`.split(/\s+/),
)

function listCall(factor: number, size: number): number {
  return Math.trunc(size * factor) + 1 + listCost
}

function selfCompare(list: Value): number {
  if (!(list instanceof CelList)) return 1
  const first = list.size === 0 ? undefined : list.at(0)
  const slow = typeof first === 'string' || first instanceof Uint8Array
  return listCall(2 + (slow ? traversalFactor : 0), list.size * list.size)
}

const sets =
  (factor: number): CallCost =>
  ([a, b]) =>
    1 + Math.trunc(sizeOf(a!) * sizeOf(b!) * factor)
const shorter: CallCost = ([a, b]) => Math.ceil(Math.min(sizeOf(a!), sizeOf(b!)) * traversalFactor)
const both: CallCost = ([a, b]) => Math.ceil((sizeOf(a!) + sizeOf(b!)) * traversalFactor)
const ofSecond: CallCost = ([, value]) => scan(value!)
const outputSize: CallCost = (_args, result) => listCall(1, sizeOf(result))

/** Costs by the form of a function. */
const byOverload: Readonly<Record<string, CallCost>> = {
  list_slice: outputSize,
  lists_range: outputSize,
  list_reverse: outputSize,
  list_flatten: ([list]) => listCall(1, sizeOf(list!)),
  list_flatten_int: ([list, depth]) => listCall(typeof depth === 'bigint' ? Number(depth) : 1, sizeOf(list!)),
  list_distinct: ([list]) => selfCompare(list!),
  list_sets_contains_list: sets(1),
  list_sets_intersects_list: sets(1),
  list_sets_equivalent_list: sets(2),
}

/** Forms whose cost their arguments tell. */
export const costsByArguments: ReadonlySet<string> = new Set([
  'list_distinct',
  'list_sets_contains_list',
  'list_sets_intersects_list',
  'list_sets_equivalent_list',
])

const standard: Readonly<Record<string, CallCost>> = {
  starts_with_string: ofSecond,
  ends_with_string: ofSecond,
  string_to_bytes: ofFirst(),
  bytes_to_string: ofFirst(),
  strings_quote: ofFirst(),
  string_format: ofFirst(),
  in_list: ([, list]) => sizeOf(list!),
  equals: shorter,
  not_equals: shorter,
  add_string: both,
  add_bytes: both,
  matches: find,
  matches_string: find,
  contains_string: ([text, part]) => scan(text!) * scan(part!),
}
for (const name of ['less', 'greater', 'less_equals', 'greater_equals']) {
  for (const type of ['string', 'bytes']) (standard as Record<string, CallCost>)[`${name}_${type}`] = shorter
}

/** What one call cost. */
export function callCost(fn: string, overloadId: string, args: readonly Value[], result: Value): number {
  const own = byOverload[overloadId] ?? sortCost(overloadId)
  if (own !== undefined) return own(args, result, overloadId)
  if (accessors.has(fn)) return 1
  const library = Object.hasOwn(byFunction, fn) ? byFunction[fn] : undefined
  if (library !== undefined) return library(args, result, overloadId)
  if (fn === '_==_' && args[0] instanceof LibraryValue) return 1
  return (standard[overloadId] ?? one)(args, result, overloadId)
}

function sortCost(overloadId: string): CallCost | undefined {
  if (!overloadId.startsWith('list_')) return undefined
  if (overloadId.endsWith('_sort')) return ([list]) => selfCompare(list!)
  return overloadId.endsWith('_sortByAssociatedKeys') ? ([, keys]) => selfCompare(keys!) : undefined
}
