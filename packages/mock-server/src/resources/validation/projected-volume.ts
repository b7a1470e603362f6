import { forbidden, invalid, notSupported, required, type FieldError } from '@freshread/core'
import { fieldsAt, isSet, listAt, numberAt, stringAt, type Fields } from '../fields.ts'
import { validateLabelSelector } from './labels.ts'
import { fileMode, nonReservedPath } from './paths.ts'
import { requiredFields, validateDownwardFile, validateKeyToPath } from './volume-files.ts'

const KEY_TYPES = ['RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519']

/** A volume of several sources' files (`validateProjectedVolumeSource`). */
export function validateProjected(path: string, projected: Fields): FieldError[] {
  const errors = fileMode(`${path}.defaultMode`, numberAt(projected, 'defaultMode'))
  const used = new Set<string>()
  const claim = (file: string, value: string): void => {
    if (file === '') return
    if (used.has(file)) errors.push(invalid(path, value, 'conflicting duplicate paths'))
    used.add(file)
  }
  for (const [index, source] of listAt(projected, 'sources').entries()) {
    const at = `${path}.sources[${index}]`
    const kinds = [
      'secret',
      'configMap',
      'downwardAPI',
      'serviceAccountToken',
      'clusterTrustBundle',
      'podCertificate',
    ].filter((kind) => isSet(source, kind))
    for (const kind of kinds) {
      const projection = fieldsAt(source, kind)!
      const here = `${at}.${kind}`
      switch (kind) {
        case 'secret':
        case 'configMap':
          errors.push(...requiredFields(here, projection, ['name']))
          for (const [i, item] of listAt(projection, 'items').entries()) {
            errors.push(...validateKeyToPath(`${here}.items[${i}]`, item))
            claim(stringAt(item, 'path'), stringAt(projection, 'name'))
          }
          break
        case 'downwardAPI':
          for (const file of listAt(projection, 'items')) {
            errors.push(...validateDownwardFile(here, file))
            claim(stringAt(file, 'path'), stringAt(file, 'path'))
          }
          break
        case 'serviceAccountToken':
          errors.push(...validateToken(path, here, projection))
          break
        case 'clusterTrustBundle':
          errors.push(...validateTrustBundle(here, projection))
          claim(stringAt(projection, 'path'), stringAt(projection, 'path'))
          break
        default:
          errors.push(...validatePodCertificate(here, projection, claim))
      }
    }
    if (kinds.length > 1) errors.push(forbidden(at, 'may not specify more than 1 volume type per source'))
  }
  return errors
}

function validateToken(volumePath: string, path: string, token: Fields): FieldError[] {
  const errors: FieldError[] = []
  const seconds = numberAt(token, 'expirationSeconds')
  if (seconds === undefined) errors.push(required(`${path}.expirationSeconds`, ''))
  else if (seconds < 600)
    errors.push(invalid(`${path}.expirationSeconds`, seconds, 'may not specify a duration less than 10 minutes'))
  else if (seconds > 2 ** 32) {
    errors.push(invalid(`${path}.expirationSeconds`, seconds, 'may not specify a duration larger than 2^32 seconds'))
  }
  const file = stringAt(token, 'path')
  // Named as a field of the volume, not of the source.
  if (file === '') errors.push(required(`${volumePath}.path`, ''))
  else errors.push(...nonReservedPath(`${volumePath}.path`, file))
  return errors
}

function validateTrustBundle(path: string, bundle: Fields): FieldError[] {
  const errors: FieldError[] = []
  const byName = isSet(bundle, 'name')
  const bySigner = isSet(bundle, 'signerName')
  if (byName && bySigner) errors.push(invalid(path, bundle, 'only one of name and signerName may be used'))
  else if (byName) {
    if (bundle['name'] === '') errors.push(required(`${path}.name`, 'must be a valid object name'))
    if (isSet(bundle, 'labelSelector')) {
      errors.push(
        invalid(`${path}.labelSelector`, bundle['labelSelector'], 'labelSelector must be unset if name is specified'),
      )
    }
  } else if (bySigner) {
    if (bundle['signerName'] === '') errors.push(required(`${path}.signerName`, 'must be a valid signer name'))
    errors.push(...validateLabelSelector(`${path}.labelSelector`, fieldsAt(bundle, 'labelSelector')))
  } else errors.push(required(path, 'either name or signerName must be specified'))
  return [
    ...errors,
    ...requiredFields(path, bundle, ['path']),
    ...nonReservedPath(`${path}.path`, stringAt(bundle, 'path')),
  ]
}

function validatePodCertificate(
  path: string,
  certificate: Fields,
  claim: (file: string, value: string) => void,
): FieldError[] {
  const errors: FieldError[] = []
  const type = stringAt(certificate, 'keyType')
  if (!KEY_TYPES.includes(type)) errors.push(notSupported(`${path}.keyType`, type, KEY_TYPES))
  const files = ['credentialBundlePath', 'keyPath', 'certificateChainPath'].filter(
    (name) => stringAt(certificate, name) !== '',
  )
  for (const name of files) {
    const file = stringAt(certificate, name)
    errors.push(...nonReservedPath(`${path}.${name}`, file))
    claim(file, file)
  }
  if (files.length === 0) {
    errors.push(required(path, 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath'))
  }
  return errors
}
