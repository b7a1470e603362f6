import { duplicate, forbidden, invalid, isLabelValue, notSupported, required, type FieldError } from '@freshread/core'
import { fieldsAt, isSet, listAt, mapAt, numberAt, stringAt, stringsAt, type Fields } from '../fields.ts'
import { positive } from './common.ts'
import { validateLabelSelector } from './labels.ts'
import { checked, isDNSLabel, isDNSSubdomain, qualifiedName } from './names.ts'

const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']
const REQUIRED_DURING = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED_DURING = 'preferredDuringSchedulingIgnoredDuringExecution'

/** `affinity` of a pod (`validateAffinity`). */
export function validateAffinity(path: string, affinity: Fields | undefined): FieldError[] {
  const errors: FieldError[] = []
  const node = fieldsAt(affinity, 'nodeAffinity')
  const nodePath = `${path}.nodeAffinity`
  const needed = fieldsAt(node, REQUIRED_DURING)
  if (needed !== undefined) errors.push(...validateNodeSelector(`${nodePath}.${REQUIRED_DURING}`, needed))
  for (const [index, term] of listAt(node, PREFERRED_DURING).entries()) {
    const at = `${nodePath}.${PREFERRED_DURING}[${index}]`
    errors.push(...weight(at, term), ...nodeSelectorTerm(`${at}.preference`, fieldsAt(term, 'preference'), false))
  }
  for (const name of ['podAffinity', 'podAntiAffinity']) {
    const pods = fieldsAt(affinity, name)
    for (const [index, term] of listAt(pods, REQUIRED_DURING).entries()) {
      errors.push(...podAffinityTerm(`${path}.${name}.${REQUIRED_DURING}[${index}]`, term))
    }
    for (const [index, term] of listAt(pods, PREFERRED_DURING).entries()) {
      const at = `${path}.${name}.${PREFERRED_DURING}[${index}]`
      errors.push(
        ...weight(at, term),
        ...podAffinityTerm(`${at}.podAffinityTerm`, fieldsAt(term, 'podAffinityTerm') ?? {}),
      )
    }
  }
  return errors
}

function weight(path: string, term: Fields): FieldError[] {
  const value = numberAt(term, 'weight') ?? 0
  return value <= 0 || value > 100 ? [invalid(`${path}.weight`, value, 'must be in the range 1-100')] : []
}

/** A selector of nodes: of pods' affinity and of volumes. */
export function validateNodeSelector(path: string, selector: Fields): FieldError[] {
  const terms = listAt(selector, 'nodeSelectorTerms')
  if (terms.length === 0) return [required(`${path}.nodeSelectorTerms`, 'must have at least one node selector term')]
  return terms.flatMap((term, index) => nodeSelectorTerm(`${path}.nodeSelectorTerms[${index}]`, term, true))
}

function nodeSelectorTerm(path: string, term: Fields | undefined, checkValues: boolean): FieldError[] {
  const errors: FieldError[] = []
  for (const [index, requirement] of listAt(term, 'matchExpressions').entries()) {
    errors.push(...nodeRequirement(`${path}.matchExpressions[${index}]`, requirement, checkValues))
  }
  for (const [index, requirement] of listAt(term, 'matchFields').entries()) {
    errors.push(...nodeFieldRequirement(`${path}.matchFields[${index}]`, requirement))
  }
  return errors
}

function nodeRequirement(path: string, requirement: Fields, checkValues: boolean): FieldError[] {
  const errors: FieldError[] = []
  const values = stringsAt(requirement, 'values')
  const operator = stringAt(requirement, 'operator')
  const at = `${path}.values`
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) errors.push(required(at, "must be specified when `operator` is 'In' or 'NotIn'"))
      break
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0)
        errors.push(forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
      break
    case 'Gt':
    case 'Lt':
      if (values.length !== 1)
        errors.push(required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'"))
      break
    default:
      errors.push(invalid(`${path}.operator`, operator, 'not a valid selector operator'))
  }
  errors.push(...qualifiedName(`${path}.key`, stringAt(requirement, 'key')))
  if (!checkValues) return errors
  return [...errors, ...values.flatMap((value, i) => checked(`${at}[${i}]`, value, isLabelValue))]
}

function nodeFieldRequirement(path: string, requirement: Fields): FieldError[] {
  const errors: FieldError[] = []
  const values = stringsAt(requirement, 'values')
  const operator = stringAt(requirement, 'operator')
  const key = stringAt(requirement, 'key')
  if (operator === 'In' || operator === 'NotIn') {
    const text = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
    if (values.length !== 1) errors.push(required(`${path}.values`, text))
  } else errors.push(invalid(`${path}.operator`, operator, 'not a valid selector operator'))
  if (key !== 'metadata.name') return [...errors, invalid(`${path}.key`, key, 'not a valid field selector key')]
  return [...errors, ...values.flatMap((value, i) => checked(`${path}.values[${i}]`, value, isDNSSubdomain))]
}

function podAffinityTerm(path: string, term: Fields): FieldError[] {
  const errors = [
    ...validateLabelSelector(`${path}.labelSelector`, fieldsAt(term, 'labelSelector')),
    ...validateLabelSelector(`${path}.namespaceSelector`, fieldsAt(term, 'namespaceSelector')),
  ]
  for (const name of stringsAt(term, 'namespaces')) errors.push(...checked(`${path}.namespace`, name, isDNSLabel))
  errors.push(...labelKeys(path, term))
  const topology = stringAt(term, 'topologyKey')
  if (topology === '') errors.push(required(`${path}.topologyKey`, 'can not be empty'))
  return [...errors, ...qualifiedName(`${path}.topologyKey`, topology)]
}

/** `matchLabelKeys` and `mismatchLabelKeys` against the selector they are added to. */
function labelKeys(path: string, term: Fields): FieldError[] {
  const errors: FieldError[] = []
  const selector = fieldsAt(term, 'labelSelector')
  const matching = stringsAt(term, 'matchLabelKeys')
  const mismatching = stringsAt(term, 'mismatchLabelKeys')
  for (const [name, keys] of [
    ['matchLabelKeys', matching],
    ['mismatchLabelKeys', mismatching],
  ] as const) {
    if (keys.length === 0) continue
    if (selector === undefined)
      errors.push(forbidden(`${path}.${name}`, 'must not be specified when labelSelector is not set'))
    else errors.push(...keys.flatMap((key, i) => qualifiedName(`${path}.${name}[${i}]`, key)))
  }
  const selected = new Set(Object.keys(mapAt(selector, 'matchLabels')))
  for (const expression of listAt(selector, 'matchExpressions')) {
    const key = stringAt(expression, 'key')
    const index = matching.lastIndexOf(key)
    if (index >= 0 && selected.has(key)) {
      errors.push(invalid(`${path}[${index}]`, key, 'exists in both matchLabelKeys and labelSelector'))
    }
    selected.add(key)
  }
  for (const [index, key] of matching.entries()) {
    if (mismatching.includes(key)) {
      errors.push(
        invalid(`${path}.matchLabelKeys[${index}]`, key, 'exists in both matchLabelKeys and mismatchLabelKeys'),
      )
    }
  }
  return errors
}

/** Tolerations (`ValidateTolerations`). */
export function validateTolerations(path: string, tolerations: readonly Fields[]): FieldError[] {
  const errors: FieldError[] = []
  for (const [index, toleration] of tolerations.entries()) {
    const at = `${path}[${index}]`
    const key = stringAt(toleration, 'key')
    const operator = stringAt(toleration, 'operator')
    const value = stringAt(toleration, 'value')
    const effect = stringAt(toleration, 'effect')
    if (key !== '') errors.push(...qualifiedName(`${at}.key`, key))
    else if (operator !== 'Exists') {
      const text = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
      errors.push(invalid(`${at}.operator`, operator, text))
    }
    if (isSet(toleration, 'tolerationSeconds') && effect !== 'NoExecute') {
      errors.push(invalid(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"))
    }
    if (operator === '' || operator === 'Equal') {
      const texts = isLabelValue(value)
      if (texts.length > 0) errors.push(invalid(`${at}.operator`, value, texts.join(';')))
    } else if (operator === 'Exists') {
      if (value !== '') errors.push(invalid(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'"))
    } else {
      const known = ['Equal', 'Exists', ...(operator === 'Lt' || operator === 'Gt' ? ['Lt', 'Gt'] : [])]
      errors.push(notSupported(`${at}.operator`, operator, known))
    }
    if (effect !== '') errors.push(...validateTaintEffect(`${at}.effect`, effect))
  }
  return errors
}

export function validateTaintEffect(path: string, effect: string): FieldError[] {
  if (effect === '') return [required(path, '')]
  return TAINT_EFFECTS.includes(effect) ? [] : [notSupported(path, effect, TAINT_EFFECTS)]
}

/** How pods spread over the cluster (`validateTopologySpreadConstraints`). */
export function validateSpread(path: string, constraints: readonly Fields[]): FieldError[] {
  const errors: FieldError[] = []
  for (const [index, constraint] of constraints.entries()) {
    const at = `${path}[${index}]`
    const key = stringAt(constraint, 'topologyKey')
    const action = stringAt(constraint, 'whenUnsatisfiable')
    const actions = ['DoNotSchedule', 'ScheduleAnyway']
    errors.push(...positive(`${at}.maxSkew`, numberAt(constraint, 'maxSkew') ?? 0))
    if (key === '') errors.push(required(`${at}.topologyKey`, 'can not be empty'))
    if (!actions.includes(action)) errors.push(notSupported(`${at}.whenUnsatisfiable`, action, actions))
    const repeated = constraints
      .slice(index + 1)
      .some((other) => other['topologyKey'] === key && other['whenUnsatisfiable'] === action)
    if (repeated) errors.push(duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${key}, ${action}}`))
    const domains = numberAt(constraint, 'minDomains')
    if (domains !== undefined) {
      errors.push(...positive(`${at}.minDomains`, domains))
      if (action !== 'DoNotSchedule') {
        const text = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`
        errors.push(invalid(`${at}.minDomains`, domains, text))
      }
    }
    for (const name of ['nodeAffinityPolicy', 'nodeTaintsPolicy']) {
      const policy = constraint[name]
      if (typeof policy === 'string' && policy !== 'Honor' && policy !== 'Ignore') {
        errors.push(notSupported(`${at}.${name}`, policy, ['Honor', 'Ignore']))
      }
    }
    errors.push(
      ...labelKeys(at, constraint),
      ...validateLabelSelector(`${at}.labelSelector`, fieldsAt(constraint, 'labelSelector')),
    )
  }
  return errors
}
