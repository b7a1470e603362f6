import { duplicate, invalid, notSupported, required, tooMany, type FieldError } from '@freshread/core'
import { fieldsAt, isSet, listAt, stringAt, stringsAt, type Fields } from '../fields.ts'
import { validateLabelSelector } from './labels.ts'
import { checked, isPathSegmentName, qualifiedName } from './names.ts'

/*
 * What webhooks and admission policies apply to (`pkg/apis/admissionregistration/validation`). Expressions are not
 * compiled.
 */

export const FAILURE_POLICIES: readonly string[] = ['Fail', 'Ignore']
export const MATCH_POLICIES: readonly string[] = ['Equivalent', 'Exact']
const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE']
const SCOPES = ['*', 'Cluster', 'Namespaced']
const MAX_CONDITIONS = 64

/** One of some values, where there is any. */
export function supported(path: string, parent: Fields, name: string, values: readonly string[]): FieldError[] {
  if (!isSet(parent, name)) return []
  const value = stringAt(parent, name)
  return values.includes(value) ? [] : [notSupported(`${path}.${name}`, value, values)]
}

/** Operations on resources. */
export function validateOperationRule(path: string, rule: Fields): FieldError[] {
  const errors: FieldError[] = []
  const operations = stringsAt(rule, 'operations')
  if (operations.length === 0) errors.push(required(`${path}.operations`, ''))
  if (operations.length > 1 && operations.includes('*')) {
    errors.push(invalid(`${path}.operations`, operations, "if '*' is present, must not specify other operations"))
  }
  operations.forEach((operation, i) => {
    if (!OPERATIONS.includes(operation)) errors.push(notSupported(`${path}.operations[${i}]`, operation, OPERATIONS))
  })
  for (const [name, what] of [
    ['apiGroups', 'API groups'],
    ['apiVersions', 'API versions'],
  ] as const) {
    const values = stringsAt(rule, name)
    if (values.length === 0) errors.push(required(`${path}.${name}`, ''))
    if (values.length > 1 && values.includes('*')) {
      errors.push(invalid(`${path}.${name}`, values, `if '*' is present, must not specify other ${what}`))
    }
  }
  stringsAt(rule, 'apiVersions').forEach((version, i) => {
    if (version === '') errors.push(required(`${path}.apiVersions[${i}]`, ''))
  })
  errors.push(...validateResources(`${path}.resources`, stringsAt(rule, 'resources')))
  return [...errors, ...supported(path, rule, 'scope', SCOPES)]
}

function validateResources(path: string, resources: readonly string[]): FieldError[] {
  const errors = resources.length === 0 ? [required(path, '')] : []
  const [allOf, allAt] = [new Set<string>(), new Set<string>()]
  let plain = false
  for (const [i, entry] of resources.entries()) {
    const at = `${path}[${i}]`
    if (entry === '') {
      errors.push(required(at, ''))
      continue
    }
    const slash = entry.indexOf('/')
    if (slash < 0) {
      plain = entry !== '*'
      continue
    }
    const [resource, subresource] = [entry.slice(0, slash), entry.slice(slash + 1)]
    if (allOf.has(resource)) errors.push(invalid(at, entry, `if '${resource}/*' is present, must not specify ${entry}`))
    if (allAt.has(subresource))
      errors.push(invalid(at, entry, `if '*/${subresource}' is present, must not specify ${entry}`))
    if (subresource === '*') allOf.add(resource)
    if (resource === '*') allAt.add(subresource)
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.push(invalid(path, resources, "if '*/*' is present, must not specify other resources"))
  }
  if (resources.includes('*') && plain) {
    errors.push(invalid(path, resources, "if '*' is present, must not specify other resources without subresources"))
  }
  return errors
}

/** What a policy or a binding applies to. */
export function validateMatchResources(path: string, match: Fields | undefined): FieldError[] {
  if (match === undefined) return []
  const errors: FieldError[] = []
  if (!isSet(match, 'matchPolicy')) errors.push(required(`${path}.matchPolicy`, ''))
  errors.push(...supported(path, match, 'matchPolicy', MATCH_POLICIES))
  for (const name of ['namespaceSelector', 'objectSelector']) {
    if (!isSet(match, name)) errors.push(required(`${path}.${name}`, ''))
    errors.push(...validateLabelSelector(`${path}.${name}`, fieldsAt(match, name)))
  }
  for (const list of ['resourceRules', 'excludeResourceRules']) {
    listAt(match, list).forEach((rule, i) => errors.push(...validateNamedRule(`${path}.${list}[${i}]`, rule)))
  }
  return errors
}

function validateNamedRule(path: string, rule: Fields): FieldError[] {
  const names = stringsAt(rule, 'resourceNames')
  const errors = names.flatMap((name, i) => {
    const at = `${path}.resourceNames[${i}]`
    const own = checked(at, name, isPathSegmentName)
    return names.indexOf(name) < i ? [...own, duplicate(at, name)] : own
  })
  return [...errors, ...validateOperationRule(path, rule)]
}

/** Conditions on requests. */
export function validateMatchConditions(path: string, conditions: readonly Fields[]): FieldError[] {
  const errors = conditions.length > MAX_CONDITIONS ? [tooMany(path, conditions.length, MAX_CONDITIONS)] : []
  const names = conditions.map((condition) => stringAt(condition, 'name'))
  for (const [i, condition] of conditions.entries()) {
    const at = `${path}[${i}]`
    const name = names[i]!
    if (stringAt(condition, 'expression').trim() === '') errors.push(required(`${at}.expression`, ''))
    errors.push(...(name === '' ? [required(`${at}.name`, '')] : qualifiedName(`${at}.name`, name)))
    if (name !== '' && names.indexOf(name) < i) errors.push(duplicate(`${at}.name`, name))
  }
  return errors
}
