import {
  duplicate,
  forbidden,
  invalid,
  isLabelKey,
  isLabelValue,
  type FieldError,
  type KubeObject,
} from '@freshread/core'
import { internalValue } from '../decode/internal-value.ts'
import { ensureFields, isTrueAt, listAt, mapAt, semanticEqual, stringAt, stringsAt, type Fields } from '../fields.ts'
import type { Strategy } from '../strategy.ts'
import { isIPv6, validateCIDR } from '../validation/ip.ts'
import { validateResourceQuantity } from '../validation/resource-names.ts'
import { validateTaintEffect } from '../validation/scheduling.ts'
import { isMain, selectable, specOf, statusOf } from './common.ts'

const NOT_READY = 'node.kubernetes.io/not-ready'
const CIDR_CHANGED = 'node updates may not change podCIDR except from "" to valid'

/** Nodes (`pkg/registry/core/node/strategy.go`). */
export const node: Strategy = {
  admit(object, current, context) {
    if (current !== undefined || !isMain(context)) return
    // `plugin/pkg/admission/nodetaint`
    const spec = ensureFields(object, 'spec')
    const taints = listAt(spec, 'taints')
    if (taints.some((taint) => taint['key'] === NOT_READY && taint['effect'] === 'NoSchedule')) return
    spec['taints'] = [...taints, { key: NOT_READY, effect: 'NoSchedule' }]
  },
  setDefaults(object) {
    const spec = specOf(object)
    const ranges = rangesOf(spec)
    if (ranges.length === 0) return
    spec['podCIDR'] = ranges[0]
    spec['podCIDRs'] = [...ranges]
  },
  prepareForCreate(object) {
    delete specOf(object)['configSource']
    delete statusOf(object)['config']
    delete specOf(object)['podPreemptionPolicy']
  },
  prepareForUpdate(object, current, context) {
    if (isMain(context)) {
      if (specOf(current)['podPreemptionPolicy'] == null) delete specOf(object)['podPreemptionPolicy']
      if (specOf(current)['configSource'] == null) delete specOf(object)['configSource']
    } else if (statusOf(current)['config'] == null) delete statusOf(object)['config']
  },
  validate: validateNode,
  validateUpdate(object, current, context) {
    const errors = isMain(context) ? validateNode(object) : []
    return [...errors, ...validateChange(object, current)]
  },
  warnings(object, _current, context) {
    if (!isMain(context)) return []
    const spec = specOf(object)
    const warnings: string[] = []
    if (spec['configSource'] != null) warnings.push('spec.configSource: the feature is removed')
    if (stringAt(spec, 'externalID') !== '')
      warnings.push('spec.externalID: this field is deprecated, and is unused by Kubernetes')
    return warnings
  },
  ...selectable(
    (object) => ({ 'spec.unschedulable': String(isTrueAt(specOf(object), 'unschedulable')) }),
    ['spec.unschedulable'],
  ),
}

function validateNode(object: KubeObject): FieldError[] {
  const spec = specOf(object)
  const errors = [...validateTaints(spec), ...validateResources(object)]
  const ranges = rangesOf(spec)
  ranges.forEach((range, i) => errors.push(...validateCIDR(`spec.podCIDRs[${i}]`, range)))
  if (
    ranges.length > 1 &&
    (ranges.length > 2 || isIPv6(ranges[0]!.split('/')[0]!) === isIPv6(ranges[1]!.split('/')[0]!))
  ) {
    errors.push(invalid('spec.podCIDRs', ranges, 'may specify no more than one CIDR for each IP family'))
  }
  return errors
}

/** The first range is written twice, for old clients; they may have written only that. */
function rangesOf(spec: Fields): readonly string[] {
  const [first, ranges] = [stringAt(spec, 'podCIDR'), stringsAt(spec, 'podCIDRs')]
  return first !== '' && ranges[0] !== first ? [first] : ranges
}

function validateTaints(spec: Fields): FieldError[] {
  const errors: FieldError[] = []
  const seen = new Set<string>()
  for (const [i, taint] of listAt(spec, 'taints').entries()) {
    const path = `metadata.taints[${i}]`
    const [key, value, effect] = [stringAt(taint, 'key'), stringAt(taint, 'value'), stringAt(taint, 'effect')]
    errors.push(...isLabelKey(key).map((text) => invalid(`${path}.key`, key, text)))
    const texts = isLabelValue(value)
    if (texts.length > 0) errors.push(invalid(`${path}.value`, value, texts.join(';')))
    errors.push(...validateTaintEffect(`${path}.effect`, effect))
    const pair = `${effect} ${key}`
    if (seen.has(pair)) {
      errors.push(duplicate(path, internalValue('core.Taint', taint), 'taints must be unique by key and effect pair'))
    }
    seen.add(pair)
  }
  return errors
}

function validateResources(object: KubeObject): FieldError[] {
  const status = statusOf(object)
  return ['capacity', 'allocatable'].flatMap((list) =>
    Object.entries(mapAt(status, list)).flatMap(([name, amount]) =>
      validateResourceQuantity(`status.${list}.${name}`, name, amount),
    ),
  )
}

function validateChange(object: KubeObject, current: KubeObject): FieldError[] {
  const errors = validateResources(object)
  const addresses = new Set<string>()
  for (const [i, address] of listAt(statusOf(object), 'addresses').entries()) {
    const key = `${stringAt(address, 'type')} ${stringAt(address, 'address')}`
    if (addresses.has(key)) {
      errors.push(duplicate(`status.addresses[${i}]`, internalValue('core.NodeAddress', address)))
    }
    addresses.add(key)
  }
  const [spec, before] = [specOf(object), specOf(current)]
  const ranges = stringsAt(before, 'podCIDRs')
  if (ranges.length > 0 && !semanticEqual(ranges, stringsAt(spec, 'podCIDRs'))) {
    errors.push(forbidden('spec.podCIDRs', CIDR_CHANGED))
  }
  const [provider, providerBefore] = [stringAt(spec, 'providerID'), stringAt(before, 'providerID')]
  if (providerBefore !== '' && provider !== providerBefore) {
    const text = provider === '' ? 'field cannot be cleared once set' : 'field cannot be modified once set'
    errors.push(invalid('spec.providerID', null, text))
  }
  errors.push(...validateTaints(spec))
  if (stringAt(spec, 'externalID') !== stringAt(before, 'externalID'))
    errors.push(forbidden('spec.externalID', 'may not be updated'))
  return errors
}
