import { parseGoDuration } from '../formats.ts'
import { compileRegexp } from '../../../go/regexp.ts'
import { childrenOf, walk, type CallExpr, type Expr } from './ast.ts'
import type { Checked } from './checker.ts'
import { clauseErrors, walkFormat, wrongArgument } from './functions/string-format.ts'
import type { Source } from './source.ts'
import { parseTimestamp } from './time.ts'
import { formatType, type CelKind, type CelType } from './types.ts'
import { sameType, unwrapOptional } from './unify.ts'

/** Checks of literals that evaluation would choke on (`cel-go: cel/validator.go, ext/formatting.go`). */

type LiteralCheck = (text: string) => boolean

const byFunction: Readonly<
  Record<string, { readonly argument: (call: CallExpr) => Expr | undefined; readonly valid: LiteralCheck }>
> = {
  duration: { argument: (call) => call.args[0], valid: (text) => parseGoDuration(text) !== undefined },
  timestamp: { argument: (call) => call.args[0], valid: (text) => parseTimestamp(text) !== undefined },
  matches: {
    argument: (call) => (call.target === undefined ? call.args[1] : call.args[0]),
    valid: (text) => !('error' in compileRegexp(text)),
  },
}

/** Reports what literals are wrong. */
export function checkLiterals(checked: Checked, source: Source): void {
  const calls = [...walk(checked.expr)].filter((expr): expr is CallExpr => expr.kind === 'call')
  for (const [fn, { argument, valid }] of Object.entries(byFunction)) {
    for (const call of calls) {
      if (call.fn !== fn) continue
      const literal = argument(call)
      if (literal?.kind !== 'literal' || typeof literal.value !== 'string') continue
      if (!valid(literal.value)) source.reportAt(literal.id, `invalid ${fn} argument`)
    }
  }
  checkHomogeneity(checked.expr, checked, source)
  for (const call of calls) if (call.fn === 'format') checkFormat(call, checked, source)
}

/** Lists and maps must not mix types, other than as arguments of `format`. */
function checkHomogeneity(expr: Expr, checked: Checked, source: Source): void {
  if (expr.kind === 'call' && expr.fn === 'format') return
  for (const inner of childrenOf(expr)) checkHomogeneity(inner, checked, source)
  const typeOf = (part: Expr): CelType => checked.types.get(part.id)!
  const sameAs = (before: CelType | undefined, part: Expr, optional: boolean): CelType | undefined => {
    const type = optional ? unwrapOptional(typeOf(part)).type : typeOf(part)
    if (before === undefined || sameType(before, type)) return before ?? type
    source.reportAt(part.id, `expected type '${formatType(before)}' but found '${formatType(type)}'`)
    return undefined
  }
  if (expr.kind === 'list') {
    let type: CelType | undefined
    for (const [i, element] of expr.elements.entries()) {
      type = sameAs(type, element, expr.optionals.has(i))
      if (type === undefined) return
    }
  }
  if (expr.kind !== 'map') return
  let keyType: CelType | undefined
  let valueType: CelType | undefined
  for (const { key, value, optional } of expr.entries) {
    keyType = sameAs(keyType, key, false)
    if (keyType === undefined) return
    valueType = sameAs(valueType, value, optional)
    if (valueType === undefined) return
  }
}

const clauseKinds: Readonly<Record<string, readonly CelKind[]>> = {
  d: ['int', 'uint'],
  f: ['double'],
  e: ['double'],
  b: ['bool', 'int', 'uint'],
  x: ['int', 'uint', 'string', 'bytes'],
  X: ['int', 'uint', 'string', 'bytes'],
  o: ['int', 'uint'],
}
const printable: readonly CelKind[] = [
  'list',
  'map',
  'int',
  'uint',
  'double',
  'bool',
  'string',
  'timestamp',
  'bytes',
  'duration',
  'type',
  'null',
]
const mapKeys: readonly CelKind[] = ['string', 'bool', 'int', 'uint']

function checkFormat(call: CallExpr, checked: Checked, source: Source): void {
  const [list] = call.args
  if (call.target?.kind !== 'literal' || typeof call.target.value !== 'string' || list?.kind !== 'list') return
  const typeOf = (expr: Expr): CelType => checked.types.get(expr.id)!
  const isOneOf = (type: CelType, kinds: readonly CelKind[]): boolean =>
    type.kind === 'dyn' || type.kind === 'error' || kinds.includes(type.kind)
  const { elements } = list
  const result = walkFormat(call.target.value, {
    count: elements.length,
    format: (clause, _precision, argument) => {
      const element = elements[argument]!
      const bad =
        clause === 's'
          ? unprintable(
              element,
              (expr) => isOneOf(typeOf(expr), printable),
              (expr) => isOneOf(typeOf(expr), mapKeys),
            )
          : isOneOf(typeOf(element), clauseKinds[clause]!)
            ? undefined
            : element
      if (bad !== undefined && clause in clauseErrors) throw wrongArgument(clause, typeOf(bad).name, bad.id)
      return ''
    },
  })
  if ('error' in result) {
    source.reportAt(result.argument ?? call.id, result.error)
    return
  }
  if (elements.length > result.used) {
    source.reportAt(
      call.id,
      `too many arguments supplied to string.format (expected ${result.used}, got ${elements.length})`,
    )
  }
}

/** The first part of an argument that cannot be printed. */
function unprintable(
  expr: Expr,
  canPrint: (expr: Expr) => boolean,
  canBeKey: (expr: Expr) => boolean,
): Expr | undefined {
  if (!canPrint(expr)) return expr
  if (expr.kind === 'list') {
    for (const element of expr.elements) {
      const bad = unprintable(element, canPrint, canBeKey)
      if (bad !== undefined) return bad
    }
  }
  if (expr.kind === 'map') {
    for (const { key, value } of expr.entries) {
      if (!canBeKey(key)) return key
      const bad = unprintable(value, canPrint, canBeKey)
      if (bad !== undefined) return bad
    }
  }
  return undefined
}
