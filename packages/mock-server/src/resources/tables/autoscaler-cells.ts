import { since } from './duration.ts'
import { View } from './view.ts'

const percent = (value: View, fallback: string): string => (value.exists ? `${value.number()}%` : fallback)

/** `current/target` of one metric. */
function metricText(spec: View, status: View): string {
  const type = spec.at('type').string()
  const field = `${type.slice(0, 1).toLowerCase()}${type.slice(1)}`
  const metric = spec.at(field)
  const current = status.at(field, 'current')
  const average = metric.at('target', 'averageValue')
  switch (type) {
    case 'External':
    case 'Object':
      if (average.exists) return `${current.at('averageValue').string('<unknown>')}/${average.string()} (avg)`
      return `${status.at(field).exists ? current.at('value').string('0') : '<unknown>'}/${metric.at('target', 'value').string('0')}`
    case 'Pods':
      return `${current.at('averageValue').string('<unknown>')}/${average.string()}`
    case 'Resource':
    case 'ContainerResource': {
      const name = metric.at('name').string()
      if (average.exists) return `${name}: ${current.at('averageValue').string('<unknown>')}/${average.string()}`
      const target = percent(metric.at('target', 'averageUtilization'), '<auto>')
      return `${name}: ${percent(current.at('averageUtilization'), '<unknown>')}/${target}`
    }
    default:
      return '<unknown type>'
  }
}

/** Metrics as autoscaling/v2 has them, from either version. */
function metricsOf(autoscaler: View): { readonly specs: readonly View[]; readonly statuses: readonly View[] } {
  const target = autoscaler.at('spec', 'targetCPUUtilizationPercentage')
  if (!target.exists) {
    return {
      specs: autoscaler.at('spec', 'metrics').list(),
      statuses: autoscaler.at('status', 'currentMetrics').list(),
    }
  }
  const current = autoscaler.at('status', 'currentCPUUtilizationPercentage')
  const spec = { type: 'Resource', resource: { name: 'cpu', target: { averageUtilization: target.value } } }
  const status = { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: current.value } } }
  return { specs: [new View(spec)], statuses: current.exists ? [new View(status)] : [] }
}

const MAX_METRICS = 2

/** Cells of a HorizontalPodAutoscaler (`printers.go: printHorizontalPodAutoscaler`). */
export function autoscalerCells(autoscaler: View, now: number): readonly unknown[] {
  const { specs, statuses } = metricsOf(autoscaler)
  const texts = specs.map((spec, index) => metricText(spec, statuses[index] ?? new View(undefined)))
  const more = texts.length > MAX_METRICS ? ` + ${texts.length - MAX_METRICS} more...` : ''
  const target = autoscaler.at('spec', 'scaleTargetRef')
  return [
    autoscaler.at('metadata', 'name').string(),
    `${target.at('kind').string()}/${target.at('name').string()}`,
    texts.length === 0 ? '<none>' : `${texts.slice(0, MAX_METRICS).join(', ')}${more}`,
    autoscaler.at('spec', 'minReplicas').string('<unset>'),
    autoscaler.at('spec', 'maxReplicas').number(),
    autoscaler.at('status', 'currentReplicas').number(),
    since(autoscaler.at('metadata', 'creationTimestamp'), now),
  ]
}
