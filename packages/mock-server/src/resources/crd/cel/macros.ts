import { accumulatorName, type Expr } from './ast.ts'

/** What a macro makes its expression with: every node gets the place of the macro's call. */
export interface MacroHelper {
  readonly newId: () => number
  /** Copies an expression with ids of its own. */
  readonly copy: (expr: Expr) => Expr
}

/** A macro that matched but whose arguments are no good, at one of them. */
export interface MacroError {
  readonly error: string
  readonly id: number
}

type Expander = (helper: MacroHelper, target: Expr, args: readonly Expr[]) => Expr | MacroError

const names = (expr: Expr): string | undefined => (expr.kind === 'ident' ? expr.name : undefined)
const isAccumulator = (name: string): boolean => name === accumulatorName || name === '__result__'
const overwrites = 'iteration variable overwrites accumulator variable'

function builder(helper: MacroHelper): {
  literal: (value: boolean | bigint) => Expr
  ident: (name: string) => Expr
  accu: () => Expr
  call: (fn: string, ...args: readonly Expr[]) => Expr
  member: (fn: string, target: Expr, ...args: readonly Expr[]) => Expr
  list: (...elements: readonly Expr[]) => Expr
  map: () => Expr
} {
  const { newId } = helper
  const ident = (name: string): Expr => ({ kind: 'ident', id: newId(), name })
  return {
    literal: (value) => ({ kind: 'literal', id: newId(), value }),
    ident,
    accu: () => ident(accumulatorName),
    call: (fn, ...args) => ({ kind: 'call', id: newId(), fn, target: undefined, args }),
    member: (fn, target, ...args) => ({ kind: 'call', id: newId(), fn, target, args }),
    list: (...elements) => ({ kind: 'list', id: newId(), elements, optionals: new Set() }),
    map: () => ({ kind: 'map', id: newId(), entries: [] }),
  }
}

interface Fold {
  readonly init: Expr
  readonly condition: Expr
  readonly step: Expr
  readonly result: Expr
}

/** The accumulation of one macro; `bodies` are its arguments after the variables. */
type Folder = (helper: MacroHelper, bodies: readonly Expr[], variable: Expr) => Fold

const all: Folder = (helper, [predicate]) => {
  const make = builder(helper)
  return {
    init: make.literal(true),
    condition: make.call('@not_strictly_false', make.accu()),
    step: make.call('_&&_', make.accu(), predicate!),
    result: make.accu(),
  }
}
const exists: Folder = (helper, [predicate]) => {
  const make = builder(helper)
  return {
    init: make.literal(false),
    condition: make.call('@not_strictly_false', make.call('!_', make.accu())),
    step: make.call('_||_', make.accu(), predicate!),
    result: make.accu(),
  }
}
const existsOne: Folder = (helper, [predicate]) => {
  const make = builder(helper)
  return {
    init: make.literal(0n),
    condition: make.literal(true),
    step: make.call('_?_:_', predicate!, make.call('_+_', make.accu(), make.literal(1n)), make.accu()),
    result: make.call('_==_', make.accu(), make.literal(1n)),
  }
}

/** Appends, or with a filter first, only what passes it. */
function collecting(
  append: (make: ReturnType<typeof builder>, transform: Expr, variable: Expr) => Expr,
  empty: 'list' | 'map',
): Folder {
  return (helper, bodies, variable) => {
    const make = builder(helper)
    const init = make[empty]()
    const condition = make.literal(true)
    const filter = bodies.length === 2 ? bodies[0] : undefined
    let step = append(make, bodies.at(-1)!, variable)
    if (filter !== undefined) step = make.call('_?_:_', filter, step, make.accu())
    return { init, condition, step, result: make.accu() }
  }
}
const appendToList = (make: ReturnType<typeof builder>, transform: Expr): Expr =>
  make.call('_+_', make.accu(), make.list(transform))
const mapMacro: Folder = collecting(appendToList, 'list')
const filterMacro: Folder = (helper, [predicate], variable) => mapMacro(helper, [predicate!, variable], variable)
const transformMap: Folder = collecting(
  (make, transform, variable) =>
    make.call('cel.@mapInsert', make.accu(), make.ident((variable as { name: string }).name), transform),
  'map',
)
const transformMapEntry: Folder = collecting(
  (make, transform) => make.call('cel.@mapInsert', make.accu(), transform),
  'map',
)

function oneVariable(folder: Folder, notAName: string): Expander {
  return (helper, target, args) => {
    const name = names(args[0]!)
    if (name === undefined) return { error: notAName, id: args[0]!.id }
    if (isAccumulator(name)) return { error: overwrites, id: args[0]!.id }
    const { init, condition, step, result } = folder(helper, args.slice(1), args[0]!)
    return comprehension(helper, target, name, '', accumulatorName, init, condition, step, result)
  }
}

function twoVariables(folder: Folder): Expander {
  return (helper, target, args) => {
    const [first, second] = [names(args[0]!), names(args[1]!)]
    if (first === undefined) return { error: 'argument must be a simple name', id: args[0]!.id }
    if (second === undefined) return { error: 'argument must be a simple name', id: args[1]!.id }
    if (first === second) return { error: `duplicate variable name: ${first}`, id: args[1]!.id }
    if (isAccumulator(first)) return { error: overwrites, id: args[0]!.id }
    if (isAccumulator(second)) return { error: overwrites, id: args[1]!.id }
    const { init, condition, step, result } = folder(helper, args.slice(2), args[0]!)
    return comprehension(helper, target, first, second, accumulatorName, init, condition, step, result)
  }
}

function comprehension(
  helper: MacroHelper,
  range: Expr,
  iterVar: string,
  iterVar2: string,
  accuVar: string,
  accuInit: Expr,
  condition: Expr,
  step: Expr,
  result: Expr,
): Expr {
  const id = helper.newId()
  return { kind: 'comprehension', id, range, iterVar, iterVar2, accuVar, accuInit, condition, step, result }
}

/** Binds a name within an expression: a comprehension over nothing. */
function bind(helper: MacroHelper, name: string, value: Expr, body: Expr): Expr {
  const make = builder(helper)
  return comprehension(helper, make.list(), '#unused', '', name, value, make.literal(false), make.ident(name), body)
}

function optionalMap(fn: 'optMap' | 'optFlatMap'): Expander {
  return (helper, target, args) => {
    const name = names(args[0]!)
    if (name === undefined) return { error: `${fn}() variable name must be a simple identifier`, id: args[0]!.id }
    const make = builder(helper)
    const bound = bind(helper, name, make.member('value', helper.copy(target)), args[1]!)
    return make.call(
      '_?_:_',
      make.member('hasValue', target),
      fn === 'optMap' ? make.call('optional.of', bound) : bound,
      make.call('optional.none'),
    )
  }
}

const sortBy: Expander = (helper, target, args) => {
  if (target.kind === 'literal' || target.kind === 'map' || target.kind === 'struct') {
    const message = 'sortBy can only be applied to a list, identifier, comprehension, call or select expression'
    return { error: message, id: target.id }
  }
  const make = builder(helper)
  const input = '@__sortBy_input__'
  const keys = oneVariable(mapMacro, 'argument is not an identifier')(helper, make.ident(input), args)
  if ('error' in keys) return keys
  return bind(helper, input, target, make.member('@sortByAssociatedKeys', make.ident(input), keys))
}

const simpleName = 'argument must be a simple name'
const notIdentifier = 'argument is not an identifier'

/** Receiver macros by name and number of arguments; `has` is the parser's own. */
const receiverMacros: Readonly<Record<string, Expander>> = {
  'all:2': oneVariable(all, simpleName),
  'exists:2': oneVariable(exists, simpleName),
  'exists_one:2': oneVariable(existsOne, simpleName),
  'map:2': oneVariable(mapMacro, notIdentifier),
  'map:3': oneVariable(mapMacro, notIdentifier),
  'filter:2': oneVariable(filterMacro, notIdentifier),
  'all:3': twoVariables(all),
  'exists:3': twoVariables(exists),
  'existsOne:3': twoVariables(existsOne),
  'exists_one:3': twoVariables(existsOne),
  'transformList:3': twoVariables(mapMacro),
  'transformList:4': twoVariables(mapMacro),
  'transformMap:3': twoVariables(transformMap),
  'transformMap:4': twoVariables(transformMap),
  'transformMapEntry:3': twoVariables(transformMapEntry),
  'transformMapEntry:4': twoVariables(transformMapEntry),
  'optMap:2': optionalMap('optMap'),
  'optFlatMap:2': optionalMap('optFlatMap'),
  'sortBy:2': sortBy,
}

/** Expands a call with a receiver, where it is a macro's. */
export function expandReceiverMacro(
  helper: MacroHelper,
  fn: string,
  target: Expr,
  args: readonly Expr[],
): Expr | MacroError | undefined {
  const name = `${fn}:${args.length}`
  return Object.hasOwn(receiverMacros, name) ? receiverMacros[name]!(helper, target, args) : undefined
}
