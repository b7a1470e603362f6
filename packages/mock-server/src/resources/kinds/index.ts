import resourceLists from '../../../data/resources.json' with { type: 'json' }
import { schemaOfKind } from '../catalogue.ts'
import { emptyObjectOf } from '../decode/decode-object.ts'
import { definitionStrategy } from '../crd/definition-strategy.ts'
import type { Strategy } from '../strategy.ts'
import {
  mutatingAdmissionPolicy,
  validatingAdmissionPolicy,
  validatingAdmissionPolicyBinding,
} from './admission-policy.ts'
import { apiService } from './api-service.ts'
import { certificateSigningRequest } from './certificate-signing-request.ts'
import { configMap } from './config-map.ts'
import { cronJob } from './cron-job.ts'
import { csiDriver, volumeAttachment } from './csi.ts'
import { daemonSet } from './daemon-set.ts'
import { deployment } from './deployment.ts'
import { endpointSlice } from './endpoint-slice.ts'
import { dropDisabledPodFields, POD_SPECS } from './disabled-fields.ts'
import { endpoints } from './endpoints.ts'
import { event, groupEvent } from './event.ts'
import { horizontalPodAutoscaler } from './horizontal-pod-autoscaler.ts'
import { ingress, ingressClass } from './ingress.ts'
import { job } from './job.ts'
import { lease } from './lease.ts'
import { limitRange } from './limit-range.ts'
import { namespace } from './namespace.ts'
import { networkPolicy } from './network-policy.ts'
import { node } from './node.ts'
import { persistentVolumeClaim } from './persistent-volume-claim.ts'
import { persistentVolume } from './persistent-volume.ts'
import { podDisruptionBudget } from './pod-disruption-budget.ts'
import { pod } from './pod.ts'
import { priorityClass } from './priority-class.ts'
import { clusterRole, clusterRoleBinding, role, roleBinding } from './rbac.ts'
import { replicaSet } from './replica-set.ts'
import { replicationController } from './replication-controller.ts'
import { withRequiredFields } from './required-fields.ts'
import { resourceQuota } from './resource-quota.ts'
import { runtimeClass } from './runtime-class.ts'
import { secret } from './secret.ts'
import { service } from './service.ts'
import { serviceAccount } from './service-account.ts'
import { statefulSet } from './stateful-set.ts'
import { storageClass } from './storage-class.ts'
import {
  clusterTrustBundle,
  conditionalOnly,
  controllerRevision,
  ipAddress,
  podTemplate,
  resourceClaim,
  resourceSlice,
  specOnly,
} from './stored-only.ts'
import { volumeAttributesClass } from './volume-attributes-class.ts'
import { webhookConfiguration } from './webhook-configuration.ts'

/** Strategies by `group/resource`; kinds that are not here are only what their schema says. */
export const strategies: Readonly<Record<string, Strategy>> = {
  '/configmaps': configMap,
  '/endpoints': endpoints,
  '/events': event,
  '/limitranges': limitRange,
  '/namespaces': namespace,
  '/nodes': node,
  '/persistentvolumeclaims': persistentVolumeClaim,
  '/persistentvolumes': persistentVolume,
  '/pods': pod,
  '/podtemplates': podTemplate,
  '/replicationcontrollers': replicationController,
  '/resourcequotas': resourceQuota,
  '/secrets': secret,
  '/serviceaccounts': serviceAccount,
  '/services': service,
  'admissionregistration.k8s.io/mutatingadmissionpolicies': mutatingAdmissionPolicy,
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings': mutatingAdmissionPolicy,
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': webhookConfiguration,
  'admissionregistration.k8s.io/validatingadmissionpolicies': validatingAdmissionPolicy,
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': validatingAdmissionPolicyBinding,
  'admissionregistration.k8s.io/validatingwebhookconfigurations': webhookConfiguration,
  'apiextensions.k8s.io/customresourcedefinitions': definitionStrategy,
  'apiregistration.k8s.io/apiservices': apiService,
  'apps/controllerrevisions': controllerRevision,
  'apps/daemonsets': daemonSet,
  'apps/deployments': deployment,
  'apps/replicasets': replicaSet,
  'apps/statefulsets': statefulSet,
  'autoscaling/horizontalpodautoscalers': horizontalPodAutoscaler,
  'batch/cronjobs': cronJob,
  'batch/jobs': job,
  'certificates.k8s.io/certificatesigningrequests': certificateSigningRequest,
  'certificates.k8s.io/clustertrustbundles': clusterTrustBundle,
  'coordination.k8s.io/leases': lease,
  'discovery.k8s.io/endpointslices': endpointSlice,
  'events.k8s.io/events': groupEvent,
  'flowcontrol.apiserver.k8s.io/flowschemas': specOnly,
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': specOnly,
  'networking.k8s.io/ingressclasses': ingressClass,
  'networking.k8s.io/ingresses': ingress,
  'networking.k8s.io/ipaddresses': ipAddress,
  'networking.k8s.io/networkpolicies': networkPolicy,
  'node.k8s.io/runtimeclasses': runtimeClass,
  'policy/poddisruptionbudgets': podDisruptionBudget,
  'rbac.authorization.k8s.io/clusterrolebindings': clusterRoleBinding,
  'rbac.authorization.k8s.io/clusterroles': clusterRole,
  'rbac.authorization.k8s.io/rolebindings': roleBinding,
  'rbac.authorization.k8s.io/roles': role,
  'resource.k8s.io/deviceclasses': specOnly,
  'resource.k8s.io/resourceclaims': resourceClaim,
  'resource.k8s.io/resourceslices': resourceSlice,
  'scheduling.k8s.io/priorityclasses': priorityClass,
  'storage.k8s.io/csidrivers': csiDriver,
  'storage.k8s.io/csinodes': conditionalOnly,
  'storage.k8s.io/csistoragecapacities': conditionalOnly,
  'storage.k8s.io/storageclasses': storageClass,
  'storage.k8s.io/volumeattachments': volumeAttachment,
  'storage.k8s.io/volumeattributesclasses': volumeAttributesClass,
  'storagemigration.k8s.io/storageversionmigrations': conditionalOnly,
}

interface ListedResource {
  readonly name: string
  readonly kind: string
}

const lists = resourceLists.lists as unknown as Readonly<
  Record<string, { readonly resources: readonly ListedResource[] }>
>

/**
 * What is particular to a built-in kind, by group and resource name (or kind). Versions of one kind share all but what
 * an empty object of them looks like.
 */
export function strategyFor(group: string, resourceOrKind: string, version: string = 'v1'): Strategy {
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  const entry = lists[path]?.resources.find(
    ({ name, kind }) => !name.includes('/') && (name === resourceOrKind || kind === resourceOrKind),
  )
  const key = `${group}/${entry?.name ?? resourceOrKind}`
  const strategy = withRequiredFields(key, withoutDisabledFields(strategies[key] ?? {}, POD_SPECS[key]))
  const schema = entry === undefined ? undefined : schemaOfKind(group, version, entry.kind)
  if (schema === undefined) return strategy
  const emptyObject = (): Record<string, unknown> => emptyFields(schema, COUNTS_REPLICAS.has(key))
  if (STORED_AS_JSON.has(group)) return { ...strategy, emptyObject }
  return { ...strategy, canonicalize: forgetEmptyLists, emptyObject }
}

/** The strategy of a kind with pods of its own, which loses what belongs to features that are off. */
function withoutDisabledFields(strategy: Strategy, path: readonly string[] | undefined): Strategy {
  if (path === undefined) return strategy
  return {
    ...strategy,
    prepareForCreate(object, context) {
      dropDisabledPodFields(object, path)
      return strategy.prepareForCreate?.(object, context)
    },
    prepareForUpdate(object, current, context) {
      dropDisabledPodFields(object, path)
      return strategy.prepareForUpdate?.(object, current, context)
    },
  }
}

/** Groups whose objects do not go through protobuf. */
const STORED_AS_JSON: ReadonlySet<string> = new Set(['apiextensions.k8s.io'])

/** What is inside of these is JSON of any kind. */
const FREE_FORM: ReadonlySet<string> = new Set(['data', 'metadata', 'parameters'])

/** A list without items is stored as no list: protobuf knows no difference. */
function forgetEmptyLists(value: object): void {
  for (const [name, item] of Object.entries(value)) {
    if (typeof item !== 'object' || item === null || FREE_FORM.has(name)) continue
    if (Array.isArray(item) && item.length === 0) (value as Record<string, unknown>)[name] = null
    else forgetEmptyLists(item)
  }
}

/** Kinds whose number of replicas is no pointer inside the server: unset is 0 once it has been converted back. */
const COUNTS_REPLICAS: ReadonlySet<string> = new Set(['apps/deployments', 'apps/replicasets', 'apps/statefulsets'])

function emptyFields(
  schema: NonNullable<ReturnType<typeof schemaOfKind>>,
  countsReplicas: boolean,
): Record<string, unknown> {
  const { metadata: _metadata, ...fields } = emptyObjectOf(schema) ?? {}
  return countsReplicas ? { ...fields, spec: { replicas: 0, ...(fields['spec'] as object) } } : fields
}
