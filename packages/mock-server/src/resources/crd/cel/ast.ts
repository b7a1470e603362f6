import type { Value } from './values.ts'

/** Expressions as the parser leaves them: macros expanded, operators as calls (`cel-go: common/ast`). */
export type Expr =
  | { readonly kind: 'literal'; readonly id: number; readonly value: Value }
  | { readonly kind: 'ident'; readonly id: number; readonly name: string }
  | SelectExpr
  | CallExpr
  | ListExpr
  | MapExpr
  | StructExpr
  | ComprehensionExpr
  /** Stands where an error was. */
  | { readonly kind: 'unspecified'; readonly id: number }

export interface SelectExpr {
  readonly kind: 'select'
  readonly id: number
  readonly operand: Expr
  readonly field: string
  /** From `has()`: asks for presence only. */
  readonly testOnly: boolean
}

export interface CallExpr {
  readonly kind: 'call'
  readonly id: number
  readonly fn: string
  readonly target: Expr | undefined
  readonly args: readonly Expr[]
}

export interface ListExpr {
  readonly kind: 'list'
  readonly id: number
  readonly elements: readonly Expr[]
  readonly optionals: ReadonlySet<number>
}

export interface MapEntry {
  readonly id: number
  readonly key: Expr
  readonly value: Expr
  readonly optional: boolean
}

export interface MapExpr {
  readonly kind: 'map'
  readonly id: number
  readonly entries: readonly MapEntry[]
}

export interface StructExpr {
  readonly kind: 'struct'
  readonly id: number
  readonly typeName: string
  readonly fields: readonly {
    readonly id: number
    readonly name: string
    readonly value: Expr
    readonly optional: boolean
  }[]
}

export interface ComprehensionExpr {
  readonly kind: 'comprehension'
  readonly id: number
  readonly range: Expr
  readonly iterVar: string
  /** `''` for comprehensions of one variable. */
  readonly iterVar2: string
  readonly accuVar: string
  readonly accuInit: Expr
  readonly condition: Expr
  readonly step: Expr
  readonly result: Expr
}

/** Name of the accumulator that macros make: nobody can write it. */
export const accumulatorName = '@result'

/** The expressions directly below one. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'select':
      return [expr.operand]
    case 'call':
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args]
    case 'list':
      return expr.elements
    case 'map':
      return expr.entries.flatMap((entry) => [entry.key, entry.value])
    case 'struct':
      return expr.fields.map((field) => field.value)
    case 'comprehension':
      return [expr.range, expr.accuInit, expr.condition, expr.step, expr.result]
    default:
      return []
  }
}

/** All expressions of a tree, parents first. */
export function* walk(expr: Expr): Generator<Expr> {
  yield expr
  for (const inner of childrenOf(expr)) yield* walk(inner)
}
