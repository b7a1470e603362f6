import { readType, splitTypes, type CelType } from '../types.ts'
import type { Value } from '../values.ts'

/** One form of a function (`cel-go: common/decls: OverloadDecl`). */
export interface Overload {
  readonly id: string
  /** Called on a receiver, which is then the first of `args`. */
  readonly member: boolean
  readonly args: readonly CelType[]
  readonly result: CelType
  /** Names of the type parameters. */
  readonly params: readonly string[]
}

/** Evaluates a call; arguments are never errors, except where the declaration is not strict. */
export type Implementation = (args: readonly Value[]) => Value

/** A function with all its forms. */
export interface FunctionDecl {
  readonly name: string
  readonly overloads: readonly Overload[]
  readonly run: Implementation
  /** The implementation looks at the types of its arguments itself, and says what it thinks of wrong ones. */
  readonly unguarded: boolean
}

/**
 * Reads the forms of a function, one a line: `id (args) result`, or `id receiver.(args) result`.
 */
export function declare(name: string, forms: string, run: Implementation, unguarded = false): FunctionDecl {
  const overloads = forms
    .trim()
    .split('\n')
    .map((line) => readOverload(line.trim()))
  return { name, overloads, run, unguarded }
}

/** The declaration of several functions in one, where libraries add forms to each other's. */
export function join(a: FunctionDecl, b: FunctionDecl): FunctionDecl {
  const own = new Set(a.overloads.map((overload) => overload.id))
  return {
    name: a.name,
    overloads: [...a.overloads, ...b.overloads.filter((overload) => !own.has(overload.id))],
    run: (args) => (matchesAny(a.overloads, args) ? a.run(args) : b.run(args)),
    unguarded: false,
  }
}

let matches: (overload: Overload, args: readonly Value[]) => boolean = () => false

/** Set by who knows how values and types fit; keeps the two files apart. */
export function setMatcher(matcher: (overload: Overload, args: readonly Value[]) => boolean): void {
  matches = matcher
}

function matchesAny(overloads: readonly Overload[], args: readonly Value[]): boolean {
  return overloads.some((overload) => matches(overload, args))
}

function readOverload(line: string): Overload {
  const space = line.indexOf(' ')
  const id = line.slice(0, space)
  const rest = line.slice(space + 1)
  const open = rest.startsWith('(') ? 0 : rest.indexOf('.(') + 1
  const receiver = open === 0 ? undefined : rest.slice(0, open - 1)
  let depth = 0
  let end = open
  for (; end < rest.length; end++) {
    if (rest[end] === '(') depth++
    else if (rest[end] === ')' && --depth === 0) break
  }
  const texts = splitTypes(rest.slice(open + 1, end))
  const args = (receiver === undefined ? texts : [receiver, ...texts]).map(readType)
  const result = readType(rest.slice(end + 1))
  const params = new Set<string>()
  for (const type of [...args, result]) collectParams(type, params)
  return { id, member: receiver !== undefined, args, result, params: [...params] }
}

function collectParams(type: CelType, into: Set<string>): void {
  if (type.kind === 'param') into.add(type.name)
  for (const param of type.params) collectParams(param, into)
}
