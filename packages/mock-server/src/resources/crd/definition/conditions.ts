import type { CustomResourceDefinition, CustomResourceDefinitionCondition } from '../types.ts'

/** Conditions of a definition (`pkg/apihelpers: helpers.go`). None of these functions changes what it is given. */

export function findCondition(
  crd: CustomResourceDefinition,
  type: string,
): CustomResourceDefinitionCondition | undefined {
  return crd.status?.conditions?.find((condition) => condition.type === type)
}

export function isConditionTrue(crd: CustomResourceDefinition, type: string): boolean {
  return findCondition(crd, type)?.status === 'True'
}

/** Sets a condition, replacing one of its type; the time of its last transition changes with its status only. */
export function withCondition(
  crd: CustomResourceDefinition,
  condition: Omit<CustomResourceDefinitionCondition, 'lastTransitionTime'>,
  now: string,
): CustomResourceDefinition {
  const conditions = [...(crd.status?.conditions ?? [])]
  const at = conditions.findIndex((other) => other.type === condition.type)
  const old = at < 0 ? undefined : conditions[at]
  const changed = old === undefined || old.status !== condition.status || !old.lastTransitionTime
  const lastTransitionTime = changed ? now : old.lastTransitionTime!
  const next: CustomResourceDefinitionCondition = {
    lastTransitionTime,
    ...(condition.message ? { message: condition.message } : {}),
    ...(condition.reason ? { reason: condition.reason } : {}),
    status: condition.status,
    type: condition.type,
  }
  if (at < 0) conditions.push(next)
  else conditions[at] = next
  return { ...crd, status: { ...crd.status, conditions } }
}

/** Equal but for the time. */
export function sameCondition(
  a: Omit<CustomResourceDefinitionCondition, 'lastTransitionTime'> | undefined,
  b: CustomResourceDefinitionCondition | undefined,
): boolean {
  if (a === undefined || b === undefined) return a === b
  return (
    a.type === b.type &&
    a.status === b.status &&
    (a.reason ?? '') === (b.reason ?? '') &&
    (a.message ?? '') === (b.message ?? '')
  )
}
