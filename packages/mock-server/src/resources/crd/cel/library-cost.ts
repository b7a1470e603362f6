import type { Expr } from './ast.ts'
import { listCost, patternFactor, traversalFactor } from './call-cost.ts'
import { add, fixed, maxUint64, multiply, scale, unknownSize, type Range } from './estimate.ts'
import { sameType } from './unify.ts'
import type { CelType } from './types.ts'

/*
 * Estimated costs of functions beyond the standard ones (`apiserver: pkg/cel/library/cost.go`, `cel-go: ext`).
 */

/** An operand as costs see it. */
export interface CostNode {
  /** Where in `self` the value is; empty for one that is made. */
  readonly path: readonly string[]
  readonly type: CelType
  readonly expr: Expr | undefined
  readonly size: Range | undefined
}

/** What a call may cost, and how large its result may be. */
export interface CallEstimate {
  readonly cost: Range
  readonly size?: Range
}

export interface SizeSource {
  sizeAt(path: readonly string[]): Range | undefined
}

const one = fixed(1)
const maxNamePattern = 128
const maxFormatSize = 64n

const accessors = new Set(
  `masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast
   format.named sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch
   getScheme getHostname getHost getPort getEscapedPath getQuery`.split(/\s+/),
)

const scans: Readonly<Record<string, number>> = {
  cidr: 1,
  isIP: 1,
  isCIDR: 1,
  'ip.isCanonical': 2,
  quantity: 1,
  isQuantity: 1,
  semver: 1,
  isSemver: 1,
}

/** The cost of a call; `undefined` for what the standard rules are for. */
export function libraryCost(
  fn: string,
  overload: string,
  target: CostNode | undefined,
  args: readonly CostNode[],
  sizes: SizeSource,
): CallEstimate | undefined {
  const size = (node: CostNode): Range => node.size ?? sizes.sizeAt(node.path) ?? unknownSize
  const ofList = listCosts(overload, target, args, size)
  if (ofList !== undefined) return ofList
  const [first, second] = args
  switch (fn) {
    case 'isSorted':
    case 'sum':
    case 'max':
    case 'min':
    case 'indexOf':
    case 'lastIndexOf':
    case 'includes': {
      if (target === undefined) return undefined
      const element = elementOf(target)
      if (element === undefined) {
        return { cost: fn === 'includes' ? multiply(size(target), one) : scale(size(target), traversalFactor) }
      }
      const { kind } = element.type
      const text = kind === 'string' || kind === 'bytes'
      const each = text ? add(one, scale(size(element), traversalFactor)) : one
      return { cost: multiply(size(target), each) }
    }
    case 'url':
      return args.length === 1 ? { cost: scale(size(first!), traversalFactor), size: size(first!) } : undefined
    case 'lowerAscii':
    case 'upperAscii':
    case 'substring':
    case 'trim':
      return target && { cost: scale(size(target), traversalFactor), size: size(target) }
    case 'replace':
      if (target === undefined || args.length < 2) return undefined
      return {
        cost: scale(size(target), 2 * traversalFactor),
        size: replacedSize(size(target), size(first!), size(second!)),
      }
    case 'split': {
      if (target === undefined) return undefined
      const limit = second?.expr?.kind === 'literal' ? second.expr.value : undefined
      const max = typeof limit === 'bigint' ? BigInt.asUintN(64, limit) : size(target).max
      return { cost: scale(size(target), 2 * traversalFactor), size: { min: 0n, max } }
    }
    case 'join':
      return target && joinCost(target, first, size)
    case 'find':
    case 'findAll': {
      if (target === undefined || first === undefined) return undefined
      const cost = multiply(scale(add(size(target), one), traversalFactor), scale(size(first), patternFactor))
      return { cost, size: { min: 0n, max: size(target).max } }
    }
    case 'ip':
      if (overload === 'cidr_ip') return { cost: one }
      return first && { cost: scale(size(first), traversalFactor) }
    case 'containsIP':
    case 'containsCIDR':
      return first && containsCost(fn, overload, size(first))
    case 'validate':
      return first && { cost: scale(scale(size(first), traversalFactor), maxNamePattern * patternFactor) }
    case '_==_':
      return equalityCost(args)
    default:
  }
  if (accessors.has(fn)) return { cost: one }
  const factor = Object.hasOwn(scans, fn) ? scans[fn] : undefined
  return factor === undefined || first === undefined
    ? undefined
    : { cost: scale(size(first), factor * traversalFactor) }
}

function elementOf(list: CostNode): CostNode | undefined {
  const [type] = list.type.params
  if (type === undefined) return undefined
  return { path: list.path.length === 0 ? [] : [...list.path, '@items'], type, expr: undefined, size: undefined }
}

function replacedSize(text: Range, old: Range, by: Range): Range {
  const plusOne = (value: bigint): bigint => (value < maxUint64 ? value + 1n : value)
  const ceil = (a: bigint, b: bigint): bigint => {
    const quotient = Math.ceil(Number(a) / Number(b))
    return quotient >= 2 ** 64 ? maxUint64 : BigInt(quotient)
  }
  let countMax = 0n
  let keptMax = 0n
  if (old.min === 0n) {
    countMax = plusOne(text.max)
    keptMax = text.max
  } else if (by.max <= old.min) keptMax = text.max
  else countMax = ceil(text.max, old.min)
  let countMin = 0n
  let keptMin = 0n
  if (old.max === 0n) {
    countMin = plusOne(text.min)
    keptMin = text.min
  } else if (old.max <= by.min) keptMin = text.min
  else countMin = ceil(text.min, old.max)
  return add(multiply({ min: countMin, max: countMax }, by), { min: keptMin, max: keptMax })
}

function joinCost(list: CostNode, separator: CostNode | undefined, size: (node: CostNode) => Range): CallEstimate {
  const count = size(list)
  const element = elementOf(list)
  let result = element === undefined ? fixed(0) : multiply(count, size(element))
  if (separator !== undefined) {
    const less = (value: bigint): bigint => (value > 0n ? value - 1n : 0n)
    result = add(result, multiply(size(separator), { min: less(count.min), max: less(count.max) }))
  }
  return { cost: scale(result, traversalFactor), size: result }
}

/** Addresses have 4 or 16 bytes. */
function containsCost(fn: string, overload: string, other: Range): CallEstimate {
  const bytes = { min: 4n, max: 16n }
  let cost = scale(add(bytes, bytes), traversalFactor)
  if (fn === 'containsCIDR') cost = add(cost, scale(bytes, traversalFactor), one)
  if (overload.endsWith('_string')) cost = add(cost, scale(other, traversalFactor))
  return { cost }
}

function equalityCost(args: readonly CostNode[]): CallEstimate | undefined {
  const [left, right] = args
  if (left === undefined || right === undefined || !sameType(left.type, right.type)) return undefined
  switch (left.type.name) {
    case 'net.IP':
    case 'net.CIDR':
    case 'kubernetes.Quantity':
    case 'kubernetes.Semver':
      return { cost: one }
    case 'kubernetes.NamedFormat':
      return { cost: scale({ min: 1n, max: maxFormatSize }, traversalFactor) }
    case 'kubernetes.URL':
      return { cost: scale({ min: 1n, max: right.size?.max ?? 1n }, traversalFactor) }
    default:
      return undefined
  }
}

function literalUint(node: CostNode | undefined, otherwise: bigint): bigint {
  const value = node?.expr?.kind === 'literal' ? node.expr.value : undefined
  if (typeof value !== 'bigint') return otherwise
  return value < 0n ? 0n : value
}

function listCall(factor: number, size: Range): CallEstimate {
  return { cost: add(scale(size, factor), one, fixed(listCost)), size }
}

function listCosts(
  overload: string,
  target: CostNode | undefined,
  args: readonly CostNode[],
  size: (node: CostNode) => Range,
): CallEstimate | undefined {
  const [first, second] = args
  const square = (range: Range): Range => multiply(range, range)
  switch (overload) {
    case 'list_slice': {
      if (target === undefined || args.length !== 2) return undefined
      const span = literalUint(second, size(target).max) - literalUint(first, 0n)
      return listCall(1, fixed(BigInt.asUintN(64, span)))
    }
    case 'lists_range':
      return listCall(1, fixed(literalUint(first, maxUint64)))
    case 'list_reverse':
      return target && listCall(1, size(target))
    case 'list_flatten':
      return target && listCall(1, size(target))
    case 'list_flatten_int':
      return target && listCall(Number(literalUint(first, maxUint64)), size(target))
    case 'list_distinct':
      return target && listCall(2, square(size(target)))
    case 'list_sets_contains_list':
    case 'list_sets_intersects_list':
    case 'list_sets_equivalent_list': {
      if (first === undefined || second === undefined) return undefined
      const factor = overload === 'list_sets_equivalent_list' ? 2 : 1
      return { cost: add(scale(multiply(size(first), size(second)), factor), one) }
    }
    default:
  }
  const sort = /^list_(.+)_(sort|sortByAssociatedKeys)$/.exec(overload)
  if (sort === null) return undefined
  const keys = sort[2] === 'sort' ? target : first
  const factor = sort[1] === 'string' || sort[1] === 'bytes' ? 2 + traversalFactor : 2
  return keys && listCall(factor, square(size(keys)))
}
