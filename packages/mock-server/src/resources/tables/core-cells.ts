import { name, age, conditionOf, type CellMaker } from './cell-parts.ts'
import { since } from './duration.ts'
import type { View } from './view.ts'

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

/** How nodes, namespaces, configuration and events are shown, by `group/resource` (`pkg/printers/internalversion/printers.go`). */
export const coreCells: Readonly<Record<string, CellMaker>> = {
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
  '/resourcequotas': quotaCells,
  '/secrets': (secret, now) => [
    name(secret),
    secret.at('type').string(),
    secret.at('data').keys().length,
    age(secret, now),
  ],
}
