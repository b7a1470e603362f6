import { defaultTo, defaultZero, ensureFields, fieldsAt, isSet, type Fields } from '../fields.ts'
import type { Defaulter } from './defaulter.ts'

const RBAC = 'rbac.authorization.k8s.io'

function defaultWebhook(webhook: Fields): void {
  defaultTo(webhook, 'failurePolicy', 'Fail')
  defaultTo(webhook, 'matchPolicy', 'Equivalent')
  defaultTo(webhook, 'namespaceSelector', {})
  defaultTo(webhook, 'objectSelector', {})
  defaultTo(webhook, 'timeoutSeconds', 10)
}

function defaultAllocation(request: Fields): void {
  defaultZero(request, 'allocationMode', 'ExactCount')
  if (request['allocationMode'] === 'ExactCount') defaultZero(request, 'count', 1)
}

function defaultRoleRef(binding: Fields): void {
  defaultZero(ensureFields(binding, 'roleRef'), 'apiGroup', RBAC)
}

function policy(type: string, value: number): Fields {
  return { type, value, periodSeconds: 15 }
}

function fillScalingRules(behavior: Fields, direction: string, fallback: Fields): void {
  const rules = fieldsAt(behavior, direction)
  behavior[direction] = {
    ...fallback,
    ...Object.fromEntries(Object.entries(rules ?? {}).filter(([, value]) => value !== null)),
  }
}

/** Defaulting of the other groups (`pkg/apis/GROUP/VERSION/defaults.go`). */
export const groupDefaults: Readonly<Record<string, Defaulter>> = {
  'api.networking.v1.NetworkPolicyPort': (port) => defaultTo(port, 'protocol', 'TCP'),
  'api.networking.v1.NetworkPolicy': (object) => {
    const spec = ensureFields(object, 'spec')
    if (!isSet(spec, 'policyTypes')) spec['policyTypes'] = isSet(spec, 'egress') ? ['Ingress', 'Egress'] : ['Ingress']
  },
  'api.networking.v1.IngressClass': (object) => {
    const parameters = fieldsAt(fieldsAt(object, 'spec'), 'parameters')
    if (parameters !== undefined) defaultTo(parameters, 'scope', 'Cluster')
  },
  'api.storage.v1.StorageClass': (object) => {
    defaultTo(object, 'reclaimPolicy', 'Delete')
    defaultTo(object, 'volumeBindingMode', 'Immediate')
  },
  'api.storage.v1.CSIDriver': (object) => {
    const spec = ensureFields(object, 'spec')
    defaultTo(spec, 'attachRequired', true)
    defaultTo(spec, 'podInfoOnMount', false)
    defaultTo(spec, 'storageCapacity', false)
    defaultTo(spec, 'fsGroupPolicy', 'ReadWriteOnceWithFSType')
    defaultTo(spec, 'volumeLifecycleModes', ['Persistent'])
    defaultTo(spec, 'requiresRepublish', false)
    defaultTo(spec, 'seLinuxMount', false)
    defaultTo(spec, 'preventPodSchedulingIfMissing', false)
  },
  'api.rbac.v1.ClusterRoleBinding': defaultRoleRef,
  'api.rbac.v1.RoleBinding': defaultRoleRef,
  'api.rbac.v1.Subject': (subject) => {
    if (subject['kind'] === 'User' || subject['kind'] === 'Group') defaultZero(subject, 'apiGroup', RBAC)
  },
  'api.discovery.v1.EndpointPort': (port) => {
    defaultTo(port, 'name', '')
    defaultTo(port, 'protocol', 'TCP')
  },
  'api.autoscaling.v1.HorizontalPodAutoscaler': (object) => defaultTo(ensureFields(object, 'spec'), 'minReplicas', 1),
  'api.autoscaling.v2.HorizontalPodAutoscaler': (object) => {
    const spec = ensureFields(object, 'spec')
    defaultTo(spec, 'minReplicas', 1)
    if (!isSet(spec, 'metrics')) {
      spec['metrics'] = [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
      ]
    }
    const behavior = fieldsAt(spec, 'behavior')
    if (behavior === undefined) return
    fillScalingRules(behavior, 'scaleUp', {
      stabilizationWindowSeconds: 0,
      selectPolicy: 'Max',
      policies: [policy('Pods', 4), policy('Percent', 100)],
    })
    fillScalingRules(behavior, 'scaleDown', { selectPolicy: 'Max', policies: [policy('Percent', 100)] })
  },
  'api.scheduling.v1.PriorityClass': (object) => defaultTo(object, 'preemptionPolicy', 'PreemptLowerPriority'),
  'api.admissionregistration.v1.ValidatingWebhook': defaultWebhook,
  'api.admissionregistration.v1.MutatingWebhook': (webhook) => {
    defaultWebhook(webhook)
    defaultTo(webhook, 'reinvocationPolicy', 'Never')
  },
  'api.admissionregistration.v1.RuleWithOperations': (rule) => defaultTo(rule, 'scope', '*'),
  'api.admissionregistration.v1.NamedRuleWithOperations': (rule) => defaultTo(rule, 'scope', '*'),
  'api.admissionregistration.v1.ServiceReference': (reference) => defaultTo(reference, 'port', 443),
  'api.admissionregistration.v1.ValidatingAdmissionPolicySpec': (spec) => defaultTo(spec, 'failurePolicy', 'Fail'),
  'api.admissionregistration.v1.MutatingAdmissionPolicySpec': (spec) => defaultTo(spec, 'failurePolicy', 'Fail'),
  'api.admissionregistration.v1.MatchResources': (match) => {
    defaultTo(match, 'matchPolicy', 'Equivalent')
    defaultTo(match, 'namespaceSelector', {})
    defaultTo(match, 'objectSelector', {})
  },
  'api.certificates.v1.PodCertificateRequestSpec': (spec) => defaultTo(spec, 'maxExpirationSeconds', 86400),
  'api.resource.v1.ExactDeviceRequest': defaultAllocation,
  'api.resource.v1.DeviceSubRequest': defaultAllocation,
  'api.resource.v1.DeviceToleration': (toleration) => defaultZero(toleration, 'operator', 'Equal'),
  'api.flowcontrol.v1.FlowSchemaSpec': (spec) => defaultZero(spec, 'matchingPrecedence', 1000),
  'api.flowcontrol.v1.ExemptPriorityLevelConfiguration': (level) => {
    defaultTo(level, 'nominalConcurrencyShares', 0)
    defaultTo(level, 'lendablePercent', 0)
  },
  'api.flowcontrol.v1.LimitedPriorityLevelConfiguration': (level) => {
    defaultTo(level, 'nominalConcurrencyShares', 30)
    defaultTo(level, 'lendablePercent', 0)
  },
  'api.flowcontrol.v1.QueuingConfiguration': (queuing) => {
    defaultZero(queuing, 'handSize', 8)
    defaultZero(queuing, 'queues', 64)
    defaultZero(queuing, 'queueLengthLimit', 50)
  },
}
