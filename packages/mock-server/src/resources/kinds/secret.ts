import { invalid, required, tooLong, type FieldError, type KubeObject } from '@freshread/core'
import { parseGoJson } from '../../go/json.ts'
import { decodeBase64, encodeBase64 } from '../decode/base64.ts'
import { mapAt, stringAt } from '../fields.ts'
import type { Strategy } from '../strategy.ts'
import { immutable } from '../validation/common.ts'
import { annotationsOf } from '../validation/labels.ts'
import { checked, isConfigMapKey } from '../validation/names.ts'
import { selectable } from './common.ts'
import { decodedLength, emptyForNull, immutableData, MAX_DATA_SIZE } from './config-map.ts'

const ACCOUNT_NAME = 'kubernetes.io/service-account.name'
/** Keys that hold a Docker configuration, by type. */
const DOCKER_KEYS: Readonly<Record<string, string>> = {
  'kubernetes.io/dockercfg': '.dockercfg',
  'kubernetes.io/dockerconfigjson': '.dockerconfigjson',
}

/** Secrets (`pkg/registry/core/secret/strategy.go`). */
export const secret: Strategy = {
  setDefaults(object) {
    emptyForNull(object, 'data')
    const texts = Object.entries(mapAt(object, 'stringData'))
    delete object['stringData']
    if (texts.length === 0) return
    const encoder = new TextEncoder()
    const data = { ...mapAt(object, 'data') }
    for (const [key, text] of texts) data[key] = encodeBase64(encoder.encode(text))
    object['data'] = Object.fromEntries(Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1)))
  },
  validate: validateSecret,
  validateUpdate: (object, current) => [
    ...immutable('type', object['type'], current['type']),
    ...immutableData(object, current, ['data']),
    ...validateSecret(object),
  ],
  warnings(object) {
    if (object['type'] !== 'kubernetes.io/tls') return []
    const data = mapAt(object, 'data')
    for (const [key, what] of [
      ['tls.crt', 'certificate'],
      ['tls.key', 'key'],
    ] as const) {
      if (!textOf(data[key] ?? '').includes('-----BEGIN ')) return [`tls: failed to find any PEM data in ${what} input`]
    }
    return []
  },
  ...selectable((object) => ({ type: stringAt(object, 'type') }), ['type']),
}

function textOf(base64: string): string {
  return new TextDecoder().decode(decodeBase64(base64))
}

function validateSecret(object: KubeObject): FieldError[] {
  const data = mapAt(object, 'data')
  const errors = Object.keys(data).flatMap((key) => checked(`data[${key}]`, key, isConfigMapKey))
  const size = Object.values(data).reduce((sum, value) => sum + decodedLength(value), 0)
  if (size > MAX_DATA_SIZE) errors.push(tooLong('data', MAX_DATA_SIZE))
  return [...errors, ...validateType(object, data)]
}

function validateType(object: KubeObject, data: Readonly<Record<string, string>>): FieldError[] {
  const missing = (...keys: readonly string[]): FieldError[] =>
    keys.filter((key) => data[key] === undefined).map((key) => required(`data[${key}]`, ''))
  const type = stringAt(object, 'type')
  switch (type) {
    case 'kubernetes.io/service-account-token':
      return annotationsOf(object)[ACCOUNT_NAME] ? [] : [required(`metadata.annotations[${ACCOUNT_NAME}]`, '')]
    case 'kubernetes.io/dockercfg':
    case 'kubernetes.io/dockerconfigjson':
      return validateDockerConfig(DOCKER_KEYS[type]!, data)
    case 'kubernetes.io/basic-auth':
      return data['username'] === undefined && data['password'] === undefined ? missing('username', 'password') : []
    case 'kubernetes.io/ssh-auth':
      return data['ssh-privatekey'] ? [] : [required('data[ssh-privatekey]', '')]
    case 'kubernetes.io/tls':
      return missing('tls.crt', 'tls.key')
    default:
      return []
  }
}

function validateDockerConfig(key: string, data: Readonly<Record<string, string>>): FieldError[] {
  const value = data[key]
  const path = `data[${key}]`
  if (value === undefined) return [required(path, '')]
  const refuse = (text: string): FieldError[] => [invalid(path, '<secret contents redacted>', text)]
  const text = textOf(value)
  let parsed: unknown
  try {
    parsed = parseGoJson(text)
  } catch (error) {
    return refuse((error as Error).message)
  }
  if (parsed === null || (typeof parsed === 'object' && !Array.isArray(parsed))) return []
  const kind = Array.isArray(parsed) ? 'array' : typeof parsed === 'boolean' ? 'bool' : typeof parsed
  return refuse(`json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`)
}
