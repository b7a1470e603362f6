import { approvalState, isProtectedCommunityGroup } from './definition/approval.ts'
import { findCondition, sameCondition, withCondition } from './definition/conditions.ts'
import { child, index, invalid } from './field-errors.ts'
import { unsupportedKeyword, validateStructural } from './structural.ts'
import type { CustomResourceDefinition, CustomResourceDefinitionCondition } from './types.ts'

type Condition = Omit<CustomResourceDefinitionCondition, 'lastTransitionTime'>

/** Says of a definition in a group of Kubernetes itself whether it has been approved (`pkg/controller/apiapproval`). */
export function withApproval(crd: CustomResourceDefinition, now: string): CustomResourceDefinition {
  if (!isProtectedCommunityGroup(crd.spec?.group ?? '')) return crd
  const { state, reason: message } = approvalState(crd)
  const [status, reason] = {
    approved: ['True', 'ApprovedAnnotation'],
    bypassed: ['False', 'UnapprovedAnnotation'],
    missing: ['False', 'MissingAnnotation'],
    invalid: ['False', 'InvalidAnnotation'],
  }[state] as [string, string]
  return withChanged(crd, { type: 'KubernetesAPIApprovalPolicyConformant', status, reason, message }, now)
}

/** Says of an old definition why its schema is not structural (`pkg/controller/nonstructuralschema`). */
export function withNonStructural(crd: CustomResourceDefinition, now: string): CustomResourceDefinition {
  const condition = nonStructuralCondition(crd)
  if (condition !== undefined) return withChanged(crd, condition, now)
  if (findCondition(crd, 'NonStructuralSchema') === undefined) return crd
  const conditions = (crd.status?.conditions ?? []).filter(({ type }) => type !== 'NonStructuralSchema')
  return { ...crd, status: { ...crd.status, conditions } }
}

function withChanged(crd: CustomResourceDefinition, condition: Condition, now: string): CustomResourceDefinition {
  return sameCondition(condition, findCondition(crd, condition.type)) ? crd : withCondition(crd, condition, now)
}

function nonStructuralCondition(crd: CustomResourceDefinition): Condition | undefined {
  const type = 'NonStructuralSchema'
  const errors = []
  const { preserveUnknownFields, versions = [] } = crd.spec ?? {}
  if (preserveUnknownFields === true) errors.push(invalid('spec.preserveUnknownFields', true, 'must be false'))
  for (const [i, version] of versions.entries()) {
    const schema = version.schema?.openAPIV3Schema
    if (schema === undefined) continue
    const unsupported = unsupportedKeyword(schema)
    if (unsupported !== undefined) {
      const message = `failed to check validation schema for version ${version.name ?? ''}: ${unsupported}`
      return { type, status: 'Unknown', reason: 'StructuralError', message }
    }
    errors.push(...validateStructural(child(index('spec.versions', i), 'schema', 'openAPIV3Schema'), schema))
  }
  if (errors.length === 0) return undefined
  const messages = [...new Set(errors.map((error) => error.message))]
  return {
    type,
    status: 'True',
    reason: 'Violations',
    message: messages.length === 1 ? messages[0]! : `[${messages.join(', ')}]`,
  }
}
