import { invalid, required, type FieldError, type KubeObject } from '@freshread/core'
import { isSet, listAt, numberAt, semanticEqual, stringAt, type Fields } from '../fields.ts'
import type { Strategy } from '../strategy.ts'
import { oneOf } from '../validation/common.ts'
import { PROTOCOLS } from '../validation/containers.ts'
import { validateEndpointIP, validateIP } from '../validation/ip.ts'
import { checked, isDNSLabel, isDNSSubdomain, isPortNumber, qualifiedName } from '../validation/names.ts'

/** Endpoints, the older form of EndpointSlices (`pkg/registry/core/endpoint/strategy.go`). */
export const endpoints: Strategy = {
  allowCreateOnUpdate: true,
  validate: validateSubsets,
  validateUpdate: (object, current) =>
    semanticEqual(object['subsets'], current['subsets']) ? [] : validateSubsets(object),
}

function validateSubsets(object: KubeObject): FieldError[] {
  return listAt(object, 'subsets').flatMap((subset, i) => {
    const at = `subsets[${i}]`
    const errors: FieldError[] = []
    const lists = ['addresses', 'notReadyAddresses'] as const
    if (lists.every((list) => listAt(subset, list).length === 0)) {
      errors.push(required(at, 'must specify `addresses` or `notReadyAddresses`'))
    }
    for (const list of lists) {
      listAt(subset, list).forEach((address, j) => errors.push(...validateAddress(`${at}.${list}[${j}]`, address)))
    }
    const ports = listAt(subset, 'ports')
    ports.forEach((port, j) => errors.push(...validatePort(`${at}.ports[${j}]`, port, ports.length > 1)))
    return errors
  })
}

function validateAddress(path: string, address: Fields): FieldError[] {
  const ip = stringAt(address, 'ip')
  const errors = validateIP(`${path}.ip`, ip)
  const hostname = stringAt(address, 'hostname')
  if (hostname !== '') errors.push(...checked(`${path}.hostname`, hostname, isDNSLabel))
  if (isSet(address, 'nodeName'))
    errors.push(...checked(`${path}.nodeName`, stringAt(address, 'nodeName'), isDNSSubdomain))
  return [...errors, ...validateEndpointIP(`${path}.ip`, ip)]
}

function validatePort(path: string, port: Fields, needsName: boolean): FieldError[] {
  const errors: FieldError[] = []
  const name = stringAt(port, 'name')
  if (name !== '') errors.push(...checked(`${path}.name`, name, isDNSLabel))
  else if (needsName) errors.push(required(`${path}.name`, ''))
  const number = numberAt(port, 'port') ?? 0
  errors.push(...isPortNumber(number).map((text) => invalid(`${path}.port`, number, text)))
  errors.push(...oneOf(`${path}.protocol`, stringAt(port, 'protocol'), PROTOCOLS))
  if (isSet(port, 'appProtocol')) errors.push(...qualifiedName(`${path}.appProtocol`, stringAt(port, 'appProtocol')))
  return errors
}
