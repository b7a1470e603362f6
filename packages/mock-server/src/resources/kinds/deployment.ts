import { forbidden, invalid, notSupported, required, type FieldError, type KubeObject } from '@freshread/core'
import { internalValue } from '../decode/internal-value.ts'
import { fieldsAt, isSet, numberAt, semanticEqual, stringAt, type Fields } from '../fields.ts'
import type { Strategy } from '../strategy.ts'
import {
  immutable,
  intOrPercent,
  intOrPercentValue,
  nonNegative,
  notAboveHundredPercent,
} from '../validation/common.ts'
import { collisionCount, counts, notAbove } from '../validation/status.ts'
import { keepMeta, resetStatus, specChanged, specOf, statusOf } from './common.ts'
import { podNameWarning, templateWarnings, validateSelectorAndTemplate } from './workload.ts'

const TEXTS = { emptySelector: 'deployment', kind: 'ReplicaSet' }

/** Deployments (`pkg/registry/apps/deployment/strategy.go`). */
export const deployment: Strategy = {
  prepareForCreate: resetStatus('api.apps.v1.DeploymentStatus'),
  prepareForUpdate(object, current, context) {
    if (context.subresource === 'status') keepMeta(object, current, ['labels'])
  },
  generation(object, current) {
    const annotations = (of: KubeObject): unknown => of.metadata.annotations ?? {}
    return specChanged(object, current) || !semanticEqual(annotations(object), annotations(current))
  },
  validate: validateSpec,
  validateUpdate(object, current, context) {
    if (context.subresource === 'status') return validateStatus(object, current)
    return [
      ...validateSpec(object),
      ...immutable('spec.selector', specOf(object)['selector'], specOf(current)['selector']),
    ]
  },
  warnings(object, current) {
    return [...podNameWarning(object, current), ...templateWarnings(object, current)]
  },
}

function validateSpec(object: KubeObject): FieldError[] {
  const spec = specOf(object)
  const errors = nonNegative('spec.replicas', numberAt(spec, 'replicas'))
  errors.push(...validateSelectorAndTemplate(spec, TEXTS), ...validateRollout(fieldsAt(spec, 'strategy') ?? {}))
  const minReady = numberAt(spec, 'minReadySeconds') ?? 0
  errors.push(...nonNegative('spec.minReadySeconds', minReady))
  errors.push(...nonNegative('spec.revisionHistoryLimit', numberAt(spec, 'revisionHistoryLimit')))
  const deadline = numberAt(spec, 'progressDeadlineSeconds')
  if (deadline === undefined) return errors
  errors.push(...nonNegative('spec.progressDeadlineSeconds', deadline))
  if (deadline <= minReady)
    errors.push(invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds'))
  return errors
}

function validateRollout(strategy: Fields): FieldError[] {
  const path = 'spec.strategy'
  const rolling = fieldsAt(strategy, 'rollingUpdate')
  switch (stringAt(strategy, 'type')) {
    case 'Recreate':
      if (!isSet(strategy, 'rollingUpdate')) return []
      return [forbidden(`${path}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'")]
    case 'RollingUpdate': {
      if (rolling === undefined) return [required(`${path}.rollingUpdate`, 'this should be defaulted and never be nil')]
      const unavailable = `${path}.rollingUpdate.maxUnavailable`
      const errors = intOrPercent(unavailable, rolling['maxUnavailable'])
      errors.push(...intOrPercent(`${path}.rollingUpdate.maxSurge`, rolling['maxSurge']))
      if (intOrPercentValue(rolling['maxUnavailable']) === 0 && intOrPercentValue(rolling['maxSurge']) === 0) {
        errors.push(invalid(unavailable, rolling['maxUnavailable'], 'may not be 0 when `maxSurge` is 0'))
      }
      return [...errors, ...notAboveHundredPercent(unavailable, rolling['maxUnavailable'])]
    }
    default:
      return [notSupported(path, internalValue('apps.DeploymentStrategy', strategy), ['Recreate', 'RollingUpdate'])]
  }
}

function validateStatus(object: KubeObject, current: KubeObject): FieldError[] {
  const status = statusOf(object)
  const replicas = ['updatedReplicas', 'readyReplicas', 'availableReplicas']
  return [
    ...counts(status, [
      'observedGeneration',
      'replicas',
      ...replicas,
      'unavailableReplicas',
      'terminatingReplicas',
      'collisionCount',
    ]),
    ...notAbove(status, replicas, 'replicas', 'cannot be greater than status.replicas'),
    ...notAbove(status, ['availableReplicas'], 'readyReplicas', 'cannot be greater than readyReplicas'),
    ...collisionCount(status, statusOf(current)),
  ]
}
