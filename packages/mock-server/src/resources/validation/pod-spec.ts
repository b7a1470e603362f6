import {
  duplicate,
  forbidden,
  invalid,
  notFound,
  notSupported,
  required,
  tooLong,
  type FieldError,
  type ObjectMeta,
} from '@freshread/core'
import { internalValue } from '../decode/internal-value.ts'
import { fieldsAt, isSet, isTrueAt, listAt, mapAt, numberAt, stringAt, stringsAt, type Fields } from '../fields.ts'
import { Quantity } from '../quantity.ts'
import { oneOf } from './common.ts'
import { validateResourceRequirements } from './container-resources.ts'
import { validateContainers, validateEphemeralContainers, validateInitContainers, type PodFacts } from './containers.ts'
import { fileKeyRefs } from './env.ts'
import { validateIP } from './ip.ts'
import { annotationsOf, labelsOf, validateAnnotations, validateLabels } from './labels.ts'
import {
  checked,
  inclusiveRange,
  isDNSLabel,
  isDNSSubdomain,
  isDNSSubdomainWithUnderscore,
  qualifiedName,
} from './names.ts'
import { validatePodResourceName } from './resource-names.ts'
import { validateAffinity, validateSpread, validateTolerations } from './scheduling.ts'
import { validatePodSecurityContext } from './security-context.ts'
import { validateVolumes } from './volumes.ts'

const MAX_INT32 = 2 ** 31 - 1
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']

/** The spec of a pod, or of a template of pods (without `meta`) (`ValidatePodSpec`). */
export function validatePodSpec(path: string, spec: Fields, meta: ObjectMeta | undefined): FieldError[] {
  const errors: FieldError[] = []
  const gracePeriod = numberAt(spec, 'terminationGracePeriodSeconds')
  if (gracePeriod === undefined) errors.push(required(`${path}.terminationGracePeriodSeconds`, ''))
  const [volumes, volumeErrors] = validateVolumes(`${path}.volumes`, listAt(spec, 'volumes'), meta)
  errors.push(...volumeErrors)
  const pod: PodFacts = {
    volumes,
    claimNames: listAt(spec, 'resourceClaims').map((claim) => stringAt(claim, 'name')),
    gracePeriod,
    restartPolicy: stringAt(spec, 'restartPolicy'),
    hostUsers: spec['hostUsers'] !== false,
    os: stringAt(fieldsAt(spec, 'os'), 'name'),
  }
  errors.push(...validateResourceClaims(`${path}.resourceClaims`, listAt(spec, 'resourceClaims')))
  const containers = listAt(spec, 'containers')
  const initContainers = listAt(spec, 'initContainers')
  errors.push(...validateContainers(`${path}.containers`, containers, pod))
  errors.push(...validateInitContainers(`${path}.initContainers`, initContainers, containers, pod))
  const ephemeral = listAt(spec, 'ephemeralContainers')
  errors.push(
    ...validateEphemeralContainers(`${path}.ephemeralContainers`, ephemeral, [...containers, ...initContainers], pod),
  )
  errors.push(...validatePodResources(`${path}.resources`, spec, pod.claimNames))
  errors.push(...validateHostNetworkPorts(path, spec, meta !== undefined))
  errors.push(...oneOf(`${path}.restartPolicy`, pod.restartPolicy, ['Always', 'OnFailure', 'Never']))
  errors.push(...oneOf(`${path}.dnsPolicy`, stringAt(spec, 'dnsPolicy'), DNS_POLICIES))
  errors.push(...validateLabels(`${path}.nodeSelector`, mapAt(spec, 'nodeSelector')))
  errors.push(...validatePodSecurityContext(`${path}.securityContext`, fieldsAt(spec, 'securityContext'), spec))
  if (isTrueAt(spec, 'shareProcessNamespace') && isTrueAt(spec, 'hostPID')) {
    const text = 'ShareProcessNamespace and HostPID cannot both be enabled'
    errors.push(invalid(`${path}.shareProcessNamespace`, true, text))
  }
  errors.push(...validateAffinity(`${path}.affinity`, fieldsAt(spec, 'affinity')))
  errors.push(...validateDNSConfig(`${path}.dnsConfig`, fieldsAt(spec, 'dnsConfig'), stringAt(spec, 'dnsPolicy')))
  errors.push(...validateGates(path, spec))
  errors.push(...validateSpread(`${path}.topologySpreadConstraints`, listAt(spec, 'topologySpreadConstraints')))
  errors.push(
    ...validateHostUsers(path, spec),
    ...validateHostProcesses(path, spec),
    ...validateHostnameOverride(path, spec),
    ...validateNames(path, spec),
  )
  const deadline = numberAt(spec, 'activeDeadlineSeconds')
  if (deadline !== undefined && (deadline < 1 || deadline > MAX_INT32)) {
    errors.push(invalid(`${path}.activeDeadlineSeconds`, deadline, inclusiveRange(1, MAX_INT32)))
  }
  errors.push(...validateTolerations(`${path}.tolerations`, listAt(spec, 'tolerations')))
  for (const [index, alias] of listAt(spec, 'hostAliases').entries()) {
    const at = `${path}.hostAliases[${index}]`
    errors.push(...validateIP(`${at}.ip`, stringAt(alias, 'ip')))
    stringsAt(alias, 'hostnames').forEach((name, i) =>
      errors.push(...checked(`${at}.hostnames[${i}]`, name, isDNSSubdomain)),
    )
  }
  if (isSet(spec, 'preemptionPolicy')) {
    errors.push(
      ...oneOf(`${path}.preemptionPolicy`, stringAt(spec, 'preemptionPolicy'), ['PreemptLowerPriority', 'Never']),
    )
  }
  errors.push(...validateResourceRequirements(`${path}.overhead`, { limits: mapAt(spec, 'overhead') }, []))
  errors.push(...validateOS(path, spec), ...validateFileKeyRefs(path, spec))
  return errors
}

function validateResourceClaims(path: string, claims: readonly Fields[]): FieldError[] {
  const errors: FieldError[] = []
  const names = new Set<string>()
  for (const [index, claim] of claims.entries()) {
    const at = `${path}[${index}]`
    const name = stringAt(claim, 'name')
    if (name === '') errors.push(required(`${at}.name`, ''))
    else if (names.has(name)) errors.push(duplicate(`${at}.name`, name))
    else errors.push(...checked(`${at}.name`, name, isDNSLabel))
    names.add(name)
    const sources = ['resourceClaimName', 'resourceClaimTemplateName'].filter((source) => isSet(claim, source))
    if (sources.length > 1) {
      errors.push(
        invalid(
          at,
          internalValue('core.PodResourceClaim', claim),
          'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified',
        ),
      )
    } else if (sources.length === 0) {
      errors.push(
        invalid(
          at,
          internalValue('core.PodResourceClaim', claim),
          'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
        ),
      )
    }
    for (const source of sources) errors.push(...checked(`${at}.${source}`, stringAt(claim, source), isDNSSubdomain))
  }
  return errors
}

function validatePodResources(path: string, spec: Fields, claimNames: readonly string[]): FieldError[] {
  const resources = fieldsAt(spec, 'resources')
  if (resources === undefined) return []
  const errors: FieldError[] = []
  if (isSet(resources, 'claims'))
    errors.push(forbidden(`${path}.claims`, 'claims may not be set for Resources at pod-level'))
  errors.push(...validateResourceRequirements(path, resources, claimNames, validatePodResourceName))
  const requests = mapAt(resources, 'requests')
  for (const [name, total] of Object.entries(containerRequests(spec))) {
    const own = requests[name]
    if (own !== undefined && total.compare(Quantity.parse(own)) > 0) {
      const text = `must be greater than or equal to aggregate container requests of ${total.toString()}`
      errors.push(invalid(`${path}.requests[${name}]`, own, text))
    }
  }
  const limits = mapAt(resources, 'limits')
  for (const [index, container] of listAt(spec, 'containers').entries()) {
    for (const [name, text] of Object.entries(mapAt(fieldsAt(container, 'resources'), 'limits'))) {
      const limit = limits[name]
      if (limit !== undefined && Quantity.parse(text).compare(Quantity.parse(limit)) > 0) {
        const where = `${path}.containers[${index}][${name}].limits`
        errors.push(invalid(where, text, `must be less than or equal to pod limits of ${limit}`))
      }
    }
  }
  return errors
}

/** What the containers of a pod request together: init containers run before the others, sidecars beside them. */
export function containerRequests(spec: Fields): Readonly<Record<string, Quantity>> {
  const total: Record<string, Quantity> = {}
  const add = (into: Record<string, Quantity>, container: Fields): void => {
    for (const [name, text] of Object.entries(mapAt(fieldsAt(container, 'resources'), 'requests'))) {
      into[name] = (into[name] ?? Quantity.zero()).add(Quantity.parse(text))
    }
  }
  for (const container of listAt(spec, 'containers')) add(total, container)
  const sidecars: Record<string, Quantity> = {}
  const peak: Record<string, Quantity> = {}
  for (const container of listAt(spec, 'initContainers')) {
    const sidecar = container['restartPolicy'] === 'Always'
    const now = { ...sidecars }
    add(sidecar ? sidecars : now, container)
    if (sidecar) add(total, container)
    for (const [name, amount] of Object.entries(sidecar ? sidecars : now)) {
      if (peak[name] === undefined || amount.compare(peak[name]) > 0) peak[name] = amount
    }
  }
  for (const [name, amount] of Object.entries(peak)) {
    if (total[name] === undefined || amount.compare(total[name]) > 0) total[name] = amount
  }
  return total
}

function validateHostNetworkPorts(path: string, spec: Fields, isPod: boolean): FieldError[] {
  if (!isTrueAt(spec, 'hostNetwork')) return []
  return listAt(spec, 'containers').flatMap((container, i) =>
    listAt(container, 'ports').flatMap((port, j) => {
      const host = numberAt(port, 'hostPort') ?? 0
      if ((!isPod && host === 0) || host === (numberAt(port, 'containerPort') ?? 0)) return []
      const text = 'must match `containerPort` when `hostNetwork` is true'
      return [invalid(`${path}.containers[${i}].ports[${j}].hostPort`, host, text)]
    }),
  )
}

function validateDNSConfig(path: string, config: Fields | undefined, policy: string): FieldError[] {
  const servers = stringsAt(config, 'nameservers')
  if (policy === 'None') {
    if (config === undefined) return [required(path, 'must provide `dnsConfig` when `dnsPolicy` is None')]
    const text = 'must provide at least one DNS nameserver when `dnsPolicy` is None'
    if (servers.length === 0) return [required(`${path}.nameservers`, text)]
  }
  if (config === undefined) return []
  const errors: FieldError[] = []
  if (servers.length > 3) errors.push(invalid(`${path}.nameservers`, servers, 'must not have more than 3 nameservers'))
  servers.forEach((server, i) => errors.push(...validateIP(`${path}.nameservers[${i}]`, server)))
  const searches = stringsAt(config, 'searches')
  if (searches.length > 32)
    errors.push(invalid(`${path}.searches`, searches, 'must not have more than 32 search paths'))
  if (searches.join(' ').length > 2048) {
    const text = 'must not have more than 2048 characters (including spaces) in the search list'
    errors.push(invalid(`${path}.searches`, searches, text))
  }
  searches.forEach((search, i) => {
    if (search === '.') return
    errors.push(...checked(`${path}.searches[${i}]`, search.replace(/\.$/, ''), isDNSSubdomainWithUnderscore))
  })
  listAt(config, 'options').forEach((option, i) => {
    if (stringAt(option, 'name') === '') errors.push(required(`${path}.options[${i}]`, 'must not be empty'))
  })
  return errors
}

function validateGates(path: string, spec: Fields): FieldError[] {
  const errors: FieldError[] = []
  listAt(spec, 'readinessGates').forEach((gate, i) => {
    errors.push(...qualifiedName(`${path}.readinessGates[${i}].conditionType`, stringAt(gate, 'conditionType')))
  })
  const seen = new Set<string>()
  listAt(spec, 'schedulingGates').forEach((gate, i) => {
    const at = `${path}.schedulingGates[${i}]`
    const name = stringAt(gate, 'name')
    errors.push(...qualifiedName(at, name))
    if (seen.has(name)) errors.push(duplicate(at, name))
    seen.add(name)
  })
  return errors
}

function validateHostUsers(path: string, spec: Fields): FieldError[] {
  if (spec['hostUsers'] !== false) return []
  const names = [
    ['hostNetwork', 'hostNetwork'],
    ['hostPID', 'HostPID'],
    ['hostIPC', 'HostIPC'],
  ] as const
  const text = 'when `hostUsers` is false'
  const errors = names.filter(([name]) => isTrueAt(spec, name)).map(([, shown]) => forbidden(`${path}.${shown}`, text))
  const owners = containersOf(path, spec).filter(([, container]) => listAt(container, 'volumeDevices').length > 0)
  return [...errors, ...owners.map(([at]) => forbidden(`${at}.volumeDevices`, text))]
}

/** All containers of a pod, with their paths. */
function containersOf(path: string, spec: Fields): readonly (readonly [string, Fields])[] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) =>
    listAt(spec, list).map((container, i) => [`${path}.${list}[${i}]`, container] as const),
  )
}

/** Containers that are processes of a Windows host (`validateWindowsHostProcessPod`), which nobody may run here. */
function validateHostProcesses(path: string, spec: Fields): FieldError[] {
  const flagOf = (owner: Fields): unknown =>
    fieldsAt(fieldsAt(owner, 'securityContext'), 'windowsOptions')?.['hostProcess'] ?? undefined
  const ofPod = flagOf(spec)
  const errors: FieldError[] = []
  const containers = containersOf(path, spec)
  let count = 0
  for (const [at, container] of containers) {
    const own = flagOf(container)
    if (ofPod !== undefined && own !== undefined && own !== ofPod) {
      const text = `pod hostProcess value must be identical if both are specified, was ${String(ofPod)}`
      errors.push(invalid(`${at}.securityContext.windowsOptions.hostProcess`, own, text))
    }
    if ((own ?? ofPod) === true) count++
  }
  if (count === 0) return errors
  if (count !== containers.length) {
    errors.push(
      invalid(
        path,
        '',
        'If pod contains any hostProcess containers then all containers must be HostProcess containers',
      ),
    )
  }
  if (!isTrueAt(spec, 'hostNetwork')) {
    const text = 'hostNetwork must be true if pod contains any hostProcess containers'
    errors.push(invalid(`${path}.hostNetwork`, false, text))
  }
  return [...errors, forbidden(path, 'hostProcess containers are disallowed by cluster policy')]
}

function validateHostnameOverride(path: string, spec: Fields): FieldError[] {
  if (!isSet(spec, 'hostnameOverride')) return []
  const at = `${path}.hostnameOverride`
  const errors: FieldError[] = []
  if (isTrueAt(spec, 'setHostnameAsFQDN'))
    errors.push(forbidden(at, 'may not be specified when setHostnameAsFQDN is true'))
  if (isTrueAt(spec, 'hostNetwork')) errors.push(forbidden(at, 'may not be specified when hostNetwork is true'))
  const name = stringAt(spec, 'hostnameOverride')
  if (name.length > 64) errors.push(tooLong(at, 64))
  return [...errors, ...checked(at, name, isDNSSubdomain)]
}

function validateNames(path: string, spec: Fields): FieldError[] {
  const errors: FieldError[] = []
  for (const name of ['serviceAccountName', 'nodeName', 'priorityClassName', 'runtimeClassName']) {
    const value = stringAt(spec, name)
    if (value !== '' || (name === 'runtimeClassName' && isSet(spec, name))) {
      errors.push(...checked(`${path}.${name}`, value, isDNSSubdomain))
    }
  }
  for (const name of ['hostname', 'subdomain']) {
    const value = stringAt(spec, name)
    if (value !== '') errors.push(...checked(`${path}.${name}`, value, isDNSLabel))
  }
  return errors
}

function validateOS(path: string, spec: Fields): FieldError[] {
  const os = fieldsAt(spec, 'os')
  if (os === undefined) return []
  const name = stringAt(os, 'name')
  if (name === '') return [required(`${path}.os.name`, '')]
  if (name !== 'linux' && name !== 'windows') return [notSupported(`${path}.os`, name, ['linux', 'windows'])]
  const owners = [
    [path, spec] as const,
    ...['initContainers', 'containers'].flatMap((list) =>
      listAt(spec, list).map((c, i) => [`${path}.${list}[${i}]`, c] as const),
    ),
  ]
  if (name === 'windows') return validateWindows(path, spec, owners)
  return owners
    .filter(([, owner]) => isSet(fieldsAt(owner, 'securityContext'), 'windowsOptions'))
    .map(([at]) => forbidden(`${at}.securityContext.windowsOptions`, 'windows options cannot be set for a linux pod'))
}

/** Fields that only mean something on Linux. */
const LINUX_SPEC = ['hostUsers', 'hostPID', 'hostIPC', 'shareProcessNamespace']
const LINUX_CONTEXT = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
  'supplementalGroupsPolicy',
  'seLinuxChangePolicy',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
]

function validateWindows(path: string, spec: Fields, owners: readonly (readonly [string, Fields])[]): FieldError[] {
  const errors = LINUX_SPEC.filter((name) => isSet(spec, name)).map((name) =>
    forbidden(`${path}.${name}`, 'cannot be set for a windows pod'),
  )
  for (const [at, owner] of owners) {
    const context = fieldsAt(owner, 'securityContext')
    for (const name of LINUX_CONTEXT) {
      if (isSet(context, name))
        errors.push(forbidden(`${at}.securityContext.${name}`, 'cannot be set for a windows pod'))
    }
  }
  return errors
}

function validateFileKeyRefs(path: string, spec: Fields): FieldError[] {
  const errors: FieldError[] = []
  const volumes = new Map(listAt(spec, 'volumes').map((volume) => [stringAt(volume, 'name'), volume]))
  for (const list of ['initContainers', 'containers', 'ephemeralContainers']) {
    for (const [i, container] of listAt(spec, list).entries()) {
      for (const [j, name] of fileKeyRefs(container)) {
        const at = `${path}.${list}[${i}].env[${j}].valueFrom.fileKeyRef.volumeName`
        const volume = volumes.get(name)
        if (volume === undefined) errors.push(notFound(at, name))
        else if (!isSet(volume, 'emptyDir'))
          errors.push(invalid(at, name, 'referenced volume must be of type emptyDir'))
      }
    }
  }
  return errors
}

/** A template of pods: its labels, annotations and spec (`ValidatePodTemplateSpec`). */
export function validatePodTemplate(path: string, template: Fields): FieldError[] {
  const errors = [
    ...validateLabels(`${path}.labels`, labelsOf(template)),
    ...validateAnnotations(`${path}.annotations`, annotationsOf(template)),
    ...validatePodAnnotations(`${path}.annotations`, annotationsOf(template), fieldsAt(template, 'spec') ?? {}),
    ...validatePodSpec(`${path}.spec`, fieldsAt(template, 'spec') ?? {}, undefined),
  ]
  if (listAt(fieldsAt(template, 'spec'), 'ephemeralContainers').length > 0) {
    errors.push(forbidden(`${path}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template'))
  }
  return errors
}

/** Annotations that mean something on pods (`ValidatePodSpecificAnnotations`). */
export function validatePodAnnotations(
  path: string,
  annotations: Readonly<Record<string, string>>,
  spec: Fields,
): FieldError[] {
  const errors: FieldError[] = []
  const mirror = annotations['kubernetes.io/config.mirror']
  if (mirror !== undefined && stringAt(spec, 'nodeName') === '') {
    const text = 'must set spec.nodeName if mirror pod annotation is set'
    errors.push(invalid(`${path}[kubernetes.io/config.mirror]`, mirror, text))
  }
  const cost = annotations['controller.kubernetes.io/pod-deletion-cost']
  if (cost !== undefined && !(/^(0|-?[1-9]\d*)$/.test(cost) && Math.abs(Number(cost)) <= 2 ** 31)) {
    errors.push(invalid(`${path}[controller.kubernetes.io/pod-deletion-cost]`, cost, 'must be a 32bit integer'))
  }
  return errors
}
