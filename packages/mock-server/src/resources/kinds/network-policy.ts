import { forbidden, invalid, notSupported, required, type FieldError, type KubeObject } from '@freshread/core'
import { fieldsAt, isSet, listAt, numberAt, stringAt, stringsAt, type Fields } from '../fields.ts'
import type { Strategy } from '../strategy.ts'
import { isStrictSubnet, parseCIDR, validateCIDR } from '../validation/ip.ts'
import { validateLabelSelector } from '../validation/labels.ts'
import { checked, isPortName, isPortNumber } from '../validation/names.ts'
import { specChanged, specOf } from './common.ts'

const PROTOCOLS = ['TCP', 'UDP', 'SCTP']

/** NetworkPolicies (`pkg/registry/networking/networkpolicy/strategy.go`). */
export const networkPolicy: Strategy = {
  generation: specChanged,
  validate: (object) => validateSpec(object, []),
  validateUpdate: (object, current) => validateSpec(object, blocksOf(specOf(current))),
}

/** Networks that a policy has already: whatever is wrong with them is let be. */
function blocksOf(spec: Fields): string[] {
  const peers = [
    ...listAt(spec, 'ingress').flatMap((rule) => listAt(rule, 'from')),
    ...listAt(spec, 'egress').flatMap((rule) => listAt(rule, 'to')),
  ]
  return peers.flatMap((peer) => {
    const block = fieldsAt(peer, 'ipBlock')
    return block === undefined ? [] : [stringAt(block, 'cidr'), ...stringsAt(block, 'except')]
  })
}

function validateSpec(object: KubeObject, existing: readonly string[]): FieldError[] {
  const spec = specOf(object)
  const errors = validateLabelSelector('spec.podSelector', fieldsAt(spec, 'podSelector'))
  for (const [direction, peers] of [
    ['ingress', 'from'],
    ['egress', 'to'],
  ] as const) {
    for (const [i, rule] of listAt(spec, direction).entries()) {
      const at = `spec.${direction}[${i}]`
      listAt(rule, 'ports').forEach((port, j) => errors.push(...validatePort(`${at}.ports[${j}]`, port)))
      listAt(rule, peers).forEach((peer, j) => errors.push(...validatePeer(`${at}.${peers}[${j}]`, peer, existing)))
    }
  }
  const types = stringsAt(spec, 'policyTypes')
  if (types.length > 2)
    return [...errors, invalid('spec.policyTypes', types, 'may not specify more than two policyTypes')]
  types.forEach((type, i) => {
    if (type !== 'Ingress' && type !== 'Egress')
      errors.push(notSupported(`spec.policyTypes[${i}]`, type, ['Ingress', 'Egress']))
  })
  return errors
}

function validatePort(path: string, entry: Fields): FieldError[] {
  const errors: FieldError[] = []
  const protocol = entry['protocol']
  if (typeof protocol === 'string' && !PROTOCOLS.includes(protocol))
    errors.push(notSupported(`${path}.protocol`, protocol, PROTOCOLS))
  const port = entry['port']
  const end = numberAt(entry, 'endPort')
  const endPath = `${path}.endPort`
  if (typeof port === 'number') {
    errors.push(...isPortNumber(port).map((text) => invalid(`${path}.port`, port, text)))
    if (end === undefined) return errors
    if (end < port) errors.push(invalid(endPath, end, 'must be greater than or equal to `port`'))
    errors.push(...isPortNumber(end).map((text) => invalid(endPath, end, text)))
  } else if (typeof port === 'string') {
    if (end !== undefined) errors.push(invalid(endPath, end, 'may not be specified when `port` is non-numeric'))
    errors.push(...checked(`${path}.port`, port, isPortName))
  } else if (end !== undefined) errors.push(invalid(endPath, end, 'may not be specified when `port` is not specified'))
  return errors
}

function validatePeer(path: string, peer: Fields, existing: readonly string[]): FieldError[] {
  const kinds = ['podSelector', 'namespaceSelector', 'ipBlock'].filter((name) => isSet(peer, name))
  if (kinds.length === 0) return [required(path, 'must specify a peer')]
  const errors = ['podSelector', 'namespaceSelector'].flatMap((name) =>
    validateLabelSelector(`${path}.${name}`, fieldsAt(peer, name)),
  )
  const block = fieldsAt(peer, 'ipBlock')
  if (block === undefined) return errors
  errors.push(...validateBlock(`${path}.ipBlock`, block, existing))
  if (kinds.length > 1) errors.push(forbidden(path, 'may not specify both ipBlock and another peer'))
  return errors
}

function validateBlock(path: string, block: Fields, existing: readonly string[]): FieldError[] {
  const text = stringAt(block, 'cidr')
  if (text === '') return [required(`${path}.cidr`, '')]
  const errors = validateCIDR(`${path}.cidr`, text, existing)
  const network = parseCIDR(text)
  if (network === undefined) return errors
  for (const [i, except] of stringsAt(block, 'except').entries()) {
    const at = `${path}.except[${i}]`
    errors.push(...validateCIDR(at, except, existing))
    const inner = parseCIDR(except)
    if (inner !== undefined && !isStrictSubnet(inner, network))
      errors.push(invalid(at, except, 'must be a strict subset of `cidr`'))
  }
  return errors
}
