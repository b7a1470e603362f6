import { dynType, formatType, listType, mapType, opaqueType, typeType, type CelType } from './types.ts'

/*
 * Which types can stand for which, with parameters bound on the way (`cel-go: checker/types.go`).
 */

/** What type parameters stand for; a failed attempt is undone. */
export class Bindings {
  readonly #types = new Map<string, CelType>()
  readonly #undo: (readonly [string, CelType | undefined])[] = []

  find(type: CelType): CelType | undefined {
    return type.kind === 'param' ? this.#types.get(type.name) : undefined
  }

  bind(param: CelType, to: CelType): void {
    this.#undo.push([param.name, this.#types.get(param.name)])
    this.#types.set(param.name, to)
  }

  /** Runs an attempt; what it bound goes when it fails. */
  attempt(attempt: () => boolean): boolean {
    const mark = this.#undo.length
    if (attempt()) return true
    while (this.#undo.length > mark) {
      const [name, before] = this.#undo.pop()!
      if (before === undefined) this.#types.delete(name)
      else this.#types.set(name, before)
    }
    return false
  }
}

export const isDyn = (type: CelType): boolean => type.kind === 'dyn' || type.kind === 'any'
export const isDynOrError = (type: CelType): boolean => isDyn(type) || type.kind === 'error'

export function unwrapOptional(type: CelType): { readonly type: CelType; readonly optional: boolean } {
  const optional = type.kind === 'opaque' && type.name === 'optional_type'
  return { type: optional ? type.params[0]! : type, optional }
}

/** Exactly the same type. */
export function sameType(a: CelType, b: CelType): boolean {
  if (a === b) return true
  return (
    a.kind === b.kind &&
    a.name === b.name &&
    a.params.length === b.params.length &&
    a.params.every((param, i) => sameType(param, b.params[i]!))
  )
}

function lessSpecific(a: CelType, b: CelType): boolean {
  if (isDyn(a) || a.kind === 'param') return true
  if (isDyn(b) || b.kind === 'param') return false
  if (a.kind !== b.kind) return false
  switch (a.kind) {
    case 'opaque':
    case 'list':
    case 'map':
      return (
        a.name === b.name &&
        a.params.length === b.params.length &&
        a.params.every((param, i) => lessSpecific(param, b.params[i]!))
      )
    case 'type':
      return true
    default:
      return sameType(a, b)
  }
}

/** The more general of two types that fit each other. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return lessSpecific(a, b) ? a : b
}

export function isAssignable(bindings: Bindings, a: CelType, b: CelType): boolean {
  return bindings.attempt(() => assignable(bindings, a, b))
}

export function areAssignable(bindings: Bindings, a: readonly CelType[], b: readonly CelType[]): boolean {
  return bindings.attempt(() => allAssignable(bindings, a, b))
}

function allAssignable(bindings: Bindings, a: readonly CelType[], b: readonly CelType[]): boolean {
  return a.length === b.length && a.every((type, i) => assignable(bindings, type, b[i]!))
}

function assignable(bindings: Bindings, a: CelType, b: CelType): boolean {
  if (b.kind === 'param') {
    const { valid, bound } = validBinding(bindings, a, b)
    if (valid || bound) return valid
  }
  if (a.kind === 'param') return validBinding(bindings, b, a).valid
  if (isDynOrError(a) || isDynOrError(b)) return true
  if (a.kind === 'null') return isNullable(b)
  if (b.kind === 'null') return isNullable(a)
  switch (a.kind) {
    case 'type':
      return b.kind === 'type'
    case 'opaque':
    case 'list':
    case 'map':
      return a.kind === b.kind && a.name === b.name && allAssignable(bindings, a.params, b.params)
    default:
      return a.kind === b.kind && a.name === b.name
  }
}

const nullable = new Set(['opaque', 'struct', 'any', 'duration', 'timestamp', 'null'])

function isNullable(type: CelType): boolean {
  return nullable.has(type.kind)
}

function validBinding(
  bindings: Bindings,
  a: CelType,
  param: CelType,
): { readonly valid: boolean; readonly bound: boolean } {
  if (sameType(a, param)) return { valid: true, bound: true }
  const current = bindings.find(param)
  if (current !== undefined) {
    if (sameType(a, current)) return { valid: true, bound: true }
    if (!assignable(bindings, a, current)) return { valid: false, bound: true }
    const general = mostGeneral(a, current)
    if (notWithin(bindings, param, general)) bindings.bind(param, general)
    return { valid: true, bound: true }
  }
  if (!notWithin(bindings, param, a)) return { valid: false, bound: false }
  bindings.bind(param, a)
  return { valid: true, bound: false }
}

/** A parameter must not be part of what it stands for. */
function notWithin(bindings: Bindings, param: CelType, type: CelType): boolean {
  if (sameType(param, type)) return false
  if (type.kind === 'param') {
    const bound = bindings.find(type)
    return bound === undefined || notWithin(bindings, param, bound)
  }
  return type.params.every((inner) => notWithin(bindings, param, inner))
}

/** A type with its parameters replaced by what they stand for; with `final`, unbound ones by `dyn`. */
export function substitute(bindings: Bindings, type: CelType, final: boolean): CelType {
  const bound = bindings.find(type)
  if (bound !== undefined) return substitute(bindings, bound, final)
  const inner = (param: CelType): CelType => substitute(bindings, param, final)
  switch (type.kind) {
    case 'param':
      return final ? dynType : type
    case 'list':
      return listType(inner(type.params[0]!))
    case 'map':
      return mapType(inner(type.params[0]!), inner(type.params[1]!))
    case 'opaque':
      return type.params.length === 0 ? type : opaqueType(type.name, ...type.params.map(inner))
    case 'type':
      return type.params.length === 0 ? type : typeType(inner(type.params[0]!))
    default:
      return type
  }
}

/** A call's types as messages print them: `(int, string)`, `list(int).(string)`. */
export function formatCall(args: readonly CelType[], member: boolean): string {
  const texts = args.map(formatType)
  return member ? `${texts[0]!}.(${texts.slice(1).join(', ')})` : `(${texts.join(', ')})`
}
