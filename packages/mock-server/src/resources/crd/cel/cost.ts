import type { CallExpr, ComprehensionExpr, Expr } from './ast.ts'
import { accumulatorName } from './ast.ts'
import { listCost, patternFactor, traversalFactor } from './call-cost.ts'
import type { Checked } from './checker.ts'
import type { DeclType } from './decl-type.ts'
import { add, fixed, maxUint64, multiply, scale, union, unknownSize, type Range } from './estimate.ts'
import { libraryCost, type CallEstimate, type CostNode, type SizeSource } from './library-cost.ts'
import type { CelKind, CelType } from './types.ts'
import { Uint } from './values.ts'

/*
 * Estimates what an expression can cost at most, before it is ever evaluated (`cel-go: checker/cost.go`).
 */

interface EntrySize {
  readonly kind: CelKind
  readonly key: Range
  readonly value: Range
}

interface LocalVariable {
  readonly path: readonly string[]
  readonly size: Range | undefined
  readonly entry: EntrySize | undefined
}

const none = fixed(0)
const one = fixed(1)

/** The range of costs of a checked expression over values of `self`'s type. */
export function estimateCost(checked: Checked, self: DeclType): Range {
  return new Coster(checked, self).cost(checked.expr)
}

class Coster implements SizeSource {
  readonly #checked: Checked
  readonly #self: DeclType
  readonly #paths = new Map<number, readonly string[]>()
  readonly #sizes = new Map<number, Range>()
  readonly #entries = new Map<number, EntrySize>()
  readonly #locals = new Map<string, LocalVariable[]>()

  constructor(checked: Checked, self: DeclType) {
    this.#checked = checked
    this.#self = self
  }

  cost(expr: Expr): Range {
    switch (expr.kind) {
      case 'ident': {
        const local = this.#local(expr.name)
        const name = expr.name.startsWith('.') ? expr.name.slice(1) : expr.name
        this.#paths.set(expr.id, local?.path ?? [name])
        return one
      }
      case 'select': {
        const operand = this.cost(expr.operand)
        if (expr.testOnly) return operand
        const { kind } = this.#typeOf(expr.operand)
        this.#paths.set(expr.id, [...this.#pathOf(expr.operand), expr.field])
        return kind === 'map' || kind === 'struct' || kind === 'param' ? add(operand, one) : operand
      }
      case 'call':
        return this.#call(expr)
      case 'list':
        return this.#list(expr.id, expr.elements)
      case 'map': {
        const costs = expr.entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)])
        const empty = expr.entries.length === 0 ? none : { min: maxUint64, max: 0n }
        this.#entries.set(expr.id, {
          kind: 'map',
          key: expr.entries.reduce((size, { key }) => union(size, this.#sizeOrUnknown(key)), empty),
          value: expr.entries.reduce((size, { value }) => union(size, this.#sizeOrUnknown(value)), empty),
        })
        return add(...costs, fixed(30))
      }
      case 'comprehension':
        return isBind(expr) ? this.#bind(expr) : this.#comprehension(expr)
      default:
        return none
    }
  }

  #typeOf(expr: Expr): CelType {
    return this.#checked.types.get(expr.id)!
  }

  #local(name: string): LocalVariable | undefined {
    return this.#locals.get(name)?.at(-1)
  }

  #push(name: string, variable: LocalVariable): void {
    const stack = this.#locals.get(name)
    if (stack === undefined) this.#locals.set(name, [variable])
    else stack.push(variable)
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop()
  }

  #pathOf(expr: Expr): readonly string[] {
    const local = expr.kind === 'ident' ? this.#local(expr.name) : undefined
    return local?.path ?? this.#paths.get(expr.id) ?? []
  }

  #node(expr: Expr): CostNode {
    const path = this.#pathOf(expr)
    return {
      path: path[0] === accumulatorName || path[0] === '__result__' ? [] : path,
      type: this.#typeOf(expr),
      expr,
      size: this.#size(expr),
    }
  }

  /** The most elements that the schema says the value at a path can have. */
  sizeAt(path: readonly string[]): Range | undefined {
    if (path.length === 0) return undefined
    let node: DeclType | undefined = this.#self
    for (const name of path.slice(1)) {
      if (name === '@items' || name === '@values') node = node.elemType
      else if (name === '@keys') node = node.keyType
      else node = node.fields?.get(name)?.type
      if (node === undefined) return undefined
    }
    return { min: 0n, max: BigInt(node.maxElements) }
  }

  #size(expr: Expr): Range | undefined {
    const known = this.#sizes.get(expr.id) ?? literalSize(expr)
    if (known !== undefined) return known
    const declared = this.sizeAt(this.#pathOf(expr))
    if (declared !== undefined) {
      this.#sizes.set(expr.id, declared)
      return declared
    }
    if (isScalar(this.#typeOf(expr))) return one
    return expr.kind === 'ident' ? this.#local(expr.name)?.size : undefined
  }

  #sizeOrUnknown(expr: Expr): Range {
    return this.#size(expr) ?? unknownSize
  }

  #entry(expr: Expr): EntrySize | undefined {
    const known = this.#entries.get(expr.id)
    if (known !== undefined) return known
    return expr.kind === 'ident' ? this.#local(expr.name)?.entry : undefined
  }

  #list(id: number, elements: readonly Expr[]): Range {
    const costs = elements.map((element) => this.cost(element))
    const empty = elements.length === 0 ? none : { min: maxUint64, max: 0n }
    const value = elements.reduce((size, element) => union(size, this.#sizeOrUnknown(element)), empty)
    this.#entries.set(id, { kind: 'list', key: one, value })
    return add(...costs, fixed(listCost))
  }

  #call(expr: CallExpr): Range {
    if (expr.fn === 'dyn') {
      const cost = this.cost(expr.args[0]!)
      this.#copySizes(expr, expr.args[0]!)
      return add(one, cost)
    }
    const costs = expr.args.map((arg) => this.cost(arg))
    const args = expr.args.map((arg) => this.#node(arg))
    const overloads = this.#checked.overloads.get(expr.id) ?? []
    if (overloads.length === 0) return none
    const targetCost = expr.target === undefined ? none : this.cost(expr.target)
    const target = expr.target === undefined ? undefined : this.#node(expr.target)
    let total: Range = { min: maxUint64, max: 0n }
    let size: Range | undefined
    for (const overload of overloads) {
      const estimate = this.#functionCost(expr, overload, target, args, costs)
      total = union(total, estimate.cost)
      if (estimate.size !== undefined) size = size === undefined ? estimate.size : union(size, estimate.size)
      if (overload === 'index_list' || overload === 'index_map') {
        const [operand] = expr.args
        size = this.#entry(operand!)?.value
        this.#paths.set(expr.id, [...this.#pathOf(operand!), overload === 'index_list' ? '@items' : '@values'])
      }
      size ??= this.#size(expr)
    }
    if (size !== undefined) this.#sizes.set(expr.id, size)
    return add(targetCost, total)
  }

  #copySizes(to: Expr, from: Expr): void {
    const size = this.#size(from)
    if (size !== undefined) this.#sizes.set(to.id, size)
    const entry = this.#entry(from)
    if (entry !== undefined) this.#entries.set(to.id, entry)
  }

  #functionCost(
    expr: CallExpr,
    overload: string,
    target: CostNode | undefined,
    args: readonly CostNode[],
    costs: readonly Range[],
  ): CallEstimate {
    const library = libraryCost(expr.fn, overload, target, args, this)
    if (library !== undefined) return { ...library, cost: add(library.cost, ...costs) }
    const own = this.#standardCost(expr, overload, target, args, costs)
    return own ?? { cost: add(one, ...costs) }
  }

  #standardCost(
    expr: CallExpr,
    overload: string,
    target: CostNode | undefined,
    args: readonly CostNode[],
    costs: readonly Range[],
  ): CallEstimate | undefined {
    const size = (node: CostNode | undefined): Range => node?.size ?? unknownSize
    const [first, second, third] = args
    const withArgs = (cost: Range, result?: Range): CallEstimate => ({
      cost: add(cost, ...costs),
      ...(result !== undefined && { size: result }),
    })
    switch (overload) {
      case 'string_format':
        return withArgs(scale(size(target), traversalFactor))
      case 'string_to_bytes': {
        const { min, max } = size(first)
        return withArgs(scale(size(first), traversalFactor), { min, max: BigInt.asUintN(64, max * 4n) })
      }
      case 'bytes_to_string': {
        const { min, max } = size(first)
        return withArgs(scale(size(first), traversalFactor), { min: min / 4n, max })
      }
      case 'strings_quote': {
        const { min, max } = size(first)
        return withArgs(scale(size(first), traversalFactor), { min: min + 2n, max: BigInt.asUintN(64, max * 2n + 2n) })
      }
      case 'starts_with_string':
      case 'ends_with_string':
        return withArgs(scale(size(first), traversalFactor))
      case 'in_list':
        return withArgs(scale(size(second), 1))
      case 'matches':
      case 'matches_string': {
        const [text, pattern] = target === undefined ? [first, second] : [target, first]
        const textCost = scale(add(size(text), one), traversalFactor)
        return withArgs(multiply(textCost, scale(size(pattern), patternFactor)))
      }
      case 'contains_string':
        return withArgs(multiply(scale(size(target), traversalFactor), scale(size(first), traversalFactor)))
      case 'logical_or':
      case 'logical_and':
        return { cost: { min: costs[0]!.min, max: add(costs[0]!, costs[1]!).max } }
      case 'conditional': {
        const [yes, no] = [this.#entry(expr.args[1]!), this.#entry(expr.args[2]!)]
        if (yes !== undefined && no !== undefined) this.#entries.set(expr.id, unionEntries(yes, no))
        return { cost: add(costs[0]!, union(costs[1]!, costs[2]!)), size: union(size(second), size(third)) }
      }
      case 'add_string':
      case 'add_bytes':
      case 'add_list': {
        const result = add(size(first), size(second))
        const [left, right] = [this.#entry(expr.args[0]!), this.#entry(expr.args[1]!)]
        if (left !== undefined && right !== undefined) this.#entries.set(expr.id, unionEntries(left, right))
        return withArgs(overload === 'add_list' ? one : scale(result, traversalFactor), result)
      }
      case 'equals':
      case 'not_equals':
        return withArgs(comparison(size(first), size(second)))
      default:
        return /^(less|greater)(_equals)?_(string|bytes)$/.test(overload)
          ? withArgs(comparison(size(first), size(second)))
          : undefined
    }
  }

  #comprehension(expr: ComprehensionExpr): Range {
    const rangeCost = this.cost(expr.range)
    const initCost = this.cost(expr.accuInit)
    this.#push(expr.accuVar, {
      path: this.#pathOf(expr.accuInit),
      size: this.#size(expr.accuInit),
      entry: this.#entry(expr.accuInit),
    })
    this.#pushIteration(expr)
    const loopCost = add(this.cost(expr.step), this.cost(expr.condition))
    this.#pop(expr.iterVar)
    if (expr.iterVar2 !== '') this.#pop(expr.iterVar2)
    const resultCost = this.cost(expr.result)
    this.#pop(expr.accuVar)
    const count = this.#sizeOrUnknown(expr.range)
    if (expr.accuInit.kind === 'literal') {
      const size = this.#size(expr.accuInit)
      if (size !== undefined) this.#sizes.set(expr.id, size)
    } else if (expr.accuInit.kind === 'list' || expr.accuInit.kind === 'map') {
      this.#sizes.set(expr.id, count)
      const entry = this.#entry(expr.step)
      if (entry !== undefined) this.#entries.set(expr.id, entry)
    }
    return add(rangeCost, initCost, resultCost, multiply(count, loopCost))
  }

  #pushIteration(expr: ComprehensionExpr): void {
    const entry = this.#entry(expr.range)
    const isList = (entry?.kind ?? this.#typeOf(expr.range).kind) === 'list'
    const path = this.#pathOf(expr.range)
    if (expr.iterVar2 === '') {
      const size = isList ? entry?.value : entry?.key
      this.#push(expr.iterVar, { path: [...path, isList ? '@items' : '@keys'], size, entry: undefined })
      return
    }
    this.#push(expr.iterVar, { path: [...path, isList ? '@indices' : '@keys'], size: entry?.key, entry: undefined })
    this.#push(expr.iterVar2, { path: [...path, isList ? '@items' : '@values'], size: entry?.value, entry: undefined })
  }

  #bind(expr: ComprehensionExpr): Range {
    const costs = [this.cost(expr.range), this.cost(expr.accuInit)]
    this.#push(expr.accuVar, {
      path: this.#pathOf(expr.accuInit),
      size: this.#size(expr.accuInit),
      entry: this.#entry(expr.accuInit),
    })
    costs.push(this.cost(expr.result))
    this.#pop(expr.accuVar)
    this.#copySizes(expr, expr.result)
    return add(...costs)
  }
}

function isBind({ range, condition, accuVar }: ComprehensionExpr): boolean {
  const never = condition.kind === 'literal' && condition.value === false
  return range.kind === 'list' && range.elements.length === 0 && never && accuVar !== accumulatorName
}

function unionEntries(a: EntrySize, b: EntrySize): EntrySize {
  return { kind: a.kind, key: union(a.key, b.key), value: union(a.value, b.value) }
}

function comparison(a: Range, b: Range): Range {
  const max = a.max < b.max ? a.max : b.max
  return scale({ min: max > 0n ? 1n : 0n, max }, traversalFactor)
}

function literalSize(expr: Expr): Range | undefined {
  if (expr.kind === 'list') return fixed(expr.elements.length)
  if (expr.kind === 'map') return fixed(expr.entries.length)
  if (expr.kind !== 'literal') return undefined
  const { value } = expr
  if (typeof value === 'string') return fixed(Array.from(value).length)
  if (value instanceof Uint8Array) return fixed(value.length)
  return value === null || typeof value !== 'object' || value instanceof Uint ? one : undefined
}

const scalars: ReadonlySet<CelKind> = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint'])

function isScalar(type: CelType): boolean {
  if (type.kind === 'opaque' && type.name === 'optional_type') return isScalar(type.params[0]!)
  return scalars.has(type.kind)
}
