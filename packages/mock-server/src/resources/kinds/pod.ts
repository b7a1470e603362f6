import { forbidden, invalid, required, type FieldError, type KubeObject } from '@freshread/core'
import {
  assign,
  fieldsAt,
  isSet,
  isTrueAt,
  listAt,
  mapAt,
  numberAt,
  semanticEqual,
  stringAt,
  type Fields,
} from '../fields.ts'
import { timestamp } from '../system-fields.ts'
import type { Strategy } from '../strategy.ts'
import { nonNegative } from '../validation/common.ts'
import { imageWithoutBlanks } from '../validation/containers.ts'
import { annotationsOf, labelsOf } from '../validation/labels.ts'
import { inclusiveRange } from '../validation/names.ts'
import { containerRequests, validatePodAnnotations, validatePodSpec } from '../validation/pod-spec.ts'
import { hostNameWarning, podWarnings } from '../validation/pod-warnings.ts'
import { validateTolerations } from '../validation/scheduling.ts'
import { isMain, keepMeta, META_FOR_STATUS, selectable, specChanged, specOf, statusOf } from './common.ts'
import { admitPod, validatePodAdmission } from './pod-admission.ts'
import { qosClass } from './pod-qos.ts'
import { preparePodResize, validatePodResize } from './pod-resize.ts'
import { preparePodStatus, validatePodStatus } from './pod-status.ts'

const UPDATABLE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',')
const MAX_INT32 = 2 ** 31 - 1
const FIELD_LABELS = [
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.serviceAccountName',
  'spec.hostNetwork',
  'status.phase',
  'status.podIP',
  'status.podIPs',
  'status.nominatedNodeName',
]

/** Pods (`pkg/registry/core/pod/strategy.go`). */
export const pod: Strategy = {
  admit: (object, current, context) => admitPod(object, current, context),
  validateAdmission: validatePodAdmission,
  prepareForCreate(object, context) {
    const spec = specOf(object)
    object['status'] = { phase: 'Pending' }
    if (listAt(spec, 'schedulingGates').length > 0) {
      statusOf(object)['conditions'] = [
        {
          type: 'PodScheduled',
          status: 'False',
          lastProbeTime: null,
          lastTransitionTime: timestamp(context.clock),
          reason: 'SchedulingGated',
          message: 'Scheduling is blocked due to non-empty scheduling gates',
        },
      ]
    }
    mergeLabelKeys(object)
    defaultPodResources(spec)
    statusOf(object)['qosClass'] = qosClass(spec)
  },
  prepareForUpdate(object, current, context) {
    switch (context.subresource) {
      case '':
        if (!isSet(specOf(object), 'resources')) assign(specOf(object), 'resources', specOf(current)['resources'])
        return
      case 'status':
        preparePodStatus(object, current)
        return
      case 'ephemeralcontainers': {
        const added = specOf(object)['ephemeralContainers']
        keepMeta(object, current, META_FOR_STATUS)
        object['spec'] = structuredClone(current['spec'])
        object['status'] = structuredClone(current['status'])
        assign(specOf(object), 'ephemeralContainers', added)
        return
      }
      case 'resize':
        preparePodResize(object, current)
    }
  },
  generation: specChanged,
  validate(object) {
    const spec = specOf(object)
    const errors = validatePod(object)
    if (listAt(spec, 'ephemeralContainers').length > 0) {
      errors.push(forbidden('spec.ephemeralContainers', 'cannot be set on create'))
    }
    if (stringAt(spec, 'nodeName') !== '' && listAt(spec, 'schedulingGates').length > 0) {
      errors.push(forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'))
    }
    return errors
  },
  validateUpdate(object, current, context) {
    switch (context.subresource) {
      case 'status':
        return validatePodStatus(object, current)
      case 'ephemeralcontainers':
        return [...validatePod(object), ...validateEphemeralUpdate(object, current)]
      case 'resize':
        return [...validatePod(object), ...validatePodResize(object, current)]
      default:
        return isMain(context) ? validateSpecUpdate(object, current) : []
    }
  },
  warnings(object, current) {
    if (current !== undefined) return []
    return [...hostNameWarning(object.metadata.name ?? '', "the Pod's hostname"), ...podWarnings(object)]
  },
  checkGracefulDelete(object, requested) {
    const spec = specOf(object)
    const phase = stringAt(statusOf(object), 'phase')
    const period = requested ?? numberAt(spec, 'terminationGracePeriodSeconds') ?? 0
    if (stringAt(spec, 'nodeName') === '' || phase === 'Failed' || phase === 'Succeeded')
      return { gracePeriodSeconds: 0 }
    return { gracePeriodSeconds: period < 0 ? 1 : period }
  },
  ...selectable(selectableFields, FIELD_LABELS),
  fieldLabels: { ...Object.fromEntries(FIELD_LABELS.map((name) => [name, name])), 'spec.host': 'spec.nodeName' },
}

function selectableFields(object: KubeObject): Record<string, string> {
  const spec = specOf(object)
  const status = statusOf(object)
  return {
    'spec.nodeName': stringAt(spec, 'nodeName'),
    'spec.restartPolicy': stringAt(spec, 'restartPolicy'),
    'spec.schedulerName': stringAt(spec, 'schedulerName'),
    'spec.serviceAccountName': stringAt(spec, 'serviceAccountName'),
    'spec.hostNetwork': String(isTrueAt(spec, 'hostNetwork')),
    'status.phase': stringAt(status, 'phase'),
    'status.podIP': stringAt(listAt(status, 'podIPs')[0], 'ip'),
    'status.nominatedNodeName': stringAt(status, 'nominatedNodeName'),
  }
}

function validatePod(object: KubeObject): FieldError[] {
  const spec = specOf(object)
  const errors = [
    ...validatePodAnnotations('metadata.annotations', annotationsOf(object), spec),
    ...validatePodSpec('spec', spec, object.metadata),
  ]
  if (stringAt(spec, 'serviceAccountName') === '') {
    listAt(spec, 'volumes').forEach((volume, i) =>
      listAt(fieldsAt(volume, 'projected'), 'sources').forEach((source, j) => {
        const at = `spec.volumes[${i}].projected.sources[${j}].serviceAccountToken`
        const text = 'must not be specified when serviceAccountName is not set'
        if (isSet(source, 'serviceAccountToken')) errors.push(forbidden(at, text))
      }),
    )
  }
  errors.push(...nonNegative('spec.terminationGracePeriodSeconds', numberAt(spec, 'terminationGracePeriodSeconds')))
  for (const list of ['containers', 'initContainers']) {
    listAt(spec, list).forEach((container, i) => errors.push(...imageWithoutBlanks(`spec.${list}[${i}]`, container)))
  }
  return errors
}

/** Only a few fields of a pod's spec can change (`ValidatePodUpdate`). */
function validateSpecUpdate(object: KubeObject, current: KubeObject): FieldError[] {
  const spec = specOf(object)
  const before = specOf(current)
  const errors = validatePod(object)
  for (const list of ['containers', 'initContainers']) {
    const containers = listAt(spec, list)
    if (containers.length !== listAt(before, list).length) {
      return [...errors, forbidden(`spec.${list}`, 'pod updates may not add or remove containers')]
    }
    containers.forEach((container, i) => {
      if (stringAt(container, 'image') === '') errors.push(required(`spec.${list}[${i}].image`, ''))
      errors.push(...imageWithoutBlanks(`spec.${list}[${i}]`, container))
    })
  }
  const deadline = numberAt(spec, 'activeDeadlineSeconds')
  const oldDeadline = numberAt(before, 'activeDeadlineSeconds')
  const at = 'spec.activeDeadlineSeconds'
  if (deadline !== undefined) {
    if (deadline < 0 || deadline > MAX_INT32) return [...errors, invalid(at, deadline, inclusiveRange(0, MAX_INT32))]
    if (oldDeadline !== undefined && oldDeadline < deadline) {
      return [...errors, invalid(at, deadline, 'must be less than or equal to previous value')]
    }
  } else if (oldDeadline !== undefined) {
    errors.push(invalid(at, null, 'must not update from a positive integer to nil value'))
  }
  errors.push(...onlyAddedTolerations(listAt(spec, 'tolerations'), listAt(before, 'tolerations')))
  errors.push(...onlyDeletedGates(listAt(spec, 'schedulingGates'), listAt(before, 'schedulingGates')))
  if (!semanticEqual(withoutUpdatable(spec, before), before)) {
    errors.push(forbidden('spec', `pod updates may not change fields other than ${UPDATABLE}`))
  }
  return errors
}

/** The spec with what may change put back. */
function withoutUpdatable(spec: Fields, before: Fields): Fields {
  const munged = { ...spec }
  for (const list of ['containers', 'initContainers']) {
    if (!isSet(spec, list)) continue
    const old = listAt(before, list)
    munged[list] = listAt(spec, list).map((container, i) => ({ ...container, image: old[i]?.['image'] }))
  }
  for (const name of ['activeDeadlineSeconds', 'schedulingGates', 'tolerations']) assign(munged, name, before[name])
  const grace = numberAt(before, 'terminationGracePeriodSeconds')
  if (grace !== undefined && grace < 0 && spec['terminationGracePeriodSeconds'] === 1)
    munged['terminationGracePeriodSeconds'] = grace
  if (listAt(before, 'schedulingGates').length > 0) assign(munged, 'nodeSelector', before['nodeSelector'])
  return munged
}

function onlyAddedTolerations(tolerations: readonly Fields[], before: readonly Fields[]): FieldError[] {
  const same = (a: Fields, b: Fields): boolean =>
    semanticEqual({ ...a, tolerationSeconds: null }, { ...b, tolerationSeconds: null })
  if (!before.every((old) => tolerations.some((toleration) => same(old, toleration)))) {
    return [forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds')]
  }
  return validateTolerations('spec.tolerations', tolerations)
}

function onlyDeletedGates(gates: readonly Fields[], before: readonly Fields[]): FieldError[] {
  const old = new Set(before.map((gate) => gate['name']))
  return gates.flatMap((gate, i) => {
    const text = `only deletion is allowed, but found new scheduling gate '${stringAt(gate, 'name')}'`
    return old.has(gate['name']) ? [] : [forbidden(`spec.schedulingGates[${i}].name`, text)]
  })
}

/** Merges the label keys of affinity and spread into their selectors. */
function mergeLabelKeys(object: KubeObject): void {
  const spec = specOf(object)
  const labels = labelsOf(object)
  const merge = (term: Fields | undefined): void => {
    const selector = fieldsAt(term, 'labelSelector')
    if (selector === undefined) return
    for (const [name, operator] of [
      ['matchLabelKeys', 'In'],
      ['mismatchLabelKeys', 'NotIn'],
    ] as const) {
      for (const key of (term![name] ?? []) as string[]) {
        const value = labels[key]
        if (value === undefined) continue
        selector['matchExpressions'] = [...listAt(selector, 'matchExpressions'), { key, operator, values: [value] }]
      }
    }
  }
  for (const kind of ['podAffinity', 'podAntiAffinity']) {
    const affinity = fieldsAt(fieldsAt(spec, 'affinity'), kind)
    listAt(affinity, 'requiredDuringSchedulingIgnoredDuringExecution').forEach(merge)
    for (const term of listAt(affinity, 'preferredDuringSchedulingIgnoredDuringExecution'))
      merge(fieldsAt(term, 'podAffinityTerm'))
  }
  listAt(spec, 'topologySpreadConstraints').forEach(merge)
}

/** Requests of the whole pod, where only its limits are given. */
function defaultPodResources(spec: Fields): void {
  const resources = fieldsAt(spec, 'resources')
  const limits = mapAt(resources, 'limits')
  if (resources === undefined || Object.keys(limits).length === 0) return
  const requests: Record<string, string> = { ...mapAt(resources, 'requests') }
  for (const [name, total] of Object.entries(containerRequests(spec))) {
    if (name === 'cpu' || name === 'memory') requests[name] ??= total.toString()
  }
  for (const [name, limit] of Object.entries(limits)) requests[name] ??= limit
  if (Object.keys(requests).length > 0) resources['requests'] = requests
}

/** Ephemeral containers can be added, and never change or go (`ValidatePodEphemeralContainersUpdate`). */
function validateEphemeralUpdate(object: KubeObject, current: KubeObject): FieldError[] {
  if (annotationsOf(current)['kubernetes.io/config.mirror'] !== undefined) {
    return [forbidden('[]', 'static pods do not support ephemeral containers')]
  }
  const now = new Map(listAt(specOf(object), 'ephemeralContainers').map((container) => [container['name'], container]))
  return listAt(specOf(current), 'ephemeralContainers').flatMap((old) => {
    const same = now.get(old['name'])
    if (same !== undefined && semanticEqual(same, old)) return []
    const what = same === undefined ? 'removed\n' : 'changed'
    const text = `existing ephemeral containers "${stringAt(old, 'name')}" may not be ${what}`
    return [forbidden('spec.ephemeralContainers', text)]
  })
}
