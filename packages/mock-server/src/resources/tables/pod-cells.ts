import { since } from './duration.ts'
import type { View } from './view.ts'

interface Restarts {
  readonly count: number
  /** When the last one was; undefined for never. */
  readonly last: View | undefined
}

const later = (last: View | undefined, candidate: View): View | undefined => {
  if (!candidate.exists) return last
  return last === undefined || Date.parse(last.string()) < Date.parse(candidate.string()) ? candidate : last
}

const hasCondition = (pod: View, type: string): boolean =>
  pod
    .at('status', 'conditions')
    .list()
    .some((condition) => condition.at('type').string() === type && condition.at('status').string() === 'True')

/** What a terminated container ended with: its reason, else its signal or exit code. */
function terminationReason(terminated: View): string {
  const reason = terminated.at('reason').string()
  if (reason !== '') return reason
  const signal = terminated.at('signal').number()
  return signal === 0 ? `ExitCode:${terminated.at('exitCode').number()}` : `Signal:${signal}`
}

interface InitProgress {
  /** The reason to show while a pod initializes; undefined when it has. */
  readonly reason: string | undefined
  readonly ready: number
  readonly all: Restarts
  /** Restarts of sidecars alone: they go on counting when the pod runs. */
  readonly sidecars: Restarts
}

function initProgress(pod: View, isSidecar: (name: string) => boolean): InitProgress {
  let ready = 0
  let all: Restarts = { count: 0, last: undefined }
  let sidecars: Restarts = { count: 0, last: undefined }
  const statuses = pod.at('status', 'initContainerStatuses').list()
  for (const [index, status] of statuses.entries()) {
    const restarts = status.at('restartCount').number()
    const finished = status.at('lastState', 'terminated', 'finishedAt')
    const sidecar = isSidecar(status.at('name').string())
    all = { count: all.count + restarts, last: later(all.last, finished) }
    if (sidecar) sidecars = { count: sidecars.count + restarts, last: later(sidecars.last, finished) }

    const terminated = status.at('state', 'terminated')
    if (terminated.exists && terminated.at('exitCode').number() === 0) continue
    if (sidecar && status.at('started').bool()) {
      if (status.at('ready').bool()) ready++
      continue
    }
    const waiting = status.at('state', 'waiting', 'reason').string()
    let reason = `Init:${index}/${pod.at('spec', 'initContainers').list().length}`
    if (terminated.exists) reason = `Init:${terminationReason(terminated)}`
    else if (waiting !== '' && waiting !== 'PodInitializing') reason = `Init:${waiting}`
    return { reason, ready, all, sidecars }
  }
  return { reason: undefined, ready, all, sidecars }
}

/** Cells of a pod (`pkg/printers/internalversion/printers.go: printPod`). */
export function podCells(pod: View, now: number): readonly unknown[] {
  const initContainers = new Map(
    pod
      .at('spec', 'initContainers')
      .list()
      .map((c) => [c.at('name').string(), c]),
  )
  const isSidecar = (name: string): boolean => initContainers.get(name)?.at('restartPolicy').string() === 'Always'
  const phase = pod.at('status', 'phase').string()
  let reason = pod.at('status', 'reason').nonEmpty(phase)
  for (const condition of pod.at('status', 'conditions').list()) {
    if (condition.at('type').string() === 'PodScheduled' && condition.at('reason').string() === 'SchedulingGated') {
      reason = 'SchedulingGated'
    }
  }

  const total =
    pod.at('spec', 'containers').list().length + [...initContainers.keys()].filter((name) => isSidecar(name)).length
  const init = initProgress(pod, isSidecar)
  let { ready } = init
  let restarts = init.all
  reason = init.reason ?? reason

  if (init.reason === undefined || hasCondition(pod, 'Initialized')) {
    restarts = init.sidecars
    let running = false
    let errorReason = ''
    for (const status of pod.at('status', 'containerStatuses').list().toReversed()) {
      restarts = {
        count: restarts.count + status.at('restartCount').number(),
        last: later(restarts.last, status.at('lastState', 'terminated', 'finishedAt')),
      }
      const waiting = status.at('state', 'waiting', 'reason').string()
      const terminated = status.at('state', 'terminated')
      if (waiting !== '') reason = waiting
      else if (terminated.exists) {
        reason = terminationReason(terminated)
        if (terminated.at('exitCode').number() !== 0) errorReason = reason
      } else if (status.at('ready').bool() && status.at('state', 'running').exists) {
        running = true
        ready++
      }
    }
    // One container that has completed does not make the pod so.
    if (reason === 'Completed') {
      if (running && hasCondition(pod, 'Ready')) reason = 'Running'
      else if (errorReason !== '') reason = errorReason
      else if (running) reason = 'NotReady'
    }
  }

  if (pod.at('metadata', 'deletionTimestamp').exists) {
    if (pod.at('status', 'reason').string() === 'NodeLost') reason = 'Unknown'
    else if (phase !== 'Failed' && phase !== 'Succeeded') reason = 'Terminating'
  }
  const restartsText =
    restarts.count !== 0 && restarts.last !== undefined
      ? `${restarts.count} (${since(restarts.last, now)} ago)`
      : String(restarts.count)
  return [
    pod.at('metadata', 'name').string(),
    `${ready}/${total}`,
    reason,
    restartsText,
    since(pod.at('metadata', 'creationTimestamp'), now),
    (pod.at('status', 'podIPs').list()[0]?.at('ip') ?? pod.at('status', 'podIP')).nonEmpty('<none>'),
    pod.at('spec', 'nodeName').nonEmpty('<none>'),
    pod.at('status', 'nominatedNodeName').nonEmpty('<none>'),
    readinessGates(pod),
  ]
}

function readinessGates(pod: View): string {
  const gates = pod.at('spec', 'readinessGates').list()
  if (gates.length === 0) return '<none>'
  const met = gates.filter((gate) => {
    const type = gate.at('conditionType').string()
    const condition = pod
      .at('status', 'conditions')
      .list()
      .find((candidate) => candidate.at('type').string() === type)
    return condition?.at('status').string() === 'True'
  })
  return `${met.length}/${gates.length}`
}

/** The condition of a row whose pod has come to its end. */
export function podRowConditions(pod: View): readonly unknown[] | undefined {
  const reason = pod.at('status', 'phase').string()
  if (reason !== 'Succeeded' && reason !== 'Failed') return undefined
  const message = reason === 'Succeeded' ? 'The pod has completed successfully.' : 'The pod failed.'
  return [{ type: 'Completed', status: 'True', reason, message }]
}
