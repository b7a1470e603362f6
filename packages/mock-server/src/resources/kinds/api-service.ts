import { invalid, notSupported, required, type FieldError, type KubeObject } from '@freshread/core'
import { defaultTo, fieldsAt, isSet, isTrueAt, listAt, numberAt, stringAt } from '../fields.ts'
import type { Strategy } from '../strategy.ts'
import { timestamp } from '../system-fields.ts'
import { checked, isDNS1035Label, isDNSSubdomain, isPathSegmentName, isPortNumber } from '../validation/names.ts'
import { isMain, specOf, statusOf } from './common.ts'

const CONDITION_STATUSES = ['True', 'False', 'Unknown']

/** APIServices (`kube-aggregator/pkg/registry/apiservice/strategy.go`). */
export const apiService: Strategy = {
  allowUnconditionalUpdate: false,
  validateName: isPathSegmentName,
  setDefaults(object) {
    const service = fieldsAt(specOf(object), 'service')
    if (service !== undefined) defaultTo(service, 'port', 443)
  },
  prepareForCreate(object, { clock }) {
    object['status'] = {}
    if (!isSet(specOf(object), 'service')) object['status'] = { conditions: [localAvailable(timestamp(clock))] }
  },
  validate: validateAPIService,
  validateUpdate: (object, _current, context) =>
    isMain(context) ? validateAPIService(object) : validateConditions(object),
}

/** What the server serves itself is always there. */
function localAvailable(time: string): object {
  const [reason, message] = ['Local', 'Local APIServices are always available']
  return { lastTransitionTime: time, message, reason, status: 'True', type: 'Available' }
}

function validateAPIService(object: KubeObject): FieldError[] {
  const spec = specOf(object)
  const [group, version] = [stringAt(spec, 'group'), stringAt(spec, 'version')]
  const [name, wanted] = [object.metadata.name ?? '', `${version}.${group}`]
  const errors: FieldError[] = []
  if (name !== wanted && isPathSegmentName(name).length === 0) {
    errors.push(invalid('metadata.name', name, `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`))
  }
  if (group === '' && version !== 'v1') {
    errors.push(required('spec.group', 'only v1 may have an empty group and it better be legacy kube'))
  }
  if (group !== '') errors.push(...checked('spec.group', group, isDNSSubdomain))
  errors.push(
    ...checked('spec.version', version, isDNS1035Label),
    ...priority('spec.groupPriorityMinimum', numberAt(spec, 'groupPriorityMinimum') ?? 0, 20000),
    ...priority('spec.versionPriority', numberAt(spec, 'versionPriority') ?? 0, 1000),
  )
  const service = fieldsAt(spec, 'service')
  const [insecure, bundle] = [isTrueAt(spec, 'insecureSkipTLSVerify'), stringAt(spec, 'caBundle')]
  if (service === undefined) {
    if (bundle !== '') {
      const length = `${Buffer.from(bundle, 'base64').length} bytes`
      errors.push(invalid('spec.caBundle', length, 'local APIServices may not have a caBundle'))
    }
    if (insecure) {
      errors.push(invalid('spec.insecureSkipTLSVerify', true, 'local APIServices may not have insecureSkipTLSVerify'))
    }
    return errors
  }
  if (stringAt(service, 'namespace') === '') errors.push(required('spec.service.namespace', ''))
  if (stringAt(service, 'name') === '') errors.push(required('spec.service.name', ''))
  const port = numberAt(service, 'port') ?? 0
  const portErrors = isPortNumber(port)
  if (portErrors.length > 0) {
    errors.push(invalid('spec.service.port', port, `port is not valid: ${portErrors.join(', ')}`))
  }
  if (insecure && bundle !== '') {
    errors.push(invalid('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present'))
  }
  return errors
}

function priority(path: string, value: number, most: number): FieldError[] {
  return value <= 0 || value > most ? [invalid(path, value, `must be positive and less than ${most}`)] : []
}

function validateConditions(object: KubeObject): FieldError[] {
  return listAt(statusOf(object), 'conditions').flatMap((condition, i) => {
    const status = stringAt(condition, 'status')
    return CONDITION_STATUSES.includes(status)
      ? []
      : [notSupported(`status.conditions[${i}].status`, status, CONDITION_STATUSES)]
  })
}
