import { type FieldError, type KubeObject } from '@freshread/core'
import { numberAt } from '../fields.ts'
import type { Strategy } from '../strategy.ts'
import { immutable, nonNegative } from '../validation/common.ts'
import { counts, notAbove } from '../validation/status.ts'
import { resetStatus, specChanged, specOf, statusOf } from './common.ts'
import { podNameWarning, templateWarnings, validateSelectorAndTemplate } from './workload.ts'

// The text of an empty selector is the Deployment's upstream, too.
const TEXTS = { emptySelector: 'deployment', kind: 'ReplicaSet' }

/** ReplicaSets (`pkg/registry/apps/replicaset/strategy.go`). */
export const replicaSet: Strategy = {
  prepareForCreate: resetStatus('api.apps.v1.ReplicaSetStatus'),
  generation: specChanged,
  validate: validateSpec,
  validateUpdate(object, current, context) {
    if (context.subresource === 'status') return validateReplicaStatus(object)
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
  return [
    ...nonNegative('spec.replicas', numberAt(spec, 'replicas')),
    ...nonNegative('spec.minReadySeconds', numberAt(spec, 'minReadySeconds')),
    ...validateSelectorAndTemplate(spec, TEXTS),
  ]
}

/** The status of a ReplicaSet or a ReplicationController. */
export function validateReplicaStatus(object: KubeObject): FieldError[] {
  const status = statusOf(object)
  const replicas = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas']
  return [
    ...counts(status, ['replicas', ...replicas, 'observedGeneration', 'terminatingReplicas']),
    ...notAbove(status, replicas, 'replicas', 'cannot be greater than status.replicas'),
    ...notAbove(status, ['availableReplicas'], 'readyReplicas', 'cannot be greater than readyReplicas'),
  ]
}
