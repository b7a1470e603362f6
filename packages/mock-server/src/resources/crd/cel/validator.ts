import { omitValue, type FieldError } from '@freshread/core'
import type { CorrelatedObject } from '../correlated-object.ts'
import { child, duplicate, forbidden, index, invalid, key, required, type FieldPath } from '../field-errors.ts'
import { makeMapList } from '../list-type.ts'
import { additionalSchema, isObject, propertySchema, type JsonSchemaProps, type ValidationRule } from '../types.ts'
import { compileRules, type CompilationResult } from './compile.ts'
import { schemaDeclType, withTypeAndObjectMeta, type DeclType } from './decl-type.ts'
import { escapeIdent } from './escaping.ts'
import { CostLimitExceeded } from './evaluation.ts'
import type { Program } from './evaluator.ts'
import { jsonValue } from './json-values.ts'
import { isError, Optional, type Value } from './values.ts'

/*
 * Evaluates the rules of a schema on an object (`pkg/apiserver/schema/cel: validation.go`).
 */

/** Most that the rules of one object may cost together. */
export const runtimeCelCostBudget = 10_000_000
/** Most that one evaluation may cost. */
const perCallLimit = 1_000_000
const maxMessageBytes = 5 * 1024

const outOfBudget = 'validation failed due to running out of cost budget, no further validation rules will be run'

/** What validating found. */
interface CelOutcome {
  readonly errors: FieldError[]
  /** Of what is unchanged since it was accepted: told, but let through. */
  readonly warnings: FieldError[]
  /** Negative when the rules cost too much. */
  readonly remainingBudget: number
}

/** The rules of a schema and of all below it. */
export interface CelValidator {
  /**
   * @param old the value that is replaced; undefined where there is none
   * @param correlation lets errors in unchanged parts through
   */
  validate(path: FieldPath, value: unknown, old: unknown, budget: number, correlation?: CorrelatedObject): CelOutcome
}

/** Compiles the rules of a schema; `undefined` where it has none. */
export function newCelValidator(schema: JsonSchemaProps, isResourceRoot: boolean): CelValidator | undefined {
  if (!hasSpineRules(schema)) return undefined
  const node = makeNode(schema, schema, isResourceRoot, schemaDeclType(schema, isResourceRoot))
  if (node === undefined) return undefined
  return {
    validate: (path, value, old, budget, correlation) => {
      const state: State = { errors: [], warnings: [], budget }
      node.validate(path, value, old, { current: correlation, parent: undefined }, state)
      return { errors: state.errors, warnings: state.warnings, remainingBudget: state.budget }
    },
  }
}

/** A schema whose only rules are in logical parts has none at all. */
function hasSpineRules(schema: JsonSchemaProps | undefined): boolean {
  if (schema === undefined) return false
  if ((schema['x-kubernetes-validations'] ?? []).length > 0) return true
  if (hasSpineRules(schema.items) || hasSpineRules(additionalSchema(schema))) return true
  return Object.values(schema.properties ?? {}).some(hasSpineRules)
}

function hasRules(schema: JsonSchemaProps | undefined): boolean {
  if (schema === undefined) return false
  if ((schema['x-kubernetes-validations'] ?? []).length > 0) return true
  if (hasRules(schema.items) || hasRules(additionalSchema(schema))) return true
  if (Object.values(schema.properties ?? {}).some(hasRules)) return true
  return (schema.allOf ?? []).some(hasRules)
}

const storedBefore = { has: (): boolean => true }

/** A node whose own rules come from `rules`, a part of the schema's `allOf` or the node itself. */
function makeNode(
  rules: JsonSchemaProps,
  schema: JsonSchemaProps,
  isResourceRoot: boolean,
  declType: DeclType | undefined,
): Node | undefined {
  if (!hasRules(rules)) return undefined
  const own = rules['x-kubernetes-validations'] ?? []
  const compiled =
    declType === undefined ? [] : compileRules({ ...schema, 'x-kubernetes-validations': own }, declType, storedBefore)
  const isRoot = (node: JsonSchemaProps): boolean => node['x-kubernetes-embedded-resource'] === true
  const items =
    rules.items === undefined || schema.items === undefined
      ? undefined
      : makeNode(rules.items, schema.items, isRoot(schema.items), declType?.elemType)
  const properties = new Map<string, Node>()
  for (const [name, property] of Object.entries(rules.properties ?? {})) {
    const spine = propertySchema(schema, name)
    if (spine === undefined) continue
    const escaped = escapeIdent(name)
    // Fields that CEL cannot name have rules of their own all the same.
    const type = escaped === undefined ? schemaDeclType(spine, isRoot(spine)) : declType?.fields?.get(escaped)?.type
    const node = type === undefined ? undefined : makeNode(property, spine, isRoot(spine), type)
    if (node !== undefined) properties.set(name, node)
  }
  const [ruleMap, schemaMap] = [additionalSchema(rules), additionalSchema(schema)]
  const additional =
    ruleMap === undefined || schemaMap === undefined
      ? undefined
      : makeNode(ruleMap, schemaMap, isRoot(schemaMap), declType?.elemType)
  const allOf = (rules.allOf ?? []).flatMap((part) => makeNode(part, schema, isResourceRoot, declType) ?? [])
  return new Node({ schema, isResourceRoot, compiled, items, properties, additional, allOf })
}

interface State {
  readonly errors: FieldError[]
  readonly warnings: FieldError[]
  budget: number
}

/** Where in the old object the value is; a parent where it has no counterpart itself. */
interface Ratcheting {
  readonly current: CorrelatedObject | undefined
  readonly parent: CorrelatedObject | undefined
}

function unchanged({ current, parent }: Ratcheting): boolean {
  return (current ?? parent)?.unchanged() === true
}

function below(
  ratcheting: Ratcheting,
  next: (node: CorrelatedObject) => CorrelatedObject | undefined,
  field = '',
): Ratcheting {
  const { current, parent } = ratcheting
  if (current === undefined) return ratcheting
  // The type of an object cannot change in a way that could be seen.
  if (parent === undefined && (field === 'apiVersion' || field === 'kind'))
    return { current: undefined, parent: undefined }
  return { current: next(current), parent: current }
}

interface NodeParts {
  readonly schema: JsonSchemaProps
  readonly isResourceRoot: boolean
  readonly compiled: readonly CompilationResult[]
  readonly items: Node | undefined
  readonly properties: ReadonlyMap<string, Node>
  readonly additional: Node | undefined
  readonly allOf: readonly Node[]
}

class Node {
  readonly #parts: NodeParts
  readonly #usesOldSelf: boolean

  constructor(parts: NodeParts) {
    this.#parts = parts
    this.#usesOldSelf = parts.compiled.some((rule) => rule.usesOldSelf)
  }

  validate(path: FieldPath, value: unknown, old: unknown, ratcheting: Ratcheting, state: State): void {
    if (value === null || value === undefined) return
    this.#rules(path, value, old ?? undefined, ratcheting, state)
    if (state.budget < 0) return
    for (const part of this.#parts.allOf) {
      part.validate(path, value, old, { current: undefined, parent: ratcheting.parent }, state)
      if (state.budget < 0) return
    }
    if (Array.isArray(value)) this.#list(path, value, old, ratcheting, state)
    else if (isObject(value)) this.#object(path, value, old, ratcheting, state)
  }

  #list(path: FieldPath, value: readonly unknown[], old: unknown, ratcheting: Ratcheting, state: State): void {
    const { items, schema } = this.#parts
    if (items === undefined) return
    const oldItems = makeMapList(schema, old)
    for (const [i, item] of value.entries()) {
      items.validate(
        index(path, i),
        item,
        oldItems.get(item),
        below(ratcheting, (node) => node.index(i)),
        state,
      )
      if (state.budget < 0) return
    }
  }

  #object(path: FieldPath, value: Record<string, unknown>, old: unknown, ratcheting: Ratcheting, state: State): void {
    const { additional, properties } = this.#parts
    const before = isObject(old) ? old : {}
    for (const name of Object.keys(value)) {
      const node = additional ?? properties.get(name)
      if (node === undefined) continue
      const at = additional === undefined ? child(path, name) : key(path, name)
      const oldValue = Object.hasOwn(before, name) ? before[name] : undefined
      node.validate(
        at,
        value[name],
        oldValue,
        below(ratcheting, (correlated) => correlated.key(name), name),
        state,
      )
      if (state.budget < 0) return
    }
  }

  #rules(path: FieldPath, value: unknown, old: unknown, ratcheting: Ratcheting, state: State): void {
    const { schema, isResourceRoot, compiled } = this.#parts
    if (compiled.length === 0) return
    const type = schema.type ?? ''
    const { errors } = state
    if (state.budget <= 0) {
      errors.push(invalid(path, type, outOfBudget))
      state.budget = -1
      return
    }
    const valueSchema = isResourceRoot ? withTypeAndObjectMeta(schema) : schema
    const self = jsonValue(value, valueSchema)
    const oldSelf = !this.#usesOldSelf || old === undefined ? undefined : jsonValue(old, valueSchema)
    for (const result of compiled) {
      if (result.error !== undefined) errors.push(invalid(path, type, `rule compile error: ${result.error}`))
      if (result.error !== undefined || result.program === undefined) continue
      const optionalOld = result.rule.optionalOldSelf === true
      if (result.usesOldSelf && old === undefined && !optionalOld) continue
      const variables = new Map<string, Value>([['self', self]])
      if (this.#usesOldSelf && optionalOld)
        variables.set('oldSelf', oldSelf === undefined ? Optional.none : new Optional(oldSelf))
      else if (oldSelf !== undefined) variables.set('oldSelf', oldSelf)
      const plain = new Map<string, Value>([
        ['self', self],
        ...(oldSelf === undefined ? [] : [['oldSelf', oldSelf] as const]),
      ])
      if (!this.#rule(path, value, result, { variables, plain }, ratcheting, state)) return
    }
  }

  /** False when no more rules are to be evaluated. */
  #rule(
    path: FieldPath,
    value: unknown,
    result: CompilationResult,
    scope: { readonly variables: ReadonlyMap<string, Value>; readonly plain: ReadonlyMap<string, Value> },
    ratcheting: Ratcheting,
    state: State,
  ): boolean {
    const { schema } = this.#parts
    const type = schema.type ?? ''
    const { rule } = result
    const { errors } = state
    const outcome = evaluate(result.program!, scope.variables)
    if (outcome.cost > state.budget) {
      errors.push(invalid(path, type, outOfBudget))
      state.budget = -1
      return false
    }
    state.budget -= outcome.cost
    if (outcome.error !== undefined) {
      const shown = ruleText(rule)
      const { error } = outcome
      if (outcome.exceeded) {
        const text = `'${error}': no further validation rules will be run due to call cost exceeds limit for rule: ${shown}`
        errors.push(invalid(path, type, text))
        state.budget = -1
        return false
      }
      const text = error.startsWith('no such overload')
        ? `'${error}': call arguments did not match a supported operator, function or macro signature for rule: ${shown}`
        : `${error} evaluating rule: ${shown}`
      errors.push(invalid(path, type, text))
      return true
    }
    if (outcome.value === true) return true
    const at = result.fieldPath === '' ? path : child(path, result.fieldPath)
    const report = (error: FieldError): void => {
      if (!result.usesOldSelf && unchanged(ratcheting)) state.warnings.push(error)
      else errors.push(error)
    }
    const message = result.messageExpression === undefined ? {} : evaluateMessage(result, scope.plain, state)
    if (message.fatal !== undefined) {
      report(invalid(at, type, message.fatal))
      state.budget = -1
      return false
    }
    const detail = message.text ?? (rule.message ? rule.message.trim() : `failed rule: ${ruleText(rule)}`)
    const shown = type === 'object' || type === 'array' ? omitValue : value
    report(errorFor(rule, at, shown, detail))
    return true
  }
}

function errorFor(rule: ValidationRule, path: FieldPath, value: unknown, detail: string): FieldError {
  switch (rule.reason) {
    case 'FieldValueForbidden':
      return forbidden(path, detail)
    case 'FieldValueRequired':
      return required(path, detail)
    case 'FieldValueDuplicate':
      return duplicate(path, value)
    default:
      return invalid(path, value, detail)
  }
}

function ruleText(rule: ValidationRule): string {
  return (rule.message || rule.rule || '').trim()
}

interface Evaluated {
  readonly value?: Value
  readonly error?: string
  readonly exceeded: boolean
  readonly cost: number
}

function evaluate(program: Program, variables: ReadonlyMap<string, Value>): Evaluated {
  try {
    const { value, cost } = program.evaluate(variables, perCallLimit)
    return isError(value) ? { error: value.message, exceeded: false, cost } : { value, exceeded: false, cost }
  } catch (error) {
    if (!(error instanceof CostLimitExceeded)) throw error
    return { error: error.message, exceeded: true, cost: error.cost }
  }
}

/** A message made by an expression: what went wrong with it nobody hears of, unless it cost too much. */
function evaluateMessage(
  result: CompilationResult,
  variables: ReadonlyMap<string, Value>,
  state: State,
): { readonly text?: string; readonly fatal?: string } {
  const source = result.rule.messageExpression ?? ''
  const outcome = evaluate(result.messageExpression!, variables)
  if (outcome.cost > state.budget) {
    return {
      fatal:
        'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
    }
  }
  if (outcome.exceeded) {
    const text = 'no further validation rules will be run due to call cost exceeds limit for messageExpression'
    return { fatal: `${text}: ${JSON.stringify(source)}` }
  }
  state.budget -= outcome.cost
  if (typeof outcome.value !== 'string') return {}
  const text = outcome.value.trim()
  const tooLong = new TextEncoder().encode(text).length > maxMessageBytes
  return tooLong || text.includes('\n') || text === '' ? {} : { text }
}
