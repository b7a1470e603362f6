import { goQuote } from '@freshread/core'
import { fieldsAt, isSet, listAt, mapAt, numberAt, stringAt, type Fields } from '../fields.ts'
import { Quantity } from '../quantity.ts'
import { annotationsOf } from './labels.ts'
import { isDNSLabel } from './names.ts'

/** Labels of nodes that have newer names. */
const DEPRECATED_NODE_LABELS: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
}
const DEPRECATED_ANNOTATIONS: Readonly<Record<string, string>> = {
  'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
}
const DEPRECATED_VOLUMES: readonly (readonly [source: string, shown: string, text: string])[] = [
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
]

/** Warns of names that are no host names (`metadata.name: this is used in …`). */
export function hostNameWarning(name: string, usedIn: string): string[] {
  const texts = isDNSLabel(name)
  if (texts.length === 0) return []
  const end = `which can result in surprising behavior; a DNS label is recommended: [${texts.join(' ')}]`
  return [`metadata.name: this is used in ${usedIn}, ${end}`]
}

/** Warnings of a pod, or with a path of a template of pods (`pkg/api/pod/warnings.go`). */
export function podWarnings(pod: Fields, path = ''): string[] {
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`)
  const spec = fieldsAt(pod, 'spec') ?? {}
  const warnings: string[] = []
  for (const key of Object.keys(mapAt(spec, 'nodeSelector'))) {
    const text = DEPRECATED_NODE_LABELS[key]
    if (text !== undefined) warnings.push(`${at('spec.nodeSelector')}[${key}]: ${text}`)
  }
  listAt(spec, 'topologySpreadConstraints').forEach((constraint, i) => {
    const here = `${at('spec.topologySpreadConstraints')}[${i}]`
    const key = stringAt(constraint, 'topologyKey')
    const text = DEPRECATED_NODE_LABELS[key]
    if (text !== undefined) warnings.push(`${here}.topologyKey: ${key} is ${text}`)
    if (!isSet(constraint, 'labelSelector')) warnings.push(`${here}.labelSelector: ${NO_SELECTOR}`)
  })
  for (const [key, text] of Object.entries(DEPRECATED_ANNOTATIONS)) {
    if (annotationsOf(pod)[key] !== undefined) warnings.push(`${at('metadata.annotations')}[${key}]: ${text}`)
  }
  listAt(spec, 'volumes').forEach((volume, i) => {
    for (const [source, shown, text] of DEPRECATED_VOLUMES) {
      if (isSet(volume, source)) warnings.push(`${at('spec.volumes')}[${i}].${shown}: ${text}`)
    }
  })
  warnings.push(...repeated(listAt(spec, 'hostAliases'), 'ip', at('spec.hostAliases'), 'ip'))
  warnings.push(...repeated(listAt(spec, 'imagePullSecrets'), 'name', at('spec.imagePullSecrets'), 'name'))
  listAt(spec, 'imagePullSecrets').forEach((secret, i) => {
    if (stringAt(secret, 'name') === '')
      warnings.push(`${at('spec.imagePullSecrets')}[${i}].name: invalid empty name ""`)
  })
  const containers = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) =>
    listAt(spec, list).map((container, i) => ({ container, here: `${at('spec')}.${list}[${i}]` })),
  )
  for (const { container, here } of containers) warnings.push(...containerWarnings(container, here))
  warnings.push(...portWarnings(containers))
  const grace = numberAt(spec, 'terminationGracePeriodSeconds')
  if (grace !== undefined && grace < 0) {
    warnings.push(
      `${at('spec.terminationGracePeriodSeconds')}: must be >= 0; negative values are invalid and will be treated as 1`,
    )
  }
  return [...warnings, ...affinityWarnings(fieldsAt(spec, 'affinity'), at('spec.affinity'))]
}

const NO_SELECTOR = 'a null labelSelector results in matching no pod'

function repeated(items: readonly Fields[], field: string, path: string, what: string): string[] {
  const seen = new Set<string>()
  return items.flatMap((item, i) => {
    const value = stringAt(item, field)
    if (!seen.has(value)) {
      seen.add(value)
      return []
    }
    return [`${path}[${i}].${field}: duplicate ${what} ${goQuote(value)}`]
  })
}

function containerWarnings(container: Fields, path: string): string[] {
  const warnings: string[] = []
  const resources = fieldsAt(container, 'resources')
  for (const name of ['memory', 'ephemeral-storage']) {
    for (const list of ['limits', 'requests']) {
      const text = mapAt(resources, list)[name]
      if (text === undefined || Quantity.parse(text).milliValue % 1000n === 0n) continue
      warnings.push(
        `${path}.resources.${list}[${name}]: fractional byte value ${goQuote(text)} is invalid, must be an integer`,
      )
    }
  }
  const seen = new Set<string>()
  listAt(container, 'env').forEach((variable, i) => {
    const name = stringAt(variable, 'name')
    const reference = `$(${name})`
    const value = stringAt(variable, 'value')
    const hides = isSet(variable, 'valueFrom') || value === reference || !value.includes(reference)
    if (seen.has(name) && hides) {
      warnings.push(
        `${path}.env[${i}]: hides previous definition of ${goQuote(name)}, which may be dropped when using apply`,
      )
    }
    seen.add(name)
  })
  return warnings
}

function portWarnings(containers: readonly { readonly container: Fields; readonly here: string }[]): string[] {
  const warnings: string[] = []
  const known = new Map<string, { at: string; port: Fields }[]>()
  const names = new Map<string, string>()
  const nameWarnings: string[] = []
  for (const { container, here } of containers) {
    for (const [i, port] of listAt(container, 'ports').entries()) {
      const at = `${here}.ports[${i}]`
      const key = `${numberAt(port, 'containerPort') ?? 0}/${stringAt(port, 'protocol')}`
      const others = known.get(key) ?? []
      for (const other of others) {
        const text = overlap(port, other.port)
        if (text !== undefined) warnings.push(`${at}: ${text} port definition with ${other.at}`)
      }
      known.set(key, [...others, { at, port }])
      const name = stringAt(port, 'name')
      if (name === '') continue
      const first = names.get(name)
      if (first === undefined) names.set(name, at)
      else {
        const end = `services and probes that select ports by name will use ${first}`
        nameWarnings.push(`${at}: duplicate port name ${goQuote(name)} with ${first}, ${end}`)
      }
    }
  }
  return [...warnings, ...nameWarnings]
}

function overlap(a: Fields, b: Fields): string | undefined {
  const [hostA, hostB] = [numberAt(a, 'hostPort') ?? 0, numberAt(b, 'hostPort') ?? 0]
  const [ipA, ipB] = [stringAt(a, 'hostIP'), stringAt(b, 'hostIP')]
  if (ipA === ipB && hostA === hostB) return 'duplicate'
  if (hostA === 0 || hostB === 0) return 'overlapping'
  return hostA === hostB && (ipA === '') !== (ipB === '') ? 'dangerously ambiguous' : undefined
}

function affinityWarnings(affinity: Fields | undefined, path: string): string[] {
  const warnings: string[] = []
  for (const kind of ['podAffinity', 'podAntiAffinity']) {
    const terms = fieldsAt(affinity, kind)
    const required = 'requiredDuringSchedulingIgnoredDuringExecution'
    const preferred = 'preferredDuringSchedulingIgnoredDuringExecution'
    listAt(terms, required).forEach((term, i) => {
      if (!isSet(term, 'labelSelector'))
        warnings.push(`${path}.${kind}.${required}[${i}].labelSelector: ${NO_SELECTOR}`)
    })
    listAt(terms, preferred).forEach((term, i) => {
      if (isSet(fieldsAt(term, 'podAffinityTerm'), 'labelSelector')) return
      warnings.push(`${path}.${kind}.${preferred}[${i}].podAffinityTerm.labelSelector: ${NO_SELECTOR}`)
    })
  }
  return warnings
}
