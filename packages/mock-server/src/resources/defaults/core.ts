import {
  defaultTo,
  defaultZero,
  ensureFields,
  fieldsAt,
  isSet,
  isTrueAt,
  listAt,
  mapAt,
  stringAt,
  type Fields,
} from '../fields.ts'
import { Quantity } from '../quantity.ts'
import { defaultPullPolicy } from './image-tag.ts'
import type { Defaulter } from './defaulter.ts'

const DEFAULT_MODE = 0o644
const MILLI = 1_000_000n

/** Defaulting of the core group (`pkg/apis/core/v1/defaults.go`). */
export const coreDefaults: Readonly<Record<string, Defaulter>> = {
  'api.core.v1.ResourceList': (list) => {
    for (const [name, text] of Object.entries(list)) {
      const quantity = Quantity.parse(text as string)
      if (quantity.nano % MILLI !== 0n)
        list[name] = new Quantity(quantity.milliValue * MILLI, quantity.format).toString()
    }
  },
  'api.core.v1.ReplicationController': (object) => {
    const spec = ensureFields(object, 'spec')
    const labels = fieldsAt(fieldsAt(fieldsAt(spec, 'template'), 'metadata'), 'labels')
    defaultTo(spec, 'replicas', 1)
    if (labels === undefined) return
    if (!isSet(spec, 'selector')) spec['selector'] = { ...labels }
    const metadata = ensureFields(object, 'metadata')
    if (!isSet(metadata, 'labels')) metadata['labels'] = { ...labels }
  },
  'api.core.v1.Volume': (volume) => {
    if (!Object.keys(volume).some((name) => name !== 'name' && volume[name] !== null)) volume['emptyDir'] = {}
    const image = fieldsAt(volume, 'image')
    if (image !== undefined) defaultZero(image, 'pullPolicy', defaultPullPolicy(stringAt(image, 'reference')))
  },
  'api.core.v1.Container': defaultContainer,
  'api.core.v1.EphemeralContainer': defaultContainer,
  'api.core.v1.ContainerPort': (port) => defaultZero(port, 'protocol', 'TCP'),
  'api.core.v1.Service': defaultService,
  'api.core.v1.Pod': defaultPod,
  'api.core.v1.PodStatus': (status) => {
    const ip = stringAt(status, 'podIP')
    const first = stringAt(listAt(status, 'podIPs')[0], 'ip')
    if (ip !== '' && first !== ip) status['podIPs'] = [{ ip }]
    else if (ip === '' && first !== '') status['podIP'] = first
  },
  'api.core.v1.PodSpec': (spec) => {
    const account = stringAt(spec, 'serviceAccountName') || stringAt(spec, 'serviceAccount')
    if (account !== '') {
      spec['serviceAccountName'] = account
      spec['serviceAccount'] = account
    }
    defaultZero(spec, 'dnsPolicy', 'ClusterFirst')
    defaultZero(spec, 'restartPolicy', 'Always')
    defaultTo(spec, 'securityContext', {})
    defaultTo(spec, 'terminationGracePeriodSeconds', 30)
    defaultZero(spec, 'schedulerName', 'default-scheduler')
  },
  'api.core.v1.Probe': (probe) => {
    defaultZero(probe, 'timeoutSeconds', 1)
    defaultZero(probe, 'periodSeconds', 10)
    defaultZero(probe, 'successThreshold', 1)
    defaultZero(probe, 'failureThreshold', 3)
  },
  'api.core.v1.GRPCAction': (action) => defaultTo(action, 'service', ''),
  'api.core.v1.HTTPGetAction': (action) => {
    defaultZero(action, 'path', '/')
    defaultZero(action, 'scheme', 'HTTP')
  },
  'api.core.v1.SecretVolumeSource': defaultMode,
  'api.core.v1.ConfigMapVolumeSource': defaultMode,
  'api.core.v1.DownwardAPIVolumeSource': defaultMode,
  'api.core.v1.ProjectedVolumeSource': defaultMode,
  'api.core.v1.ServiceAccountTokenProjection': (token) => defaultTo(token, 'expirationSeconds', 3600),
  'api.core.v1.HostPathVolumeSource': (source) => defaultTo(source, 'type', ''),
  'api.core.v1.ISCSIVolumeSource': (source) => defaultZero(source, 'iscsiInterface', 'default'),
  'api.core.v1.ISCSIPersistentVolumeSource': (source) => defaultZero(source, 'iscsiInterface', 'default'),
  'api.core.v1.RBDVolumeSource': defaultRbd,
  'api.core.v1.RBDPersistentVolumeSource': defaultRbd,
  'api.core.v1.ScaleIOVolumeSource': defaultScaleIo,
  'api.core.v1.ScaleIOPersistentVolumeSource': defaultScaleIo,
  'api.core.v1.AzureDiskVolumeSource': (source) => {
    defaultTo(source, 'cachingMode', 'ReadWrite')
    defaultTo(source, 'fsType', 'ext4')
    defaultTo(source, 'readOnly', false)
    defaultTo(source, 'kind', 'Shared')
  },
  'api.core.v1.ObjectFieldSelector': (selector) => defaultZero(selector, 'apiVersion', 'v1'),
  'api.core.v1.Secret': (secret) => defaultZero(secret, 'type', 'Opaque'),
  'api.core.v1.PersistentVolume': (volume) => {
    defaultZero(ensureFields(volume, 'status'), 'phase', 'Pending')
    const spec = ensureFields(volume, 'spec')
    defaultZero(spec, 'persistentVolumeReclaimPolicy', 'Retain')
    defaultTo(spec, 'volumeMode', 'Filesystem')
  },
  'api.core.v1.PersistentVolumeClaim': (claim) => defaultZero(ensureFields(claim, 'status'), 'phase', 'Pending'),
  'api.core.v1.PersistentVolumeClaimSpec': (spec) => defaultTo(spec, 'volumeMode', 'Filesystem'),
  'api.core.v1.EndpointPort': (port) => defaultZero(port, 'protocol', 'TCP'),
  'api.core.v1.Namespace': (namespace) => {
    const metadata = ensureFields(namespace, 'metadata')
    const name = stringAt(metadata, 'name')
    if (name !== '') ensureFields(metadata, 'labels')['kubernetes.io/metadata.name'] = name
  },
  'api.core.v1.NamespaceStatus': (status) => defaultZero(status, 'phase', 'Active'),
  'api.core.v1.NodeStatus': (status) => {
    if (!isSet(status, 'allocatable') && isSet(status, 'capacity'))
      status['allocatable'] = { ...mapAt(status, 'capacity') }
  },
  'api.core.v1.LimitRangeItem': (item) => {
    if (item['type'] !== 'Container') return
    const limits = { ...mapAt(item, 'max'), ...mapAt(item, 'default') }
    const requests = { ...mapAt(item, 'min'), ...limits, ...mapAt(item, 'defaultRequest') }
    if (Object.keys(limits).length > 0) item['default'] = limits
    if (Object.keys(requests).length > 0) item['defaultRequest'] = requests
  },
}

function defaultMode(source: Fields): void {
  defaultTo(source, 'defaultMode', DEFAULT_MODE)
}

function defaultRbd(source: Fields): void {
  defaultZero(source, 'pool', 'rbd')
  defaultZero(source, 'user', 'admin')
  defaultZero(source, 'keyring', '/etc/ceph/keyring')
}

function defaultScaleIo(source: Fields): void {
  defaultZero(source, 'storageMode', 'ThinProvisioned')
  defaultZero(source, 'fsType', 'xfs')
}

function defaultContainer(container: Fields): void {
  defaultZero(container, 'imagePullPolicy', defaultPullPolicy(stringAt(container, 'image')))
  defaultZero(container, 'terminationMessagePath', '/dev/termination-log')
  defaultZero(container, 'terminationMessagePolicy', 'File')
}

function defaultPod(pod: Fields): void {
  const spec = ensureFields(pod, 'spec')
  // Pods only: a template keeps what it says.
  if (typeof spec['terminationGracePeriodSeconds'] === 'number' && spec['terminationGracePeriodSeconds'] < 0) {
    spec['terminationGracePeriodSeconds'] = 1
  }
  for (const list of ['containers', 'initContainers']) {
    for (const container of listAt(spec, list)) {
      const resources = fieldsAt(container, 'resources')
      const limits = mapAt(resources, 'limits')
      if (Object.keys(limits).length > 0)
        resources!['requests'] = sorted({ ...limits, ...mapAt(resources, 'requests') })
      if (!isTrueAt(spec, 'hostNetwork')) continue
      for (const port of listAt(container, 'ports')) defaultZero(port, 'hostPort', port['containerPort'])
    }
  }
  defaultTo(spec, 'enableServiceLinks', true)
}

function sorted(map: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function defaultService(service: Fields): void {
  const spec = ensureFields(service, 'spec')
  defaultZero(spec, 'sessionAffinity', 'None')
  if (spec['sessionAffinity'] === 'None') delete spec['sessionAffinityConfig']
  if (
    spec['sessionAffinity'] === 'ClientIP' &&
    !isSet(fieldsAt(fieldsAt(spec, 'sessionAffinityConfig'), 'clientIP'), 'timeoutSeconds')
  ) {
    spec['sessionAffinityConfig'] = { clientIP: { timeoutSeconds: 10800 } }
  }
  defaultZero(spec, 'type', 'ClusterIP')
  for (const port of listAt(spec, 'ports')) {
    defaultZero(port, 'protocol', 'TCP')
    defaultZero(port, 'targetPort', port['port'])
  }
  const type = spec['type']
  const external =
    type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && isSet(spec, 'externalIPs'))
  if (external) defaultZero(spec, 'externalTrafficPolicy', 'Cluster')
  if (type === 'NodePort' || type === 'LoadBalancer' || type === 'ClusterIP')
    defaultTo(spec, 'internalTrafficPolicy', 'Cluster')
  if (type !== 'LoadBalancer') return
  defaultTo(spec, 'allocateLoadBalancerNodePorts', true)
  for (const ingress of listAt(fieldsAt(fieldsAt(service, 'status'), 'loadBalancer'), 'ingress')) {
    if (stringAt(ingress, 'ip') !== '') defaultTo(ingress, 'ipMode', 'VIP')
  }
}
