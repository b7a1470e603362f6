import { duplicate, invalid, notSupported, required, type FieldError, type KubeObject } from '@freshread/core'
import { fieldsAt, isSet, listAt, numberAt, semanticEqual, stringAt, stringsAt, type Fields } from '../fields.ts'
import type { Strategy } from '../strategy.ts'
import {
  FAILURE_POLICIES,
  MATCH_POLICIES,
  supported,
  validateMatchConditions,
  validateOperationRule,
} from '../validation/admission-rules.ts'
import { validateLabelSelector } from '../validation/labels.ts'
import { isDNS1035Label, isDNSSubdomain, isPortNumber } from '../validation/names.ts'

const SIDE_EFFECTS = ['None', 'NoneOnDryRun']
const REVIEW_VERSIONS = ['v1', 'v1beta1']
const URL_FORM = '; desired format: https://host[/path]'

/** Validating and mutating webhook configurations, which are stored but not called. */
export const webhookConfiguration: Strategy = {
  allowUnconditionalUpdate: false,
  generation: (object, current) => !semanticEqual(object['webhooks'], current['webhooks']),
  validate: validateHooks,
  validateUpdate: validateHooks,
}

function validateHooks(object: KubeObject): FieldError[] {
  const hooks = listAt(object, 'webhooks')
  const names = hooks.map((hook) => stringAt(hook, 'name'))
  return hooks.flatMap((hook, i) => {
    const path = `webhooks[${i}]`
    const errors = [...validateHook(path, hook), ...validateVersions(path, stringsAt(hook, 'admissionReviewVersions'))]
    if (names[i] !== '' && names.indexOf(names[i]!) < i) errors.push(duplicate(`${path}.name`, names[i]))
    return errors
  })
}

function validateHook(path: string, hook: Fields): FieldError[] {
  const errors = validateFullName(`${path}.name`, stringAt(hook, 'name'))
  listAt(hook, 'rules').forEach((rule, i) => errors.push(...validateOperationRule(`${path}.rules[${i}]`, rule)))
  errors.push(
    ...supported(path, hook, 'failurePolicy', FAILURE_POLICIES),
    ...supported(path, hook, 'matchPolicy', MATCH_POLICIES),
  )
  const effects = hook['sideEffects']
  if (effects == null) errors.push(required(`${path}.sideEffects`, `must specify one of ${SIDE_EFFECTS.join(', ')}`))
  else if (!SIDE_EFFECTS.includes(String(effects)))
    errors.push(notSupported(`${path}.sideEffects`, effects, SIDE_EFFECTS))
  const timeout = numberAt(hook, 'timeoutSeconds')
  if (timeout !== undefined && (timeout > 30 || timeout < 1)) {
    errors.push(invalid(`${path}.timeoutSeconds`, timeout, 'the timeout value must be between 1 and 30 seconds'))
  }
  for (const name of ['namespaceSelector', 'objectSelector']) {
    errors.push(...validateLabelSelector(`${path}.${name}`, fieldsAt(hook, name)))
  }
  errors.push(...supported(path, hook, 'reinvocationPolicy', ['IfNeeded', 'Never']))
  errors.push(...validateClient(`${path}.clientConfig`, fieldsAt(hook, 'clientConfig') ?? {}))
  return [...errors, ...validateMatchConditions(`${path}.matchConditions`, listAt(hook, 'matchConditions'))]
}

function validateFullName(path: string, name: string): FieldError[] {
  if (name === '') return [required(path, '')]
  const texts = isDNSSubdomain(name)
  if (texts.length > 0) return [invalid(path, name, texts.join(','))]
  if (name.split('.').length >= 3) return []
  return [invalid(path, name, 'should be a domain with at least three segments separated by dots')]
}

function validateVersions(hookPath: string, versions: readonly string[]): FieldError[] {
  const path = `${hookPath}.admissionReviewVersions`
  const accepted = REVIEW_VERSIONS.join(', ')
  if (versions.length === 0) return [required(path, `must specify one of ${accepted}`)]
  const errors = versions.flatMap((version, i) => {
    const at = `${path}[${i}]`
    if (versions.indexOf(version) < i) return [invalid(at, version, 'duplicate version')]
    return isDNS1035Label(version).map((text) => invalid(at, version, text))
  })
  if (versions.some((version) => REVIEW_VERSIONS.includes(version))) return errors
  return [...errors, invalid(path, versions, `must include at least one of ${accepted}`)]
}

function validateClient(path: string, client: Fields): FieldError[] {
  if (isSet(client, 'url') === isSet(client, 'service'))
    return [required(path, 'exactly one of url or service is required')]
  if (isSet(client, 'url')) return validateUrl(`${path}.url`, stringAt(client, 'url'))
  return validateService(`${path}.service`, fieldsAt(client, 'service') ?? {})
}

function validateUrl(path: string, text: string): FieldError[] {
  // Go takes what has no scheme for a path.
  const match =
    /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/(?:([^/?#]*)@)?([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(text)
  if (match === null)
    return [required(path, `url must be a valid URL: parse ${JSON.stringify(text)}: invalid${URL_FORM}`)]
  const [, scheme = '', user, host = '', , query = '', fragment = ''] = match
  const errors: FieldError[] = []
  if (scheme.toLowerCase() !== 'https') {
    errors.push(invalid(path, scheme.toLowerCase(), `'https' is the only allowed URL scheme${URL_FORM}`))
  }
  if (host === '') errors.push(invalid(path, host, `host must be specified${URL_FORM}`))
  if (user !== undefined) errors.push(invalid(path, user, 'user information is not permitted in the URL'))
  if (fragment !== '') errors.push(invalid(path, fragment, 'fragments are not permitted in the URL'))
  if (query !== '') errors.push(invalid(path, query, 'query parameters are not permitted in the URL'))
  return errors
}

function validateService(path: string, service: Fields): FieldError[] {
  const errors = ['name', 'namespace'].flatMap((name) =>
    stringAt(service, name) === '' ? [required(`${path}.${name}`, '')] : [],
  )
  const port = numberAt(service, 'port') ?? 0
  const texts = isPortNumber(port)
  if (texts.length > 0) errors.push(invalid(`${path}.port`, port, `port is not valid: ${texts.join(', ')}`))
  const where = stringAt(service, 'path')
  if (where === '' || where === '/') return errors
  if (where === '//') return [...errors, invalid(`${path}.path`, where, 'segment[0] may not be empty')]
  if (!where.startsWith('/')) errors.push(invalid(`${path}.path`, where, "must start with a '/'"))
  const steps = where.slice(1).replace(/\/$/, '').split('/')
  steps.forEach((step, i) => {
    if (step === '') errors.push(invalid(`${path}.path`, where, `segment[${i}] may not be empty`))
    else errors.push(...isDNSSubdomain(step).map((text) => invalid(`${path}.path`, where, `segment[${i}]: ${text}`)))
  })
  return errors
}
