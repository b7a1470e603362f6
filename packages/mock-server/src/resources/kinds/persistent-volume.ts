import { forbidden, invalid, notSupported, required, type FieldError, type KubeObject } from '@freshread/core'
import { internalValue } from '../decode/internal-value.ts'
import {
  assign,
  ensureFields,
  fieldsAt,
  isSet,
  mapAt,
  semanticEqual,
  stringAt,
  stringsAt,
  type Fields,
} from '../fields.ts'
import { Quantity } from '../quantity.ts'
import type { Strategy } from '../strategy.ts'
import { IMMUTABLE, immutable, moreThanOne } from '../validation/common.ts'
import { checked, isDNSSubdomain } from '../validation/names.ts'
import { noBacksteps } from '../validation/paths.ts'
import { validateAccessModes, validateStorage, VOLUME_MODES } from '../validation/persistent-volume-claim.ts'
import { validateNodeSelector } from '../validation/scheduling.ts'
import { requiredFields } from '../validation/volume-files.ts'
import { validateDriverName, validateHostPath, validateNFS, validateOneSource } from '../validation/volume-sources.ts'
import { isMain, specOf, statusOf } from './common.ts'
import { timestamp } from '../system-fields.ts'

const PROTECTION = 'kubernetes.io/pv-protection'
const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain']
const SOURCES = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'flocker',
  'nfs',
  'rbd',
  'quobyte',
  'cephfs',
  'iscsi',
  'cinder',
  'fc',
  'flexVolume',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'scaleIO',
  'local',
  'storageos',
  'csi',
]

const DEPRECATED_ANNOTATIONS: Readonly<Record<string, string>> = {
  'volume.beta.kubernetes.io/storage-class': 'deprecated since v1.8; use "storageClassName" attribute instead',
  'volume.beta.kubernetes.io/mount-options': 'deprecated since v1.31; use "mountOptions" attribute instead',
}
/** Sources without a plugin any more: since when they are deprecated, and since when they do nothing. */
const DEPRECATED_SOURCES: readonly (readonly [source: string, shown: string, deprecated: string, gone: string])[] = [
  ['cephfs', 'cephfs', 'v1.28', 'v1.31'],
  ['photonPersistentDisk', 'photonPersistentDisk', 'v1.11', 'v1.16'],
  ['scaleIO', 'scaleIO', 'v1.16', 'v1.22'],
  ['storageos', 'storageOS', 'v1.22', 'v1.25'],
  ['glusterfs', 'glusterfs', 'v1.25', 'v1.26'],
  ['rbd', 'rbd', 'v1.28', 'v1.31'],
]

/** What is out of date in a volume (`pkg/api/persistentvolume/util.go: GetWarningsForPersistentVolume`). */
function volumeWarnings(object: KubeObject): string[] {
  const spec = specOf(object)
  const annotations = object.metadata.annotations ?? {}
  const warnings = Object.entries(DEPRECATED_ANNOTATIONS)
    .filter(([key]) => Object.hasOwn(annotations, key))
    .map(([key, text]) => `metadata.annotations[${key}]: ${text}`)
  if (spec['persistentVolumeReclaimPolicy'] === 'Recycle') {
    warnings.push(
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
    )
  }
  for (const [source, shown, deprecated, gone] of DEPRECATED_SOURCES) {
    if (isSet(spec, source)) warnings.push(`spec.${shown}: deprecated in ${deprecated}, non-functional in ${gone}+`)
  }
  return warnings
}

/** PersistentVolumes (`pkg/registry/core/persistentvolume/strategy.go`). */
export const persistentVolume: Strategy = {
  admit(object, current, context) {
    if (current !== undefined || !isMain(context)) return
    const finalizers = object.metadata.finalizers ?? []
    if (!finalizers.includes(PROTECTION)) object.metadata.finalizers = [...finalizers, PROTECTION]
  },
  prepareForCreate(object, context) {
    object['status'] = { phase: 'Pending', lastPhaseTransitionTime: timestamp(context.clock) }
  },
  prepareForUpdate(object, current, context) {
    if (isMain(context)) return
    const [status, before] = [ensureFields(object, 'status'), statusOf(current)]
    const unset = !isSet(status, 'lastPhaseTransitionTime')
    if (status['phase'] === before['phase']) {
      if (unset) assign(status, 'lastPhaseTransitionTime', before['lastPhaseTransitionTime'])
    } else if (unset || status['lastPhaseTransitionTime'] === before['lastPhaseTransitionTime']) {
      status['lastPhaseTransitionTime'] = timestamp(context.clock)
    }
  },
  warnings: (object, _current, context) => (isMain(context) ? volumeWarnings(object) : []),
  validate: validateVolume,
  validateUpdate(object, current, context) {
    if (!isMain(context)) return []
    const [spec, before] = [specOf(object), specOf(current)]
    const errors = validateVolume(object)
    if (
      SOURCES.some((source) => !semanticEqual(spec[source], before[source]) && !addsExpandSecret(source, spec, before))
    ) {
      errors.push(forbidden('spec.persistentvolumesource', 'spec.persistentvolumesource is immutable after creation'))
    }
    errors.push(...immutable('volumeMode', spec['volumeMode'], before['volumeMode']))
    if (isSet(before, 'nodeAffinity')) errors.push(...affinityChange(spec['nodeAffinity'], before['nodeAffinity']))
    return errors
  },
}

/** The one change of a source that is allowed. */
function addsExpandSecret(source: string, spec: Fields, before: Fields): boolean {
  if (source !== 'csi' || isSet(fieldsAt(before, 'csi'), 'controllerExpandSecretRef')) return false
  const { controllerExpandSecretRef: _secret, ...rest } = fieldsAt(spec, 'csi') ?? {}
  return semanticEqual(rest, before['csi'])
}

function validateVolume(object: KubeObject): FieldError[] {
  const spec = specOf(object)
  const errors: FieldError[] = []
  const modes = stringsAt(spec, 'accessModes')
  if (modes.length === 0) errors.push(required('spec.accessModes', ''))
  errors.push(...validateAccessModes('spec.accessModes', modes))
  const capacity = mapAt(spec, 'capacity')
  const names = Object.keys(capacity)
  if (names.length === 0) errors.push(required('spec.capacity', ''))
  if (!names.includes('storage') || names.length > 1) {
    errors.push(notSupported('spec.capacity', names.length === 0 ? null : capacity, ['storage']))
  }
  for (const name of names) {
    const value = Quantity.parse(capacity[name]!).value
    const path = `spec.capacity[${name}]`
    if (value < 0n) errors.push(invalid(path, Number(value), 'must be a valid resource quantity'))
    errors.push(...validateStorage(path, capacity[name]!))
  }
  const reclaim = stringAt(spec, 'persistentVolumeReclaimPolicy')
  if (reclaim !== '' && !RECLAIM_POLICIES.includes(reclaim)) {
    errors.push(notSupported('spec.persistentVolumeReclaimPolicy', reclaim, RECLAIM_POLICIES))
  }
  const affinity = fieldsAt(spec, 'nodeAffinity')
  if (affinity !== undefined) {
    const needed = fieldsAt(affinity, 'required')
    const path = 'spec.nodeAffinity.required'
    errors.push(
      ...(needed === undefined
        ? [required(path, 'must specify required node constraints')]
        : validateNodeSelector(path, needed)),
    )
  }
  errors.push(...validateSources(spec, affinity !== undefined))
  const hostPath = stringAt(fieldsAt(spec, 'hostPath'), 'path')
  if (/^\/+(\.?\/*)*$/.test(hostPath) && reclaim === 'Recycle') {
    errors.push(forbidden('spec.persistentVolumeReclaimPolicy', "may not be 'recycle' for a hostPath mount of '/'"))
  }
  const className = stringAt(spec, 'storageClassName')
  if (className !== '') errors.push(...checked('spec.storageClassName', className, isDNSSubdomain))
  const mode = spec['volumeMode']
  if (typeof mode === 'string' && !VOLUME_MODES.includes(mode))
    errors.push(notSupported('spec.volumeMode', mode, VOLUME_MODES))
  if (isSet(spec, 'volumeAttributesClassName')) {
    const path = 'spec.volumeAttributesClassName'
    const attributes = stringAt(spec, 'volumeAttributesClassName')
    if (attributes === '') errors.push(required(path, 'an empty string is disallowed'))
    else errors.push(...checked(path, attributes, isDNSSubdomain))
    if (!isSet(spec, 'csi'))
      errors.push(required('spec.csi', 'has to be specified when using volumeAttributesClassName'))
  }
  return errors
}

function validateSources(spec: Fields, hasAffinity: boolean): FieldError[] {
  const sources = SOURCES.filter((source) => isSet(spec, source))
  const [first, ...rest] = sources
  if (first === undefined) return [required('spec', 'must specify a volume type')]
  const errors = rest.flatMap((source) => {
    // Nobody minds a FlexVolume beside others.
    if (source === 'flexVolume') return validateOneSource('spec.flexVolume', source, fieldsAt(spec, source)!)
    return [moreThanOne(`spec.${source === 'cephfs' ? 'cephFS' : source}`, 'volume type')]
  })
  const source = fieldsAt(spec, first)!
  const path = `spec.${first}`
  switch (first) {
    case 'hostPath':
      return [...validateHostPath(path, source), ...errors]
    case 'nfs':
      return [...validateNFS(path, source), ...errors]
    case 'local': {
      const value = stringAt(source, 'path')
      const own = value === '' ? [required(`${path}.path`, '')] : noBacksteps(`${path}.path`, value)
      if (!hasAffinity) own.push(required('spec.nodeAffinity', 'Local volume requires node affinity'))
      return [...own, ...errors]
    }
    case 'csi': {
      const own = [
        ...validateDriverName(`${path}.driver`, stringAt(source, 'driver')),
        ...requiredFields(path, source, ['volumeHandle']),
      ]
      for (const name of [
        'controllerPublishSecretRef',
        'controllerExpandSecretRef',
        'nodePublishSecretRef',
        'nodeExpandSecretRef',
      ]) {
        const secret = fieldsAt(source, name)
        if (secret !== undefined) own.push(...requiredFields(`${path}.${name}`, secret, ['name', 'namespace']))
      }
      return [...own, ...errors]
    }
    case 'rbd': {
      const own = stringsAt(source, 'monitors').length === 0 ? [required(`${path}.monitors`, '')] : []
      return [...own, ...requiredFields(path, source, ['image']), ...errors]
    }
    default:
      return [
        ...validateOneSource(first === 'gcePersistentDisk' ? 'spec.persistentDisk' : path, first, source),
        ...errors,
      ]
  }
}

const GA_LABELS: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
}

/** Only old names of labels may be replaced by new ones (`validatePvNodeAffinity`). */
function affinityChange(affinity: unknown, current: unknown): FieldError[] {
  if (semanticEqual(affinity, current) || semanticEqual(affinity, withGALabels(current))) return []
  const shown = internalValue('*core.VolumeNodeAffinity', affinity)
  return [invalid('nodeAffinity', shown, `${IMMUTABLE}, except for updating from beta label to GA`)]
}

function withGALabels(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (name, item: unknown) =>
    name === 'key' ? (GA_LABELS[String(item)] ?? item) : item,
  ) as unknown
}
