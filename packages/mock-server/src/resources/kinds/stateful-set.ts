import { invalid, notSupported, required, type FieldError, type KubeObject } from '@freshread/core'
import { fieldsAt, isSet, listAt, numberAt, stringAt, type Fields } from '../fields.ts'
import type { Strategy } from '../strategy.ts'
import {
  immutable,
  intOrPercent,
  intOrPercentValue,
  nonNegative,
  notAboveHundredPercent,
} from '../validation/common.ts'
import { isEmptySelector, validateLabelSelector } from '../validation/labels.ts'
import { checked, isDNSLabel } from '../validation/names.ts'
import { validateClaimSpec } from '../validation/persistent-volume-claim.ts'
import { validatePodTemplate } from '../validation/pod-spec.ts'
import { collisionCount, counts, notAbove } from '../validation/status.ts'
import { metaOf, resetStatus, specChanged, specOf, statusOf } from './common.ts'
import { alwaysRestarts, templateMatches, templateWarnings } from './workload.ts'

const RETENTION = ['Retain', 'Delete']
const IMMUTABLE_FIELDS = ['selector', 'volumeClaimTemplates', 'serviceName', 'podManagementPolicy']

/** StatefulSets (`pkg/registry/apps/statefulset/strategy.go`). */
export const statefulSet: Strategy = {
  validateName: isDNSLabel,
  prepareForCreate: resetStatus('api.apps.v1.StatefulSetStatus'),
  setDefaults(object) {
    // Claims keep the kind that the version's conversion writes.
    for (const claim of listAt(specOf(object), 'volumeClaimTemplates')) {
      claim['apiVersion'] = 'v1'
      claim['kind'] = 'PersistentVolumeClaim'
    }
  },
  generation: specChanged,
  validate(object) {
    const spec = specOf(object)
    const errors = validateSpec(object)
    listAt(spec, 'volumeClaimTemplates').forEach((claim, i) => {
      errors.push(...validateClaimSpec(`spec.volumeClaimTemplates[${i}].spec`, fieldsAt(claim, 'spec') ?? {}))
    })
    const service = stringAt(spec, 'serviceName')
    if (service !== '') errors.push(...checked('spec.serviceName', service, isDNSLabel))
    return errors
  },
  validateUpdate(object, current, context) {
    if (context.subresource === 'status') return validateStatus(object, current)
    const [spec, before] = [specOf(object), specOf(current)]
    const changes = IMMUTABLE_FIELDS.flatMap((name) => immutable(`spec.${name}`, spec[name], before[name]))
    return [...validateSpec(object), ...changes]
  },
  warnings(object, current) {
    const limit = numberAt(specOf(object), 'revisionHistoryLimit') ?? 0
    const text =
      'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended'
    return [...templateWarnings(object, current), ...(limit < 0 ? [text] : [])]
  },
}

function validateSpec(object: KubeObject): FieldError[] {
  const spec = specOf(object)
  const errors: FieldError[] = []
  const policy = stringAt(spec, 'podManagementPolicy')
  if (policy !== 'OrderedReady' && policy !== 'Parallel') {
    errors.push(invalid('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'"))
  }
  errors.push(...validateStrategy(fieldsAt(spec, 'updateStrategy') ?? {}))
  const retention = fieldsAt(spec, 'persistentVolumeClaimRetentionPolicy')
  for (const name of ['whenDeleted', 'whenScaled']) {
    const value = stringAt(retention, name)
    const path = `spec.persistentVolumeClaimRetentionPolicy.${name}`
    if (!RETENTION.includes(value)) errors.push(notSupported(path, value, RETENTION))
  }
  errors.push(...nonNegative('spec.replicas', numberAt(spec, 'replicas')))
  errors.push(...nonNegative('spec.minReadySeconds', numberAt(spec, 'minReadySeconds')))
  errors.push(...nonNegative('spec.ordinals.start', numberAt(fieldsAt(spec, 'ordinals'), 'start')))
  const selector = fieldsAt(spec, 'selector')
  if (selector === undefined) errors.push(required('spec.selector', ''))
  else {
    const wrong = validateLabelSelector('spec.selector', selector)
    if (wrong.length > 0) return [...errors, ...wrong, invalid('spec.selector', selector, '')]
    if (isEmptySelector(selector))
      errors.push(invalid('spec.selector', selector, 'empty selector is invalid for statefulset'))
  }
  const template = withClaims(spec)
  return [
    ...errors,
    ...templateMatches(spec, template),
    ...validatePodTemplate('spec.template', template),
    ...alwaysRestarts(template, 'StatefulSet'),
  ]
}

/** The template with the volumes that its claims become, and without the names that the controller sets. */
function withClaims(spec: Fields): Fields {
  const template = fieldsAt(spec, 'template') ?? {}
  const podSpec = { ...fieldsAt(template, 'spec') }
  delete podSpec['subdomain']
  delete podSpec['hostname']
  const claims = listAt(spec, 'volumeClaimTemplates')
  if (claims.length > 0) {
    const names = new Set(claims.map((claim) => stringAt(metaOf(claim as unknown as KubeObject), 'name')))
    const own = listAt(podSpec, 'volumes').filter((volume) => !names.has(stringAt(volume, 'name')))
    podSpec['volumes'] = [...[...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } })), ...own]
  }
  return { ...template, spec: podSpec }
}

function validateStrategy(strategy: Fields): FieldError[] {
  const path = 'spec.updateStrategy'
  const rolling = fieldsAt(strategy, 'rollingUpdate')
  switch (stringAt(strategy, 'type')) {
    case '':
      return [required(path, '')]
    case 'OnDelete':
      if (rolling === undefined) return []
      return [
        invalid(`${path}.rollingUpdate`, internalRolling(rolling), "only allowed for updateStrategy 'RollingUpdate'"),
      ]
    case 'RollingUpdate': {
      if (rolling === undefined) return []
      const errors = nonNegative(`${path}.rollingUpdate.partition`, numberAt(rolling, 'partition'))
      if (!isSet(rolling, 'maxUnavailable')) return errors
      const at = `${path}.rollingUpdate.maxUnavailable`
      const value = rolling['maxUnavailable']
      errors.push(...intOrPercent(at, value))
      if (intOrPercentValue(value) === 0) errors.push(invalid(at, value, 'cannot be 0'))
      return [...errors, ...notAboveHundredPercent(at, value)]
    }
    default: {
      const shown = { Type: strategy['type'], RollingUpdate: rolling === undefined ? null : internalRolling(rolling) }
      return [invalid(path, shown, "must be 'RollingUpdate' or 'OnDelete'")]
    }
  }
}

/** As the internal type prints it, whose fields have no JSON names. */
function internalRolling(rolling: Fields): Fields {
  return { Partition: rolling['partition'] ?? 0, MaxUnavailable: rolling['maxUnavailable'] ?? null }
}

function validateStatus(object: KubeObject, current: KubeObject): FieldError[] {
  const status = statusOf(object)
  const replicas = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas']
  return [
    ...counts(status, ['replicas', ...replicas, 'observedGeneration', 'collisionCount']),
    ...notAbove(status, replicas, 'replicas', 'cannot be greater than status.replicas'),
    ...notAbove(status, ['availableReplicas'], 'readyReplicas', 'cannot be greater than status.readyReplicas'),
    ...collisionCount(status, statusOf(current)),
  ]
}
