import { invalid, notSupported, required, type FieldError, type KubeObject } from '@freshread/core'
import { fieldsAt, numberAt, semanticEqual, stringAt, type Fields } from '../fields.ts'
import type { Strategy } from '../strategy.ts'
import {
  immutable,
  intOrPercent,
  intOrPercentValue,
  nonNegative,
  notAboveHundredPercent,
} from '../validation/common.ts'
import { isEmptySelector, labelsOf, selectorMatches, validateLabelSelector } from '../validation/labels.ts'
import { validatePodTemplate } from '../validation/pod-spec.ts'
import { podWarnings } from '../validation/pod-warnings.ts'
import { collisionCount, counts } from '../validation/status.ts'
import { metaOf, resetStatus, specChanged, specOf, statusOf } from './common.ts'
import { alwaysRestarts } from './workload.ts'

/** Where v1 keeps what the internal type calls `spec.templateGeneration`. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation'
const reset = resetStatus('api.apps.v1.DaemonSetStatus')

/** DaemonSets (`pkg/registry/apps/daemonset/strategy.go`). */
export const daemonSet: Strategy = {
  // Converting from the internal type always writes the annotation.
  emptyAnnotations: { [TEMPLATE_GENERATION]: '0' },
  setDefaults: (object) => setTemplateGeneration(object, templateGeneration(object)),
  prepareForCreate(object) {
    reset(object)
    setTemplateGeneration(object, Math.max(templateGeneration(object), 1))
  },
  prepareForUpdate(object, current, context) {
    const before = templateGeneration(current)
    if (context.subresource === 'status') return setTemplateGeneration(object, before)
    const changed = !semanticEqual(specOf(object)['template'], specOf(current)['template'])
    setTemplateGeneration(object, changed ? before + 1 : before)
  },
  generation: specChanged,
  validate: validateSpec,
  validateUpdate(object, current, context) {
    if (context.subresource === 'status') {
      const status = statusOf(object)
      return [...counts(status, STATUS_COUNTS), ...collisionCount(status, statusOf(current))]
    }
    return [
      ...immutable('spec.selector', specOf(object)['selector'], specOf(current)['selector']),
      ...validateSpec(object),
    ]
  },
  warnings(object, current) {
    const template = specOf(object)['template']
    if (current !== undefined && semanticEqual(template, specOf(current)['template'])) return []
    return podWarnings((template ?? {}) as Fields, 'spec.template')
  },
}

const STATUS_COUNTS = [
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
]

function templateGeneration(object: KubeObject): number {
  return Number(object.metadata.annotations?.[TEMPLATE_GENERATION] ?? 0) || 0
}

function setTemplateGeneration(object: KubeObject, generation: number): void {
  metaOf(object)['annotations'] = { ...object.metadata.annotations, [TEMPLATE_GENERATION]: String(generation) }
}

function validateSpec(object: KubeObject): FieldError[] {
  const spec = specOf(object)
  const selector = fieldsAt(spec, 'selector')
  const template = fieldsAt(spec, 'template') ?? {}
  const errors = validateLabelSelector('spec.selector', selector)
  if (errors.length === 0 && !selectorMatches(selector, labelsOf(template))) {
    const labels = Object.keys(labelsOf(template)).length === 0 ? null : labelsOf(template)
    errors.push(invalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`'))
  }
  if (selector !== undefined && isEmptySelector(selector)) {
    errors.push(invalid('spec.selector', selector, 'empty selector is invalid for daemonset'))
  }
  return [
    ...errors,
    ...validatePodTemplate('spec.template', template),
    ...alwaysRestarts(template, 'DaemonSet'),
    ...nonNegative('spec.minReadySeconds', numberAt(spec, 'minReadySeconds')),
    ...validateStrategy(fieldsAt(spec, 'updateStrategy') ?? {}),
    ...nonNegative('spec.revisionHistoryLimit', numberAt(spec, 'revisionHistoryLimit')),
  ]
}

function validateStrategy(strategy: Fields): FieldError[] {
  const path = 'spec.updateStrategy'
  const rolling = fieldsAt(strategy, 'rollingUpdate')
  const type = stringAt(strategy, 'type')
  if (type === 'OnDelete') return []
  if (type !== 'RollingUpdate') {
    const shown = {
      Type: type,
      RollingUpdate:
        rolling === undefined
          ? null
          : { MaxUnavailable: rolling['maxUnavailable'] ?? 0, MaxSurge: rolling['maxSurge'] ?? 0 },
    }
    return [notSupported(path, shown, ['RollingUpdate', 'OnDelete'])]
  }
  if (rolling === undefined) return [required(`${path}.rollingUpdate`, '')]
  const [unavailable, surge] = [rolling['maxUnavailable'], rolling['maxSurge']]
  const at = `${path}.rollingUpdate`
  const errors = [...intOrPercent(`${at}.maxUnavailable`, unavailable), ...intOrPercent(`${at}.maxSurge`, surge)]
  errors.push(
    ...notAboveHundredPercent(`${at}.maxUnavailable`, unavailable),
    ...notAboveHundredPercent(`${at}.maxSurge`, surge),
  )
  const hasUnavailable = intOrPercentValue(unavailable) !== 0
  const hasSurge = intOrPercentValue(surge) !== 0
  if (hasUnavailable && hasSurge)
    errors.push(invalid(`${at}.maxSurge`, surge, 'may not be set when maxUnavailable is non-zero'))
  else if (!hasUnavailable && !hasSurge) errors.push(required(`${at}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'))
  return errors
}
