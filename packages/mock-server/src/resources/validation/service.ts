import {
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
  type FieldError,
  type KubeObject,
} from '@freshread/core'
import { fieldsAt, isSet, listAt, mapAt, numberAt, stringAt, stringsAt, type Fields } from '../fields.ts'
import { oneOf, portNumberOrName } from './common.ts'
import { PROTOCOLS } from './containers.ts'
import { isDualStack, isIPv6, parseIP, validateCIDR, validateEndpointIP, validateIP } from './ip.ts'
import { annotationsOf, validateLabels } from './labels.ts'
import { checked, isDNSLabel, isDNSSubdomain, isPortNumber, qualifiedName } from './names.ts'

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']
const FAMILIES = ['IPv4', 'IPv6']
const FAMILY_POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack']
const DISTRIBUTIONS = ['PreferClose', 'PreferSameZone', 'PreferSameNode']
const TOPOLOGY_MODE = 'service.kubernetes.io/topology-mode'
const TOPOLOGY_HINTS = 'service.kubernetes.io/topology-aware-hints'
const SOURCE_RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges'
const MAX_AFFINITY_SECONDS = 86400

/** Whether a service has no address of its own. */
export function isHeadless(spec: Fields): boolean {
  const addresses = stringsAt(spec, 'clusterIPs')
  return addresses.length === 1 && addresses[0] === 'None'
}

/** Whether a service can be reached from outside the cluster. */
export function isExternallyAccessible(spec: Fields): boolean {
  const type = stringAt(spec, 'type')
  return (
    type === 'LoadBalancer' ||
    type === 'NodePort' ||
    (type === 'ClusterIP' && stringsAt(spec, 'externalIPs').length > 0)
  )
}

/** Whether a load balancer asks nodes for their health. */
export function needsHealthCheck(spec: Fields): boolean {
  return spec['type'] === 'LoadBalancer' && spec['externalTrafficPolicy'] === 'Local'
}

/** A service, new or changed (`validateService`). */
export function validateService(object: KubeObject, current: KubeObject | undefined): FieldError[] {
  const spec = fieldsAt(object, 'spec') ?? {}
  const before = fieldsAt(current, 'spec')
  const annotations = annotationsOf(object)
  const errors: FieldError[] = []
  const [mode, hints] = [annotations[TOPOLOGY_MODE], annotations[TOPOLOGY_HINTS]]
  if (mode !== undefined && hints !== undefined && mode !== hints) {
    const text = `must match annotations[${TOPOLOGY_HINTS}] when both are specified`
    errors.push(invalid(`metadata.annotations[${TOPOLOGY_MODE}]`, mode, text))
  }
  const type = stringAt(spec, 'type')
  const ports = listAt(spec, 'ports')
  if (ports.length === 0 && !isHeadless(spec) && type !== 'ExternalName') errors.push(required('spec.ports', ''))
  errors.push(...validateType(spec, type), ...validatePorts(ports, type))
  errors.push(...validateLabels('spec.selector', mapAt(spec, 'selector')), ...validateAffinity(spec))
  errors.push(...validateClusterIPs(spec, before))
  const existing = stringsAt(before, 'externalIPs')
  for (const [i, ip] of stringsAt(spec, 'externalIPs').entries()) {
    const at = `spec.externalIPs[${i}]`
    const bad = validateIP(at, ip, existing)
    errors.push(...(bad.length > 0 ? bad : validateEndpointIP(at, ip)))
  }
  errors.push(...oneOf('spec.type', type, TYPES))
  errors.push(...validateSourceRanges(spec, before, annotations[SOURCE_RANGES]), ...validateLoadBalancer(spec, type))
  return [...errors, ...validateTraffic(spec, type)]
}

function validateType(spec: Fields, type: string): FieldError[] {
  if (type === 'LoadBalancer' || type === 'NodePort') {
    if (!isHeadless(spec)) return []
    return [invalid('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`)]
  }
  if (type !== 'ExternalName') return []
  const errors: FieldError[] = []
  for (const name of ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) {
    if (isSet(spec, name)) errors.push(forbidden(`spec.${name}`, 'may not be set for ExternalName services'))
  }
  const name = stringAt(spec, 'externalName').replace(/\.$/, '')
  return [
    ...errors,
    ...(name === '' ? [required('spec.externalName', '')] : checked('spec.externalName', name, isDNSSubdomain)),
  ]
}

function validatePorts(ports: readonly Fields[], type: string): FieldError[] {
  const errors: FieldError[] = []
  const names = new Set<string>()
  const nodePorts = new Set<string>()
  const seen = new Set<string>()
  for (const [i, port] of ports.entries()) {
    const at = `spec.ports[${i}]`
    const name = stringAt(port, 'name')
    const protocol = stringAt(port, 'protocol')
    const number = numberAt(port, 'port') ?? 0
    if (ports.length > 1 && name === '') errors.push(required(`${at}.name`, ''))
    else if (name !== '') {
      errors.push(...checked(`${at}.name`, name, isDNSLabel))
      if (names.has(name)) errors.push(duplicate(`${at}.name`, name))
      names.add(name)
    }
    errors.push(...isPortNumber(number).map((text) => invalid(`${at}.port`, number, text)))
    errors.push(
      ...oneOf(`${at}.protocol`, protocol, PROTOCOLS),
      ...portNumberOrName(`${at}.targetPort`, port['targetPort']),
    )
    if (isSet(port, 'appProtocol')) errors.push(...qualifiedName(`${at}.appProtocol`, stringAt(port, 'appProtocol')))
    const nodePort = numberAt(port, 'nodePort') ?? 0
    if (nodePort !== 0) {
      if (type === 'ClusterIP') errors.push(forbidden(`${at}.nodePort`, "may not be used when `type` is 'ClusterIP'"))
      if (nodePorts.has(`${protocol}/${nodePort}`)) errors.push(duplicate(`${at}.nodePort`, nodePort))
      nodePorts.add(`${protocol}/${nodePort}`)
    }
    if (seen.has(`${protocol}/${number}`)) {
      // A key of the internal type, which prints all its fields.
      errors.push(
        duplicate(at, { Name: '', Protocol: protocol, AppProtocol: null, Port: number, TargetPort: 0, NodePort: 0 }),
      )
    }
    seen.add(`${protocol}/${number}`)
  }
  return errors
}

function validateAffinity(spec: Fields): FieldError[] {
  const affinity = stringAt(spec, 'sessionAffinity')
  const errors = oneOf('spec.sessionAffinity', affinity, ['ClientIP', 'None'])
  const path = 'spec.sessionAffinityConfig'
  const config = fieldsAt(spec, 'sessionAffinityConfig')
  if (affinity === 'None' && config !== undefined)
    errors.push(forbidden(path, 'must not be set when session affinity is None'))
  if (affinity !== 'ClientIP') return errors
  const seconds = numberAt(fieldsAt(config, 'clientIP'), 'timeoutSeconds')
  const at = `${path}.clientIP.timeoutSeconds`
  if (seconds === undefined) errors.push(required(at, 'when session affinity type is ClientIP'))
  else if (seconds <= 0 || seconds > MAX_AFFINITY_SECONDS) {
    errors.push(invalid(at, seconds, `must be greater than 0 and less than ${MAX_AFFINITY_SECONDS}`))
  }
  return errors
}

/** Addresses and their families (`ValidateServiceClusterIPsRelatedFields`). */
export function validateClusterIPs(spec: Fields, before: Fields | undefined): FieldError[] {
  if (spec['type'] === 'ExternalName') return []
  const errors: FieldError[] = []
  const path = 'spec.clusterIPs'
  const one = stringAt(spec, 'clusterIP')
  const all = stringsAt(spec, 'clusterIPs')
  const shown = all.length === 0 ? null : all
  if (one !== '') {
    if (all.length === 0) errors.push(required(path, ''))
    else if (all[0] !== one) errors.push(invalid(path, shown, 'first value must match `clusterIP`'))
  } else if (all.length > 0) errors.push(invalid(path, shown, 'must be empty when `clusterIP` is not specified'))
  const families = stringsAt(spec, 'ipFamilies')
  families.forEach((family, i) => {
    if (!FAMILIES.includes(family)) errors.push(notSupported(`spec.ipFamilies[${i}]`, family, FAMILIES))
    if (families.indexOf(family) < i) errors.push(duplicate(`spec.ipFamilies[${i}]`, family))
  })
  const policy = spec['ipFamilyPolicy']
  if (typeof policy === 'string' && !FAMILY_POLICIES.includes(policy)) {
    errors.push(notSupported('spec.ipFamilyPolicy', policy, FAMILY_POLICIES))
  }
  const existing = stringsAt(before, 'clusterIPs')
  let broken = false
  for (const [i, ip] of all.entries()) {
    if (i === 0 && ip === 'None') {
      if (all.length === 1) continue
      broken = true
      errors.push(invalid(path, shown, "'None' must be the first and only value"))
      continue
    }
    const bad = validateIP(`${path}[${i}]`, ip, existing)
    broken ||= bad.length > 0
    errors.push(...bad)
  }
  if (all.length > 2) errors.push(invalid(path, shown, 'may only hold up to 2 values'))
  if (broken) return errors
  if (all.length > 1 && !isDualStack(all))
    errors.push(invalid(path, shown, 'may specify no more than one IP for each IP family'))
  if (isHeadless(spec)) return errors
  all.slice(0, families.length).forEach((ip, i) => {
    if ((families[i] === 'IPv6') === isIPv6(ip)) return
    errors.push(invalid(`${path}[${i}]`, ip, `expected an ${families[i]} value as indicated by \`ipFamilies[${i}]\``))
  })
  return errors
}

function validateSourceRanges(spec: Fields, before: Fields | undefined, annotation: string | undefined): FieldError[] {
  const balanced = spec['type'] === 'LoadBalancer'
  const text = "may only be used when `type` is 'LoadBalancer'"
  const ranges = stringsAt(spec, 'loadBalancerSourceRanges')
  const existing = stringsAt(before, 'loadBalancerSourceRanges').map((range) => range.trim())
  if (ranges.length > 0) {
    const path = 'spec.LoadBalancerSourceRanges'
    const errors = ranges.flatMap((range, i) => validateCIDR(`${path}[${i}]`, range.trim(), existing))
    return balanced ? errors : [forbidden(path, text), ...errors]
  }
  if (annotation === undefined) return []
  const path = `metadata.annotations[${SOURCE_RANGES}]`
  const values = annotation.trim() === '' ? [] : annotation.split(',')
  const errors = values.flatMap((range) => validateCIDR(path, range.trim()))
  return balanced ? errors : [forbidden(path, text), ...errors]
}

function validateLoadBalancer(spec: Fields, type: string): FieldError[] {
  const errors: FieldError[] = []
  const text = "may only be used when `type` is 'LoadBalancer'"
  if (type !== 'LoadBalancer') {
    for (const name of ['allocateLoadBalancerNodePorts', 'loadBalancerClass']) {
      if (isSet(spec, name)) errors.push(forbidden(`spec.${name}`, text))
    }
  } else if (isSet(spec, 'loadBalancerClass')) {
    errors.push(...qualifiedName('spec.loadBalancerClass', stringAt(spec, 'loadBalancerClass')))
  }
  return errors
}

function validateTraffic(spec: Fields, type: string): FieldError[] {
  const errors: FieldError[] = []
  const external = stringAt(spec, 'externalTrafficPolicy')
  const at = 'spec.externalTrafficPolicy'
  if (isExternallyAccessible(spec)) errors.push(...oneOf(at, external, ['Cluster', 'Local']))
  else if (external !== '') errors.push(invalid(at, external, 'may only be set for externally-accessible services'))
  const check = numberAt(spec, 'healthCheckNodePort') ?? 0
  const checkPath = 'spec.healthCheckNodePort'
  if (!needsHealthCheck(spec)) {
    const text = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
    if (check !== 0) errors.push(invalid(checkPath, check, text))
  } else if (check === 0) errors.push(required(checkPath, ''))
  else errors.push(...isPortNumber(check).map((text) => invalid(checkPath, check, text)))
  const internal = stringAt(spec, 'internalTrafficPolicy')
  if (internal !== '' && internal !== 'Cluster' && internal !== 'Local') {
    errors.push(notSupported('spec.internalTrafficPolicy', internal, ['Cluster', 'Local']))
  } else if (internal === '' && type !== 'ExternalName' && TYPES.includes(type)) {
    errors.push(required('spec.internalTrafficPolicy', ''))
  }
  const distribution = spec['trafficDistribution']
  if (typeof distribution === 'string' && !DISTRIBUTIONS.includes(distribution)) {
    errors.push(notSupported('spec.trafficDistribution', distribution, DISTRIBUTIONS))
  }
  return errors
}

/** What may not change of a service (`ValidateServiceUpdate`). */
export function validateServiceChange(object: KubeObject, current: KubeObject): FieldError[] {
  const [spec, before] = [fieldsAt(object, 'spec') ?? {}, fieldsAt(current, 'spec') ?? {}]
  const errors: FieldError[] = []
  const balanced = spec['type'] === 'LoadBalancer' && before['type'] === 'LoadBalancer'
  if (balanced && stringAt(spec, 'loadBalancerClass') !== stringAt(before, 'loadBalancerClass')) {
    errors.push(invalid('spec.loadBalancerClass', spec['loadBalancerClass'] ?? null, 'may not change once set'))
  }
  if (
    needsHealthCheck(before) &&
    needsHealthCheck(spec) &&
    spec['healthCheckNodePort'] !== before['healthCheckNodePort']
  ) {
    errors.push(forbidden('spec.healthCheckNodePort', 'field is immutable'))
  }
  if (spec['type'] === 'ExternalName' || before['type'] === 'ExternalName') return errors
  if (!(isHeadless(spec) && isHeadless(before)))
    errors.push(...noChange('clusterIPs', 'primary clusterIP', spec, before))
  if (!isHeadless(spec) && !isHeadless(before)) errors.push(...noChange('ipFamilies', 'primary ipFamily', spec, before))
  return errors
}

function noChange(name: 'clusterIPs' | 'ipFamilies', what: string, spec: Fields, before: Fields): FieldError[] {
  const now = stringsAt(spec, name)
  const old = stringsAt(before, name)
  const shown = now.length === 0 ? null : now
  const path = `spec.${name}`
  if (now.length === old.length) {
    return old.flatMap((value, i) => {
      const index = name === 'clusterIPs' ? i : 0
      return value === now[i] ? [] : [invalid(`${path}[${index}]`, shown, 'may not change once set')]
    })
  }
  const errors: FieldError[] = []
  if (now.length === 0) errors.push(invalid(`${path}[0]`, shown, `${what} can not be unset`))
  else if (old.length > 0 && now[0] !== old[0]) errors.push(invalid(`${path}[0]`, shown, 'may not change once set'))
  if (old.length > now.length && now.length === 1 && spec['ipFamilyPolicy'] !== 'SingleStack') {
    const secondary = what.replace('primary', 'secondary')
    errors.push(
      invalid(
        'spec.ipFamilyPolicy',
        spec['ipFamilyPolicy'] ?? null,
        `must be set to 'SingleStack' when releasing the ${secondary}`,
      ),
    )
  }
  return errors
}

/** Where a load balancer says it is (`ValidateLoadBalancerStatus`, and an ingress's without modes). */
export function validateLoadBalancerStatus(
  status: Fields | undefined,
  before: Fields | undefined,
  options: { readonly modes: boolean },
): FieldError[] {
  const path = 'status.loadBalancer.ingress'
  const existing = listAt(fieldsAt(before, 'loadBalancer'), 'ingress').map((ingress) => stringAt(ingress, 'ip'))
  return listAt(fieldsAt(status, 'loadBalancer'), 'ingress').flatMap((ingress, i) => {
    const at = `${path}[${i}]`
    const ip = stringAt(ingress, 'ip')
    const host = stringAt(ingress, 'hostname')
    const errors = ip === '' ? [] : validateIP(`${at}.ip`, ip, existing)
    if (options.modes) {
      if (!isSet(ingress, 'ipMode')) {
        if (ip !== '') errors.push(required(`${at}.ipMode`, 'must be specified when `ip` is set'))
      } else if (ip === '') errors.push(forbidden(`${at}.ipMode`, 'may not be specified when `ip` is not set'))
      else if (ingress['ipMode'] !== 'VIP' && ingress['ipMode'] !== 'Proxy') {
        errors.push(notSupported(`${at}.ipMode`, ingress['ipMode'], ['Proxy', 'VIP']))
      }
    }
    if (host === '') return errors
    errors.push(...checked(`${at}.hostname`, host, isDNSSubdomain))
    if (parseIP(host) !== undefined)
      errors.push(invalid(`${at}.hostname`, host, 'must be a DNS name, not an IP address'))
    return errors
  })
}
