import { forbidden, invalid, notSupported, required, type FieldError, type KubeObject } from '@freshread/core'
import { schemaOfKind } from '../catalogue.ts'
import { applyDefaults } from '../defaults/apply-defaults.ts'
import { fieldsAt, isSet, listAt, numberAt, stringAt, type Fields } from '../fields.ts'
import { Quantity } from '../quantity.ts'
import type { Strategy } from '../strategy.ts'
import { nonNegative, nonNegativeQuantity } from '../validation/common.ts'
import { checked, isDNSLabel, isPathSegmentName } from '../validation/names.ts'
import { validateContainerResourceName } from '../validation/resource-names.ts'
import { counts } from '../validation/status.ts'
import { resetStatus, specChanged, specOf, statusOf } from './common.ts'

const SELECT_POLICIES = ['Disabled', 'Max', 'Min']
const POLICY_TYPES = ['Percent', 'Pods']
const METRIC_TYPES = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource']
const TARGET_TYPES = ['Utilization', 'Value', 'AverageValue']
const LONGEST_WINDOW = 3600
const LONGEST_PERIOD = 1800
/** Sources of a metric, in the order in which they are checked. */
const SOURCES = ['object', 'external', 'pods', 'resource', 'containerResource'] as const

/** HorizontalPodAutoscalers, stored as autoscaling/v2 (`pkg/registry/autoscaling/horizontalpodautoscaler/strategy.go`). */
export const horizontalPodAutoscaler: Strategy = {
  // Those of the version that is stored, beside those of the version that was sent.
  setDefaults(object) {
    applyDefaults(object, schemaOfKind('autoscaling', 'v2', 'HorizontalPodAutoscaler'))
  },
  prepareForCreate: resetStatus('api.autoscaling.v2.HorizontalPodAutoscalerStatus'),
  generation: specChanged,
  validate: (object) => validateSpec(object, undefined),
  validateUpdate(object, current, context) {
    if (context.subresource !== 'status') return validateSpec(object, current)
    const status = statusOf(object)
    const conditions = listAt(status, 'conditions').flatMap((condition, i) =>
      nonNegative(`status.conditions[${i}].observedGeneration`, numberAt(condition, 'observedGeneration')),
    )
    return [...conditions, ...counts(status, ['currentReplicas', 'desiredReplicas'])]
  },
}

function validateSpec(object: KubeObject, current: KubeObject | undefined): FieldError[] {
  const spec = specOf(object)
  const errors: FieldError[] = []
  const min = numberAt(spec, 'minReplicas')
  const max = numberAt(spec, 'maxReplicas') ?? 0
  errors.push(...nonNegative('spec.minReplicas', min))
  if (max === 0) errors.push(required('spec.maxReplicas', ''))
  else if (max < 0) errors.push(invalid('spec.maxReplicas', max, 'must be greater than or equal to 1'))
  if (min !== undefined && max < min)
    errors.push(invalid('spec.maxReplicas', max, 'must be greater than or equal to `minReplicas`'))
  errors.push(...validateTarget(spec, current === undefined ? undefined : specOf(current)))
  listAt(spec, 'metrics').forEach((metric, i) => errors.push(...validateMetric(`spec.metrics[${i}]`, metric)))
  if (min === 0 && !listAt(spec, 'metrics').some(({ type }) => type === 'Object' || type === 'External')) {
    const text = 'must specify at least one Object or External metric to support scaling to zero replicas'
    errors.push(forbidden('spec.metrics', text))
  }
  const behavior = fieldsAt(spec, 'behavior')
  for (const name of ['scaleUp', 'scaleDown']) {
    const rules = fieldsAt(behavior, name)
    if (rules !== undefined) errors.push(...validateRules(`spec.behavior.${name}`, rules))
  }
  return errors
}

function validateTarget(spec: Fields, before: Fields | undefined): FieldError[] {
  const ref = fieldsAt(spec, 'scaleTargetRef') ?? {}
  const old = fieldsAt(before, 'scaleTargetRef')
  const same = old !== undefined && ['apiVersion', 'kind'].every((name) => stringAt(old, name) === stringAt(ref, name))
  return validateReference('spec.scaleTargetRef', ref, same || stringAt(ref, 'kind') === 'ReplicationController')
}

function validateReference(path: string, ref: Fields, anyGroup: boolean): FieldError[] {
  const errors = ['kind', 'name'].flatMap((name) => {
    const value = stringAt(ref, name)
    return value === '' ? [required(`${path}.${name}`, '')] : checked(`${path}.${name}`, value, isPathSegmentName)
  })
  const version = stringAt(ref, 'apiVersion')
  if (version.split('/').length > 2)
    errors.push(invalid(`${path}.apiVersion`, version, `unexpected GroupVersion string: ${version}`))
  else if (!anyGroup && !version.includes('/'))
    errors.push(invalid(`${path}.apiVersion`, version, 'apiVersion must specify API group'))
  return errors
}

function validateMetric(path: string, metric: Fields): FieldError[] {
  const type = stringAt(metric, 'type')
  const errors: FieldError[] = []
  if (type === '') errors.push(required(`${path}.type`, 'must specify a metric source type'))
  const known = METRIC_TYPES.includes(type)
  if (!known) errors.push(notSupported(`${path}.type`, type, METRIC_TYPES))
  const present = SOURCES.filter((name) => isSet(metric, name))
  const first = present[0]
  if (first !== undefined) errors.push(...validateSource(`${path}.${first}`, first, fieldsAt(metric, first) ?? {}))
  const expected = known ? type.charAt(0).toLowerCase() + type.slice(1) : ''
  if (!known) errors.push(notSupported(`${path}.type`, type, METRIC_TYPES))
  else if (!isSet(metric, expected))
    errors.push(required(`${path}.${expected}`, 'must populate information for the given metric source'))
  if (present.length === 1) return errors
  const others = present.filter((name) => name !== expected)
  return [
    ...errors,
    ...others.map((name) => forbidden(`${path}.${name}`, 'must populate the given metric source only')),
  ]
}

function validateSource(path: string, kind: (typeof SOURCES)[number], source: Fields): FieldError[] {
  const target = fieldsAt(source, 'target') ?? {}
  const [value, average, utilization] = ['value', 'averageValue', 'averageUtilization'].map((name) =>
    isSet(target, name),
  )
  const errors: FieldError[] = []
  const at = `${path}.target`
  switch (kind) {
    case 'object':
      errors.push(...validateReference(`${path}.describedObject`, fieldsAt(source, 'describedObject') ?? {}, true))
      errors.push(...validateIdentifier(path, source), ...validateMetricTarget(at, target))
      if (!value && !average)
        errors.push(required(`${at}.averageValue`, 'must set either a target value or averageValue'))
      return errors
    case 'external':
      errors.push(...validateIdentifier(path, source), ...validateMetricTarget(at, target))
      if (!value && !average) {
        errors.push(required(`${at}.averageValue`, 'must set either a target value for metric or a per-pod target'))
      }
      if (value && average)
        errors.push(forbidden(`${at}.value`, 'may not set both a target value for metric and a per-pod target'))
      return errors
    case 'pods':
      errors.push(...validateIdentifier(path, source), ...validateMetricTarget(at, target))
      if (!average) errors.push(required(`${at}.averageValue`, 'must specify a positive target averageValue'))
      return errors
    default:
      errors.push(...validateResource(path, kind === 'containerResource', source), ...validateMetricTarget(at, target))
      if (!utilization && !average) {
        errors.push(required(`${at}.averageUtilization`, 'must set either a target raw value or a target utilization'))
      }
      if (utilization && average) {
        errors.push(forbidden(`${at}.averageValue`, 'may not set both a target raw value and a target utilization'))
      }
      return errors
  }
}

function validateResource(path: string, ofContainer: boolean, source: Fields): FieldError[] {
  const [name, container] = [stringAt(source, 'name'), stringAt(source, 'container')]
  if (!ofContainer) return name === '' ? [required(`${path}.name`, 'must specify a resource name')] : []
  const errors =
    name === ''
      ? [required(`${path}.name`, 'must specify a resource name')]
      : validateContainerResourceName(`${path}.name`, name)
  if (container === '') errors.push(required(`${path}.container`, 'must specify a container'))
  else errors.push(...checked(`${path}.container`, container, isDNSLabel))
  return errors
}

function validateIdentifier(path: string, source: Fields): FieldError[] {
  const name = stringAt(fieldsAt(source, 'metric'), 'name')
  if (name === '') return [required(`${path}.metric.name`, 'must specify a metric name')]
  return checked(`${path}.metric.name`, name, isPathSegmentName)
}

function validateMetricTarget(path: string, target: Fields): FieldError[] {
  const errors: FieldError[] = []
  const type = stringAt(target, 'type')
  if (type === '') errors.push(required(`${path}.type`, 'must specify a metric target type'))
  if (!TARGET_TYPES.includes(type)) {
    errors.push(invalid(`${path}.type`, type, 'must be either Utilization, Value, or AverageValue'))
  }
  for (const name of ['value', 'averageValue']) {
    const text = target[name]
    if (typeof text === 'string' && Quantity.parse(text).nano <= 0n)
      errors.push(invalid(`${path}.${name}`, text, 'must be positive'))
  }
  const utilization = numberAt(target, 'averageUtilization')
  if (utilization !== undefined && utilization < 1) {
    errors.push(invalid(`${path}.averageUtilization`, utilization, 'must be greater than 0'))
  }
  return errors
}

function validateRules(path: string, rules: Fields): FieldError[] {
  const errors: FieldError[] = []
  const window = numberAt(rules, 'stabilizationWindowSeconds')
  const windowPath = `${path}.stabilizationWindowSeconds`
  if (window !== undefined && window < 0)
    errors.push(invalid(windowPath, window, 'must be greater than or equal to zero'))
  if (window !== undefined && window > LONGEST_WINDOW) {
    errors.push(invalid(windowPath, window, `must be less than or equal to ${LONGEST_WINDOW}`))
  }
  const select = rules['selectPolicy']
  if (typeof select === 'string' && !SELECT_POLICIES.includes(select)) {
    errors.push(notSupported(`${path}.selectPolicy`, select, SELECT_POLICIES))
  }
  const policies = listAt(rules, 'policies')
  if (policies.length === 0) errors.push(required(`${path}.policies`, 'must specify at least one Policy'))
  for (const [i, policy] of policies.entries()) {
    const at = `${path}.policies[${i}]`
    const type = stringAt(policy, 'type')
    const period = numberAt(policy, 'periodSeconds') ?? 0
    if (!POLICY_TYPES.includes(type)) errors.push(notSupported(`${at}.type`, type, POLICY_TYPES))
    for (const name of ['value', 'periodSeconds']) {
      const value = numberAt(policy, name) ?? 0
      if (value <= 0) errors.push(invalid(`${at}.${name}`, value, 'must be greater than zero'))
    }
    if (period > LONGEST_PERIOD)
      errors.push(invalid(`${at}.periodSeconds`, period, `must be less than or equal to ${LONGEST_PERIOD}`))
  }
  const tolerance = rules['tolerance']
  if (typeof tolerance === 'string') errors.push(...nonNegativeQuantity(`${path}.tolerance`, tolerance))
  return errors
}
