import type { FieldError } from '@freshread/core'
import type { CorrelatedObject } from '../correlated-object.ts'
import type { FieldPath } from '../field-errors.ts'
import type { JsonSchemaProps } from '../types.ts'

export const runtimeCelCostBudget = 10_000_000

export interface CelValidator {
  validate(
    path: FieldPath,
    value: unknown,
    old: unknown,
    budget: number,
    correlation?: CorrelatedObject,
  ): { readonly errors: FieldError[]; readonly remainingBudget: number }
}
export function newCelValidator(_schema: JsonSchemaProps, _isResourceRoot: boolean): CelValidator | undefined {
  return undefined
}
