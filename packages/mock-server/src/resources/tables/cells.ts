import { autoscalerCells } from './autoscaler-cells.ts'
import { humanDuration, since } from './duration.ts'
import { podCells } from './pod-cells.ts'
import { formatLabels, formatLabelSelector, goLabelSelector, selectorText } from './selectors.ts'
import type { View } from './view.ts'

/** Makes the cells of one object; `now` in milliseconds since the epoch. */
export type CellMaker = (object: View, now: number) => readonly unknown[]

const name = (object: View): string => object.at('metadata', 'name').string()
const age = (object: View, now: number): string => since(object.at('metadata', 'creationTimestamp'), now)

/** When an object was made, as Go prints a time that may be unset. */
export const createdAt = (object: View): string =>
  object.at('metadata', 'creationTimestamp').string('0001-01-01T00:00:00Z')

const MAX_LISTED = 3

/** The first few, and how many more there are. */
function someOf(list: readonly string[], none: string, max = MAX_LISTED): string {
  const text = list.slice(0, max).join(',')
  if (list.length > max) return `${text} + ${list.length - max} more...`
  return text === '' ? none : text
}

const containers = (template: View): readonly [string, string] => {
  const list = template.at('spec', 'containers').list()
  return [list.map((c) => c.at('name').string()).join(','), list.map((c) => c.at('image').string()).join(',')]
}

const conditionOf = (
  object: View,
  type: string,
  path: readonly string[] = ['status', 'conditions'],
): View | undefined =>
  object
    .at(...path)
    .list()
    .find((condition) => condition.at('type').string() === type)

const isTrue = (object: View, type: string): boolean => conditionOf(object, type)?.at('status').string() === 'True'

function endpoints(object: View): string {
  const subsets = object.at('subsets').list()
  if (subsets.length === 0) return '<none>'
  const all = subsets.flatMap((subset) => {
    const addresses = subset
      .at('addresses')
      .list()
      .map((address) => address.at('ip').string())
    const ports = subset.at('ports').list()
    if (ports.length === 0) return addresses
    return ports.flatMap((port) =>
      addresses.map((ip) => `${ip.includes(':') ? `[${ip}]` : ip}:${port.at('port').number()}`),
    )
  })
  return someOf(all, '')
}

function loadBalancer(object: View): readonly string[] {
  const ingress = object.at('status', 'loadBalancer', 'ingress').list()
  const names = ingress
    .map((entry) => entry.at('ip').nonEmpty(entry.at('hostname').string()))
    .filter((text) => text !== '')
  return [...new Set(names)].sort()
}

function serviceExternalIP(service: View): string {
  const external = service.at('spec', 'externalIPs').strings()
  switch (service.at('spec', 'type').string()) {
    case 'ClusterIP':
    case 'NodePort':
      return external.length > 0 ? external.join(',') : '<none>'
    case 'LoadBalancer': {
      const all = [...loadBalancer(service), ...external]
      return all.length > 0 ? all.join(',') : '<pending>'
    }
    case 'ExternalName':
      return service.at('spec', 'externalName').string()
    default:
      return '<unknown>'
  }
}

function servicePorts(service: View): string {
  const ports = service
    .at('spec', 'ports')
    .list()
    .map((port) => {
      const node = port.at('nodePort').number()
      return `${port.at('port').number()}${node > 0 ? `:${node}` : ''}/${port.at('protocol').string()}`
    })
  return ports.length === 0 ? '<none>' : ports.join(',')
}

function ingressHosts(ingress: View): string {
  const rules = ingress.at('spec', 'rules').list()
  const hosts: string[] = []
  let more = false
  for (const rule of rules) {
    if (hosts.length === MAX_LISTED) more = true
    const host = rule.at('host').string()
    if (!more && host !== '') hosts.push(host)
  }
  if (hosts.length === 0) return '*'
  return more ? `${hosts.join(',')} + ${rules.length - MAX_LISTED} more...` : hosts.join(',')
}

function nodeStatus(node: View): string {
  const ready = conditionOf(node, 'Ready')
  const status = [ready === undefined ? 'Unknown' : ready.at('status').string() === 'True' ? 'Ready' : 'NotReady']
  if (node.at('spec', 'unschedulable').bool()) status.push('SchedulingDisabled')
  return status.join(',')
}

const ROLE_PREFIX = 'node-role.kubernetes.io/'

function nodeRoles(node: View): string {
  const labels = node.at('metadata', 'labels')
  const roles = labels.keys().map((key) => {
    if (key.startsWith(ROLE_PREFIX)) return key.slice(ROLE_PREFIX.length)
    return key === 'kubernetes.io/role' ? labels.at(key).string() : ''
  })
  const named = [...new Set(roles.filter((role) => role !== ''))].sort()
  return named.length === 0 ? '<none>' : named.join(',')
}

function nodeAddress(node: View, type: string): string {
  const address = node
    .at('status', 'addresses')
    .list()
    .find((candidate) => candidate.at('type').string() === type)
  return address?.at('address').string() ?? '<none>'
}

const ACCESS_MODES = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
] as const

function accessModes(modes: View): string {
  const given = new Set(modes.strings())
  return ACCESS_MODES.filter(([mode]) => given.has(mode))
    .map(([, short]) => short)
    .join(',')
}

function storageClassOf(object: View): string {
  return object
    .at('metadata', 'annotations', 'volume.beta.kubernetes.io/storage-class')
    .string(object.at('spec', 'storageClassName').string())
}

const phaseOf = (object: View): string =>
  object.at('metadata', 'deletionTimestamp').exists ? 'Terminating' : object.at('status', 'phase').string()

/** A claim's value only counts once it is bound. */
function claimCells(claim: View, now: number): readonly unknown[] {
  const bound = claim.at('spec', 'volumeName').string() !== ''
  return [
    name(claim),
    phaseOf(claim),
    claim.at('spec', 'volumeName').string(),
    bound ? claim.at('status', 'capacity', 'storage').string('0') : '',
    bound ? accessModes(claim.at('status', 'accessModes')) : '',
    storageClassOf(claim),
    claim.at('spec', 'volumeAttributesClassName').string('<unset>'),
    age(claim, now),
    claim.at('spec', 'volumeMode').string('<unset>'),
  ]
}

function volumeCells(volume: View, now: number): readonly unknown[] {
  const claim = volume.at('spec', 'claimRef')
  return [
    name(volume),
    volume.at('spec', 'capacity', 'storage').string('0'),
    accessModes(volume.at('spec', 'accessModes')),
    volume.at('spec', 'persistentVolumeReclaimPolicy').string(),
    phaseOf(volume),
    claim.exists ? `${claim.at('namespace').string()}/${claim.at('name').string()}` : '',
    storageClassOf(volume),
    volume.at('spec', 'volumeAttributesClassName').string('<unset>'),
    volume.at('status', 'reason').string(),
    age(volume, now),
    volume.at('spec', 'volumeMode').string('<unset>'),
  ]
}

/** An event as `v1` or as `events.k8s.io/v1` names its fields. */
function eventCells(event: View, now: number): readonly unknown[] {
  const either = (...names: readonly string[]): View =>
    names.map((field) => event.at(field)).find((view) => view.exists) ?? event.at(names[0]!)
  const firstTime = either('firstTimestamp', 'deprecatedFirstTimestamp')
  const lastTime = either('lastTimestamp', 'deprecatedLastTimestamp')
  const first = since(firstTime.exists ? firstTime : event.at('eventTime'), now)
  let last = lastTime.exists ? since(lastTime, now) : first
  let count = either('count', 'deprecatedCount').number() || 1
  const series = event.at('series')
  if (series.exists) {
    last = since(series.at('lastObservedTime'), now)
    count = series.at('count').number()
  }
  const target = either('involvedObject', 'regarding')
  const kind = target.at('kind').string().toLowerCase()
  const targetName = target.at('name').string()
  const source = either('source', 'deprecatedSource')
  const component = source.at('component').nonEmpty(either('reportingComponent', 'reportingController').string())
  const instance = source.at('host').nonEmpty(event.at('reportingInstance').string())
  return [
    last,
    event.at('type').string(),
    event.at('reason').string(),
    targetName === '' ? kind : `${kind}/${targetName}`,
    target.at('fieldPath').string(),
    instance === '' ? component : `${component}, ${instance}`,
    either('message', 'note').string().trim(),
    first,
    count,
    name(event),
  ]
}

function bindingCells(binding: View, now: number): readonly unknown[] {
  const subjects = binding.at('subjects').list()
  const of = (kind: string): readonly View[] => subjects.filter((subject) => subject.at('kind').string() === kind)
  const names = (kind: string): string =>
    of(kind)
      .map((subject) => subject.at('name').string())
      .join(', ')
  return [
    name(binding),
    `${binding.at('roleRef', 'kind').string()}/${binding.at('roleRef', 'name').string()}`,
    age(binding, now),
    names('User'),
    names('Group'),
    of('ServiceAccount')
      .map((subject) => `${subject.at('namespace').string()}/${subject.at('name').string()}`)
      .join(', '),
  ]
}

function signingRequestStatus(request: View): string {
  const types = new Set(
    request
      .at('status', 'conditions')
      .list()
      .map((condition) => condition.at('type').string()),
  )
  let status = types.has('Denied') ? 'Denied' : types.has('Approved') ? 'Approved' : 'Pending'
  if (types.has('Failed')) status += ',Failed'
  return request.at('status', 'certificate').string() === '' ? status : `${status},Issued`
}

function jobCells(job: View, now: number): readonly unknown[] {
  const completions = job.at('spec', 'completions')
  const parallelism = job.at('spec', 'parallelism').number()
  const succeeded = job.at('status', 'succeeded').number()
  const of = parallelism > 1 ? `1 of ${parallelism}` : '1'
  const start = job.at('status', 'startTime')
  const end = job.at('status', 'completionTime')
  const ended = end.exists ? Date.parse(end.string()) : now
  const conditions = ['Complete', 'Failed', 'Terminating', 'Suspended', 'FailureTarget', 'SuccessCriteriaMet']
  const status = conditions.find((type) =>
    type === 'Terminating' ? job.at('metadata', 'deletionTimestamp').exists : isTrue(job, type),
  )
  return [
    name(job),
    status ?? 'Running',
    completions.exists ? `${succeeded}/${completions.number()}` : `${succeeded}/${of}`,
    start.exists ? humanDuration(ended - Date.parse(start.string())) : '',
    age(job, now),
    ...containers(job.at('spec', 'template')),
    formatLabelSelector(job.at('spec', 'selector')),
  ]
}

function quotaCells(quota: View, now: number): readonly unknown[] {
  const requests: string[] = []
  const limits: string[] = []
  for (const resource of quota.at('status', 'hard').keys()) {
    const list = resource.startsWith('limits.') ? limits : requests
    list.push(
      `${resource}: ${quota.at('status', 'used', resource).string('0')}/${quota.at('status', 'hard', resource).string()}`,
    )
  }
  return [name(quota), requests.join(', '), limits.join(', '), age(quota, now)]
}

function policyParam(binding: View): string {
  const param = binding.at('spec', 'paramRef')
  if (!param.exists) return '<unset>'
  const paramName = param.at('name').string()
  if (paramName !== '') return `${param.at('namespace').nonEmpty('*')}/${paramName}`
  return param.at('selector').exists ? goLabelSelector(param.at('selector')) : '<unset>'
}

const policyCells =
  (list: string): CellMaker =>
  (policy, now) => {
    const kind = policy.at('spec', 'paramKind')
    const paramKind = kind.exists ? `${kind.at('apiVersion').string()}/${kind.at('kind').string()}` : '<unset>'
    return [name(policy), policy.at('spec', list).list().length, paramKind, age(policy, now)]
  }

const webhookCells: CellMaker = (config, now) => [name(config), config.at('webhooks').list().length, age(config, now)]

const policyBindingCells: CellMaker = (binding, now) => [
  name(binding),
  binding.at('spec', 'policyName').string(),
  policyParam(binding),
  age(binding, now),
]

const nameAndAge: CellMaker = (object, now) => [name(object), age(object, now)]

function claimState(claim: View): string {
  const deleted = claim.at('metadata', 'deletionTimestamp').exists
  const states = deleted ? ['deleted'] : []
  if (claim.at('status', 'allocation').exists) {
    states.push('allocated')
    if (claim.at('status', 'reservedFor').list().length > 0) states.push('reserved')
  } else if (!deleted) states.push('pending')
  return states.join(',')
}

function revisionCells(revision: View, now: number): readonly unknown[] {
  const owner = revision
    .at('metadata', 'ownerReferences')
    .list()
    .find((reference) => reference.at('controller').bool())
  let controller = '<none>'
  if (owner) {
    const apiVersion = owner.at('apiVersion').string()
    const group = apiVersion.includes('/') ? `.${apiVersion.split('/')[0]!}` : ''
    controller = `${`${owner.at('kind').string()}${group}`.toLowerCase()}/${owner.at('name').string()}`
  }
  return [name(revision), controller, revision.at('revision').number(), age(revision, now)]
}

function ipAddressCells(address: View, now: number): readonly unknown[] {
  const parent = address.at('spec', 'parentRef')
  let text = '<none>'
  if (parent.exists) {
    const group = parent.at('group').string()
    const namespace = parent.at('namespace').string()
    const resource = `${parent.at('resource').string()}${group === '' ? '' : `.${group}`}`.toLowerCase()
    text = [resource, ...(namespace === '' ? [] : [namespace]), parent.at('name').string()].join('/')
  }
  return [name(address), text, age(address, now)]
}

function apiServiceStatus(service: View): string {
  const condition = conditionOf(service, 'Available')
  if (!condition) return 'Unknown'
  const status = condition.at('status').string()
  const reason = condition.at('reason').string()
  return status === 'True' || reason === '' ? status : `${status} (${reason})`
}

const replicaCells =
  (selector: (object: View) => string): CellMaker =>
  (set, now) => [
    name(set),
    set.at('spec', 'replicas').number(),
    set.at('status', 'replicas').number(),
    set.at('status', 'readyReplicas').number(),
    age(set, now),
    ...containers(set.at('spec', 'template')),
    selector(set),
  ]

/**
 * Cells by `group/resource` (`pkg/printers/internalversion/printers.go`); kinds without an entry show their
 * name and age, or when they were made.
 */
export const cellMakers: Readonly<Record<string, CellMaker>> = {
  '/componentstatuses': (status) => {
    const healthy = conditionOf(status, 'Healthy', ['conditions'])
    const text = healthy === undefined ? 'Unknown' : healthy.at('status').string() === 'True' ? 'Healthy' : 'Unhealthy'
    return [name(status), text, healthy?.at('message').string() ?? '', healthy?.at('error').string() ?? '']
  },
  '/configmaps': (map, now) => [
    name(map),
    map.at('data').keys().length + map.at('binaryData').keys().length,
    age(map, now),
  ],
  '/endpoints': (object, now) => [name(object), endpoints(object), age(object, now)],
  '/events': eventCells,
  'events.k8s.io/events': eventCells,
  '/namespaces': (namespace, now) => [name(namespace), namespace.at('status', 'phase').string(), age(namespace, now)],
  '/nodes': (node, now) => {
    const info = node.at('status', 'nodeInfo')
    const architecture = info.at('architecture').string()
    const kernel = info.at('kernelVersion').nonEmpty('<unknown>')
    return [
      name(node),
      nodeStatus(node),
      nodeRoles(node),
      age(node, now),
      info.at('kubeletVersion').string(),
      nodeAddress(node, 'InternalIP'),
      nodeAddress(node, 'ExternalIP'),
      info.at('osImage').nonEmpty('<unknown>'),
      architecture === '' ? kernel : `${kernel} (${architecture})`,
      info.at('containerRuntimeVersion').nonEmpty('<unknown>'),
    ]
  },
  '/persistentvolumeclaims': claimCells,
  '/persistentvolumes': volumeCells,
  '/pods': podCells,
  '/podtemplates': (object) => [
    name(object),
    ...containers(object.at('template')),
    formatLabels(object.at('template', 'metadata', 'labels')),
  ],
  '/replicationcontrollers': replicaCells((set) => formatLabels(set.at('spec', 'selector'))),
  '/resourcequotas': quotaCells,
  '/secrets': (secret, now) => [
    name(secret),
    secret.at('type').string(),
    secret.at('data').keys().length,
    age(secret, now),
  ],
  '/services': (service, now) => [
    name(service),
    service.at('spec', 'type').string(),
    service.at('spec', 'clusterIPs').strings()[0] ?? service.at('spec', 'clusterIP').nonEmpty('<none>'),
    serviceExternalIP(service),
    servicePorts(service),
    age(service, now),
    formatLabels(service.at('spec', 'selector')),
  ],
  'apiregistration.k8s.io/apiservices': (service, now) => {
    const backend = service.at('spec', 'service')
    const text = backend.exists ? `${backend.at('namespace').string()}/${backend.at('name').string()}` : 'Local'
    return [name(service), text, apiServiceStatus(service), age(service, now)]
  },
  'apps/controllerrevisions': revisionCells,
  'apps/daemonsets': (set, now) => [
    name(set),
    set.at('status', 'desiredNumberScheduled').number(),
    set.at('status', 'currentNumberScheduled').number(),
    set.at('status', 'numberReady').number(),
    set.at('status', 'updatedNumberScheduled').number(),
    set.at('status', 'numberAvailable').number(),
    formatLabels(set.at('spec', 'template', 'spec', 'nodeSelector')),
    age(set, now),
    ...containers(set.at('spec', 'template')),
    formatLabelSelector(set.at('spec', 'selector')),
  ],
  'apps/deployments': (deployment, now) => [
    name(deployment),
    `${deployment.at('status', 'readyReplicas').number()}/${deployment.at('spec', 'replicas').number()}`,
    deployment.at('status', 'updatedReplicas').number(),
    deployment.at('status', 'availableReplicas').number(),
    age(deployment, now),
    ...containers(deployment.at('spec', 'template')),
    selectorText(deployment.at('spec', 'selector')) ?? '<invalid>',
  ],
  'apps/replicasets': replicaCells((set) => formatLabelSelector(set.at('spec', 'selector'))),
  'apps/statefulsets': (set, now) => [
    name(set),
    `${set.at('status', 'readyReplicas').number()}/${set.at('spec', 'replicas').number()}`,
    age(set, now),
    ...containers(set.at('spec', 'template')),
  ],
  'autoscaling/horizontalpodautoscalers': autoscalerCells,
  'batch/cronjobs': (job, now) => {
    const suspend = job.at('spec', 'suspend')
    const last = job.at('status', 'lastScheduleTime')
    return [
      name(job),
      job.at('spec', 'schedule').string(),
      job.at('spec', 'timeZone').string('<none>'),
      suspend.exists ? (suspend.bool() ? 'True' : 'False') : '<unset>',
      job.at('status', 'active').list().length,
      last.exists ? since(last, now) : '<none>',
      age(job, now),
      ...containers(job.at('spec', 'jobTemplate', 'spec', 'template')),
      formatLabelSelector(job.at('spec', 'jobTemplate', 'spec', 'selector')),
    ]
  },
  'batch/jobs': jobCells,
  'certificates.k8s.io/certificatesigningrequests': (request, now) => {
    const seconds = request.at('spec', 'expirationSeconds')
    return [
      name(request),
      age(request, now),
      request.at('spec', 'signerName').nonEmpty('<none>'),
      request.at('spec', 'username').string(),
      seconds.exists ? humanDuration(seconds.number() * 1000) : '<none>',
      signingRequestStatus(request),
    ]
  },
  'certificates.k8s.io/clustertrustbundles': (bundle) => [
    name(bundle),
    bundle.at('spec', 'signerName').nonEmpty('<none>'),
  ],
  'certificates.k8s.io/podcertificaterequests': (request) => {
    const states = new Set(['Issued', 'Denied', 'Failed'])
    const types = request
      .at('status', 'conditions')
      .list()
      .map((condition) => condition.at('type').string())
    return [
      name(request),
      request.at('spec', 'podName').string(),
      request.at('spec', 'serviceAccountName').string(),
      request.at('spec', 'nodeName').string(),
      request.at('spec', 'signerName').string(),
      types.findLast((type) => states.has(type)) ?? 'Pending',
      formatLabels(request.at('spec', 'unverifiedUserAnnotations')),
    ]
  },
  'networking.k8s.io/ingressclasses': (object, now) => {
    const isDefault =
      object.at('metadata', 'annotations', 'ingressclass.kubernetes.io/is-default-class').string() === 'true'
    const parameters = object.at('spec', 'parameters')
    const group = parameters.at('apiGroup')
    const text = `${parameters.at('kind').string()}${group.exists ? `.${group.string()}` : ''}/${parameters.at('name').string()}`
    return [
      `${name(object)}${isDefault ? ' (default)' : ''}`,
      object.at('spec', 'controller').string(),
      parameters.exists ? text : '<none>',
      age(object, now),
    ]
  },
  'networking.k8s.io/ingresses': (ingress, now) => [
    name(ingress),
    ingress.at('spec', 'ingressClassName').string('<none>'),
    ingressHosts(ingress),
    loadBalancer(ingress).join(','),
    ingress.at('spec', 'tls').list().length > 0 ? '80, 443' : '80',
    age(ingress, now),
  ],
  'networking.k8s.io/ipaddresses': ipAddressCells,
  'networking.k8s.io/networkpolicies': (policy, now) => [
    name(policy),
    formatLabelSelector(policy.at('spec', 'podSelector')),
    age(policy, now),
  ],
  'networking.k8s.io/servicecidrs': (object, now) => [
    name(object),
    object.at('spec', 'cidrs').strings().join(','),
    age(object, now),
  ],
  'policy/poddisruptionbudgets': (budget, now) => [
    name(budget),
    budget.at('spec', 'minAvailable').string('N/A'),
    budget.at('spec', 'maxUnavailable').string('N/A'),
    budget.at('status', 'disruptionsAllowed').number(),
    age(budget, now),
  ],
  'rbac.authorization.k8s.io/clusterrolebindings': bindingCells,
  'rbac.authorization.k8s.io/rolebindings': bindingCells,
  'storage.k8s.io/csidrivers': (driver, now) => {
    const spec = driver.at('spec')
    const requests = spec.at('tokenRequests')
    return [
      name(driver),
      spec.at('attachRequired').bool(true),
      spec.at('podInfoOnMount').bool(),
      spec.at('storageCapacity').bool(),
      requests.exists
        ? requests
            .list()
            .map((request) => request.at('audience').string())
            .join(',')
        : '<unset>',
      spec.at('requiresRepublish').bool(),
      spec.at('volumeLifecycleModes').strings().join(',') || '<none>',
      age(driver, now),
    ]
  },
  'storage.k8s.io/csinodes': (node, now) => [name(node), node.at('spec', 'drivers').list().length, age(node, now)],
  'storage.k8s.io/storageclasses': (object, now) => [
    name(object),
    object.at('provisioner').string(),
    object.at('reclaimPolicy').string('Delete'),
    object.at('volumeBindingMode').string('Immediate'),
    object.at('allowVolumeExpansion').bool(),
    age(object, now),
  ],
  'storage.k8s.io/volumeattachments': (attachment, now) => [
    name(attachment),
    attachment.at('spec', 'attacher').string(),
    attachment.at('spec', 'source', 'persistentVolumeName').string(),
    attachment.at('spec', 'nodeName').string(),
    attachment.at('status', 'attached').bool(),
    age(attachment, now),
  ],
  'storage.k8s.io/volumeattributesclasses': (object, now) => [
    name(object),
    object.at('driverName').string(),
    age(object, now),
  ],
  'admissionregistration.k8s.io/mutatingadmissionpolicies': policyCells('mutations'),
  'admissionregistration.k8s.io/validatingadmissionpolicies': policyCells('validations'),
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings': policyBindingCells,
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': policyBindingCells,
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': webhookCells,
  'admissionregistration.k8s.io/validatingwebhookconfigurations': webhookCells,
  'apiextensions.k8s.io/customresourcedefinitions': (definition) => {
    const names = definition.at('spec', 'names')
    const served = definition
      .at('spec', 'versions')
      .list()
      .filter((version) => version.at('served').bool())
      .map((version) => `${version.at('name').string()}${version.at('storage').bool() ? '(storage)' : ''}`)
    return [
      name(definition),
      definition.at('spec', 'scope').string(),
      served.sort().join(','),
      createdAt(definition),
      definition.at('spec', 'group').string(),
      names.at('kind').string(),
      names.at('shortNames').strings().join(','),
      isTrue(definition, 'Established'),
    ]
  },
  'scheduling.k8s.io/priorityclasses': (object, now) => [
    name(object),
    object.at('value').number(),
    object.at('globalDefault').bool(),
    age(object, now),
    object.at('preemptionPolicy').string(),
  ],
  'coordination.k8s.io/leases': (lease, now) => [
    name(lease),
    lease.at('spec', 'holderIdentity').string(),
    age(lease, now),
  ],
  'node.k8s.io/runtimeclasses': (object, now) => [name(object), object.at('handler').string(), age(object, now)],
  'discovery.k8s.io/endpointslices': (slice, now) => {
    const ports = slice
      .at('ports')
      .list()
      .map((port) => port.at('port').string(port.at('name').string('*')))
    const addresses = slice
      .at('endpoints')
      .list()
      .flatMap((endpoint) => endpoint.at('addresses').strings())
    return [
      name(slice),
      slice.at('addressType').string(),
      someOf(ports, '<unset>'),
      someOf(addresses, '<unset>'),
      age(slice, now),
    ]
  },
  'resource.k8s.io/deviceclasses': nameAndAge,
  'resource.k8s.io/devicetaintrules': (rule, now) => {
    const taint = rule.at('spec', 'taint')
    const added = taint.at('timeAdded')
    return [
      name(rule),
      taint.at('key').string(),
      taint.at('value').string(),
      taint.at('effect').string(),
      added.exists ? since(added, now) : '',
      age(rule, now),
    ]
  },
  'resource.k8s.io/resourceclaims': (claim, now) => [name(claim), claimState(claim), age(claim, now)],
  'resource.k8s.io/resourceslices': (slice, now) => [
    name(slice),
    slice.at('spec', 'nodeName').string(),
    slice.at('spec', 'driver').string(),
    slice.at('spec', 'pool', 'name').string(),
    age(slice, now),
  ],
  'flowcontrol.apiserver.k8s.io/flowschemas': (schema, now) => [
    name(schema),
    schema.at('spec', 'priorityLevelConfiguration', 'name').string(),
    schema.at('spec', 'matchingPrecedence').number(),
    schema.at('spec', 'distinguisherMethod', 'type').string('<none>'),
    age(schema, now),
    conditionOf(schema, 'Dangling')?.at('status').string() ?? '?',
  ],
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': (level, now) => {
    const limited = level.at('spec', 'limited')
    const queuing = limited.at('limitResponse', 'queuing')
    const number = (of: View, field: string): unknown => (of.exists ? of.at(field).number() : '<none>')
    return [
      name(level),
      level.at('spec', 'type').string(),
      number(limited, 'nominalConcurrencyShares'),
      number(queuing, 'queues'),
      number(queuing, 'handSize'),
      number(queuing, 'queueLengthLimit'),
      age(level, now),
    ]
  },
  'storagemigration.k8s.io/storageversionmigrations': (migration) => {
    const group = migration.at('spec', 'resource', 'group').string()
    const resource = migration.at('spec', 'resource', 'resource').string()
    const states = new Set(['Running', 'Failed', 'Succeeded'])
    const state = migration
      .at('status', 'conditions')
      .list()
      .findLast((condition) => condition.at('status').string() === 'True' && states.has(condition.at('type').string()))
    return [name(migration), group === '' ? resource : `${resource}.${group}`, state?.at('type').string() ?? 'Unknown']
  },
}
