import {
  duplicate,
  invalid,
  isLabelValue,
  notSupported,
  required,
  tooMany,
  type FieldError,
  type KubeObject,
} from '@freshread/core'
import { fieldsAt, isSet, listAt, semanticEqual, stringAt, stringsAt, type Fields } from '../fields.ts'
import type { Strategy } from '../strategy.ts'
import { declaredImmutable } from '../validation/common.ts'
import { PROTOCOLS } from '../validation/containers.ts'
import { isIPv6, validateCanonicalIP, validateEndpointIP, validateIP } from '../validation/ip.ts'
import { checked, isDNSLabel, isDNSSubdomain, qualifiedName } from '../validation/names.ts'

const MAX_ENDPOINTS = 1000
const MAX_ADDRESSES = 100
const MAX_PORTS = 20000
const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6']

/** EndpointSlices (`pkg/registry/discovery/endpointslice/strategy.go`). */
export const endpointSlice: Strategy = {
  generation(object, current) {
    const { metadata: meta, ...rest } = object
    const { metadata: oldMeta, ...oldRest } = current
    return !semanticEqual(rest, oldRest) || !semanticEqual(meta.labels, oldMeta.labels)
  },
  validate: validateSlice,
  validateUpdate(object, current) {
    const changed = declaredImmutable('addressType', object['addressType'], current['addressType'])
    if (changed.length === 0) return validateSlice(object)
    // Addresses are then of the wrong family, which goes without saying.
    return [...changed, ...validateSlice(object).filter(({ body }) => !/: must be an IPv[46] address$/.test(body))]
  },
  warnings: (object) => (object['addressType'] === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : []),
}

function validateSlice(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const type = stringAt(object, 'addressType')
  if (type === '') errors.push(required('addressType', ''))
  else if (!ADDRESS_TYPES.includes(type)) errors.push(notSupported('addressType', type, ADDRESS_TYPES))
  errors.push(...validatePorts(listAt(object, 'ports')))
  const endpoints = listAt(object, 'endpoints')
  if (endpoints.length > MAX_ENDPOINTS) return [...errors, tooMany('endpoints', endpoints.length, MAX_ENDPOINTS)]
  return [...errors, ...endpoints.flatMap((endpoint, i) => validateEndpoint(`endpoints[${i}]`, endpoint, type))]
}

function validatePorts(ports: readonly Fields[]): FieldError[] {
  if (ports.length > MAX_PORTS) return [tooMany('ports', ports.length, MAX_PORTS)]
  const names = new Set<string>()
  return ports.flatMap((port, i) => {
    const at = `ports[${i}]`
    const name = stringAt(port, 'name')
    const errors = name === '' ? [] : checked(`${at}.name`, name, isDNSLabel)
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name))
    names.add(name)
    const protocol = stringAt(port, 'protocol')
    if (!PROTOCOLS.includes(protocol)) errors.push(notSupported(`${at}.protocol`, protocol, PROTOCOLS))
    if (isSet(port, 'appProtocol')) errors.push(...qualifiedName(`${at}.appProtocol`, stringAt(port, 'appProtocol')))
    return errors
  })
}

function validateEndpoint(path: string, endpoint: Fields, type: string): FieldError[] {
  const errors: FieldError[] = []
  const addresses = stringsAt(endpoint, 'addresses')
  if (addresses.length === 0) errors.push(required(`${path}.addresses`, ''))
  if (addresses.length > MAX_ADDRESSES) errors.push(tooMany(`${path}.addresses`, addresses.length, MAX_ADDRESSES))
  addresses.forEach((address, i) => errors.push(...validateAddress(`${path}.addresses`, i, address, type)))
  if (isSet(endpoint, 'nodeName'))
    errors.push(...checked(`${path}.nodeName`, stringAt(endpoint, 'nodeName'), isDNSSubdomain))
  if (isSet(endpoint, 'hostname'))
    errors.push(...checked(`${path}.hostname`, stringAt(endpoint, 'hostname'), isDNSLabel))
  const hints = fieldsAt(endpoint, 'hints')
  for (const [list, check] of [
    ['forZones', isLabelValue],
    ['forNodes', isDNSSubdomain],
  ] as const) {
    const names = listAt(hints, list).map((hint) => stringAt(hint, 'name'))
    names.forEach((name, i) => {
      const at = `${path}.hints.${list}[${i}].name`
      if (names.indexOf(name) < i) errors.push(duplicate(at, name))
      errors.push(...checked(at, name, check))
    })
  }
  return errors
}

function validateAddress(path: string, index: number, address: string, type: string): FieldError[] {
  const at = `${path}[${index}]`
  if (type === 'FQDN') return validateDomain(at, address)
  if (type !== 'IPv4' && type !== 'IPv6') return []
  const bad = type === 'IPv4' ? validateIP(at, address) : validateCanonicalIP(at, address)
  if (bad.length > 0) return bad
  const family = (type === 'IPv6') === isIPv6(address) ? [] : [invalid(path, address, `must be an ${type} address`)]
  return [...family, ...validateEndpointIP(at, address)]
}

/** `IsFullyQualifiedDomainName`: two labels at least. */
function validateDomain(path: string, text: string): FieldError[] {
  if (text === '') return [required(path, '')]
  const name = text.replace(/\.$/, '')
  const texts = isDNSSubdomain(name)
  if (texts.length > 0) return [invalid(path, name, texts.join(','))]
  if (!name.includes('.'))
    return [invalid(path, name, 'should be a domain with at least two segments separated by dots')]
  for (const label of name.split('.')) {
    const errors = isDNSLabel(label)
    if (errors.length > 0) return [invalid(path, label, errors.join(','))]
  }
  return []
}
