import type { FieldError } from '@freshread/core'
import { parseRequestUri } from '../../../go/url.ts'
import { invalid, key, required } from '../field-errors.ts'
import type { CustomResourceDefinition } from '../types.ts'

const approvalAnnotation = 'api-approved.kubernetes.io'

type Approval = 'approved' | 'bypassed' | 'missing' | 'invalid'

/** Whether a group of Kubernetes itself has been approved, by annotation (`pkg/apihelpers: GetAPIApprovalState`). */
export function approvalState(crd: CustomResourceDefinition): { readonly state: Approval; readonly reason: string } {
  const annotation = crd.metadata.annotations?.[approvalAnnotation] ?? ''
  const see = 'see https://github.com/kubernetes/enhancements/pull/1111'
  if (annotation === '') {
    return {
      state: 'missing',
      reason: `protected groups must have approval annotation "${approvalAnnotation}", ${see}`,
    }
  }
  if (annotation.startsWith('unapproved'))
    return { state: 'bypassed', reason: `not approved: ${JSON.stringify(annotation)}` }
  const url = parseRequestUri(annotation)
  if (!('error' in url) && url.host !== '' && url.scheme !== '')
    return { state: 'approved', reason: `approved in ${annotation}` }
  return {
    state: 'invalid',
    reason: `protected groups must have approval annotation "${approvalAnnotation}" with either a URL or a reason starting with "unapproved", ${see}`,
  }
}

export function isProtectedCommunityGroup(group: string): boolean {
  return ['k8s.io', 'kubernetes.io'].some((domain) => group === domain || group.endsWith(`.${domain}`))
}

/** Definitions of groups of Kubernetes itself must say who approved them. */
export function validateApproval(
  crd: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
): FieldError[] {
  if (!isProtectedCommunityGroup(crd.spec?.group ?? '')) return []
  const { state, reason } = approvalState(crd)
  if (old !== undefined && approvalState(old).state === state) return []
  const at = key('metadata.annotations', approvalAnnotation)
  if (state === 'missing') return [required(at, reason)]
  return state === 'invalid' ? [invalid(at, crd.metadata.annotations?.[approvalAnnotation] ?? '', reason)] : []
}
