import type { ComprehensionExpr } from './ast.ts'
import type { Scope } from './evaluation.ts'
import { CelError, type CelList, CelMap, typeName, ValueList, type Value } from './values.ts'

/** A list that is appended to without being copied each time: only its maker ever appends. */
export class Growing extends ValueList {
  readonly #own: Value[]

  constructor(from: ValueList) {
    const own = from instanceof Growing ? from.#own : [...from.values]
    super(own)
    this.#own = own
  }

  override concat(other: CelList): CelList {
    for (const value of other) this.#own.push(value)
    return this
  }

  finished(): ValueList {
    return new ValueList(this.#own)
  }
}

/** Whether the accumulator is nothing but a list that each step appends to. */
export function appendsToList(expr: ComprehensionExpr): boolean {
  return expr.accuVar.startsWith('@') && expr.accuInit.kind === 'list' && expr.accuInit.elements.length === 0
}

/** Types as the evaluator's own language calls them. */
const goNames: Readonly<Record<string, string>> = {
  bool: 'types.Bool',
  bytes: 'types.Bytes',
  double: 'types.Double',
  int: 'types.Int',
  null_type: 'types.Null',
  string: 'types.String',
  uint: 'types.Uint',
  optional_type: '*types.Optional',
  'google.protobuf.Duration': 'types.Duration',
  'google.protobuf.Timestamp': 'types.Timestamp',
}

export function notIterable(value: Value): CelError {
  const name = typeName(value)
  return new CelError(`got '${goNames[name] ?? name}', expected iterable type`)
}

/** The scopes of a comprehension's rounds. */
export function* iterations(expr: ComprehensionExpr, over: CelList | CelMap, parent: Scope): Generator<Scope> {
  const { iterVar, iterVar2 } = expr
  const scopeOf = (first: Value, second: Value | undefined): Scope => {
    const scope: Scope = { name: iterVar, value: first, make: undefined, parent }
    return second === undefined ? scope : { name: iterVar2, value: second, make: undefined, parent: scope }
  }
  if (over instanceof CelMap) {
    for (const key of over.keys()) yield scopeOf(key, iterVar2 === '' ? undefined : over.find(key)!)
    return
  }
  for (let i = 0; i < over.size; i++) {
    if (iterVar2 === '') yield scopeOf(over.at(i), undefined)
    else yield scopeOf(BigInt(i), over.at(i))
  }
}
