import { invalid, notSupported, required, type FieldError, type KubeObject } from '@freshread/core'
import { fieldsAt, isSet, listAt, stringAt, stringsAt, type Fields } from '../fields.ts'
import type { Strategy } from '../strategy.ts'
import { immutableInternal } from '../validation/common.ts'
import { validateLabelSelector } from '../validation/labels.ts'
import { checked, isDNSSubdomain, isPathSegmentName } from '../validation/names.ts'

const GROUP = 'rbac.authorization.k8s.io'

/** Roles (`pkg/registry/rbac/role/strategy.go`). */
export const role: Strategy = {
  validateName: isPathSegmentName,
  allowCreateOnUpdate: true,
  validate: (object) => validateRules(object, true),
  validateUpdate: (object) => validateRules(object, true),
}

/** ClusterRoles. */
export const clusterRole: Strategy = {
  validateName: isPathSegmentName,
  allowCreateOnUpdate: true,
  validate: validateClusterRole,
  validateUpdate: validateClusterRole,
}

/** RoleBindings. */
export const roleBinding: Strategy = {
  validateName: isPathSegmentName,
  allowCreateOnUpdate: true,
  validate: (object) => validateBinding(object, true),
  validateUpdate: (object, current) => [...validateBinding(object, true), ...sameRole(object, current)],
}

/** ClusterRoleBindings. */
export const clusterRoleBinding: Strategy = {
  validateName: isPathSegmentName,
  allowCreateOnUpdate: true,
  validate: (object) => validateBinding(object, false),
  validateUpdate: (object, current) => [...validateBinding(object, false), ...sameRole(object, current)],
}

function sameRole(object: KubeObject, current: KubeObject): FieldError[] {
  return immutableInternal('roleRef', 'rbac.RoleRef', object['roleRef'], current['roleRef'])
}

function validateRules(object: KubeObject, namespaced: boolean): FieldError[] {
  return listAt(object, 'rules').flatMap((rule, i) => validateRule(`rules[${i}]`, rule, namespaced))
}

function validateRule(path: string, rule: Fields, namespaced: boolean): FieldError[] {
  const errors: FieldError[] = []
  const has = (name: string): boolean => stringsAt(rule, name).length > 0
  if (!has('verbs')) errors.push(required(`${path}.verbs`, ''))
  if (has('nonResourceURLs')) {
    const urls = rule['nonResourceURLs']
    const at = `${path}.nonResourceURLs`
    if (namespaced) errors.push(invalid(at, urls, 'namespaced rules cannot apply to non-resource URLs'))
    if (['apiGroups', 'resources', 'resourceNames'].some(has)) {
      errors.push(invalid(at, urls, 'rules cannot apply to both regular resources and non-resource URLs'))
    }
    return errors
  }
  if (!has('apiGroups')) errors.push(required(`${path}.apiGroups`, 'resource rules must supply at least one api group'))
  if (!has('resources')) errors.push(required(`${path}.resources`, 'resource rules must supply at least one resource'))
  return errors
}

function validateClusterRole(object: KubeObject): FieldError[] {
  const errors = validateRules(object, false)
  const aggregation = fieldsAt(object, 'aggregationRule')
  if (aggregation === undefined) return errors
  const path = 'aggregationRule.clusterRoleSelectors'
  const selectors = listAt(aggregation, 'clusterRoleSelectors')
  if (selectors.length === 0)
    errors.push(required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil'))
  selectors.forEach((selector, i) => {
    const wrong = validateLabelSelector(`${path}[${i}]`, selector)
    errors.push(...wrong)
    if (wrong.length > 0) errors.push(invalid(`${path}[${i}]`, null, 'invalid label selector.'))
  })
  return errors
}

function validateBinding(object: KubeObject, namespaced: boolean): FieldError[] {
  const errors: FieldError[] = []
  const ref = fieldsAt(object, 'roleRef')
  const group = stringAt(ref, 'apiGroup')
  const kind = stringAt(ref, 'kind')
  const name = stringAt(ref, 'name')
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole']
  if (group !== GROUP) errors.push(notSupported('roleRef.apiGroup', group, [GROUP]))
  if (!kinds.includes(kind)) errors.push(notSupported('roleRef.kind', kind, kinds))
  errors.push(...(name === '' ? [required('roleRef.name', '')] : checked('roleRef.name', name, isPathSegmentName)))
  listAt(object, 'subjects').forEach((subject, i) =>
    errors.push(...validateSubject(`subjects[${i}]`, subject, namespaced)),
  )
  return errors
}

function validateSubject(path: string, subject: Fields, namespaced: boolean): FieldError[] {
  const errors: FieldError[] = []
  const name = stringAt(subject, 'name')
  const kind = stringAt(subject, 'kind')
  const group = stringAt(subject, 'apiGroup')
  if (name === '') errors.push(required(`${path}.name`, ''))
  if (kind === 'ServiceAccount') {
    if (name !== '') errors.push(...checked(`${path}.name`, name, isDNSSubdomain))
    if (group !== '') errors.push(notSupported(`${path}.apiGroup`, group, ['']))
    if (!namespaced && !isSet(subject, 'namespace')) errors.push(required(`${path}.namespace`, ''))
  } else if (kind === 'User' || kind === 'Group') {
    if (group !== GROUP) errors.push(notSupported(`${path}.apiGroup`, group, [GROUP]))
  } else errors.push(notSupported(`${path}.kind`, kind, ['ServiceAccount', 'User', 'Group']))
  return errors
}
