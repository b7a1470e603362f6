import { name, age, createdAt, conditionOf, isTrue, nameAndAge, type CellMaker } from './cell-parts.ts'
import { humanDuration, since } from './duration.ts'
import { formatLabels, goLabelSelector } from './selectors.ts'
import type { View } from './view.ts'

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

function claimState(claim: View): string {
  const deleted = claim.at('metadata', 'deletionTimestamp').exists
  const states = deleted ? ['deleted'] : []
  if (claim.at('status', 'allocation').exists) {
    states.push('allocated')
    if (claim.at('status', 'reservedFor').list().length > 0) states.push('reserved')
  } else if (!deleted) states.push('pending')
  return states.join(',')
}

function apiServiceStatus(service: View): string {
  const condition = conditionOf(service, 'Available')
  if (!condition) return 'Unknown'
  const status = condition.at('status').string()
  const reason = condition.at('reason').string()
  return status === 'True' || reason === '' ? status : `${status} (${reason})`
}

/** How policies, certificates, leases and other cluster machinery are shown, by `group/resource` (`pkg/printers/internalversion/printers.go`). */
export const otherCells: Readonly<Record<string, CellMaker>> = {
  'apiregistration.k8s.io/apiservices': (service, now) => {
    const backend = service.at('spec', 'service')
    const text = backend.exists ? `${backend.at('namespace').string()}/${backend.at('name').string()}` : 'Local'
    return [name(service), text, apiServiceStatus(service), age(service, now)]
  },
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
  'rbac.authorization.k8s.io/clusterrolebindings': bindingCells,
  'rbac.authorization.k8s.io/rolebindings': bindingCells,
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
