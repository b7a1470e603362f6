import { invalid, notSupported, required, tooLong, type FieldError, type KubeObject } from '@freshread/core'
import { internalValue } from '../decode/internal-value.ts'
import {
  ensureFields,
  fieldsAt,
  isSet,
  isTrueAt,
  listAt,
  numberAt,
  semanticEqual,
  stringAt,
  type Fields,
} from '../fields.ts'
import type { Strategy } from '../strategy.ts'
import { immutable, immutableInternal, nonNegative } from '../validation/common.ts'
import { labelsOf, selectorMatches, validateLabelSelector } from '../validation/labels.ts'
import { domainPrefixedPath, isDNSLabel } from '../validation/names.ts'
import { validatePodTemplate } from '../validation/pod-spec.ts'
import { podWarnings } from '../validation/pod-warnings.ts'
import { resetStatus, selectable, specChanged, specOf, statusOf } from './common.ts'
import { validateFailurePolicy } from './job-failure-policy.ts'
import { validateJobStatus } from './job-status.ts'
import { validateSuccessPolicy } from './job-success-policy.ts'
import { podNameWarning } from './workload.ts'

const NAME_LABELS = ['job-name', 'batch.kubernetes.io/job-name']
const UID_LABELS = ['controller-uid', 'batch.kubernetes.io/controller-uid']
const MAX_PARALLELISM_INDEXED = 100_000
const IMMUTABLE_FIELDS = [
  'selector',
  'completionMode',
  'podFailurePolicy',
  'backoffLimitPerIndex',
  'managedBy',
  'successPolicy',
]
/** Fields that errors show as the internal type prints them. */
const INTERNAL_TYPES: Readonly<Record<string, string>> = {
  podFailurePolicy: '*batch.PodFailurePolicy',
  successPolicy: '*batch.SuccessPolicy',
}
const DELETE_WARNING =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them ' +
  'or set propagationPolicy=Orphan to suppress this warning'
const reset = resetStatus('api.batch.v1.JobStatus')

/** Jobs (`pkg/registry/batch/job/strategy.go`). */
export const job: Strategy = {
  defaultPropagation: 'Orphan',
  prepareForCreate(object) {
    reset(object)
    delete specOf(object)['scheduling']
    if (!isTrueAt(specOf(object), 'manualSelector')) generateSelector(object)
    takeTemplateLabels(object)
  },
  prepareForUpdate: takeTemplateLabels,
  deleteWarnings: [DELETE_WARNING],
  fieldLabelError: (label) => `field label ${JSON.stringify(label)} not supported for Job`,
  generation: specChanged,
  validate(object) {
    return [
      ...validateGenerated(object),
      ...validateJobSpec('spec', specOf(object)),
      ...validateSelector(specOf(object)),
      ...indexedName(object),
    ]
  },
  validateUpdate(object, current, context) {
    if (context.subresource === 'status') return validateJobStatus(object, current)
    const [spec, before] = [specOf(object), specOf(current)]
    const errors = [...validateJobSpec('spec', spec), ...validateSelector(spec)]
    errors.push(...completionsChange(spec, before))
    errors.push(...IMMUTABLE_FIELDS.flatMap((name) => changeOf(name, spec[name], before[name])))
    return [...errors, ...templateChange(object, current), ...indexedName(object)]
  },
  warnings(object, current) {
    const name = podNameWarning(object, current)
    if (current !== undefined && semanticEqual(object['spec'], current['spec'])) return name
    return [...name, ...jobWarnings('spec', specOf(object))]
  },
  ...selectable(
    (object) => ({ 'status.successful': String(numberAt(statusOf(object), 'succeeded') ?? 0) }),
    ['status.successful'],
  ),
}

/** Warnings of a job or of a template of jobs. */
export function jobWarnings(path: string, spec: Fields): string[] {
  const warnings: string[] = []
  const completions = numberAt(spec, 'completions') ?? 0
  const parallelism = numberAt(spec, 'parallelism') ?? 0
  if (spec['completionMode'] === 'Indexed' && completions > 100_000 && parallelism > 10_000) {
    warnings.push(
      'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail',
    )
  }
  return [...warnings, ...podWarnings(fieldsAt(spec, 'template') ?? {}, `${path}.template`)]
}

/** Defaulting runs once more when the stored object is read, and gives a job without labels those of its template. */
function takeTemplateLabels(object: KubeObject): void {
  const labels = labelsOf(fieldsAt(specOf(object), 'template'))
  if (Object.keys(labels).length === 0 || Object.keys(object.metadata.labels ?? {}).length > 0) return
  object.metadata.labels = { ...labels }
}

/** Labels and selector that tie the job to its pods (`generateSelector`). */
function generateSelector(object: KubeObject): void {
  const spec = specOf(object)
  const { name = '', uid = '' } = object.metadata
  const labels = ensureFields(ensureFields(ensureFields(spec, 'template'), 'metadata'), 'labels')
  for (const label of NAME_LABELS) labels[label] ??= name
  for (const label of UID_LABELS) labels[label] ??= uid
  const matchLabels = ensureFields(ensureFields(spec, 'selector'), 'matchLabels')
  matchLabels['batch.kubernetes.io/controller-uid'] ??= uid
}

function validateGenerated(object: KubeObject): FieldError[] {
  const spec = specOf(object)
  const selector = fieldsAt(spec, 'selector')
  if (isTrueAt(spec, 'manualSelector') || selector === undefined) return []
  const errors: FieldError[] = []
  const { name = '', uid = '' } = object.metadata
  const labels = labelsOf(fieldsAt(spec, 'template'))
  const expected = Object.fromEntries([
    ...UID_LABELS.map((label) => [label, uid]),
    ...NAME_LABELS.map((label) => [label, name]),
  ])
  for (const label of [...UID_LABELS, ...NAME_LABELS]) {
    const path = `spec.template.metadata.labels[${label}]`
    if (labels[label] === undefined) errors.push(required(path, `must be '${expected[label]}'`))
    else if (labels[label] !== expected[label])
      errors.push(invalid(path, internalValue('map[string]string', labels), `must be '${expected[label]}'`))
  }
  if (validateLabelSelector('', selector).length === 0 && !selectorMatches(selector, expected))
    errors.push(
      invalid('spec.selector', internalValue('meta.LabelSelector', selector), '`selector` not auto-generated'),
    )
  return errors
}

function validateSelector(spec: Fields): FieldError[] {
  const selector = fieldsAt(spec, 'selector')
  const errors =
    selector === undefined ? [required('spec.selector', '')] : validateLabelSelector('spec.selector', selector)
  const labels = labelsOf(fieldsAt(spec, 'template'))
  if (errors.length > 0 && selector !== undefined) return errors
  if (!selectorMatches(selector, labels)) {
    const shown = Object.keys(labels).length === 0 ? null : labels
    errors.push(
      invalid(
        'spec.template.metadata.labels',
        internalValue('map[string]string', shown),
        '`selector` does not match template `labels`',
      ),
    )
  }
  return errors
}

function indexedName(object: KubeObject): FieldError[] {
  const spec = specOf(object)
  const completions = numberAt(spec, 'completions') ?? 0
  if (spec['completionMode'] !== 'Indexed' || completions === 0) return []
  const hostname = `${object.metadata.name}-${completions - 1}`
  if (isDNSLabel(hostname).length === 0) return []
  return [
    invalid('metadata.name', object.metadata.name, `will not able to create pod with invalid DNS label: ${hostname}`),
  ]
}

/** The spec of a job, or of the template of a CronJob's jobs. */
export function validateJobSpec(path: string, spec: Fields): FieldError[] {
  const errors: FieldError[] = []
  const number = (name: string): number | undefined => numberAt(spec, name)
  for (const name of [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
    'backoffLimitPerIndex',
    'maxFailedIndexes',
  ]) {
    errors.push(...nonNegative(`${path}.${name}`, number(name)))
  }
  const maxFailed = number('maxFailedIndexes')
  if (maxFailed !== undefined && !isSet(spec, 'backoffLimitPerIndex')) {
    errors.push(required(`${path}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified'))
  }
  if (isSet(spec, 'managedBy')) {
    const managedBy = stringAt(spec, 'managedBy')
    errors.push(...domainPrefixedPath(`${path}.managedBy`, managedBy))
    if (managedBy.length > 63) errors.push(tooLong(`${path}.managedBy`, 63))
  }
  const mode = stringAt(spec, 'completionMode')
  if (mode !== 'NonIndexed' && mode !== 'Indexed' && mode !== '') {
    errors.push(notSupported(`${path}.completionMode`, mode, ['NonIndexed', 'Indexed']))
  }
  if (mode === 'Indexed') {
    if (!isSet(spec, 'completions')) errors.push(required(`${path}.completions`, 'when completion mode is Indexed'))
    const parallelism = number('parallelism') ?? 0
    if (parallelism > MAX_PARALLELISM_INDEXED) {
      const text = `must be less than or equal to ${MAX_PARALLELISM_INDEXED} when completion mode is Indexed`
      errors.push(invalid(`${path}.parallelism`, parallelism, text))
    }
    const completions = number('completions')
    if (completions !== undefined && maxFailed !== undefined && maxFailed > completions) {
      errors.push(invalid(`${path}.maxFailedIndexes`, maxFailed, 'must be less than or equal to completions'))
    }
  } else if (mode === 'NonIndexed' || mode === '') {
    for (const name of ['backoffLimitPerIndex', 'maxFailedIndexes']) {
      if (isSet(spec, name)) errors.push(invalid(`${path}.${name}`, spec[name], 'requires indexed completion mode'))
    }
  }
  const failure = fieldsAt(spec, 'podFailurePolicy')
  if (failure !== undefined) errors.push(...validateFailurePolicy(`${path}.podFailurePolicy`, failure, spec))
  if (isSet(spec, 'successPolicy') && mode !== 'Indexed') {
    errors.push(
      invalid(
        `${path}.successPolicy`,
        internalValue('batch.SuccessPolicy', spec['successPolicy']),
        'requires indexed completion mode',
      ),
    )
  } else if (isSet(spec, 'successPolicy')) errors.push(...validateSuccessPolicy(`${path}.successPolicy`, spec))
  const replacement = stringAt(spec, 'podReplacementPolicy')
  const replacements = failure === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed']
  if (replacement !== '' && !replacements.includes(replacement)) {
    errors.push(notSupported(`${path}.podReplacementPolicy`, replacement, replacements))
  }
  const template = fieldsAt(spec, 'template') ?? {}
  errors.push(...validatePodTemplate(`${path}.template`, template))
  const policy = stringAt(fieldsAt(template, 'spec'), 'restartPolicy')
  const policyPath = `${path}.template.spec.restartPolicy`
  if (policy === 'Always' || policy === '') errors.push(required(policyPath, 'valid values: "OnFailure", "Never"'))
  else if (policy !== 'OnFailure' && policy !== 'Never')
    errors.push(notSupported(policyPath, policy, ['OnFailure', 'Never']))
  else if (failure !== undefined && policy !== 'Never') {
    errors.push(invalid(policyPath, policy, 'only "Never" is supported when podFailurePolicy is specified'))
  }
  return errors
}

function completionsChange(spec: Fields, before: Fields): FieldError[] {
  if (before['completionMode'] !== 'Indexed')
    return immutable('spec.completions', spec['completions'], before['completions'])
  if (semanticEqual(spec['completions'], before['completions'])) return []
  if (!isSet(spec, 'completions') || spec['completions'] === spec['parallelism']) return []
  return [invalid('spec.completions', spec['completions'], 'can only be modified in tandem with spec.parallelism')]
}

/** A job that is suspended and has not begun may get other resources and other nodes for its pods. */
function changeOf(name: string, value: unknown, current: unknown): FieldError[] {
  const type = INTERNAL_TYPES[name]
  return type === undefined
    ? immutable(`spec.${name}`, value, current)
    : immutableInternal(`spec.${name}`, type, value, current)
}

function templateChange(object: KubeObject, current: KubeObject): FieldError[] {
  const now = fieldsAt(specOf(object), 'template') ?? {}
  const old = fieldsAt(specOf(current), 'template') ?? {}
  const status = statusOf(current)
  const suspended = listAt(status, 'conditions').some((c) => c['type'] === 'Suspended' && c['status'] === 'True')
  const mutable =
    isTrueAt(specOf(current), 'suspend') && (!isSet(status, 'startTime') || suspended) && !numberAt(status, 'active')
  const munged = mutable ? withDirectives(old, now) : old
  if (semanticEqual(now, munged)) return []
  // Of a job that is suspended only the pods' spec is compared, and resources may differ.
  return mutable
    ? [invalid('spec.template.spec', internalValue('core.PodSpec', fieldsAt(now, 'spec') ?? {}), 'field is immutable')]
    : [invalid('spec.template', internalValue('core.PodTemplateSpec', now), 'field is immutable')]
}

function withDirectives(old: Fields, now: Fields): Fields {
  const out = structuredClone(old)
  const from = fieldsAt(now, 'spec') ?? {}
  const into = ensureFields(out, 'spec')
  for (const name of ['nodeSelector', 'tolerations', 'schedulingGates']) into[name] = from[name]
  const affinity = fieldsAt(from, 'affinity')
  if (isSet(affinity, 'nodeAffinity')) ensureFields(into, 'affinity')['nodeAffinity'] = affinity!['nodeAffinity']
  else if (isSet(into, 'affinity')) delete ensureFields(into, 'affinity')['nodeAffinity']
  const meta = fieldsAt(now, 'metadata')
  for (const name of ['labels', 'annotations']) ensureFields(out, 'metadata')[name] = meta?.[name]
  for (const list of ['containers', 'initContainers']) {
    const wanted = listAt(from, list)
    listAt(into, list).forEach((container, i) => {
      if (wanted[i] !== undefined) container['resources'] = wanted[i]['resources']
    })
  }
  return out
}
