import { autoscalerCells } from './autoscaler-cells.ts'
import { name, age, containers, isTrue, type CellMaker } from './cell-parts.ts'
import { humanDuration, since } from './duration.ts'
import { podCells } from './pod-cells.ts'
import { formatLabels, formatLabelSelector, selectorText } from './selectors.ts'
import type { View } from './view.ts'

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

/** How Pods and what makes them are shown, by `group/resource` (`pkg/printers/internalversion/printers.go`). */
export const workloadCells: Readonly<Record<string, CellMaker>> = {
  '/pods': podCells,
  '/podtemplates': (object) => [
    name(object),
    ...containers(object.at('template')),
    formatLabels(object.at('template', 'metadata', 'labels')),
  ],
  '/replicationcontrollers': replicaCells((set) => formatLabels(set.at('spec', 'selector'))),
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
  'policy/poddisruptionbudgets': (budget, now) => [
    name(budget),
    budget.at('spec', 'minAvailable').string('N/A'),
    budget.at('spec', 'maxUnavailable').string('N/A'),
    budget.at('status', 'disruptionsAllowed').number(),
    age(budget, now),
  ],
}
