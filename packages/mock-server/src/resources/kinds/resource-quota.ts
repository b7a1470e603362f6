import { invalid, required, type FieldError, type KubeObject } from '@freshread/core'
import { internalValue } from '../decode/internal-value.ts'
import { fieldsAt, listAt, mapAt, stringAt, stringsAt, type Fields } from '../fields.ts'
import { Quantity } from '../quantity.ts'
import type { Strategy } from '../strategy.ts'
import { IMMUTABLE } from '../validation/common.ts'
import {
  isStandardQuotaResource,
  validateQuotaResourceName,
  validateResourceQuantity,
} from '../validation/resource-names.ts'
import { isMain, resetStatus, specOf, statusOf } from './common.ts'

const POD_SCOPES = ['Terminating', 'NotTerminating', 'NotBestEffort', 'PriorityClass', 'CrossNamespacePodAffinity']
const EXISTS_ONLY = ['BestEffort', 'NotBestEffort', 'Terminating', 'NotTerminating', 'CrossNamespacePodAffinity']
const SCOPES = [...POD_SCOPES, 'BestEffort', 'VolumeAttributesClass']
const CONFLICTING = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const
const COMPUTE = ['cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory']
const CLAIM_RESOURCES = ['persistentvolumeclaims', 'requests.storage']

/** ResourceQuotas (`pkg/registry/core/resourcequota/strategy.go`). */
export const resourceQuota: Strategy = {
  prepareForCreate: resetStatus('api.core.v1.ResourceQuotaStatus'),
  validate: validateSpec,
  validateUpdate(object, current, context) {
    if (!isMain(context)) {
      const status = statusOf(object)
      return [...amounts('status.hard', status, 'hard'), ...amounts('status.used', status, 'used')]
    }
    const errors = validateSpec(object)
    const scopes = stringsAt(specOf(object), 'scopes')
    const sorted = (names: readonly string[]): string => [...new Set(names)].sort().join()
    if (sorted(scopes) !== sorted(stringsAt(specOf(current), 'scopes')))
      errors.push(invalid('spec.scopes', scopes, IMMUTABLE))
    return errors
  },
  warnings: (object, current) => (current === undefined ? requestsAboveLimits(object) : []),
}

function validateSpec(object: KubeObject): FieldError[] {
  const spec = specOf(object)
  return [...amounts('spec.hard', spec, 'hard'), ...validateScopes(spec), ...validateScopeSelector(spec)]
}

function amounts(path: string, parent: Fields, name: string): FieldError[] {
  return Object.entries(mapAt(parent, name)).flatMap(([resource, amount]) => {
    const at = `${path}[${resource}]`
    return [...validateQuotaResourceName(at, resource), ...validateResourceQuantity(at, resource, amount)]
  })
}

/** Whether a quota on a resource can be limited to a scope. */
function appliesTo(scope: string, resource: string): boolean {
  if (POD_SCOPES.includes(scope)) return resource === 'pods' || COMPUTE.includes(resource)
  if (scope === 'BestEffort') return resource === 'pods'
  return scope !== 'VolumeAttributesClass' || CLAIM_RESOURCES.includes(resource)
}

/** How many of the quota's resources a scope cannot apply to. */
function misfits(spec: Fields, scope: string): number {
  return Object.keys(mapAt(spec, 'hard')).filter((name) => isStandardQuotaResource(name) && !appliesTo(scope, name))
    .length
}

function conflicts(spec: Fields, scopes: readonly string[]): FieldError[] {
  const pairs = CONFLICTING.filter((pair) => pair.every((scope) => scopes.includes(scope)))
  return pairs.map(() => invalid('spec.scopes', spec['scopes'] ?? null, 'conflicting scopes'))
}

function validateScopes(spec: Fields): FieldError[] {
  const scopes = stringsAt(spec, 'scopes')
  const errors: FieldError[] = []
  for (const scope of scopes) {
    if (!SCOPES.includes(scope)) errors.push(invalid('spec.scopes', scopes, 'unsupported scope'))
    for (let i = misfits(spec, scope); i > 0; i--)
      errors.push(invalid('spec.scopes', scopes, 'unsupported scope applied to resource'))
  }
  return [...errors, ...conflicts(spec, scopes)]
}

function validateScopeSelector(spec: Fields): FieldError[] {
  const selector = fieldsAt(spec, 'scopeSelector')
  if (selector === undefined) return []
  const path = 'spec.scopeSelector.matchExpressions'
  const errors: FieldError[] = []
  const scopes: string[] = []
  for (const expression of listAt(selector, 'matchExpressions')) {
    const [scope, operator, values] = [
      stringAt(expression, 'scopeName'),
      stringAt(expression, 'operator'),
      stringsAt(expression, 'values'),
    ]
    scopes.push(scope)
    if (!SCOPES.includes(scope)) errors.push(invalid(`${path}.scopeName`, scope, 'unsupported scope'))
    for (let i = misfits(spec, scope); i > 0; i--)
      errors.push(invalid(path, internalValue('core.ScopeSelector', selector), 'unsupported scope applied to resource'))
    if (EXISTS_ONLY.includes(scope) && operator !== 'Exists') {
      const text =
        "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, " +
        'ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity'
      errors.push(invalid(`${path}.operator`, operator, text))
    }
    errors.push(...validateOperator(path, operator, values))
  }
  return [...errors, ...conflicts(spec, scopes)]
}

function validateOperator(path: string, operator: string, values: readonly string[]): FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn': {
      if (values.length > 0) return []
      return [
        required(`${path}.values`, "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"),
      ]
    }
    case 'Exists':
    case 'DoesNotExist': {
      if (values.length === 0) return []
      return [
        invalid(
          `${path}.values`,
          values,
          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
        ),
      ]
    }
    default:
      return [invalid(`${path}.operator`, operator, 'not a valid selector operator')]
  }
}

function requestsAboveLimits(object: KubeObject): string[] {
  const hard = mapAt(specOf(object), 'hard')
  const warnings: string[] = []
  for (const resource of ['cpu', 'memory', 'storage', 'ephemeral-storage']) {
    let name = `requests.${resource}`
    if (hard[name] === undefined && (resource === 'cpu' || resource === 'memory')) name = resource
    const [request, limit] = [hard[name], hard[`limits.${resource}`]]
    if (request === undefined || limit === undefined) continue
    if (Quantity.parse(request).compare(Quantity.parse(limit)) > 0) {
      warnings.push(`ResourceQuota ${name} (${request}) should be less than limits.${resource} (${limit})`)
    }
  }
  return warnings
}
