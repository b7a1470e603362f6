import type { CallExpr, ComprehensionExpr, Expr, ListExpr, MapExpr, SelectExpr, StructExpr } from './ast.ts'
import type { DeclType } from './decl-type.ts'
import { reservedSymbols } from './escaping.ts'
import { typeIdent, type Environment } from './environment.ts'
import type { FunctionDecl } from './functions/declare.ts'
import type { Source } from './source.ts'
import {
  boolType,
  bytesType,
  doubleType,
  dynType,
  errorType,
  formatType,
  intType,
  listType,
  mapType,
  nullType,
  optionalType,
  paramType,
  stringType,
  uintType,
  type CelType,
} from './types.ts'
import {
  areAssignable,
  Bindings,
  formatCall,
  isAssignable,
  isDyn,
  isDynOrError,
  mostGeneral,
  sameType,
  substitute,
  unwrapOptional,
} from './unify.ts'
import type { Value } from './values.ts'

/** Gives every expression its type (`cel-go: checker/checker.go`). */

/** What checking found out. */
export interface Checked {
  readonly expr: Expr
  /** Types by id. */
  readonly types: ReadonlyMap<number, CelType>
  /** Ids of the forms that a call may be, by the call's id. */
  readonly overloads: ReadonlyMap<number, readonly string[]>
  /** Names that stand for types, by id. */
  readonly typeNames: ReadonlyMap<number, string>
  /** Variables that are used. */
  readonly variables: ReadonlySet<string>
}

/** What a check is made with. */
export interface CheckOptions {
  readonly environment: Environment
  readonly variables: ReadonlyMap<string, CelType>
  /** Fields of object types, by the types' names. */
  readonly structs: ReadonlyMap<string, DeclType>
}

/** Checks a parsed expression; errors are in the source afterwards. */
export function check(expr: Expr, source: Source, options: CheckOptions): Checked {
  return new Checker(source, options).run(expr)
}

function literalType(value: Value): CelType {
  if (value === null) return nullType
  switch (typeof value) {
    case 'boolean':
      return boolType
    case 'bigint':
      return intType
    case 'number':
      return doubleType
    case 'string':
      return stringType
    default:
      return value instanceof Uint8Array ? bytesType : uintType
  }
}

class Checker {
  readonly #source: Source
  readonly #options: CheckOptions
  readonly #types = new Map<number, CelType>()
  readonly #overloads = new Map<number, readonly string[]>()
  readonly #typeNames = new Map<number, string>()
  readonly #variables = new Set<string>()
  readonly #bindings = new Bindings()
  readonly #scopes: Map<string, CelType>[] = []
  #nextVariable = 0

  constructor(source: Source, options: CheckOptions) {
    this.#source = source
    this.#options = options
  }

  run(expr: Expr): Checked {
    const checked = this.#check(expr)
    for (const [id, type] of this.#types) this.#types.set(id, substitute(this.#bindings, type, true))
    return {
      expr: checked,
      types: this.#types,
      overloads: this.#overloads,
      typeNames: this.#typeNames,
      variables: this.#variables,
    }
  }

  #error(id: number, message: string): void {
    this.#source.reportAt(id, message)
  }

  #set(expr: Expr, type: CelType): CelType {
    this.#types.set(expr.id, type)
    return type
  }

  #typeOf(expr: Expr): CelType {
    return this.#types.get(expr.id) ?? errorType
  }

  #freshType(): CelType {
    return paramType(`_var${this.#nextVariable++}`)
  }

  /** Checks, and gives the expression back with qualified names resolved. */
  #check(expr: Expr): Expr {
    switch (expr.kind) {
      case 'literal':
        this.#set(expr, literalType(expr.value))
        return expr
      case 'ident':
        this.#ident(expr.id, expr.name, expr)
        return expr
      case 'select':
        return this.#select(expr)
      case 'call':
        return this.#call(expr)
      case 'list':
        return this.#list(expr)
      case 'map':
        return this.#map(expr)
      case 'struct':
        return this.#struct(expr)
      case 'comprehension':
        return this.#comprehension(expr)
      case 'unspecified':
        this.#set(expr, errorType)
        return expr
    }
  }

  #resolve(name: string): CelType | undefined {
    for (let i = this.#scopes.length - 1; i >= 0; i--) {
      const type = this.#scopes[i]!.get(name)
      if (type !== undefined) return type
    }
    const variable = this.#options.variables.get(name)
    if (variable !== undefined) this.#variables.add(name)
    return variable
  }

  #ident(id: number, name: string, expr: Expr): void {
    const plain = name.startsWith('.') ? name.slice(1) : name
    const type = this.#resolve(plain)
    if (type !== undefined) {
      this.#set(expr, type)
      return
    }
    const named = typeIdent(plain)
    if (named !== undefined) {
      this.#typeNames.set(id, plain)
      this.#set(expr, named)
      return
    }
    this.#set(expr, errorType)
    this.#error(id, `undeclared reference to '${name}' (in container '')`)
  }

  /** `a.b.c` where that could be one name; `undefined` for anything else. */
  #qualifiedName(expr: Expr): string | undefined {
    const names: string[] = []
    let at = expr
    while (at.kind === 'select') {
      if (at.testOnly) return undefined
      names.unshift(at.field)
      at = at.operand
    }
    if (at.kind !== 'ident') return undefined
    return [at.name, ...names].join('.')
  }

  #select(expr: SelectExpr): Expr {
    const name = this.#qualifiedName(expr)
    if (name !== undefined && name.includes('.')) {
      const named = typeIdent(name.startsWith('.') ? name.slice(1) : name)
      if (named !== undefined && this.#resolve(name.slice(0, name.indexOf('.'))) === undefined) {
        this.#typeNames.set(expr.id, name)
        this.#set(expr, named)
        return { kind: 'ident', id: expr.id, name }
      }
    }
    const operand = this.#check(expr.operand)
    const result = this.#fieldType(expr, operand, expr.field, false)
    this.#set(expr, expr.testOnly ? boolType : substitute(this.#bindings, result, false))
    return { ...expr, operand }
  }

  #fieldType(expr: Expr, operand: Expr, field: string, optional: boolean): CelType {
    const operandType = substitute(this.#bindings, this.#typeOf(operand), false)
    const target = unwrapOptional(operandType)
    const result = this.#plainFieldType(expr, target.type, field)
    return target.optional || optional ? optionalType(result) : result
  }

  #plainFieldType(expr: Expr, target: CelType, field: string): CelType {
    switch (target.kind) {
      case 'map':
        return target.params[1]!
      case 'struct': {
        const fields = this.#options.structs.get(target.name)?.fields
        const type = (fields?.get(field) ?? (reservedSymbols.has(field) ? fields?.get(`__${field}__`) : undefined))
          ?.type.celType
        if (type === undefined) this.#error(expr.id, `undefined field '${field}'`)
        return type ?? errorType
      }
      case 'param':
        isAssignable(this.#bindings, dynType, target)
        return dynType
      default:
        if (!isDynOrError(target)) {
          this.#error(expr.id, `type '${formatType(target)}' does not support field selection`)
        }
        return dynType
    }
  }

  #call(expr: CallExpr): Expr {
    if (expr.fn === '_?._') return this.#optionalSelect(expr)
    const args = expr.args.map((arg) => this.#check(arg))
    const { functions } = this.#options.environment
    if (expr.target === undefined) {
      const name = expr.fn.startsWith('.') ? expr.fn.slice(1) : expr.fn
      const fn = functions.get(name)
      if (fn === undefined) return this.#undeclared(expr, args)
      const checked: CallExpr = { ...expr, fn: name, args }
      this.#resolveOverload(checked, fn, args, false)
      return checked
    }
    const prefix = this.#qualifiedName(expr.target)
    const qualified =
      prefix === undefined ? undefined : `${prefix.startsWith('.') ? prefix.slice(1) : prefix}.${expr.fn}`
    const global = qualified === undefined ? undefined : functions.get(qualified)
    if (global !== undefined) {
      const checked: CallExpr = { ...expr, fn: qualified!, target: undefined, args }
      this.#resolveOverload(checked, global, args, false)
      return checked
    }
    const target = this.#check(expr.target)
    const fn = functions.get(expr.fn)
    if (fn === undefined) return this.#undeclared({ ...expr, target }, args)
    const checked: CallExpr = { ...expr, target, args }
    this.#resolveOverload(checked, fn, [target, ...args], true)
    return checked
  }

  #undeclared(expr: CallExpr, args: readonly Expr[]): Expr {
    this.#set(expr, errorType)
    this.#error(expr.id, `undeclared reference to '${expr.fn}' (in container '')`)
    return { ...expr, args }
  }

  #optionalSelect(expr: CallExpr): Expr {
    const [given, field] = expr.args
    const operand = this.#check(given!)
    const name = field?.kind === 'literal' && typeof field.value === 'string' ? field.value : ''
    const result = this.#fieldType(expr, operand, name, true)
    this.#set(expr, substitute(this.#bindings, result, false))
    this.#overloads.set(expr.id, ['select_optional_field'])
    return { ...expr, args: [operand, field!] }
  }

  #resolveOverload(call: CallExpr, fn: FunctionDecl, args: readonly Expr[], member: boolean): void {
    const argTypes = args.map((arg) => this.#typeOf(arg))
    if (fn.name === '_&&_' || fn.name === '_||_') {
      this.#logical(call, fn, args, argTypes)
      return
    }
    let result: CelType | undefined
    const ids: string[] = []
    for (const overload of fn.overloads) {
      if (overload.member !== member) continue
      let wanted = overload.args
      let given = overload.result
      if (overload.params.length > 0) {
        const fresh = new Bindings()
        for (const name of overload.params) fresh.bind(paramType(name), this.#freshType())
        wanted = wanted.map((type) => substitute(fresh, type, false))
        given = substitute(fresh, given, false)
      }
      if (!areAssignable(this.#bindings, argTypes, wanted)) continue
      ids.push(overload.id)
      const type = substitute(this.#bindings, given, false)
      if (result === undefined) result = type
      else if (!isDyn(result) && !sameType(type, result)) result = dynType
    }
    if (result === undefined) {
      const shown = argTypes.map((type) => substitute(this.#bindings, type, true))
      this.#error(call.id, `found no matching overload for '${fn.name}' applied to '${formatCall(shown, member)}'`)
      this.#set(call, errorType)
      return
    }
    this.#set(call, result)
    this.#overloads.set(call.id, ids)
  }

  #logical(call: CallExpr, fn: FunctionDecl, args: readonly Expr[], types: readonly CelType[]): void {
    let failed = false
    for (const [i, type] of types.entries()) {
      if (isAssignable(this.#bindings, type, boolType)) continue
      this.#mismatch(args[i]!.id, boolType, type)
      failed = true
    }
    this.#set(call, failed ? errorType : boolType)
    if (!failed) this.#overloads.set(call.id, [fn.overloads[0]!.id])
  }

  #mismatch(id: number, expected: CelType, actual: CelType): void {
    this.#error(id, `expected type '${formatType(expected)}' but found '${formatType(actual)}'`)
  }

  /** The common type of an element and those before it. */
  #join(before: CelType | undefined, type: CelType): CelType {
    if (before === undefined) return type
    if (isAssignable(this.#bindings, before, type)) return mostGeneral(before, type)
    return dynType
  }

  #unwrapEntry(expr: Expr, optional: boolean): CelType {
    const type = this.#typeOf(expr)
    if (!optional) return type
    const unwrapped = unwrapOptional(type)
    if (!unwrapped.optional && !isDyn(type)) this.#mismatch(expr.id, optionalType(type), type)
    return unwrapped.type
  }

  #list(expr: ListExpr): Expr {
    let type: CelType | undefined
    const elements = expr.elements.map((element, i) => {
      const checked = this.#check(element)
      type = this.#join(type, this.#unwrapEntry(checked, expr.optionals.has(i)))
      return checked
    })
    this.#set(expr, listType(type ?? this.#freshType()))
    return { ...expr, elements }
  }

  #map(expr: MapExpr): Expr {
    let keyType: CelType | undefined
    let valueType: CelType | undefined
    const entries = expr.entries.map((entry) => {
      const key = this.#check(entry.key)
      keyType = this.#join(keyType, this.#typeOf(key))
      const value = this.#check(entry.value)
      valueType = this.#join(valueType, this.#unwrapEntry(value, entry.optional))
      return { ...entry, key, value }
    })
    this.#set(expr, mapType(keyType ?? this.#freshType(), valueType ?? this.#freshType()))
    return { ...expr, entries }
  }

  /** No type of a schema can be made: their names are nobody's business. */
  #struct(expr: StructExpr): Expr {
    const name = expr.typeName.startsWith('.') ? expr.typeName.slice(1) : expr.typeName
    const type = typeIdent(name)
    this.#set(expr, errorType)
    if (type === undefined) this.#error(expr.id, `undeclared reference to '${expr.typeName}' (in container '')`)
    else this.#error(expr.id, `'${name}' is not a message type`)
    return expr
  }

  #comprehension(expr: ComprehensionExpr): Expr {
    const range = this.#check(expr.range)
    const accuInit = this.#check(expr.accuInit)
    const rangeType = substitute(this.#bindings, this.#typeOf(range), false)
    const accuType = this.#typeOf(accuInit)
    this.#scopes.push(new Map([[expr.accuVar, accuType]]))
    const variables = this.#iterationTypes(expr, range, rangeType)
    this.#scopes.push(variables)
    const condition = this.#check(expr.condition)
    this.#assert(condition, boolType)
    const step = this.#check(expr.step)
    this.#assert(step, accuType)
    this.#scopes.pop()
    const result = this.#check(expr.result)
    this.#scopes.pop()
    this.#set(expr, substitute(this.#bindings, this.#typeOf(result), false))
    return { ...expr, range, accuInit, condition, step, result }
  }

  #iterationTypes(expr: ComprehensionExpr, range: Expr, rangeType: CelType): Map<string, CelType> {
    let first: CelType
    let second: CelType
    switch (rangeType.kind) {
      case 'list':
        second = rangeType.params[0]!
        first = expr.iterVar2 === '' ? second : intType
        break
      case 'map':
        first = rangeType.params[0]!
        second = rangeType.params[1]!
        break
      case 'dyn':
      case 'error':
      case 'param':
        isAssignable(this.#bindings, dynType, rangeType)
        first = second = dynType
        break
      default:
        this.#error(
          range.id,
          `expression of type '${formatType(rangeType)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        )
        first = second = errorType
    }
    const variables = new Map([[expr.iterVar, first]])
    if (expr.iterVar2 !== '') variables.set(expr.iterVar2, second)
    return variables
  }

  #assert(expr: Expr, type: CelType): void {
    if (!isAssignable(this.#bindings, type, this.#typeOf(expr))) this.#mismatch(expr.id, type, this.#typeOf(expr))
  }
}
