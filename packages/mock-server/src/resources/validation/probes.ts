import { forbidden, invalid, notSupported, required, type FieldError } from '@freshread/core'
import { fieldsAt, isSet, listAt, numberAt, stringAt, stringsAt, type Fields } from '../fields.ts'
import { moreThanOne, nonNegative, portNumberOrName } from './common.ts'
import { isHTTPHeaderName } from './names.ts'

const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const
const SCHEMES = ['HTTP', 'HTTPS']

/** Liveness, readiness and startup probes of a container. */
export function validateProbes(path: string, container: Fields, gracePeriod: number | undefined): FieldError[] {
  const errors: FieldError[] = []
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const probe = fieldsAt(container, name)
    if (probe !== undefined) errors.push(...validateProbe(`${path}.${name}`, probe, name, gracePeriod))
  }
  return errors
}

function validateProbe(path: string, probe: Fields, kind: string, gracePeriod: number | undefined): FieldError[] {
  const errors = validateHandler(path, probe, gracePeriod)
  for (const name of [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ]) {
    errors.push(...nonNegative(`${path}.${name}`, numberAt(probe, name)))
  }
  const grace = numberAt(probe, 'terminationGracePeriodSeconds')
  const gracePath = `${path}.terminationGracePeriodSeconds`
  if (grace !== undefined && grace <= 0) errors.push(invalid(gracePath, grace, 'must be greater than 0'))
  const successes = numberAt(probe, 'successThreshold') ?? 0
  if (kind !== 'readinessProbe') {
    if (successes !== 1) errors.push(invalid(`${path}.successThreshold`, successes, 'must be 1'))
  } else if (grace !== undefined) errors.push(invalid(gracePath, grace, 'must not be set for readinessProbes'))
  return errors
}

/** What runs when a container has started or is about to stop. */
export function validateLifecycle(
  path: string,
  lifecycle: Fields,
  gracePeriod: number | undefined,
  os: string,
): FieldError[] {
  const errors: FieldError[] = []
  for (const name of ['postStart', 'preStop']) {
    const handler = fieldsAt(lifecycle, name)
    if (handler !== undefined) errors.push(...validateHandler(`${path}.${name}`, handler, gracePeriod))
  }
  if (isSet(lifecycle, 'stopSignal') && os === '') {
    errors.push(forbidden(`${path}.stopSignal`, 'may not be set for containers with empty `spec.os.name`'))
  }
  return errors
}

function validateHandler(path: string, owner: Fields, gracePeriod: number | undefined): FieldError[] {
  const handlers = HANDLERS.filter((name) => isSet(owner, name))
  if (handlers.length === 0) return [required(path, 'must specify a handler type')]
  const [first, ...rest] = handlers as [(typeof HANDLERS)[number]]
  const errors = rest.map((name) => moreThanOne(`${path}.${name}`, 'handler type'))
  return [...validateAction(`${path}.${first}`, first, fieldsAt(owner, first)!, gracePeriod), ...errors]
}

function validateAction(
  path: string,
  kind: (typeof HANDLERS)[number],
  action: Fields,
  gracePeriod: number | undefined,
): FieldError[] {
  switch (kind) {
    case 'exec':
      return stringsAt(action, 'command').length === 0 ? [required(`${path}.command`, '')] : []
    case 'tcpSocket':
    case 'grpc':
      return portNumberOrName(`${path}.port`, action['port'])
    case 'sleep': {
      const seconds = numberAt(action, 'seconds') ?? 0
      if (gracePeriod === undefined || (seconds >= 0 && seconds <= gracePeriod)) return []
      const text = `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`
      return [invalid(path, seconds, text)]
    }
    case 'httpGet': {
      const errors = stringAt(action, 'path') === '' ? [required(`${path}.path`, '')] : []
      errors.push(...portNumberOrName(`${path}.port`, action['port']))
      const scheme = stringAt(action, 'scheme')
      if (!SCHEMES.includes(scheme)) errors.push(notSupported(`${path}.scheme`, scheme, SCHEMES))
      for (const header of listAt(action, 'httpHeaders')) {
        const name = stringAt(header, 'name')
        errors.push(...isHTTPHeaderName(name).map((text) => invalid(`${path}.httpHeaders`, name, text)))
      }
      return errors
    }
  }
}
