import { forbidden, invalid, type FieldError, type KubeObject } from '@freshread/core'
import { assign, ensureFields, fieldsAt, isSet, listAt, numberAt, stringAt, type Fields } from '../fields.ts'
import { immutable } from '../validation/common.ts'
import { isDualStack, validateIP } from '../validation/ip.ts'
import { checked, isDNSSubdomain, qualifiedName } from '../validation/names.ts'
import { keepMeta, specOf, statusOf } from './common.ts'

/** What a write to a pod's status leaves as it is (`podStatusStrategy.PrepareForUpdate`). */
export function preparePodStatus(object: KubeObject, current: KubeObject): void {
  const status = ensureFields(object, 'status')
  const before = statusOf(current)
  keepMeta(object, current, ['ownerReferences'])
  if (stringAt(status, 'qosClass') === '') assign(status, 'qosClass', before['qosClass'])
  for (const name of ['resourceClaimStatuses', 'extendedResourceClaimStatus', 'observedGeneration']) {
    if (!isSet(status, name)) assign(status, name, before[name])
  }
  const generations = listAt(before, 'conditions').map((condition) => ({ ...condition }))
  for (const condition of listAt(status, 'conditions')) {
    const index = generations.findIndex((old) => old['type'] === condition['type'])
    const [old] = index < 0 ? [] : generations.splice(index, 1)
    if (!isSet(condition, 'observedGeneration')) assign(condition, 'observedGeneration', old?.['observedGeneration'])
  }
}

/** `ValidatePodStatusUpdate`. */
export function validatePodStatus(object: KubeObject, current: KubeObject): FieldError[] {
  const status = statusOf(object)
  const before = statusOf(current)
  const spec = specOf(current)
  const errors: FieldError[] = []
  listAt(status, 'conditions').forEach((condition, i) => {
    const at = `status.conditions[${i}]`
    const generation = numberAt(condition, 'observedGeneration') ?? 0
    if (generation < 0) errors.push(invalid(`${at}.observedGeneration`, generation, 'must be a non-negative integer'))
    const type = stringAt(condition, 'type')
    if (!['PodScheduled', 'Ready', 'Initialized'].includes(type)) errors.push(...qualifiedName(`${at}.Type`, type))
  })
  const nominated = stringAt(status, 'nominatedNodeName')
  if (nominated !== '' && nominated !== stringAt(before, 'nominatedNodeName')) {
    errors.push(...checked('status.nominatedNodeName', nominated, isDNSSubdomain))
    if (stringAt(spec, 'nodeName') !== '') {
      errors.push(forbidden('status.nominatedNodeName', 'may not be set on pods that are already bound to a node'))
    }
  }
  errors.push(...immutable('status.qosClass', stringAt(status, 'qosClass'), stringAt(before, 'qosClass')))
  for (const list of ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses']) {
    errors.push(...noResurrection(`status.${list}`, listAt(status, list), listAt(before, list), list, spec))
  }
  errors.push(...validateIPs('podIPs', 'podIP', status, before), ...validateIPs('hostIPs', 'hostIP', status, before))
  return errors
}

/** A container that ended stays ended, unless it is one that restarts. */
function noResurrection(
  path: string,
  statuses: readonly Fields[],
  before: readonly Fields[],
  list: string,
  spec: Fields,
): FieldError[] {
  const containers = listAt(spec, list === 'initContainerStatuses' ? 'initContainers' : 'containers')
  return before.flatMap((old, i) => {
    const ended = fieldsAt(fieldsAt(old, 'state'), 'terminated')
    const now = statuses.find((status) => status['name'] === old['name'])
    if (ended === undefined || now === undefined || isSet(fieldsAt(now, 'state'), 'terminated')) return []
    const container = containers.find((candidate) => candidate['name'] === old['name'])
    const exitCode = numberAt(ended, 'exitCode') ?? 0
    if (list !== 'ephemeralContainerStatuses' && restarts(container, spec, exitCode)) return []
    return [forbidden(`${path}[${i}].state`, 'may not be transitioned to non-terminated state')]
  })
}

function restarts(container: Fields | undefined, spec: Fields, exitCode: number): boolean {
  for (const rule of listAt(container, 'restartPolicyRules')) {
    const codes = fieldsAt(rule, 'exitCodes')
    const among = ((codes?.['values'] ?? []) as number[]).includes(exitCode)
    if (codes?.['operator'] === 'In' ? among : !among) return true
  }
  const policy = stringAt(container, 'restartPolicy') || stringAt(spec, 'restartPolicy')
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0)
}

function validateIPs(plural: string, singular: string, status: Fields, before: Fields): FieldError[] {
  const list = listAt(status, plural)
  const addresses = list.map((entry) => stringAt(entry, 'ip'))
  const existing = listAt(before, plural).map((entry) => stringAt(entry, 'ip'))
  const errors = addresses.flatMap((ip, i) => validateIP(`status.${plural}[${i}]`, ip, existing))
  if (addresses.length > 1 && (!isDualStack(addresses) || addresses.length > 2)) {
    // Printed as Go's internal type, whose fields have no JSON names.
    const shown = addresses.map((IP) => ({ IP }))
    errors.push(invalid(`status.${plural}`, shown, 'may specify no more than one IP for each IP family'))
  }
  const one = stringAt(status, singular)
  if (plural === 'podIPs' && (one !== '') !== list.length > 0) {
    const shown = addresses.map((IP) => ({ IP }))
    errors.push(invalid(`status.${plural}`, shown, 'podIP and podIPs must either both be set or both be unset'))
  } else if (list.length > 0 && one !== addresses[0]) {
    errors.push(invalid(`status.${plural}[0].ip`, addresses[0], `must be equal to \`${singular}\``))
  }
  return errors
}
