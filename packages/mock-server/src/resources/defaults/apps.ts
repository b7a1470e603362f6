import { defaultTo, defaultZero, ensureFields, fieldsAt, isSet } from '../fields.ts'
import type { Defaulter } from './defaulter.ts'

/** Defaulting of the apps and batch groups (`pkg/apis/{apps,batch}/v1/defaults.go`). */
export const appsDefaults: Readonly<Record<string, Defaulter>> = {
  'api.apps.v1.Deployment': (object) => {
    const spec = ensureFields(object, 'spec')
    defaultTo(spec, 'replicas', 1)
    const strategy = ensureFields(spec, 'strategy')
    defaultZero(strategy, 'type', 'RollingUpdate')
    if (strategy['type'] === 'RollingUpdate') {
      const rolling = ensureFields(strategy, 'rollingUpdate')
      defaultTo(rolling, 'maxUnavailable', '25%')
      defaultTo(rolling, 'maxSurge', '25%')
    }
    defaultTo(spec, 'revisionHistoryLimit', 10)
    defaultTo(spec, 'progressDeadlineSeconds', 600)
  },
  'api.apps.v1.DaemonSet': (object) => {
    const spec = ensureFields(object, 'spec')
    const strategy = ensureFields(spec, 'updateStrategy')
    defaultZero(strategy, 'type', 'RollingUpdate')
    if (strategy['type'] === 'RollingUpdate') {
      const rolling = ensureFields(strategy, 'rollingUpdate')
      defaultTo(rolling, 'maxUnavailable', 1)
      defaultTo(rolling, 'maxSurge', 0)
    }
    defaultTo(spec, 'revisionHistoryLimit', 10)
  },
  'api.apps.v1.StatefulSet': (object) => {
    const spec = ensureFields(object, 'spec')
    defaultZero(spec, 'podManagementPolicy', 'OrderedReady')
    const strategy = ensureFields(spec, 'updateStrategy')
    if (!strategy['type']) {
      strategy['type'] = 'RollingUpdate'
      ensureFields(strategy, 'rollingUpdate')
    }
    const rolling = fieldsAt(strategy, 'rollingUpdate')
    if (strategy['type'] === 'RollingUpdate' && rolling !== undefined) {
      defaultTo(rolling, 'partition', 0)
      defaultTo(rolling, 'maxUnavailable', 1)
    }
    const retention = ensureFields(spec, 'persistentVolumeClaimRetentionPolicy')
    defaultZero(retention, 'whenDeleted', 'Retain')
    defaultZero(retention, 'whenScaled', 'Retain')
    defaultTo(spec, 'replicas', 1)
    defaultTo(spec, 'revisionHistoryLimit', 10)
  },
  'api.apps.v1.ReplicaSet': (object) => defaultTo(ensureFields(object, 'spec'), 'replicas', 1),
  'api.batch.v1.Job': (object) => {
    const spec = ensureFields(object, 'spec')
    if (!isSet(spec, 'completions') && !isSet(spec, 'parallelism')) spec['completions'] = 1
    defaultTo(spec, 'parallelism', 1)
    defaultTo(spec, 'backoffLimit', isSet(spec, 'backoffLimitPerIndex') ? 2 ** 31 - 1 : 6)
    const labels = fieldsAt(fieldsAt(fieldsAt(spec, 'template'), 'metadata'), 'labels')
    const metadata = ensureFields(object, 'metadata')
    // One map for both, as upstream: what is added to the template's labels later is on the job too.
    if (labels !== undefined && !isSet(metadata, 'labels')) metadata['labels'] = labels
    defaultTo(spec, 'completionMode', 'NonIndexed')
    defaultTo(spec, 'suspend', false)
    defaultTo(spec, 'podReplacementPolicy', isSet(spec, 'podFailurePolicy') ? 'Failed' : 'TerminatingOrFailed')
    defaultTo(spec, 'manualSelector', false)
  },
  'api.batch.v1.CronJob': (object) => {
    const spec = ensureFields(object, 'spec')
    defaultZero(spec, 'concurrencyPolicy', 'Allow')
    defaultTo(spec, 'suspend', false)
    defaultTo(spec, 'successfulJobsHistoryLimit', 3)
    defaultTo(spec, 'failedJobsHistoryLimit', 1)
  },
  'api.batch.v1.PodFailurePolicyOnPodConditionsPattern': (pattern) => defaultZero(pattern, 'status', 'True'),
}
