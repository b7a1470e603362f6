import {
  duplicate,
  forbidden,
  invalid,
  notFound,
  notSupported,
  required,
  tooMany,
  type FieldError,
} from '@freshread/core'
import { fieldsAt, isSet, listAt, numberAt, stringAt, type Fields } from '../fields.ts'
import { oneOf } from './common.ts'
import { validateResourceRequirements } from './container-resources.ts'
import { validateEnv, validateEnvFrom } from './env.ts'
import { checked, isDNSLabel, isPortName, isPortNumber } from './names.ts'
import { validateLifecycle, validateProbes } from './probes.ts'
import { validateSecurityContext } from './security-context.ts'
import { validateVolumeDevices, validateVolumeMounts } from './volume-mounts.ts'
import { PULL_POLICIES } from './volume-sources.ts'
import type { Volumes } from './volumes.ts'

export const PROTOCOLS: readonly string[] = ['SCTP', 'TCP', 'UDP']
const RESTART_POLICIES = ['Always', 'Never', 'OnFailure']

/** What containers need to know of the pod they are in. */
export interface PodFacts {
  readonly volumes: Volumes
  readonly claimNames: readonly string[]
  readonly gracePeriod: number | undefined
  readonly restartPolicy: string
  readonly hostUsers: boolean
  readonly os: string
}

/** Containers proper (`validateContainers`). */
export function validateContainers(path: string, containers: readonly Fields[], pod: PodFacts): FieldError[] {
  if (containers.length === 0) return [required(path, '')]
  const errors: FieldError[] = []
  const names = new Set<string>()
  for (const [index, container] of containers.entries()) {
    const at = `${path}[${index}]`
    const name = stringAt(container, 'name')
    errors.push(...validateContainer(at, container, pod))
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name))
    names.add(name)
    const lifecycle = fieldsAt(container, 'lifecycle')
    if (lifecycle !== undefined)
      errors.push(...validateLifecycle(`${at}.lifecycle`, lifecycle, pod.gracePeriod, pod.os))
    errors.push(...validateProbes(at, container, pod.gracePeriod), ...validateRestartPolicy(at, container))
  }
  return [...errors, ...hostPortConflicts(path, containers)]
}

/** Containers that run before the others; those that restart always stay beside them. */
export function validateInitContainers(
  path: string,
  containers: readonly Fields[],
  regular: readonly Fields[],
  pod: PodFacts,
): FieldError[] {
  const errors: FieldError[] = []
  const names = new Set(regular.map((container) => stringAt(container, 'name')))
  for (const [index, container] of containers.entries()) {
    const at = `${path}[${index}]`
    const name = stringAt(container, 'name')
    errors.push(...validateContainer(at, container, pod), ...validateRestartPolicy(at, container, true))
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name))
    else if (name !== '') names.add(name)
    errors.push(...hostPortConflicts(path, [container]))
    const lifecycle = fieldsAt(container, 'lifecycle')
    if (container['restartPolicy'] === 'Always') {
      if (lifecycle !== undefined)
        errors.push(...validateLifecycle(`${at}.lifecycle`, lifecycle, pod.gracePeriod, pod.os))
      errors.push(...validateProbes(at, container, pod.gracePeriod))
      continue
    }
    for (const field of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe']) {
      const text = 'may not be set for init containers without restartPolicy=Always'
      if (isSet(container, field)) errors.push(forbidden(`${at}.${field}`, text))
    }
    for (const [j, policy] of listAt(container, 'resizePolicy').entries()) {
      const text = "must not be set to 'RestartContainer' for non-sidecar initContainers"
      const where = `${at}.resizePolicy[${j}].restartPolicy`
      if (policy['restartPolicy'] === 'RestartContainer') errors.push(invalid(where, policy['restartPolicy'], text))
    }
  }
  return errors
}

/** Fields an ephemeral container may have. */
const EPHEMERAL_FIELDS = new Set([
  'name',
  'image',
  'command',
  'args',
  'workingDir',
  'env',
  'envFrom',
  'volumeMounts',
  'volumeDevices',
  'terminationMessagePath',
  'terminationMessagePolicy',
  'imagePullPolicy',
  'securityContext',
  'stdin',
  'stdinOnce',
  'tty',
  'targetContainerName',
])

/** Containers added to a running pod (`validateEphemeralContainers`). */
export function validateEphemeralContainers(
  path: string,
  containers: readonly Fields[],
  others: readonly Fields[],
  pod: PodFacts,
): FieldError[] {
  const errors: FieldError[] = []
  const otherNames = new Set(others.map((container) => stringAt(container, 'name')))
  const names = new Set(otherNames)
  for (const [index, container] of containers.entries()) {
    const at = `${path}[${index}]`
    const name = stringAt(container, 'name')
    const target = stringAt(container, 'targetContainerName')
    errors.push(...validateContainer(at, container, pod), ...imageWithoutBlanks(at, container))
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name))
    names.add(name)
    if (target !== '' && !otherNames.has(target)) errors.push(notFound(`${at}.targetContainerName`, target))
    const text = 'cannot be set for an Ephemeral Container'
    for (const field of Object.keys(container)) {
      const nothing = field === 'resources' && Object.keys(fieldsAt(container, field) ?? {}).length === 0
      if (!EPHEMERAL_FIELDS.has(field) && !nothing) errors.push(forbidden(`${at}.${field}`, text))
    }
    for (const [i, mount] of listAt(container, 'volumeMounts').entries()) {
      for (const field of ['subPath', 'subPathExpr']) {
        if (stringAt(mount, field) !== '') errors.push(forbidden(`${at}.volumeMounts[${i}].${field}`, text))
      }
    }
  }
  return errors
}

/** Images of pods, unlike those of templates, must not have blanks around them. */
export function imageWithoutBlanks(path: string, container: Fields): FieldError[] {
  const image = stringAt(container, 'image')
  return image === image.trim() ? [] : [invalid(`${path}.image`, image, 'must not have leading or trailing whitespace')]
}

function validateContainer(path: string, container: Fields, pod: PodFacts): FieldError[] {
  const errors: FieldError[] = []
  const name = stringAt(container, 'name')
  if (name === '') errors.push(required(`${path}.name`, ''))
  else errors.push(...checked(`${path}.name`, name, isDNSLabel))
  if (stringAt(container, 'image') === '') errors.push(required(`${path}.image`, ''))
  const policy = stringAt(container, 'terminationMessagePolicy')
  errors.push(...oneOf(`${path}.terminationMessagePolicy`, policy, ['File', 'FallbackToLogsOnError']))
  errors.push(...validatePorts(`${path}.ports`, listAt(container, 'ports')))
  errors.push(...validateEnv(`${path}.env`, listAt(container, 'env')))
  errors.push(...validateEnvFrom(`${path}.envFrom`, listAt(container, 'envFrom')))
  errors.push(...validateVolumeMounts(`${path}.volumeMounts`, container, pod.volumes))
  errors.push(...validateVolumeDevices(`${path}.volumeDevices`, container, pod.volumes))
  errors.push(...oneOf(`${path}.imagePullPolicy`, stringAt(container, 'imagePullPolicy'), PULL_POLICIES))
  errors.push(...validateResourceRequirements(`${path}.resources`, fieldsAt(container, 'resources'), pod.claimNames))
  errors.push(...validateResizePolicy(`${path}.resizePolicy`, listAt(container, 'resizePolicy'), pod.restartPolicy))
  const security = fieldsAt(container, 'securityContext')
  return [...errors, ...validateSecurityContext(`${path}.securityContext`, security, pod.hostUsers)]
}

function validatePorts(path: string, ports: readonly Fields[]): FieldError[] {
  const errors: FieldError[] = []
  const names = new Set<string>()
  for (const [index, port] of ports.entries()) {
    const at = `${path}[${index}]`
    const name = stringAt(port, 'name')
    const bad = name === '' ? [] : checked(`${at}.name`, name, isPortName)
    if (bad.length > 0) errors.push(...bad)
    else if (names.has(name)) errors.push(duplicate(`${at}.name`, name))
    else if (name !== '') names.add(name)
    const number = numberAt(port, 'containerPort') ?? 0
    if (number === 0) errors.push(required(`${at}.containerPort`, ''))
    else errors.push(...isPortNumber(number).map((text) => invalid(`${at}.containerPort`, number, text)))
    const host = numberAt(port, 'hostPort') ?? 0
    if (host !== 0) errors.push(...isPortNumber(host).map((text) => invalid(`${at}.hostPort`, host, text)))
    errors.push(...oneOf(`${at}.protocol`, stringAt(port, 'protocol'), PROTOCOLS))
  }
  return errors
}

function hostPortConflicts(path: string, containers: readonly Fields[]): FieldError[] {
  const errors: FieldError[] = []
  const used = new Set<string>()
  for (const [i, container] of containers.entries()) {
    for (const [j, port] of listAt(container, 'ports').entries()) {
      const host = numberAt(port, 'hostPort') ?? 0
      if (host === 0) continue
      const text = `${stringAt(port, 'protocol')}/${stringAt(port, 'hostIP')}/${host}`
      if (used.has(text)) errors.push(duplicate(`${path}[${i}].ports[${j}].hostPort`, text))
      used.add(text)
    }
  }
  return errors
}

function validateResizePolicy(path: string, policies: readonly Fields[], restartPolicy: string): FieldError[] {
  const errors: FieldError[] = []
  const seen = new Set<string>()
  for (const [index, policy] of policies.entries()) {
    const resource = stringAt(policy, 'resourceName')
    const restart = stringAt(policy, 'restartPolicy')
    if (seen.has(resource)) errors.push(duplicate(`${path}[${index}]`, resource))
    seen.add(resource)
    errors.push(
      ...oneOf(path, resource, ['cpu', 'memory']),
      ...oneOf(path, restart, ['NotRequired', 'RestartContainer']),
    )
    if (restartPolicy === 'Never' && restart !== 'NotRequired') {
      errors.push(invalid(path, restart, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"))
    }
  }
  return errors
}

/** A container's own restart policy and the rules for its exit codes. */
function validateRestartPolicy(path: string, container: Fields, isInit = false): FieldError[] {
  const errors: FieldError[] = []
  const rules = listAt(container, 'restartPolicyRules')
  if (!isSet(container, 'restartPolicy')) {
    if (rules.length > 0)
      errors.push(required(`${path}.restartPolicy`, 'must specify restartPolicy when restart rules are used'))
    if (isInit) return errors
  } else if (!RESTART_POLICIES.includes(stringAt(container, 'restartPolicy'))) {
    errors.push(notSupported(`${path}.restartPolicy`, container['restartPolicy'], RESTART_POLICIES))
  }
  if (rules.length > 20) errors.push(tooMany(`${path}.restartPolicyRules`, rules.length, 20))
  for (const [index, rule] of rules.entries()) {
    const at = `${path}.restartPolicyRules[${index}]`
    const action = stringAt(rule, 'action')
    const actions = ['Restart', 'RestartAllContainers']
    if (!actions.includes(action)) errors.push(notSupported(`${at}.action`, action, actions))
    const codes = fieldsAt(rule, 'exitCodes')
    if (codes === undefined) {
      errors.push(required(`${at}.exitCodes`, 'must be specified'))
      continue
    }
    const operator = stringAt(codes, 'operator')
    if (operator !== 'In' && operator !== 'NotIn')
      errors.push(notSupported(`${at}.exitCodes.operator`, operator, ['In', 'NotIn']))
    const values = (codes['values'] ?? []) as number[]
    if (values.length > 255) errors.push(tooMany(`${at}.exitCodes.values`, values.length, 255))
  }
  return errors
}
