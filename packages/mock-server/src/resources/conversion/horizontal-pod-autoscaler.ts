import type { KubeObject } from '@freshread/core'
import { internalValue } from '../decode/internal-value.ts'
import { metricFromV1, metricToV1 } from './autoscaler-metrics.ts'

/** Where v1 keeps what only v2 can say (`pkg/apis/autoscaling: annotations.go`). */
const METRICS = 'autoscaling.alpha.kubernetes.io/metrics'
const CURRENT_METRICS = 'autoscaling.alpha.kubernetes.io/current-metrics'
const CONDITIONS = 'autoscaling.alpha.kubernetes.io/conditions'
const BEHAVIOR = 'autoscaling.alpha.kubernetes.io/behavior'

type Fields = Record<string, unknown>

const ROUND_TRIP = [METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR]
const DEFAULT_UTILIZATION = 80

/** autoscaling/v1 → autoscaling/v2 (`pkg/apis/autoscaling/v1/conversion.go`). */
export function autoscalerToV2(object: KubeObject): KubeObject {
  const annotations = { ...object.metadata.annotations }
  const spec: Fields = { ...(object['spec'] as Fields | undefined) }
  const status: Fields = { ...(object['status'] as Fields | undefined) }

  const metrics = (readJson<Fields[]>(annotations[METRICS]) ?? []).map((metric) => metricFromV1(metric, 'target'))
  const cpu = spec['targetCPUUtilizationPercentage']
  delete spec['targetCPUUtilizationPercentage']
  if (cpu !== undefined && cpu !== null)
    metrics.push(cpuMetric('target', { type: 'Utilization', averageUtilization: cpu }))
  if (metrics.length === 0)
    metrics.push(cpuMetric('target', { type: 'Utilization', averageUtilization: DEFAULT_UTILIZATION }))
  spec['metrics'] = metrics
  const behavior = readJson<Fields>(annotations[BEHAVIOR])
  if (behavior !== undefined) spec['behavior'] = withoutNulls(lowerNames(behavior))

  const current = readJson<Fields[]>(annotations[CURRENT_METRICS])?.map((metric) => metricFromV1(metric, 'current'))
  const currentCpu = status['currentCPUUtilizationPercentage']
  delete status['currentCPUUtilizationPercentage']
  if (current !== undefined) status['currentMetrics'] = current
  else if (currentCpu !== undefined && currentCpu !== null) {
    status['currentMetrics'] = [cpuMetric('current', { averageUtilization: currentCpu })]
  }
  const conditions = readJson<Fields[]>(annotations[CONDITIONS])
  if (conditions !== undefined) status['conditions'] = conditions

  for (const name of ROUND_TRIP) delete annotations[name]
  return withMeta(object, 'autoscaling/v2', annotations, spec, status)
}

/** autoscaling/v2 → autoscaling/v1: one CPU utilisation metric becomes a field, the rest annotations. */
export function autoscalerFromV2(object: KubeObject): KubeObject {
  const annotations = { ...object.metadata.annotations }
  for (const name of ROUND_TRIP) delete annotations[name]
  const spec: Fields = { ...(object['spec'] as Fields | undefined) }
  const status: Fields = { ...(object['status'] as Fields | undefined) }

  const metrics = (spec['metrics'] as Fields[] | undefined) ?? []
  delete spec['metrics']
  const cpu = metrics.map((metric) => cpuUtilization(metric, 'target')).find((utilization) => utilization !== undefined)
  if (cpu !== undefined) spec['targetCPUUtilizationPercentage'] = cpu
  const others = metrics.filter((metric) => cpuUtilization(metric, 'target') === undefined)
  if (others.length > 0) annotations[METRICS] = JSON.stringify(others.map((metric) => metricToV1(metric, 'target')))

  const current = (status['currentMetrics'] as Fields[] | undefined) ?? []
  delete status['currentMetrics']
  const currentCpu = current
    .map((metric) => cpuUtilization(metric, 'current'))
    .findLast((utilization) => utilization !== undefined)
  if (currentCpu !== undefined) status['currentCPUUtilizationPercentage'] = currentCpu
  if (current.length > 0)
    annotations[CURRENT_METRICS] = JSON.stringify(current.map((metric) => metricToV1(metric, 'current')))

  if (spec['behavior'] !== undefined) {
    annotations[BEHAVIOR] = JSON.stringify(
      internalValue('autoscaling.HorizontalPodAutoscalerBehavior', spec['behavior']),
    )
  }
  delete spec['behavior']
  const conditions = status['conditions'] as Fields[] | null | undefined
  if (conditions !== undefined && conditions !== null && conditions.length > 0)
    annotations[CONDITIONS] = JSON.stringify(conditions)
  delete status['conditions']
  // Both are plain numbers in v1 and therefore always printed.
  status['currentReplicas'] ??= 0
  status['desiredReplicas'] ??= 0

  return withMeta(object, 'autoscaling/v1', annotations, spec, status)
}

function cpuMetric(part: 'target' | 'current', amounts: Fields): Fields {
  return { type: 'Resource', resource: { name: 'cpu', [part]: amounts } }
}

/** The utilisation that a metric is of, where it is of a CPU's. */
function cpuUtilization(metric: Fields, part: 'target' | 'current'): unknown {
  const resource = metric['resource'] as Fields | undefined
  if (metric['type'] !== 'Resource' || resource?.['name'] !== 'cpu') return undefined
  return (resource[part] as Fields | undefined)?.['averageUtilization'] ?? undefined
}

/** Go's field names as JSON has them elsewhere. */
function lowerNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lowerNames)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name.charAt(0).toLowerCase() + name.slice(1), lowerNames(item)]),
  )
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, item]) => item !== null)
  return Object.fromEntries(entries.map(([name, item]) => [name, withoutNulls(item)]))
}

function readJson<T>(text: string | undefined): T | undefined {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text) as T
  } catch {
    return undefined
  }
}

function withMeta(
  object: KubeObject,
  apiVersion: string,
  annotations: Record<string, string>,
  spec: Fields,
  status: Fields,
): KubeObject {
  const metadata = { ...object.metadata }
  if (Object.keys(annotations).length > 0) metadata.annotations = annotations
  else delete metadata.annotations
  return { ...object, apiVersion, metadata, spec, status }
}
