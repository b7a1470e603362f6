import { forbidden, invalid, notSupported, required, type FieldError, type KubeObject } from '@freshread/core'
import { internalValue } from '../decode/internal-value.ts'
import { fieldsAt, isSet, stringAt, type Fields } from '../fields.ts'
import { isEmptySelector, labelsOf, selectorMatches, validateLabelSelector } from '../validation/labels.ts'
import { validatePodTemplate } from '../validation/pod-spec.ts'
import { hostNameWarning, podWarnings } from '../validation/pod-warnings.ts'
import { specOf } from './common.ts'

/** How the kinds that make pods of a template differ in what they say of it. */
export interface WorkloadTexts {
  /** In `empty selector is invalid for …`. */
  readonly emptySelector: string
  /** In `activeDeadlineSeconds in … is not Supported`. */
  readonly kind: string
}

/** The selector of a workload and its template, which must match it (`ValidatePodTemplateSpecForReplicaSet` and its like). */
export function validateSelectorAndTemplate(spec: Fields, texts: WorkloadTexts): FieldError[] {
  const errors: FieldError[] = []
  const selector = fieldsAt(spec, 'selector')
  if (selector === undefined) errors.push(required('spec.selector', ''))
  else {
    errors.push(...validateLabelSelector('spec.selector', selector))
    // Nothing is said of the template then.
    if (errors.length > 0) return [...errors, invalid('spec.selector', selector, 'invalid label selector')]
    if (isEmptySelector(selector))
      errors.push(invalid('spec.selector', selector, `empty selector is invalid for ${texts.emptySelector}`))
  }
  const template = fieldsAt(spec, 'template') ?? {}
  if (errors.length === 0 || selector === undefined) errors.push(...templateMatches(spec, template))
  return [...errors, ...validatePodTemplate('spec.template', template), ...alwaysRestarts(template, texts.kind)]
}

/** The template's labels must be what the selector selects. */
export function templateMatches(spec: Fields, template: Fields): FieldError[] {
  const selector = fieldsAt(spec, 'selector')
  const labels = labelsOf(template)
  if (selector !== undefined && isEmptySelector(selector)) return []
  if (selectorMatches(selector, labels)) return []
  const shown = Object.keys(labels).length === 0 ? null : internalValue('map[string]string', labels)
  return [invalid('spec.template.metadata.labels', shown, '`selector` does not match template `labels`')]
}

/** Pods that a controller replaces restart always, and run for as long as they like. */
export function alwaysRestarts(template: Fields, kind: string): FieldError[] {
  const errors: FieldError[] = []
  const spec = fieldsAt(template, 'spec')
  const policy = stringAt(spec, 'restartPolicy')
  if (policy !== 'Always') errors.push(notSupported('spec.template.spec.restartPolicy', policy, ['Always']))
  if (isSet(spec, 'activeDeadlineSeconds')) {
    errors.push(
      forbidden('spec.template.spec.activeDeadlineSeconds', `activeDeadlineSeconds in ${kind} is not Supported`),
    )
  }
  return errors
}

/** Warns of a name that the names of its pods begin with, when it is no host name. */
export function podNameWarning(object: KubeObject, current: KubeObject | undefined): readonly string[] {
  return current === undefined ? hostNameWarning(object.metadata.name ?? '', 'Pod names and hostnames') : []
}

/** Warnings of a workload's template, when it is of a new generation. */
export function templateWarnings(object: KubeObject, current: KubeObject | undefined): readonly string[] {
  if (current !== undefined && object.metadata.generation === current.metadata.generation) return []
  return podWarnings(fieldsAt(specOf(object), 'template') ?? {}, 'spec.template')
}
