import { invalid, required, type FieldError, type KubeObject } from '@freshread/core'
import { fieldsAt, isSet, listAt, mapAt, numberAt, stringAt } from '../fields.ts'
import type { Strategy } from '../strategy.ts'
import { checked, isDNSSubdomain } from '../validation/names.ts'
import { isMain, specOf } from './common.ts'

/*
 * What objects of seldom kinds cannot be without (`pkg/apis/GROUP/validation`).
 */

type Check = (object: KubeObject) => FieldError[]

const text = (path: string, value: string, why = ''): FieldError[] => (value === '' ? [required(path, why)] : [])

const oneOf = (spec: object, names: readonly string[]): boolean =>
  names.filter((name) => isSet(spec, name)).length === 1

const checks: Readonly<Record<string, Check>> = {
  'networking.k8s.io/servicecidrs': (object) =>
    listAt(specOf(object), 'cidrs').length > 0 ? [] : [required('spec.cidrs', 'at least one CIDR required')],
  'storage.k8s.io/volumeattachments': (object) => {
    const spec = specOf(object)
    const source = fieldsAt(spec, 'source') ?? {}
    const why = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'
    return [
      ...text('spec.attacher', stringAt(spec, 'attacher')),
      ...checked('spec.nodeName', stringAt(spec, 'nodeName'), isDNSSubdomain),
      ...(oneOf(source, ['inlineVolumeSpec', 'persistentVolumeName']) ? [] : [required('spec.source', why)]),
    ]
  },
  'storage.k8s.io/csistoragecapacities': (object) =>
    checked('storageClassName', stringAt(object, 'storageClassName'), isDNSSubdomain),
  'storage.k8s.io/volumeattributesclasses': (object) => [
    ...text('driverName', stringAt(object, 'driverName')),
    ...(Object.keys(mapAt(object, 'parameters')).length > 0
      ? []
      : [required('parameters', 'must contain at least one key/value pair')]),
  ],
  'admissionregistration.k8s.io/mutatingadmissionpolicies': (object) => {
    const spec = specOf(object)
    const mutations = listAt(spec, 'mutations').length > 0
    return [
      ...(isSet(spec, 'matchConstraints') ? [] : [required('spec.matchConstraints', '')]),
      ...(mutations ? [] : [required('spec.mutations', 'mutations must contain at least one item')]),
      ...text('spec.reinvocationPolicy', stringAt(spec, 'reinvocationPolicy')),
    ]
  },
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings': (object) =>
    text('spec.policyName', stringAt(specOf(object), 'policyName')),
  'flowcontrol.apiserver.k8s.io/flowschemas': (object) => {
    const path = 'spec.priorityLevelConfiguration'
    const name = stringAt(fieldsAt(specOf(object), 'priorityLevelConfiguration'), 'name')
    return text(`${path}.name`, name, 'must reference a priority level')
  },
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': (object) =>
    text('spec.type', stringAt(specOf(object), 'type')),
  'resource.k8s.io/resourceslices': (object) => {
    const spec = specOf(object)
    const pool = fieldsAt(spec, 'pool')
    const where = ['nodeName', 'nodeSelector', 'allNodes', 'perDeviceNodeSelection']
    const why = `exactly one of ${where.map((name) => `\`${name}\``).join(', ')} is required`
    const slices = numberAt(pool, 'resourceSliceCount') ?? 0
    return [
      ...(where.some((name) => isSet(spec, name)) ? [] : [required('spec', why)]),
      ...text('spec.driver', stringAt(spec, 'driver')),
      ...text('spec.pool.name', stringAt(pool, 'name')),
      ...(slices > 0 ? [] : [invalid('spec.pool.resourceSliceCount', slices, 'must be greater than zero')]),
    ]
  },
}

/** Kinds whose fields cannot change anyway: an update is not asked again. */
const FROZEN: ReadonlySet<string> = new Set([
  'networking.k8s.io/servicecidrs',
  'storage.k8s.io/volumeattributesclasses',
])

/** The strategy of a kind, which also looks for the fields that objects of it must have. */
export function withRequiredFields(key: string, strategy: Strategy): Strategy {
  const check = Object.hasOwn(checks, key) ? checks[key] : undefined
  if (check === undefined) return strategy
  return {
    ...strategy,
    validate: (object, context) => [...check(object), ...(strategy.validate?.(object, context) ?? [])],
    validateUpdate(object, current, context) {
      const errors = strategy.validateUpdate?.(object, current, context) ?? []
      const again = isMain(context) && !FROZEN.has(key)
      return again ? [...check(object), ...errors] : errors
    },
  }
}
