import type { Value } from '../values.ts'
import { declare, type FunctionDecl } from './declare.ts'

const ordering = (
  name: string,
  id: string,
  type: string,
  test: (order: number) => Value,
  result: string,
  of: (a: Value, b: Value) => number,
): FunctionDecl => declare(name, `${type}_${id} ${type}.(${type}) ${result}`, ([a, b]) => test(of(a!, b!)))

/** Comparisons of a type that Kubernetes adds, by what tells the order of two of its values. */
export function orderings(type: string, compare: (a: Value, b: Value) => number): readonly FunctionDecl[] {
  return [
    ordering('isGreaterThan', 'is_greater_than', type, (order) => order > 0, 'bool', compare),
    ordering('isLessThan', 'is_less_than', type, (order) => order < 0, 'bool', compare),
    ordering('compareTo', 'compare_to', type, (order) => BigInt(order), 'int', compare),
  ]
}
