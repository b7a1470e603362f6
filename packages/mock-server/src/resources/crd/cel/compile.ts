import type { DeclType } from './decl-type.ts'
import type { JsonSchemaProps } from '../types.ts'
export interface CompilationResult {
  readonly error?: string
  readonly usesOldSelf: boolean
  readonly maxCost: bigint
  readonly maxCardinality: bigint
  readonly messageExpression?: unknown
  readonly messageExpressionError?: string
  readonly messageExpressionMaxCost: bigint
}
export function compileRules(
  schema: JsonSchemaProps,
  _declType: DeclType,
  _preexisting: ReadonlySet<string>,
): CompilationResult[] {
  void schema
  return []
}
