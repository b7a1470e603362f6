import type { FieldError } from '@freshread/core'
import { child, invalid, required, type FieldPath } from '../field-errors.ts'
import type { CustomResourceSubresources } from '../types.ts'
import { validateSimpleJsonPath } from './field-path.ts'

/** The paths of the `scale` subresource (`ValidateCustomResourceDefinitionSubresources`). */
export function validateSubresources(
  subresources: CustomResourceSubresources | undefined,
  path: FieldPath,
): FieldError[] {
  const scale = subresources?.scale
  if (scale === undefined) return []
  const errors: FieldError[] = []
  const check = (field: string, value: string, prefixes: readonly string[], where: string): void => {
    const at = child(path, `scale.${field}`)
    const problems = validateSimpleJsonPath(value, at)
    if (problems.length > 0) errors.push(...problems)
    else if (!prefixes.some((prefix) => value.startsWith(prefix))) {
      errors.push(invalid(at, value, `should be a json path under ${where}`))
    }
  }
  if (!scale.specReplicasPath) errors.push(required(child(path, 'scale.specReplicasPath')))
  else check('specReplicasPath', scale.specReplicasPath, ['.spec.'], '.spec')
  if (!scale.statusReplicasPath) errors.push(required(child(path, 'scale.statusReplicasPath')))
  else check('statusReplicasPath', scale.statusReplicasPath, ['.status.'], '.status')
  if (scale.labelSelectorPath) {
    check('labelSelectorPath', scale.labelSelectorPath, ['.spec.', '.status.'], 'either .spec or .status')
  }
  return errors
}
