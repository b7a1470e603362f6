import { invalid, required, type FieldError, type KubeObject } from '@freshread/core'
import { fieldsAt, mapAt, numberAt, semanticEqual } from '../fields.ts'
import type { Strategy } from '../strategy.ts'
import { nonNegative } from '../validation/common.ts'
import { labelsOf } from '../validation/labels.ts'
import { validatePodTemplate } from '../validation/pod-spec.ts'
import { podWarnings } from '../validation/pod-warnings.ts'
import { resetStatus, selectable, specChanged, specOf, statusOf } from './common.ts'
import { validateReplicaStatus } from './replica-set.ts'
import { alwaysRestarts } from './workload.ts'

/** ReplicationControllers (`pkg/registry/core/replicationcontroller/strategy.go`). */
export const replicationController: Strategy = {
  prepareForCreate: resetStatus('api.core.v1.ReplicationControllerStatus'),
  generation: specChanged,
  defaultPropagation: 'Orphan',
  validate: validateSpec,
  validateUpdate: (object, _current, context) =>
    context.subresource === 'status' ? validateReplicaStatus(object) : validateSpec(object),
  warnings(object, current) {
    const template = fieldsAt(specOf(object), 'template')
    if (template === undefined || (current !== undefined && semanticEqual(object['spec'], current['spec']))) return []
    return podWarnings(template, 'spec.template')
  },
  ...selectable(
    (object) => ({ 'status.replicas': String(numberAt(statusOf(object), 'replicas') ?? 0) }),
    ['status.replicas'],
  ),
}

function validateSpec(object: KubeObject): FieldError[] {
  const spec = specOf(object)
  const errors = nonNegative('spec.minReadySeconds', numberAt(spec, 'minReadySeconds'))
  const selector = mapAt(spec, 'selector')
  if (Object.keys(selector).length === 0) errors.push(required('spec.selector', ''))
  errors.push(...nonNegative('spec.replicas', numberAt(spec, 'replicas')))
  const template = fieldsAt(spec, 'template')
  if (template === undefined) return [...errors, required('spec.template', '')]
  const labels = labelsOf(template)
  if (Object.entries(selector).some(([key, value]) => labels[key] !== value)) {
    const shown = Object.keys(labels).length === 0 ? null : labels
    errors.push(invalid('spec.template.metadata.labels', shown, '`selector` does not match template `labels`'))
  }
  return [
    ...errors,
    ...validatePodTemplate('spec.template', template),
    ...alwaysRestarts(template, 'ReplicationController'),
  ]
}
