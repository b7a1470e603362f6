import { invalid, isLabelKey, notSupported, required, type FieldError } from '@freshread/core'
import { fieldsAt, isSet, listAt, stringAt, type Fields } from '../fields.ts'
import { checked, isConfigMapKey, isDNSLabel, isDNSSubdomain, isEnvVarName } from './names.ts'
import { noBacksteps } from './paths.ts'

const ENV_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]
/** Fields of a pod that downward API volumes can show; environments see more of them. */
export const VOLUME_FIELDS: readonly string[] = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
]
/** All that names a field of a pod; which of them may be used depends on the place. */
const POD_FIELDS = new Set([
  ...ENV_FIELDS,
  ...VOLUME_FIELDS,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
])
const RESOURCES = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
]
const BYTES = ['', 'k', 'M', 'G', 'T', 'P', 'E', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].map((unit) => `1${unit}`)

/** Environment variables (`ValidateEnv`). */
export function validateEnv(path: string, variables: readonly Fields[]): FieldError[] {
  const errors: FieldError[] = []
  for (const [index, variable] of variables.entries()) {
    const at = `${path}[${index}]`
    const name = stringAt(variable, 'name')
    if (name === '') errors.push(required(`${at}.name`, ''))
    else errors.push(...checked(`${at}.name`, name, isEnvVarName))
    const from = fieldsAt(variable, 'valueFrom')
    if (from !== undefined) errors.push(...validateValueFrom(`${at}.valueFrom`, from, stringAt(variable, 'value')))
  }
  return errors
}

function validateValueFrom(path: string, from: Fields, value: string): FieldError[] {
  const errors: FieldError[] = []
  const sources = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'].filter((name) =>
    isSet(from, name),
  )
  for (const name of sources) {
    const source = fieldsAt(from, name)!
    const at = `${path}.${name}`
    if (name === 'fieldRef') errors.push(...validateFieldRef(at, source, ENV_FIELDS))
    else if (name === 'resourceFieldRef') errors.push(...validateResourceFieldRef(at, source, false))
    else if (name === 'fileKeyRef') errors.push(...validateFileKeyRef(at, source))
    else errors.push(...validateKeyRef(at, source))
  }
  if (sources.length === 0) {
    const text =
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`'
    errors.push(invalid(path, '', text))
  } else if (value !== '') errors.push(invalid(path, '', 'may not be specified when `value` is not empty'))
  else if (sources.length > 1) errors.push(invalid(path, '', 'may not have more than one field specified at a time'))
  return errors
}

function validateKeyRef(path: string, source: Fields): FieldError[] {
  const errors = checked(`${path}.name`, stringAt(source, 'name'), isDNSSubdomain)
  const key = stringAt(source, 'key')
  if (key === '') errors.push(required(`${path}.key`, ''))
  else errors.push(...checked(`${path}.key`, key, isConfigMapKey))
  return errors
}

function validateFileKeyRef(path: string, source: Fields): FieldError[] {
  const errors: FieldError[] = []
  const key = stringAt(source, 'key')
  if (key === '') errors.push(required(`${path}.key`, ''))
  else errors.push(...checked(`${path}.key`, key, isEnvVarName))
  const volume = stringAt(source, 'volumeName')
  if (volume === '') errors.push(required(`${path}.volumeName`, ''))
  else errors.push(...checked(`${path}.volumeName`, volume, isDNSLabel))
  const file = stringAt(source, 'path')
  if (file === '') errors.push(required(`${path}.path`, ''))
  else errors.push(...noBacksteps(`${path}.path`, file))
  return errors
}

/** A field of the pod that shows in a variable or a file (`validateObjectFieldSelector`). */
export function validateFieldRef(path: string, selector: Fields, supported: readonly string[]): FieldError[] {
  const version = stringAt(selector, 'apiVersion')
  const field = stringAt(selector, 'fieldPath')
  if (version === '') return [required(`${path}.apiVersion`, '')]
  if (field === '') return [required(`${path}.fieldPath`, '')]
  const bad = (error: string): FieldError[] => [
    invalid(`${path}.fieldPath`, field, `error converting fieldPath: ${error}`),
  ]
  if (version !== 'v1') return bad(`unsupported pod version: ${version}`)
  const subscript = /^([^]+?)\['([^]*)'\]$/.exec(field)
  if (subscript !== null) {
    const [, map, key] = subscript as unknown as [string, string, string]
    if (map === 'metadata.annotations') return checked(path, key.toLowerCase(), isLabelKey)
    if (map === 'metadata.labels') return checked(path, key, isLabelKey)
    return bad(`field label does not support subscript: ${field}`)
  }
  if (field !== 'spec.host' && !POD_FIELDS.has(field)) return bad(`field label not supported: ${field}`)
  const name = field === 'spec.host' ? 'spec.nodeName' : field
  return supported.includes(name) ? [] : [notSupported(`${path}.fieldPath`, name, supported)]
}

/** An amount of a container's resources that shows in a variable or a file. */
export function validateResourceFieldRef(path: string, selector: Fields, inVolume: boolean): FieldError[] {
  const errors: FieldError[] = []
  const resource = stringAt(selector, 'resource')
  const hugePages = /^(limits|requests)\.hugepages-/.test(resource)
  if (inVolume && stringAt(selector, 'containerName') === '') errors.push(required(`${path}.containerName`, ''))
  else if (resource === '') errors.push(required(`${path}.resource`, ''))
  else if (!RESOURCES.includes(resource) && !hugePages)
    errors.push(notSupported(`${path}.resource`, resource, RESOURCES))
  const divisor = stringAt(selector, 'divisor')
  if (divisor === '' || divisor === '0') return errors
  const what = hugePages ? 'hugepages' : resource.slice(resource.indexOf('.') + 1)
  const refuse = (values: string, name: string): void => {
    errors.push(
      invalid(`${path}.divisor`, resource, `only divisor's values ${values} are supported with the ${name} resource`),
    )
  }
  if (what === 'cpu' && divisor !== '1' && divisor !== '1m') refuse('1m and 1', 'cpu')
  else if (what === 'memory' && !BYTES.includes(divisor)) refuse(BYTES.join(', '), 'memory')
  else if (what === 'ephemeral-storage' && !BYTES.includes(divisor)) refuse(BYTES.join(', '), 'local ephemeral storage')
  else if (what === 'hugepages' && !BYTES.includes(divisor)) refuse(BYTES.join(', '), 'hugepages')
  return errors
}

/** Whole maps as variables (`ValidateEnvFrom`). */
export function validateEnvFrom(path: string, sources: readonly Fields[]): FieldError[] {
  const errors: FieldError[] = []
  for (const [index, source] of sources.entries()) {
    const at = `${path}[${index}]`
    const prefix = stringAt(source, 'prefix')
    if (prefix !== '') errors.push(...checked(`${at}.prefix`, prefix, isEnvVarName))
    const refs = ['configMapRef', 'secretRef'].filter((name) => isSet(source, name))
    for (const ref of refs) {
      const name = stringAt(fieldsAt(source, ref), 'name')
      if (name === '') errors.push(required(`${at}.${ref}.name`, ''))
      else errors.push(...checked(`${at}.${ref}.name`, name, isDNSSubdomain))
    }
    if (refs.length === 0) errors.push(invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`'))
    else if (refs.length > 1) errors.push(invalid(path, '', 'may not have more than one field specified at a time'))
  }
  return errors
}

/** Whether a container's variables read the file of a volume, by index of the variable. */
export function fileKeyRefs(container: Fields): readonly (readonly [index: number, volumeName: string])[] {
  return listAt(container, 'env').flatMap((variable, index) => {
    const ref = fieldsAt(fieldsAt(variable, 'valueFrom'), 'fileKeyRef')
    return ref === undefined ? [] : [[index, stringAt(ref, 'volumeName')] as const]
  })
}
