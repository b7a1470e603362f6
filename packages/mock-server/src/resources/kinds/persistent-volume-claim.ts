import { forbidden, invalid, notSupported, required, type FieldError, type KubeObject } from '@freshread/core'
import { assign, fieldsAt, isSet, mapAt, semanticEqual, stringAt, stringsAt, type Fields } from '../fields.ts'
import { Quantity } from '../quantity.ts'
import type { Strategy, StrategyContext } from '../strategy.ts'
import { immutable } from '../validation/common.ts'
import { annotationsOf } from '../validation/labels.ts'
import { isMain, specOf, statusOf, admissionForbidden } from './common.ts'
import { validateClaimSpec } from '../validation/persistent-volume-claim.ts'
import { checkLimitRanges } from './limit-ranger.ts'

const PROTECTION = 'kubernetes.io/pvc-protection'
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class'
const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class'
const RESIZE_STATES = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
].sort()

/** PersistentVolumeClaims (`pkg/registry/core/persistentvolumeclaim/strategy.go`). */
export const persistentVolumeClaim: Strategy = {
  async admit(object, current, context) {
    if (context.subresource !== '') return
    if (current === undefined) {
      await setDefaultClass(object, context)
      const finalizers = object.metadata.finalizers ?? []
      if (!finalizers.includes(PROTECTION)) object.metadata.finalizers = [...finalizers, PROTECTION]
    }
  },
  async validateAdmission(object, current, context) {
    if (context.subresource !== '') return
    if (current !== undefined) await checkResize(object, current, context)
    await checkLimitRanges('persistentvolumeclaims', object, context)
  },
  prepareForCreate(object) {
    object['status'] = { phase: 'Pending' }
    dropOddSource(specOf(object))
    alignSources(specOf(object))
  },
  prepareForUpdate(object, current, context) {
    if (!isMain(context)) {
      if (statusOf(current)['healthStatus'] == null) delete statusOf(object)['healthStatus']
      return
    }
    if (!isSet(specOf(current), 'dataSource') && !isSet(specOf(current), 'dataSourceRef')) dropOddSource(specOf(object))
    alignSources(specOf(object))
  },
  validate: (object) => validateClaimSpec('spec', specOf(object)),
  validateUpdate: (object, current, context) =>
    isMain(context) ? validateUpdate(object, current) : validateStatus(object),
  warnings(object, current) {
    if (current !== undefined && semanticEqual(object['spec'], current['spec'])) return []
    return ['requests', 'limits'].flatMap((list) => {
      const text = mapAt(fieldsAt(specOf(object), 'resources'), list)['storage']
      if (text === undefined || Quantity.parse(text).milliValue % 1000n === 0n) return []
      return [`spec.resources.${list}[storage]: fractional byte value "${text}" is invalid, must be an integer`]
    })
  },
}

/** What is neither a claim nor a snapshot was never a source under the old name (`EnforceDataSourceBackwardsCompatibility`). */
function dropOddSource(spec: Fields): void {
  // Sources of other namespaces need a feature that is off.
  if (stringAt(fieldsAt(spec, 'dataSourceRef'), 'namespace') !== '') delete spec['dataSourceRef']
  const source = fieldsAt(spec, 'dataSource')
  if (source === undefined || isSet(spec, 'dataSourceRef')) return
  const [kind, group] = [stringAt(source, 'kind'), stringAt(source, 'apiGroup')]
  if (kind === 'PersistentVolumeClaim' && group === '') return
  if (kind !== 'VolumeSnapshot' || group !== 'snapshot.storage.k8s.io') delete spec['dataSource']
}

/** A source is shown under both of its names (`NormalizeDataSources`). */
function alignSources(spec: Fields): void {
  const [source, reference] = [fieldsAt(spec, 'dataSource'), fieldsAt(spec, 'dataSourceRef')]
  if (source !== undefined && reference === undefined) spec['dataSourceRef'] = { ...source }
  else if (reference !== undefined && source === undefined && !isSet(reference, 'namespace')) {
    spec['dataSource'] = { ...reference }
  }
}

/** `plugin/pkg/admission/storage/storageclass/setdefault`: the newest of the default classes. */
async function setDefaultClass(object: KubeObject, context: StrategyContext): Promise<void> {
  const spec = specOf(object)
  if (isSet(spec, 'storageClassName') || annotationsOf(object)[CLASS_ANNOTATION] !== undefined) return
  const classes = await context.lookupAll('storage.k8s.io', 'storageclasses', '')
  const defaults = classes.filter((candidate) => annotationsOf(candidate)[DEFAULT_CLASS] === 'true')
  if (defaults.length === 0) return
  const time = (of: KubeObject): string => String(of.metadata.creationTimestamp)
  const name = (of: KubeObject): string => of.metadata.name ?? ''
  defaults.sort((a, b) => (time(a) === time(b) ? (name(a) < name(b) ? -1 : 1) : time(a) > time(b) ? -1 : 1))
  spec['storageClassName'] = name(defaults[0]!)
}

/** `plugin/pkg/admission/storage/persistentvolume/resize`. */
async function checkResize(object: KubeObject, current: KubeObject, context: StrategyContext): Promise<void> {
  const size = (of: KubeObject): Quantity =>
    Quantity.parse(mapAt(fieldsAt(specOf(of), 'resources'), 'requests')['storage'] ?? '0')
  if (size(object).compare(size(current)) <= 0) return
  const refuse = (text: string): never => {
    throw admissionForbidden('', 'persistentvolumeclaims', object, text)
  }
  if (statusOf(current)['phase'] !== 'Bound') refuse('Only bound persistent volume claims can be expanded')
  const name = annotationsOf(object)[CLASS_ANNOTATION] ?? stringAt(specOf(object), 'storageClassName')
  const found = name === '' ? undefined : await context.lookup('storage.k8s.io', 'storageclasses', '', name)
  if (found?.['allowVolumeExpansion'] === true) return
  refuse(
    'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
  )
}

function validateUpdate(object: KubeObject, current: KubeObject): FieldError[] {
  const [spec, before] = [specOf(object), specOf(current)]
  const errors = validateClaimSpec('spec', spec)
  const bound = statusOf(object)['phase'] === 'Bound'
  const annotation = annotationsOf(current)[CLASS_ANNOTATION]
  const munged = structuredClone(spec)
  if (stringAt(before, 'volumeName') === '') assign(munged, 'volumeName', before['volumeName'])
  const fromAnnotation =
    annotation !== undefined && !isSet(before, 'storageClassName') && spec['storageClassName'] === annotation
  const fromNothing = isSet(spec, 'storageClassName') && !isSet(before, 'storageClassName') && annotation === undefined
  if (fromAnnotation || fromNothing) assign(munged, 'storageClassName', before['storageClassName'])
  else if (annotationsOf(object)[CLASS_ANNOTATION] !== annotation) {
    const path = `metadata.annotations[${CLASS_ANNOTATION}]`
    errors.push(invalid(path, annotationsOf(object)[CLASS_ANNOTATION] ?? '', 'field is immutable'))
  }
  const requests = (of: Fields): Readonly<Record<string, string>> => mapAt(fieldsAt(of, 'resources'), 'requests')
  if (bound) {
    if (isSet(fieldsAt(munged, 'resources'), 'requests')) {
      fieldsAt(munged, 'resources')!['requests'] = { ...requests(munged), storage: requests(before)['storage'] }
    }
    assign(munged, 'volumeAttributesClassName', before['volumeAttributesClassName'])
  }
  if (!semanticEqual(munged, before)) {
    const text =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'
    errors.push(forbidden('spec', text))
  }
  const amount = (text: string | undefined): Quantity => Quantity.parse(text ?? '0')
  const size = amount(requests(spec)['storage'])
  if (
    size.compare(amount(requests(before)['storage'])) < 0 &&
    size.compare(amount(mapAt(statusOf(current), 'capacity')['storage'])) <= 0
  ) {
    errors.push(forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity'))
  }
  errors.push(...immutable('volumeMode', spec['volumeMode'], before['volumeMode']))
  if (
    isSet(statusOf(current), 'currentVolumeAttributesClassName') &&
    stringAt(spec, 'volumeAttributesClassName') === ''
  ) {
    const what = isSet(spec, 'volumeAttributesClassName') ? 'empty string' : 'nil'
    const text = `update to ${what} is forbidden when status.currentVolumeAttributesClassName is not nil`
    errors.push(forbidden('spec.volumeAttributesClassName', text))
  }
  return errors
}

function validateStatus(object: KubeObject): FieldError[] {
  const status = statusOf(object)
  const errors: FieldError[] = []
  if (stringsAt(specOf(object), 'accessModes').length === 0) errors.push(required('Spec.accessModes', ''))
  for (const [name, text] of Object.entries(mapAt(status, 'capacity'))) {
    const value = Quantity.parse(text).value
    if (value < 0n) errors.push(invalid(`status.capacity[${name}]`, Number(value), 'must be a valid resource quantity'))
  }
  for (const [name, state] of Object.entries(mapAt(status, 'allocatedResourceStatuses'))) {
    if (!RESIZE_STATES.includes(state))
      errors.push(notSupported('status.allocatedResourceStatuses', name, RESIZE_STATES))
  }
  return errors
}
