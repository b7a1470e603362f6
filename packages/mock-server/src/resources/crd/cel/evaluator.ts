import { compileRegexp } from '../../../go/regexp.ts'
import type { CallExpr, ComprehensionExpr, Expr, ListExpr, MapExpr } from './ast.ts'
import { resolve, type Attribute, type Qualifier } from './attribute.ts'
import { callCost, costsByArguments } from './call-cost.ts'
import type { Checked } from './checker.ts'
import { appendsToList, Growing, iterations, notIterable } from './comprehension.ts'
import { accepts, type Environment } from './environment.ts'
import { Evaluation, type Eval, type Scope } from './evaluation.ts'
import type { FunctionDecl, Overload } from './functions/declare.ts'
import {
  CelError,
  CelList,
  CelMap,
  isError,
  mapKey,
  noSuchOverload,
  Optional,
  show,
  typeName,
  TypeValue,
  ValueList,
  ValueMap,
  type Value,
} from './values.ts'

/*
 * Evaluates checked expressions, and counts what that costs as the real evaluator does
 * (`cel-go: interpreter`): a rule that costs too much is stopped at the same point.
 */

/** Thrown for an expression that can be told to fail before it is evaluated. */
export class PlanError extends Error {}

/** A planned expression. */
interface Plan {
  readonly eval: Eval
  /** Set where the value is known already. */
  readonly constant?: Value
  /** Set where further selections are added to this one instead of to its value. */
  readonly attribute?: Attribute
}

/** A compiled expression. */
export interface Program {
  /** Evaluates. Throws {@link CostLimitExceeded}. */
  evaluate(variables: ReadonlyMap<string, Value>, limit: number): { readonly value: Value; readonly cost: number }
}

/** Plans a checked expression. Throws a {@link PlanError} where constants in it are wrong. */
export function plan(checked: Checked, environment: Environment): Program {
  const planned = new Planner(checked, environment).plan(checked.expr)
  return {
    evaluate: (variables, limit) => {
      const run = new Evaluation(variables, limit)
      const value = planned.eval(run)
      return { value, cost: run.cost }
    },
  }
}

const conversions = new Set([
  'bool',
  'bytes',
  'double',
  'duration',
  'dyn',
  'int',
  'string',
  'timestamp',
  'type',
  'uint',
])

function constant(value: Value): Plan {
  return { eval: () => value, constant: value }
}

function attributePlan(attribute: Attribute): Plan {
  // The presence test itself is free, only its steps are not; a ternary is free, so testing its field gives one back.
  const tests = attribute.qualifiers.at(-1)?.presence === true
  const price = (attribute.ternary ? 0 : 1) - (tests ? 1 : 0)
  return {
    attribute,
    eval: (run) => {
      const value = resolve(attribute, run)
      if (price !== 0) run.charge(price)
      return value
    },
  }
}

class Planner {
  readonly #checked: Checked
  readonly #environment: Environment

  constructor(checked: Checked, environment: Environment) {
    this.#checked = checked
    this.#environment = environment
  }

  plan(expr: Expr): Plan {
    switch (expr.kind) {
      case 'literal':
        return constant(expr.value)
      case 'ident':
        return this.#ident(expr.id, expr.name)
      case 'select':
        return this.#qualify(this.plan(expr.operand), {
          optional: false,
          presence: expr.testOnly,
          key: expr.field,
          attribute: undefined,
        })
      case 'call':
        return this.#call(expr)
      case 'list':
        return this.#list(expr)
      case 'map':
        return this.#map(expr)
      case 'comprehension':
        return this.#comprehension(expr)
      default:
        throw new PlanError('unsupported expression')
    }
  }

  #ident(id: number, name: string): Plan {
    const typed = this.#checked.typeNames.get(id)
    if (typed !== undefined) return constant(new TypeValue(typed))
    const plain = name.startsWith('.') ? name.slice(1) : name
    return attributePlan({ start: (run) => run.lookup(plain), qualifiers: [], ternary: false })
  }

  /** The attribute that a value is, or that begins with it. */
  #attributeOf(planned: Plan): Attribute {
    return planned.attribute ?? { start: planned.eval, qualifiers: [], ternary: false }
  }

  #qualify(planned: Plan, qualifier: Qualifier): Plan {
    const { start, qualifiers, ternary } = this.#attributeOf(planned)
    return attributePlan({ start, qualifiers: [...qualifiers, qualifier], ternary })
  }

  #call(expr: CallExpr): Plan {
    switch (expr.fn) {
      case '_?_:_':
        return this.#conditional(expr)
      case '_&&_':
        return this.#logical(expr, false)
      case '_||_':
        return this.#logical(expr, true)
      case '_[_]':
        return this.#index(expr, false)
      case '_[?_]':
      case '_?._':
        return this.#index(expr, true)
      case 'or':
      case 'orValue':
        if (expr.target !== undefined && expr.args.length === 1) return this.#optionalOr(expr)
        break
      default:
    }
    return this.#function(expr)
  }

  #index(expr: CallExpr, optional: boolean): Plan {
    const [operand, index] = expr.args
    const target = this.plan(operand!)
    const key = this.plan(index!)
    const given = key.constant
    return this.#qualify(target, {
      optional,
      presence: false,
      key: given,
      attribute: given === undefined ? this.#attributeOf(key) : undefined,
    })
  }

  /** Branches are attributes: what is selected from the whole is selected from one of them. */
  #conditional(expr: CallExpr): Plan {
    const [test, yes, no] = expr.args.map((arg) => this.plan(arg)) as [Plan, Plan, Plan]
    const [whenTrue, whenFalse] = [this.#attributeOf(yes), this.#attributeOf(no)]
    const start: Eval = (run) => {
      const chosen = test.eval(run)
      if (chosen === true) return resolve(whenTrue, run)
      if (chosen === false) return resolve(whenFalse, run)
      return isError(chosen) ? chosen : noSuchOverload
    }
    return { attribute: { start, qualifiers: [], ternary: true }, eval: start }
  }

  /** Errors on one side do not matter where the other decides. */
  #logical(expr: CallExpr, decisive: boolean): Plan {
    const terms = expr.args.map((arg) => this.plan(arg).eval)
    return {
      eval: (run) => {
        let failed: CelError | undefined
        for (const term of terms) {
          const value = term(run)
          if (value === decisive) return decisive
          if (typeof value !== 'boolean') failed ??= isError(value) ? value : noSuchOverload
        }
        return failed ?? !decisive
      },
    }
  }

  #optionalOr(expr: CallExpr): Plan {
    const target = this.plan(expr.target!).eval
    const other = this.plan(expr.args[0]!).eval
    const whole = expr.fn === 'or'
    return {
      eval: (run) => {
        const value = target(run)
        if (isError(value)) return value
        if (!(value instanceof Optional)) return noSuchOverload
        if (value.value !== undefined) return whole ? value : value.value
        return other(run)
      },
    }
  }

  #function(expr: CallExpr): Plan {
    const fn = this.#environment.functions.get(expr.fn)!
    const ids = this.#checked.overloads.get(expr.id) ?? []
    const overloadId = ids.length === 1 ? ids[0]! : ''
    const args = (expr.target === undefined ? expr.args : [expr.target, ...expr.args]).map((arg) => this.plan(arg))
    const folded = this.#fold(expr, fn, overloadId, args)
    if (folded !== undefined) return folded
    const overloads = overloadId === '' ? fn.overloads : fn.overloads.filter(({ id }) => id === overloadId)
    const member = expr.target !== undefined
    const callable = overloads.filter((overload) => overload.member === member)
    const strict = expr.fn !== '@not_strictly_false'
    return {
      eval: (run) => {
        const values = args.map((arg) => arg.eval(run))
        // What takes the square of a list's size must not be done first and refused afterwards.
        const ahead = costsByArguments.has(overloadId)
        if (ahead) run.charge(callCost(fn.name, overloadId, values, null))
        const result = apply(fn, callable, values, strict)
        if (!ahead) run.charge(callCost(fn.name, overloadId, values, result))
        return result
      },
    }
  }

  /** What is known before evaluation. */
  #fold(expr: CallExpr, fn: FunctionDecl, overloadId: string, args: readonly Plan[]): Plan | undefined {
    const [first, second] = args
    if (conversions.has(expr.fn) && args.length === 1 && first!.constant !== undefined) {
      const value = apply(fn, fn.overloads, [first!.constant], true)
      if (isError(value)) throw new PlanError(value.message)
      return constant(value)
    }
    if (overloadId === 'in_list' && second!.constant instanceof CelList) return membership(first!, second!.constant)
    if (
      (expr.fn === 'find' || expr.fn === 'findAll' || expr.fn === 'matches') &&
      typeof second?.constant === 'string'
    ) {
      const compiled = compileRegexp(second.constant)
      if ('error' in compiled) throw new PlanError(compiled.error)
    }
    return undefined
  }

  #list(expr: ListExpr): Plan {
    const elements = expr.elements.map((element) => this.plan(element))
    const { optionals } = expr
    if (optionals.size === 0 && elements.every((element) => element.constant !== undefined)) {
      return constant(new ValueList(elements.map((element) => element.constant!)))
    }
    return {
      eval: (run) => {
        const values: Value[] = []
        for (const [i, element] of elements.entries()) {
          const value = element.eval(run)
          if (isError(value)) return value
          if (!optionals.has(i)) values.push(value)
          else if (!(value instanceof Optional)) {
            return new CelError(`cannot initialize optional list element from non-optional value ${show(value)}`)
          } else if (value.value !== undefined) values.push(value.value)
        }
        run.charge(10)
        return new ValueList(values)
      },
    }
  }

  #map(expr: MapExpr): Plan {
    const entries = expr.entries.map(({ key, value, optional }) => ({
      key: this.plan(key),
      value: this.plan(value),
      optional,
    }))
    const make = (run: Evaluation): Value => {
      const made = new Map<string, readonly [Value, Value]>()
      for (const entry of entries) {
        const key = entry.key.eval(run)
        if (isError(key)) return key
        let value = entry.value.eval(run)
        if (isError(value)) return value
        if (entry.optional) {
          if (!(value instanceof Optional)) {
            return new CelError(
              `cannot initialize optional entry '${show(key)}' from non-optional value ${show(value)}`,
            )
          }
          if (value.value === undefined) continue
          value = value.value
        }
        const name = mapKey(key)
        if (name === undefined) return new CelError(`unsupported key type: ${typeName(key)}`)
        made.set(name, [key, value])
      }
      return new ValueMap(made)
    }
    const known = entries.every(({ key, value, optional }) => {
      return !optional && key.constant !== undefined && value.constant !== undefined
    })
    if (known) {
      const value = make(new Evaluation(new Map(), Infinity))
      if (!isError(value)) return constant(value)
    }
    return {
      eval: (run) => {
        const value = make(run)
        if (!isError(value)) run.charge(30)
        return value
      },
    }
  }

  #comprehension(expr: ComprehensionExpr): Plan {
    const range = this.plan(expr.range).eval
    const init = this.plan(expr.accuInit).eval
    const condition = this.plan(expr.condition).eval
    const next = this.plan(expr.step).eval
    const result = this.plan(expr.result).eval
    const appends = appendsToList(expr)
    return {
      eval: (run) => {
        const over = range(run)
        if (isError(over)) return over
        if (!(over instanceof CelList) && !(over instanceof CelMap)) return notIterable(over)
        const outer = run.scope
        const accumulator: Scope = { name: expr.accuVar, value: undefined, make: () => init(run), parent: outer }
        run.scope = accumulator
        for (const scope of iterations(expr, over, accumulator)) {
          run.scope = scope
          if (condition(run) === false) break
          const stepped = next(run)
          // Lists that grow element by element are put together at the end.
          accumulator.value = appends && stepped instanceof ValueList ? new Growing(stepped) : stepped
        }
        if (accumulator.value instanceof Growing) accumulator.value = accumulator.value.finished()
        run.scope = accumulator
        const value = result(run)
        run.scope = outer
        return value
      },
    }
  }
}

/** Calls a function, with what is wrong with its arguments told in the evaluator's words. */
function apply(fn: FunctionDecl, overloads: readonly Overload[], values: readonly Value[], strict: boolean): Value {
  if (strict) for (const value of values) if (isError(value)) return value
  if (!fn.unguarded && !overloads.some((overload) => accepts(overload, values))) {
    return new CelError(`no such overload: ${fn.name}(${values.map(typeName).join(', ')})`)
  }
  try {
    return fn.run(values)
  } catch (error) {
    // A text can become too long for the machine before it costs too much.
    if (error instanceof RangeError) return new CelError(`${fn.name}: result is too large`)
    throw error
  }
}

/** `x in [1, 2, 3]`: constants of simple types are looked up. */
function membership(needle: Plan, list: CelList): Plan | undefined {
  if (list.size === 0) return constant(false)
  const known = new Set<string>()
  for (const value of list) {
    const key = mapKey(value)
    if (key === undefined) return undefined
    known.add(key)
  }
  return {
    eval: (run) => {
      const value = needle.eval(run)
      if (isError(value)) return value
      const key = mapKey(value)
      return key !== undefined && known.has(key)
    },
  }
}
