import { forbidden, type KubeObject } from '@freshread/core'
import { assign, isSet, listAt, numberAt, semanticEqual, stringAt, stringsAt, type Fields } from '../fields.ts'
import type { Strategy } from '../strategy.ts'
import { annotationsOf } from '../validation/labels.ts'
import { isDNSLabel } from '../validation/names.ts'
import {
  isExternallyAccessible,
  needsHealthCheck,
  validateLoadBalancerStatus,
  validateService,
  validateServiceChange,
} from '../validation/service.ts'
import { isMain, resetStatus, selectable, specOf, statusOf } from './common.ts'
import { allocateForCreate, allocateForUpdate, releaseReservations } from './service-allocation.ts'

const reset = resetStatus('api.core.v1.ServiceStatus')

/** Services (`pkg/registry/core/service`), with their addresses and ports. */
export const service: Strategy = {
  validateName: isDNSLabel,
  allowCreateOnUpdate: true,
  async prepareForCreate(object, context) {
    await allocateForCreate(object, context)
    reset(object)
  },
  async prepareForUpdate(object, current, context) {
    if (!isMain(context)) return
    await allocateForUpdate(object, current, context)
    dropTypeDependent(specOf(object), specOf(current))
    if (specOf(object)['type'] !== 'LoadBalancer') statusOf(object)['loadBalancer'] = {}
  },
  validate: (object) => validateService(object, undefined),
  validateUpdate(object, current, context) {
    if (isMain(context)) return [...validateServiceChange(object, current), ...validateService(object, current)]
    const status = statusOf(object)
    const ingress = listAt(status['loadBalancer'] as Fields, 'ingress')
    if (specOf(object)['type'] !== 'LoadBalancer' && ingress.length > 0) {
      return [forbidden('status.loadBalancer.ingress', "may only be used when `spec.type` is 'LoadBalancer'")]
    }
    return validateLoadBalancerStatus(status, statusOf(current), { modes: true })
  },
  warnings: (object, _current, context) => (isMain(context) ? serviceWarnings(object) : []),
  afterWrite: (object, _stored, context) => releaseReservations(object, context),
  ...selectable(
    (object) => ({
      'spec.clusterIP': stringAt(specOf(object), 'clusterIP'),
      'spec.type': stringAt(specOf(object), 'type'),
    }),
    ['spec.clusterIP', 'spec.type'],
  ),
}

/** Takes away what the new type has no use for, where the client left it as it was (`dropTypeDependentFields`). */
function dropTypeDependent(spec: Fields, before: Fields): void {
  const same = (name: string): boolean => semanticEqual(spec[name] ?? '', before[name] ?? '')
  const hasPorts = (of: Fields): boolean => of['type'] === 'NodePort' || of['type'] === 'LoadBalancer'
  if (before['type'] !== 'ExternalName' && spec['type'] === 'ExternalName') {
    if (same('clusterIP') && same('clusterIPs'))
      for (const name of ['clusterIP', 'clusterIPs']) assign(spec, name, undefined)
    for (const name of ['ipFamilies', 'ipFamilyPolicy']) if (same(name)) assign(spec, name, undefined)
    if (same('internalTrafficPolicy')) assign(spec, 'internalTrafficPolicy', undefined)
  }
  if (hasPorts(before) && !hasPorts(spec)) {
    const old = new Set(listAt(before, 'ports').map((port) => numberAt(port, 'nodePort') ?? 0))
    const ports = listAt(spec, 'ports')
    if (ports.every((port) => !numberAt(port, 'nodePort') || old.has(numberAt(port, 'nodePort')!))) {
      for (const port of ports) assign(port, 'nodePort', undefined)
    }
  }
  if (needsHealthCheck(before) && !needsHealthCheck(spec) && same('healthCheckNodePort'))
    assign(spec, 'healthCheckNodePort', undefined)
  if (before['type'] === 'LoadBalancer' && spec['type'] !== 'LoadBalancer') {
    for (const name of ['allocateLoadBalancerNodePorts', 'loadBalancerClass'])
      if (same(name)) assign(spec, name, undefined)
  }
  if (isExternallyAccessible(before) && !isExternallyAccessible(spec) && same('externalTrafficPolicy')) {
    assign(spec, 'externalTrafficPolicy', undefined)
  }
}

function serviceWarnings(object: KubeObject): string[] {
  const spec = specOf(object)
  const type = stringAt(spec, 'type')
  const warnings: string[] = []
  if (annotationsOf(object)['service.kubernetes.io/topology-aware-hints'] !== undefined) {
    warnings.push(
      'annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead',
    )
  }
  const headless = type === 'ClusterIP' && spec['clusterIP'] === 'None'
  const external = stringsAt(spec, 'externalIPs').length > 0
  if (headless) {
    if (stringAt(spec, 'loadBalancerIP') !== '') warnings.push('spec.loadBalancerIP is ignored for headless services')
    if (external) warnings.push('spec.externalIPs is ignored for headless services')
    if (spec['sessionAffinity'] !== 'None') warnings.push('spec.SessionAffinity is ignored for headless services')
  }
  if (external && !headless && type !== 'ExternalName') {
    warnings.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters')
  }
  if (type === 'ExternalName' && external) warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"')
  if (type !== 'ExternalName' && isSet(spec, 'externalName') && spec['externalName'] !== '') {
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"')
  }
  if (spec['trafficDistribution'] === 'PreferClose') {
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"')
  }
  return warnings
}
