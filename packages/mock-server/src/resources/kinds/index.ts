import resourceLists from '../../../data/resources.json' with { type: 'json' }
import { schemaOfKind } from '../catalogue.ts'
import { emptyObjectOf } from '../decode/decode-object.ts'
import { definitionStrategy } from '../crd/definition-strategy.ts'
import type { Strategy } from '../strategy.ts'
import { configMap } from './config-map.ts'
import { cronJob } from './cron-job.ts'
import { daemonSet } from './daemon-set.ts'
import { deployment } from './deployment.ts'
import { endpointSlice } from './endpoint-slice.ts'
import { endpoints } from './endpoints.ts'
import { ingress, ingressClass } from './ingress.ts'
import { job } from './job.ts'
import { namespace } from './namespace.ts'
import { networkPolicy } from './network-policy.ts'
import { persistentVolumeClaim } from './persistent-volume-claim.ts'
import { persistentVolume } from './persistent-volume.ts'
import { pod } from './pod.ts'
import { clusterRole, clusterRoleBinding, role, roleBinding } from './rbac.ts'
import { replicaSet } from './replica-set.ts'
import { replicationController } from './replication-controller.ts'
import { secret } from './secret.ts'
import { service } from './service.ts'
import { statefulSet } from './stateful-set.ts'

/** Strategies by `group/resource`; kinds that are not here are only what their schema says. */
const strategies: Readonly<Record<string, Strategy>> = {
  '/configmaps': configMap,
  '/endpoints': endpoints,
  '/namespaces': namespace,
  '/persistentvolumeclaims': persistentVolumeClaim,
  '/persistentvolumes': persistentVolume,
  '/pods': pod,
  '/replicationcontrollers': replicationController,
  '/secrets': secret,
  '/services': service,
  'apiextensions.k8s.io/customresourcedefinitions': definitionStrategy,
  'apps/daemonsets': daemonSet,
  'apps/deployments': deployment,
  'apps/replicasets': replicaSet,
  'apps/statefulsets': statefulSet,
  'batch/cronjobs': cronJob,
  'batch/jobs': job,
  'discovery.k8s.io/endpointslices': endpointSlice,
  'networking.k8s.io/ingressclasses': ingressClass,
  'networking.k8s.io/ingresses': ingress,
  'networking.k8s.io/networkpolicies': networkPolicy,
  'rbac.authorization.k8s.io/clusterrolebindings': clusterRoleBinding,
  'rbac.authorization.k8s.io/clusterroles': clusterRole,
  'rbac.authorization.k8s.io/rolebindings': roleBinding,
  'rbac.authorization.k8s.io/roles': role,
}

interface ListedResource {
  readonly name: string
  readonly kind: string
}

const lists = resourceLists.lists as unknown as Readonly<Record<string, { readonly resources: readonly ListedResource[] }>>

/**
 * What is particular to a built-in kind, by group and resource name (or kind). Versions of one kind share all but what
 * an empty object of them looks like.
 */
export function strategyFor(group: string, resourceOrKind: string, version: string = 'v1'): Strategy {
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  const entry = lists[path]?.resources.find(
    ({ name, kind }) => !name.includes('/') && (name === resourceOrKind || kind === resourceOrKind),
  )
  const strategy = strategies[`${group}/${entry?.name ?? resourceOrKind}`] ?? {}
  const schema = entry === undefined ? undefined : schemaOfKind(group, version, entry.kind)
  return schema === undefined ? strategy : { ...strategy, emptyObject: () => emptyFields(schema) }
}

function emptyFields(schema: NonNullable<ReturnType<typeof schemaOfKind>>): Record<string, unknown> {
  const { metadata: _metadata, ...fields } = emptyObjectOf(schema) ?? {}
  return fields
}
