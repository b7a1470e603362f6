import { name, age, someOf, MAX_LISTED, type CellMaker } from './cell-parts.ts'
import { formatLabels, formatLabelSelector } from './selectors.ts'
import type { View } from './view.ts'

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

/** How Services and what routes traffic to them are shown, by `group/resource` (`pkg/printers/internalversion/printers.go`). */
export const networkCells: Readonly<Record<string, CellMaker>> = {
  '/endpoints': (object, now) => [name(object), endpoints(object), age(object, now)],
  '/services': (service, now) => [
    name(service),
    service.at('spec', 'type').string(),
    service.at('spec', 'clusterIPs').strings()[0] ?? service.at('spec', 'clusterIP').nonEmpty('<none>'),
    serviceExternalIP(service),
    servicePorts(service),
    age(service, now),
    formatLabels(service.at('spec', 'selector')),
  ],
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
}
