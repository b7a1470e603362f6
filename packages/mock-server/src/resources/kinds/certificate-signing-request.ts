import {
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
  type FieldError,
  type KubeObject,
} from '@freshread/core'
import { ensureFields, listAt, numberAt, semanticEqual, stringAt, stringsAt, type Fields } from '../fields.ts'
import type { Strategy, StrategyContext } from '../strategy.ts'
import { timestamp } from '../system-fields.ts'
import { validateSignerName } from '../validation/signer-name.ts'
import { selectable, specOf, statusOf } from './common.ts'

const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
]
const ALWAYS_TRUE = ['Approved', 'Denied', 'Failed']
const DECISIONS = ['Approved', 'Denied']
const PEM_TYPE = 'PEM block type must be CERTIFICATE REQUEST'

/** CertificateSigningRequests (`pkg/registry/certificates/certificates/strategy.go`). The request itself is not parsed. */
export const certificateSigningRequest: Strategy = {
  prepareForCreate(object, context) {
    const spec = ensureFields(object, 'spec')
    for (const name of ['username', 'uid', 'groups', 'extra']) delete spec[name]
    const { username, uid, groups, extra } = context.user
    if (username !== '') spec['username'] = username
    if (uid !== undefined && uid !== '') spec['uid'] = uid
    if (groups.length > 0) spec['groups'] = [...groups]
    if (extra !== undefined && Object.keys(extra).length > 0) spec['extra'] = structuredClone(extra)
    object['status'] = {}
  },
  prepareForUpdate(object, current, context) {
    object['spec'] = structuredClone(current['spec'])
    if (context.subresource === 'status') keepDecisions(object, current)
    if (context.subresource !== '') fillTimes(object, current, context)
    if (context.subresource === 'approval') {
      const conditions = statusOf(object)['conditions']
      const status: Fields = structuredClone(statusOf(current))
      if (conditions === undefined) delete status['conditions']
      else status['conditions'] = conditions
      object['status'] = status
    }
  },
  validate: validateRequest,
  validateUpdate: (object, current, context) => [
    ...validateRequest(object),
    ...validateChange(object, current, context),
  ],
  ...selectable((object) => ({ 'spec.signerName': stringAt(specOf(object), 'signerName') }), ['spec.signerName']),
}

/** Only the approval decides. */
function keepDecisions(object: KubeObject, current: KubeObject): void {
  const [conditions, before] = [listAt(statusOf(object), 'conditions'), listAt(statusOf(current), 'conditions')]
  for (const type of DECISIONS) {
    const mine = conditions.filter((condition) => condition['type'] === type)
    const theirs = before.filter((condition) => condition['type'] === type)
    if (mine.length === theirs.length)
      mine.forEach((condition, i) => Object.assign(condition, structuredClone(theirs[i])))
  }
}

function fillTimes(object: KubeObject, current: KubeObject, context: StrategyContext): void {
  const now = timestamp(context.clock)
  const before = listAt(statusOf(current), 'conditions')
  for (const condition of listAt(statusOf(object), 'conditions')) {
    condition['lastUpdateTime'] ??= now
    if (condition['lastTransitionTime'] != null) continue
    const same = before.find((old) => old['type'] === condition['type'] && old['status'] === condition['status'])
    condition['lastTransitionTime'] = same?.['lastTransitionTime'] ?? now
  }
}

function validateRequest(object: KubeObject): FieldError[] {
  const spec = specOf(object)
  const errors: FieldError[] = []
  const request = stringAt(spec, 'request')
  if (!isPEM(request, 'CERTIFICATE REQUEST')) errors.push(invalid('spec.request', spec['request'] ?? null, PEM_TYPE))
  const usages = stringsAt(spec, 'usages')
  if (usages.length === 0) errors.push(required('spec.usages', ''))
  usages.forEach((usage, i) => {
    if (!USAGES.includes(usage)) errors.push(notSupported(`spec.usages[${i}]`, usage, USAGES))
  })
  usages.forEach((usage, i) => {
    if (usages.indexOf(usage) < i) errors.push(duplicate(`spec.usages[${i}]`, usage))
  })
  const signer = stringAt(spec, 'signerName')
  const legacy = 'the legacy signerName is not allowed via this API version'
  if (signer === 'kubernetes.io/legacy-unknown') errors.push(invalid('spec.signerName', signer, legacy))
  else errors.push(...validateSignerName('spec.signerName', signer))
  const expiration = numberAt(spec, 'expirationSeconds')
  if (expiration !== undefined && expiration < 600) {
    const text = 'may not specify a duration less than 600 seconds (10 minutes)'
    errors.push(invalid('spec.expirationSeconds', expiration, text))
  }
  return [...errors, ...validateConditions(listAt(statusOf(object), 'conditions'))]
}

function validateConditions(conditions: readonly Fields[]): FieldError[] {
  const path = 'status.conditions'
  const errors: FieldError[] = []
  const seen: string[] = []
  for (const [i, condition] of conditions.entries()) {
    const [type, status] = [stringAt(condition, 'type'), stringAt(condition, 'status')]
    const allowed = ALWAYS_TRUE.includes(type) ? ['True'] : ['False', 'True', 'Unknown']
    if (type === '') errors.push(required(`${path}[${i}].type`, ''))
    if (status === '') errors.push(required(`${path}[${i}].status`, ''))
    else if (!allowed.includes(status)) errors.push(notSupported(`${path}[${i}].status`, status, allowed))
    const other = DECISIONS.find((decision) => decision !== type)
    if (DECISIONS.includes(type) && other !== undefined && seen.includes(other)) {
      errors.push(invalid(path, type, 'Approved and Denied conditions are mutually exclusive'))
    }
    if (seen.includes(type)) errors.push(duplicate(`${path}[${i}].type`, type))
    seen.push(type)
  }
  return errors
}

function validateChange(object: KubeObject, current: KubeObject, context: StrategyContext): FieldError[] {
  const errors: FieldError[] = []
  const [conditions, before] = [listAt(statusOf(object), 'conditions'), listAt(statusOf(current), 'conditions')]
  const path = 'status.conditions'
  for (const type of ALWAYS_TRUE) {
    const mine = conditions.filter((condition) => condition['type'] === type)
    const theirs = before.filter((condition) => condition['type'] === type)
    const refuse = (verb: string): number =>
      errors.push(forbidden(path, `updates may not ${verb} a condition of type "${type}"`))
    if (mine.length < theirs.length) refuse('remove')
    else if (context.subresource === 'approval' || !DECISIONS.includes(type)) continue
    else if (mine.length > theirs.length) refuse('add')
    else if (!semanticEqual(mine, theirs)) refuse('modify')
  }
  const [certificate, old] = [stringAt(statusOf(object), 'certificate'), stringAt(statusOf(current), 'certificate')]
  if (certificate === old) return errors
  if (context.subresource !== 'status')
    errors.push(forbidden('status.certificate', 'updates may not set certificate content'))
  else if (old !== '')
    errors.push(forbidden('status.certificate', 'updates may not modify existing certificate content'))
  return errors
}

/** Whether base64 is of one PEM block of a type; its contents are not looked at. */
function isPEM(base64: string, type: string): boolean {
  try {
    return atob(base64).includes(`-----BEGIN ${type}-----`)
  } catch {
    return false
  }
}
