import { invalid, newInternalError, newInvalid, type FieldError, type KubeObject } from '@freshread/core'
import { assign, fieldsAt, isSet, listAt, numberAt, stringAt, stringsAt, type Fields } from '../fields.ts'
import type { StrategyContext } from '../strategy.ts'
import { formatIP, isIPv6, parseIP } from '../validation/ip.ts'
import { needsHealthCheck, validateClusterIPs } from '../validation/service.ts'
import { specOf } from './common.ts'

/** kube-apiserver's `--service-cluster-ip-range` and `--service-node-port-range`, their defaults. */
const CLUSTER_RANGE = {
  text: '10.0.0.0/24',
  first: parseIP('10.0.0.1')!.value,
  last: parseIP('10.0.0.254')!.value,
}
const NODE_PORTS = { text: '30000-32767', first: 30000, last: 32767 }
/** The lower part of each range is for those who ask for a particular one (`calculateRangeOffset`). */
const STATIC_ADDRESSES = 16n
const STATIC_PORTS = 86

/** Addresses and ports that are given to requests under way, by server. */
const reservations = new WeakMap<StrategyContext['lookupAll'], Set<string>>()
const held = new WeakMap<KubeObject, string[]>()

/** What services hold already: `ip/10.0.0.1`, `port/30080`. */
interface Taken {
  readonly has: (key: string) => boolean
  readonly take: (key: string) => void
}

async function takenBy(object: KubeObject, context: StrategyContext): Promise<Taken> {
  const services = await context.lookupAll('', 'services', '')
  let reserved = reservations.get(context.lookupAll)
  if (reserved === undefined) reservations.set(context.lookupAll, (reserved = new Set()))
  const own = held.get(object) ?? []
  held.set(object, own)
  const used = new Set(services.flatMap((service) => keysOf(specOf(service))))
  return {
    has: (key) => used.has(key) || reserved.has(key),
    take: (key) => {
      reserved.add(key)
      own.push(key)
    },
  }
}

function keysOf(spec: Fields): string[] {
  const ports = [
    ...listAt(spec, 'ports').map((port) => numberAt(port, 'nodePort')),
    numberAt(spec, 'healthCheckNodePort'),
  ]
  return [
    ...stringsAt(spec, 'clusterIPs').map((ip) => `ip/${ip}`),
    ...ports.filter((port) => port !== undefined && port !== 0).map((port) => `port/${port}`),
  ]
}

/** Ends the reservations of a request: what was stored is found there from now on. */
export function releaseReservations(object: KubeObject, context: StrategyContext): void {
  const reserved = reservations.get(context.lookupAll)
  for (const key of held.get(object) ?? []) reserved?.delete(key)
  held.delete(object)
}

function refuse(object: KubeObject, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw newInvalid({ group: '', kind: 'Service' }, object.metadata.name ?? '', errors)
}

/** Gives a new service its addresses and ports (`registry/core/service/storage: alloc.go`). Throws the 422 or 500. */
export async function allocateForCreate(object: KubeObject, context: StrategyContext): Promise<void> {
  const spec = specOf(object)
  if (stringAt(spec, 'clusterIP') !== '' && !isSet(spec, 'clusterIPs')) spec['clusterIPs'] = [spec['clusterIP']]
  initFamilies(object, undefined)
  const taken = await takenBy(object, context)
  allocateAddresses(object, taken, context.dryRun)
  allocatePorts(object, taken)
}

/** Keeps what a service has, and gives it what its change calls for. */
export async function allocateForUpdate(
  object: KubeObject,
  current: KubeObject,
  context: StrategyContext,
): Promise<void> {
  const [spec, before] = [specOf(object), specOf(current)]
  keepAllocated(spec, before)
  followSingular(spec, before)
  initFamilies(object, current)
  const taken = await takenBy(object, context)
  if (before['type'] === 'ExternalName' && spec['type'] !== 'ExternalName')
    allocateAddresses(object, taken, context.dryRun)
  allocateChangedPorts(object, current, taken)
}

const hasAddress = (spec: Fields): boolean => spec['type'] !== 'ExternalName'
const hasNodePorts = (spec: Fields): boolean => spec['type'] === 'NodePort' || spec['type'] === 'LoadBalancer'

/** A client that does not send what was allocated does not mean to give it back (`patchAllocatedValues`). */
function keepAllocated(spec: Fields, before: Fields): void {
  if (hasAddress(before) && hasAddress(spec)) {
    if (stringAt(spec, 'clusterIP') === '') assign(spec, 'clusterIP', before['clusterIP'])
    if (stringsAt(spec, 'clusterIPs').length === 0) assign(spec, 'clusterIPs', before['clusterIPs'])
  }
  if (hasNodePorts(before) && hasNodePorts(spec)) {
    const byName = new Map(
      listAt(before, 'ports').map((port) => [stringAt(port, 'name'), numberAt(port, 'nodePort') ?? 0]),
    )
    const used = new Set(listAt(spec, 'ports').map((port) => numberAt(port, 'nodePort') ?? 0))
    for (const port of listAt(spec, 'ports')) {
      const old = byName.get(stringAt(port, 'name')) ?? 0
      if (!numberAt(port, 'nodePort') && old !== 0 && !used.has(old)) port['nodePort'] = old
    }
  }
  if (needsHealthCheck(before) && needsHealthCheck(spec) && !numberAt(spec, 'healthCheckNodePort')) {
    assign(spec, 'healthCheckNodePort', before['healthCheckNodePort'])
  }
}

/** Whoever changes only the one address means the list to follow (`normalizeClusterIPs`). */
function followSingular(spec: Fields, before: Fields): void {
  const [now, old] = [stringAt(spec, 'clusterIP'), stringAt(before, 'clusterIP')]
  if (now === old) return
  const same = JSON.stringify(stringsAt(spec, 'clusterIPs')) === JSON.stringify(stringsAt(before, 'clusterIPs'))
  if (same) assign(spec, 'clusterIPs', now === '' ? undefined : [now])
}

function initFamilies(object: KubeObject, current: KubeObject | undefined): void {
  const spec = specOf(object)
  const before = current === undefined ? undefined : specOf(current)
  if (!hasAddress(spec)) return
  const headlessWithoutSelector =
    spec['clusterIP'] === 'None' && Object.keys(fieldsAt(spec, 'selector') ?? {}).length === 0
  if (!isSet(spec, 'ipFamilyPolicy')) {
    spec['ipFamilyPolicy'] =
      before?.['ipFamilyPolicy'] ?? (headlessWithoutSelector ? 'RequireDualStack' : 'SingleStack')
  }
  refuse(object, validateClusterIPs(spec, before))
  const policy = spec['ipFamilyPolicy']
  const errors: FieldError[] = []
  const families = [...stringsAt(spec, 'ipFamilies')]
  const addresses = stringsAt(spec, 'clusterIPs')
  if (policy === 'SingleStack') {
    const text = (what: string): string =>
      `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`
    if (addresses.length === 2) errors.push(invalid('spec.ipFamilyPolicy', policy, text('cluster IPs')))
    if (families.length === 2) errors.push(invalid('spec.ipFamilyPolicy', policy, text('IP families')))
  }
  for (const [i, ip] of addresses.entries()) {
    if (ip === 'None' || i < families.length) continue
    if (isIPv6(ip)) errors.push(invalid(`spec.clusterIPs[${i}]`, addresses, 'IPv6 is not configured on this cluster'))
    else families.push('IPv4')
  }
  refuse(object, errors)
  if (families.length === 0) families.push('IPv4')
  if (headlessWithoutSelector) {
    if (families.length < 2 && policy !== 'SingleStack') families.push(families[0] === 'IPv4' ? 'IPv6' : 'IPv4')
  } else {
    if (policy === 'RequireDualStack') {
      errors.push(invalid('spec.ipFamilyPolicy', policy, 'this cluster is not configured for dual-stack services'))
    }
    families.forEach((family, i) => {
      if (family !== 'IPv4') errors.push(invalid(`spec.ipFamilies[${i}]`, family, 'not configured on this cluster'))
    })
    refuse(object, errors)
  }
  spec['ipFamilies'] = families
}

function allocateAddresses(object: KubeObject, taken: Taken, dryRun: boolean): void {
  const spec = specOf(object)
  if (!hasAddress(spec) || stringsAt(spec, 'clusterIPs')[0] === 'None') return
  const wanted = stringsAt(spec, 'clusterIPs')[0] ?? ''
  if (wanted !== '') {
    const value = parseIP(wanted)!.value
    const outside = value < CLUSTER_RANGE.first || value > CLUSTER_RANGE.last
    let reason = 'provided IP is already allocated'
    // A dry run asks the allocator of the default range alone.
    if (outside && dryRun) {
      reason = `the provided IP (${wanted}) is not in the valid range. The range of valid IPs is ${CLUSTER_RANGE.text}`
    } else if (outside) reason = 'the provided network does not match the current range'
    if (outside || taken.has(`ip/${wanted}`)) {
      refuse(object, [
        invalid('spec.clusterIPs', stringsAt(spec, 'clusterIPs'), `failed to allocate IP ${wanted}: ${reason}`),
      ])
    }
    taken.take(`ip/${wanted}`)
    return
  }
  const ip = freeAddress(taken)
  if (ip === undefined)
    throw newInternalError(`failed to allocate a serviceIP for Service "${object.metadata.name}": range is full`)
  taken.take(`ip/${ip}`)
  spec['clusterIP'] = ip
  spec['clusterIPs'] = [ip]
}

/** The next free address of the upper part, then of the lower. */
function freeAddress(taken: Taken): string | undefined {
  const border = CLUSTER_RANGE.first + STATIC_ADDRESSES
  const free = (from: bigint, to: bigint): string | undefined => {
    for (let value = from; value <= to; value++) {
      const text = formatIP({ family: 'IPv4', value, mapped: false })
      if (!taken.has(`ip/${text}`)) return text
    }
    return undefined
  }
  return free(border, CLUSTER_RANGE.last) ?? free(CLUSTER_RANGE.first, border - 1n)
}

function takePort(port: number, taken: Taken): string | undefined {
  if (port < NODE_PORTS.first || port > NODE_PORTS.last) {
    return `provided port is not in the valid range. The range of valid ports is ${NODE_PORTS.text}`
  }
  if (taken.has(`port/${port}`)) return 'provided port is already allocated'
  taken.take(`port/${port}`)
  return undefined
}

function freePort(taken: Taken): number {
  const border = NODE_PORTS.first + STATIC_PORTS
  const candidates = [
    [border, NODE_PORTS.last],
    [NODE_PORTS.first, border - 1],
  ] as const
  for (const [from, to] of candidates) {
    for (let port = from; port <= to; port++) {
      if (taken.has(`port/${port}`)) continue
      taken.take(`port/${port}`)
      return port
    }
  }
  throw newInternalError('failed to allocate a nodePort: range is full')
}

function wantsNodePorts(spec: Fields): boolean {
  return (
    spec['type'] === 'NodePort' || (spec['type'] === 'LoadBalancer' && spec['allocateLoadBalancerNodePorts'] !== false)
  )
}

function allocatePorts(object: KubeObject, taken: Taken): void {
  const spec = specOf(object)
  if (hasNodePorts(spec)) {
    // One port of a service in two protocols gets one node port.
    const byPort = new Map<number, number>()
    const ports = listAt(spec, 'ports')
    for (const [i, port] of ports.entries()) {
      const own = numberAt(port, 'nodePort') ?? 0
      if (own === 0 && !wantsNodePorts(spec)) continue
      const number = numberAt(port, 'port') ?? 0
      const shared = byPort.get(number)
      if (shared === undefined) {
        const requested = ports.find((other) => other['port'] === number && numberAt(other, 'nodePort'))
        const wanted = numberAt(requested, 'nodePort')
        if (wanted !== undefined) takeRequested(object, i, wanted, taken)
        port['nodePort'] = wanted ?? freePort(taken)
        byPort.set(number, port['nodePort'] as number)
      } else if (own === 0) port['nodePort'] = shared
      else if (own !== shared) takeRequested(object, i, own, taken)
    }
  }
  if (needsHealthCheck(spec)) allocateHealthCheck(spec, taken)
}

function takeRequested(object: KubeObject, index: number, port: number, taken: Taken): void {
  const error = takePort(port, taken)
  if (error !== undefined) refuse(object, [invalid(`spec.ports[${index}].nodePort`, port, error)])
}

function allocateHealthCheck(spec: Fields, taken: Taken): void {
  const wanted = numberAt(spec, 'healthCheckNodePort') ?? 0
  if (wanted === 0) {
    spec['healthCheckNodePort'] = freePort(taken)
    return
  }
  const error = takePort(wanted, taken)
  if (error !== undefined)
    throw newInternalError(`failed to allocate requested HealthCheck NodePort ${wanted}: ${error}`)
}

function allocateChangedPorts(object: KubeObject, current: KubeObject, taken: Taken): void {
  const [spec, before] = [specOf(object), specOf(current)]
  if (hasNodePorts(spec)) {
    const old = new Set(listAt(before, 'ports').map((port) => numberAt(port, 'nodePort')))
    const fresh = new Set<number>()
    for (const [i, port] of listAt(spec, 'ports').entries()) {
      const own = numberAt(port, 'nodePort') ?? 0
      if (own === 0) {
        if (wantsNodePorts(spec)) port['nodePort'] = freePort(taken)
      } else if (!old.has(own) && !fresh.has(own)) {
        takeRequested(object, i, own, taken)
        fresh.add(own)
      }
    }
  }
  if (!needsHealthCheck(before) && needsHealthCheck(spec)) allocateHealthCheck(spec, taken)
}
