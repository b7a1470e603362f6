import type { Evaluation, Eval } from './evaluation.ts'
import { CelError, CelList, CelMap, isError, Optional, show, Uint, typeName, type Value } from './values.ts'

/** One step into a value: a field, an index. */
export interface Qualifier {
  readonly optional: boolean
  /** From `has()`. */
  readonly presence: boolean
  readonly key: Value | undefined
  readonly attribute: Attribute | undefined
}

/** A variable or value with the steps into it, which are taken at once. */
export interface Attribute {
  readonly start: Eval
  readonly qualifiers: readonly Qualifier[]
  /** Whether it is what a condition chose, which costs nothing of itself. */
  readonly ternary: boolean
}

/** Takes one step; `undefined` where there is nothing. */
function step(value: Value, key: Value): Value | undefined {
  if (value instanceof CelMap) return value.find(key)
  if (value instanceof CelList) {
    const index = indexOf(key)
    if (index === undefined) {
      const what = typeof key === 'number' ? `value ${show(key)}` : `type '${typeName(key)}'`
      return new CelError(`unsupported index ${what} in list`)
    }
    return index < 0 || index >= value.size ? undefined : value.at(index)
  }
  return undefined
}

function indexOf(key: Value): number | undefined {
  if (typeof key === 'bigint') return Number(key)
  if (key instanceof Uint) return Number(key.value)
  return typeof key === 'number' && Number.isInteger(key) ? key : undefined
}

function missing(value: Value, key: Value): CelError {
  return new CelError(value instanceof CelList ? `index out of bounds: ${show(key)}` : `no such key: ${show(key)}`)
}

/** Resolves an attribute, charging for its qualifiers. */
export function resolve(attribute: Attribute, run: Evaluation): Value {
  let value = attribute.start(run)
  let optional = false
  if (value instanceof Optional && attribute.qualifiers.length > 0) {
    if (value.value === undefined) return value
    value = value.value
    optional = true
  }
  for (const qualifier of attribute.qualifiers) {
    if (isError(value)) return value
    const key = qualifier.attribute === undefined ? qualifier.key! : resolve(qualifier.attribute, run)
    if (isError(key)) return key
    const found = step(value, key)
    if (qualifier.presence) {
      run.charge(1)
      if (found !== undefined && isError(found)) return found
      return found !== undefined
    }
    optional ||= qualifier.optional
    if (optional) {
      if (found === undefined) return Optional.none
      run.charge(1)
      value = found
      continue
    }
    run.charge(1)
    value = found ?? (found === null ? null : missing(value, key))
  }
  return optional && !isError(value) ? new Optional(value) : value
}
