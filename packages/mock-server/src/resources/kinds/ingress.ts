import { forbidden, invalid, notSupported, required, tooLong, type FieldError, type KubeObject } from '@freshread/core'
import { fieldsAt, isSet, listAt, numberAt, stringAt, stringsAt, type Fields } from '../fields.ts'
import type { Strategy, StrategyContext } from '../strategy.ts'
import { immutable } from '../validation/common.ts'
import { parseIP } from '../validation/ip.ts'
import { annotationsOf } from '../validation/labels.ts'
import {
  checked,
  domainPrefixedPath,
  isDNSLabel,
  isDNSSubdomain,
  isPathSegmentName,
  isPortName,
  isPortNumber,
  isWildcardSubdomain,
} from '../validation/names.ts'
import { validateLoadBalancerStatus } from '../validation/service.ts'
import { isMain, resetStatus, specChanged, specOf, statusOf } from './common.ts'

const CLASS_ANNOTATION = 'kubernetes.io/ingress.class'
const DEFAULT_CLASS = 'ingressclass.kubernetes.io/is-default-class'
const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix']

/** Ingresses (`pkg/registry/networking/ingress/strategy.go`). */
export const ingress: Strategy = {
  admit: async (object, current, context) => {
    if (current === undefined) await setDefaultClass(object, context)
  },
  prepareForCreate: resetStatus('api.networking.v1.IngressStatus'),
  generation: specChanged,
  validate(object) {
    const errors = validateSpec(object)
    const annotation = annotationsOf(object)[CLASS_ANNOTATION]
    const name = specOf(object)['ingressClassName']
    if (annotation !== undefined && typeof name === 'string' && annotation !== name) {
      const text = 'must match `ingressClassName` when both are specified'
      errors.push(invalid(`annotations.${CLASS_ANNOTATION}`, annotation, text))
    }
    return errors
  },
  validateUpdate: (object, current, context) =>
    isMain(context)
      ? validateSpec(object)
      : validateLoadBalancerStatus(statusOf(object), statusOf(current), { modes: false }),
  warnings(object, current) {
    if (current !== undefined || annotationsOf(object)[CLASS_ANNOTATION] === undefined) return []
    if (isSet(specOf(object), 'ingressClassName')) return []
    return [`annotation "${CLASS_ANNOTATION}" is deprecated, please use 'spec.ingressClassName' instead`]
  },
}

/** `plugin/pkg/admission/network/defaultingressclass`: the newest of the default classes. */
async function setDefaultClass(object: KubeObject, context: StrategyContext): Promise<void> {
  const spec = specOf(object)
  if (isSet(spec, 'ingressClassName') || annotationsOf(object)[CLASS_ANNOTATION] !== undefined) return
  const classes = await context.lookupAll('networking.k8s.io', 'ingressclasses', '')
  const defaults = classes.filter((candidate) => annotationsOf(candidate)[DEFAULT_CLASS] === 'true')
  if (defaults.length === 0) return
  const time = (of: KubeObject): string => String(of.metadata.creationTimestamp)
  const name = (of: KubeObject): string => of.metadata.name ?? ''
  defaults.sort((a, b) => (time(a) === time(b) ? (name(a) < name(b) ? -1 : 1) : time(a) > time(b) ? -1 : 1))
  spec['ingressClassName'] = name(defaults[0]!)
}

function validateSpec(object: KubeObject): FieldError[] {
  const spec = specOf(object)
  const rules = listAt(spec, 'rules')
  const errors: FieldError[] = []
  const fallback = fieldsAt(spec, 'defaultBackend')
  if (rules.length === 0 && fallback === undefined) {
    errors.push(invalid('spec', null, 'either `defaultBackend` or `rules` must be specified'))
  }
  if (fallback !== undefined) errors.push(...validateBackend('spec.defaultBackend', fallback))
  for (const [i, rule] of rules.entries()) {
    const at = `spec.rules[${i}]`
    const host = stringAt(rule, 'host')
    if (host !== '') {
      if (parseIP(host) !== undefined) errors.push(invalid(`${at}.host`, host, 'must be a DNS name, not an IP address'))
      errors.push(...validateHost(`${at}.host`, host))
    }
    const http = fieldsAt(rule, 'http')
    if (http === undefined) continue
    const paths = listAt(http, 'paths')
    if (paths.length === 0) errors.push(required(`${at}.http.paths`, ''))
    paths.forEach((path, j) => errors.push(...validatePath(`${at}.http.paths[${j}]`, path)))
  }
  for (const [i, tls] of listAt(spec, 'tls').entries()) {
    stringsAt(tls, 'hosts').forEach((host, j) => errors.push(...validateHost(`spec.tls[${i}].hosts[${j}]`, host)))
    const secret = stringAt(tls, 'secretName')
    if (secret !== '') errors.push(...checked(`spec.tls[${i}].secretName`, secret, isDNSSubdomain))
  }
  if (isSet(spec, 'ingressClassName')) {
    errors.push(...checked('spec.ingressClassName', stringAt(spec, 'ingressClassName'), isDNSSubdomain))
  }
  return errors
}

function validateHost(path: string, host: string): FieldError[] {
  return checked(path, host, host.includes('*') ? isWildcardSubdomain : isDNSSubdomain)
}

function validatePath(at: string, entry: Fields): FieldError[] {
  if (!isSet(entry, 'pathType')) return [required(`${at}.pathType`, 'pathType must be specified')]
  const errors: FieldError[] = []
  const type = stringAt(entry, 'pathType')
  const path = stringAt(entry, 'path')
  const bad = (text: string): void => void errors.push(invalid(`${at}.path`, path, text))
  if (type === 'Exact' || type === 'Prefix') {
    if (!path.startsWith('/')) bad('must be an absolute path')
    for (const part of ['//', '/./', '/../', '%2f', '%2F']) if (path.includes(part)) bad(`must not contain '${part}'`)
    for (const end of ['/..', '/.']) if (path.endsWith(end)) bad(`cannot end with '${end}'`)
  } else if (type === 'ImplementationSpecific') {
    if (path !== '' && !path.startsWith('/')) bad('must be an absolute path')
  } else errors.push(notSupported(`${at}.pathType`, type, PATH_TYPES))
  return [...errors, ...validateBackend(`${at}.backend`, fieldsAt(entry, 'backend') ?? {})]
}

function validateBackend(path: string, backend: Fields): FieldError[] {
  const [resource, service] = [fieldsAt(backend, 'resource'), fieldsAt(backend, 'service')]
  if (resource !== undefined && service !== undefined)
    return [invalid(path, '', 'cannot set both resource and service backends')]
  if (resource !== undefined) return validateReference(`${path}.resource`, resource)
  if (service === undefined) return [invalid(path, '', 'resource or service backend is required')]
  const name = stringAt(service, 'name')
  const errors =
    name === '' ? [required(`${path}.service.name`, '')] : checked(`${path}.service.name`, name, isDNSLabel)
  const port = fieldsAt(service, 'port')
  const [portName, number] = [stringAt(port, 'name'), numberAt(port, 'number') ?? 0]
  if (portName !== '' && number !== 0) errors.push(invalid(path, '', 'cannot set both port name & port number'))
  else if (portName !== '') errors.push(...checked(`${path}.service.port.name`, portName, isPortName))
  else if (number === 0) errors.push(required(path, 'port name or number is required'))
  else errors.push(...isPortNumber(number).map((text) => invalid(`${path}.service.port.number`, number, text)))
  return errors
}

function validateReference(path: string, reference: Fields): FieldError[] {
  const errors: FieldError[] = []
  if (isSet(reference, 'apiGroup'))
    errors.push(...checked(`${path}.apiGroup`, stringAt(reference, 'apiGroup'), isDNSSubdomain))
  for (const name of ['kind', 'name']) {
    const value = stringAt(reference, name)
    errors.push(
      ...(value === '' ? [required(`${path}.${name}`, '')] : checked(`${path}.${name}`, value, isPathSegmentName)),
    )
  }
  return errors
}

/** IngressClasses (`pkg/registry/networking/ingressclass/strategy.go`). */
export const ingressClass: Strategy = {
  generation: specChanged,
  validate: validateClass,
  validateUpdate: (object, current) => [
    ...immutable('spec.controller', specOf(object)['controller'], specOf(current)['controller']),
    ...validateClass(object),
  ],
}

function validateClass(object: KubeObject): FieldError[] {
  const spec = specOf(object)
  const controller = stringAt(spec, 'controller')
  const errors = controller.length > 250 ? [tooLong('spec.controller', 250)] : []
  errors.push(...domainPrefixedPath('spec.controller', controller))
  const parameters = fieldsAt(spec, 'parameters')
  if (parameters === undefined) return errors
  const path = 'spec.parameters'
  errors.push(...validateReference(path, parameters))
  const scope = stringAt(parameters, 'scope')
  const namespace = stringAt(parameters, 'namespace')
  if (scope !== 'Cluster' && scope !== 'Namespace')
    errors.push(notSupported(`${path}.scope`, scope, ['Cluster', 'Namespace']))
  if (scope === 'Namespace') {
    if (namespace === '') errors.push(required(`${path}.namespace`, "`parameters.scope` is set to 'Namespace'"))
    else errors.push(...checked(`${path}.namespace`, namespace, isDNSLabel))
  }
  if (scope === 'Cluster' && isSet(parameters, 'namespace')) {
    errors.push(forbidden(`${path}.namespace`, "`parameters.scope` is set to 'Cluster'"))
  }
  return errors
}
