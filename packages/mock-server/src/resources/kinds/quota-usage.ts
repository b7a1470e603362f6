import type { GroupResource, KubeObject } from '@freshread/core'
import { fieldsAt, isSet, listAt, mapAt, stringAt, stringsAt, type Fields } from '../fields.ts'
import { Quantity } from '../quantity.ts'
import { annotationsOf } from '../validation/labels.ts'
import { isExtendedResource, isHugePages } from '../validation/resource-names.ts'
import { specOf } from './common.ts'
import { podTotal } from './limit-ranger.ts'
import { qosClass } from './pod-qos.ts'

/** Amounts by the names that quotas have for them. */
export type Usage = Readonly<Record<string, Quantity>>

const ONE = Quantity.parse('1')
/** Objects that quotas count by a name of their own. */
const COUNTED = [
  'configmaps',
  'persistentvolumeclaims',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'services',
]
const CLASS_SUFFIX = '.storageclass.storage.k8s.io/'
const COMPUTE = ['cpu', 'memory', 'ephemeral-storage']
/** What every container must say when there is a quota on it. */
const CONSTRAINED = ['cpu', 'limits.cpu', 'limits.memory', 'memory', 'requests.cpu', 'requests.memory']

function isPod({ group, resource }: GroupResource): boolean {
  return group === '' && resource === 'pods'
}

/** What a new object uses (`pkg/quota/v1/evaluator`). */
export function quotaUsage(of: GroupResource, object: KubeObject): Usage {
  const { group, resource } = of
  const usage: Record<string, Quantity> = { [`count/${resource}${group === '' ? '' : `.${group}`}`]: ONE }
  if (group !== '') return usage
  if (COUNTED.includes(resource)) usage[resource] = ONE
  const spec = specOf(object)
  if (isPod(of)) Object.assign(usage, computeUsage(podTotal(spec, 'requests'), podTotal(spec, 'limits')))
  if (resource === 'services') Object.assign(usage, portUsage(spec))
  if (resource === 'persistentvolumeclaims') Object.assign(usage, storageUsage(object))
  return usage
}

function computeUsage(requests: Readonly<Record<string, string>>, limits: Readonly<Record<string, string>>): Usage {
  const usage: Record<string, Quantity> = { pods: ONE }
  for (const [name, amount] of Object.entries(requests)) {
    const value = Quantity.parse(amount)
    if (COMPUTE.includes(name) || isHugePages(name)) usage[name] = value
    if (COMPUTE.includes(name) || isHugePages(name) || isExtendedResource(name)) usage[`requests.${name}`] = value
  }
  for (const name of COMPUTE) if (limits[name] !== undefined) usage[`limits.${name}`] = Quantity.parse(limits[name])
  return usage
}

function portUsage(spec: Fields): Usage {
  const ports = listAt(spec, 'ports')
  const type = stringAt(spec, 'type')
  const balanced = type === 'LoadBalancer'
  const allocated =
    balanced && spec['allocateLoadBalancerNodePorts'] === false
      ? ports.filter((port) => isSet(port, 'nodePort'))
      : ports
  const count = balanced || type === 'NodePort' ? allocated.length : 0
  return {
    'services.nodeports': Quantity.parse(String(count)),
    'services.loadbalancers': Quantity.parse(balanced ? '1' : '0'),
  }
}

function storageUsage(claim: KubeObject): Usage {
  const spec = specOf(claim)
  const storage = mapAt(fieldsAt(spec, 'resources'), 'requests')['storage']
  const storageClass =
    annotationsOf(claim)['volume.beta.kubernetes.io/storage-class'] ?? stringAt(spec, 'storageClassName')
  const usage: Record<string, Quantity> = {}
  if (storage !== undefined) usage['requests.storage'] = Quantity.parse(storage)
  if (storageClass === '') return usage
  usage[`${storageClass}${CLASS_SUFFIX}persistentvolumeclaims`] = ONE
  if (storage !== undefined) usage[`${storageClass}${CLASS_SUFFIX}requests.storage`] = Quantity.parse(storage)
  return usage
}

/** Whether a quota is for such an object. */
export function quotaCovers(quota: KubeObject, of: GroupResource, object: KubeObject): boolean {
  const spec = specOf(quota)
  const plain = stringsAt(spec, 'scopes').map((scopeName) => ({ scopeName, operator: 'Exists' }))
  const scopes = [...plain, ...listAt(fieldsAt(spec, 'scopeSelector'), 'matchExpressions')]
  if (scopes.length === 0) return true
  if (isPod(of)) return scopes.every((scope) => podInScope(specOf(object), scope))
  return (
    of.group === '' &&
    of.resource === 'persistentvolumeclaims' &&
    scopes.every((scope) => claimInScope(specOf(object), scope))
  )
}

function podInScope(spec: Fields, scope: Fields): boolean {
  switch (scope['scopeName']) {
    case 'Terminating':
      return isSet(spec, 'activeDeadlineSeconds')
    case 'NotTerminating':
      return !isSet(spec, 'activeDeadlineSeconds')
    case 'BestEffort':
      return qosClass(spec) === 'BestEffort'
    case 'NotBestEffort':
      return qosClass(spec) !== 'BestEffort'
    case 'PriorityClass':
      return valueInScope(stringAt(spec, 'priorityClassName'), scope)
    case 'CrossNamespacePodAffinity':
      return crossesNamespaces(spec)
    default:
      return false
  }
}

function claimInScope(spec: Fields, scope: Fields): boolean {
  return (
    scope['scopeName'] === 'VolumeAttributesClass' && valueInScope(stringAt(spec, 'volumeAttributesClassName'), scope)
  )
}

function valueInScope(value: string, scope: Fields): boolean {
  const values = stringsAt(scope, 'values')
  switch (scope['operator']) {
    case 'Exists':
      return value !== ''
    case 'DoesNotExist':
      return value === ''
    case 'In':
      return value !== '' && values.includes(value)
    default:
      return !values.includes(value)
  }
}

function crossesNamespaces(spec: Fields): boolean {
  const affinity = fieldsAt(spec, 'affinity')
  return ['podAffinity', 'podAntiAffinity'].some((name) => {
    const terms = fieldsAt(affinity, name)
    const all = [
      ...listAt(terms, 'requiredDuringSchedulingIgnoredDuringExecution'),
      ...listAt(terms, 'preferredDuringSchedulingIgnoredDuringExecution').map(
        (term) => fieldsAt(term, 'podAffinityTerm') ?? {},
      ),
    ]
    return all.some((term) => stringsAt(term, 'namespaces').length > 0 || isSet(term, 'namespaceSelector'))
  })
}

/** What containers leave out though there is a quota on it; `undefined` when there is nothing. */
export function missingForQuota(of: GroupResource, hard: readonly string[], object: KubeObject): string | undefined {
  const spec = specOf(object)
  if (!isPod(of) || isSet(spec, 'resources')) return undefined
  const missing = new Map<string, Set<string>>()
  for (const container of [...listAt(spec, 'containers'), ...listAt(spec, 'initContainers')]) {
    const resources = fieldsAt(container, 'resources')
    const said = computeUsage(mapAt(resources, 'requests'), mapAt(resources, 'limits'))
    for (const name of CONSTRAINED) {
      if (!hard.includes(name) || said[name] !== undefined) continue
      missing.set(name, (missing.get(name) ?? new Set()).add(stringAt(container, 'name')))
    }
  }
  if (missing.size === 0) return undefined
  const parts = [...missing]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, containers]) => `${name} for: ${[...containers].sort().join(',')}`)
  return `must specify ${parts.join('; ')}`
}
