import type { KubeObject } from '@freshread/core'

/** Where v1 keeps what only v2 can say (`pkg/apis/autoscaling: annotations.go`). */
const METRICS = 'autoscaling.alpha.kubernetes.io/metrics'
const CURRENT_METRICS = 'autoscaling.alpha.kubernetes.io/current-metrics'
const CONDITIONS = 'autoscaling.alpha.kubernetes.io/conditions'
const BEHAVIOR = 'autoscaling.alpha.kubernetes.io/behavior'

type Fields = Record<string, unknown>

interface ResourceMetric {
  readonly type?: string
  readonly resource?: { readonly name?: string; readonly target?: Fields; readonly current?: Fields }
}

/** autoscaling/v1 → autoscaling/v2 (`pkg/apis/autoscaling/v1/conversion.go`). */
export function autoscalerToV2(object: KubeObject): KubeObject {
  const annotations = { ...object.metadata.annotations }
  const spec: Fields = { ...(object['spec'] as Fields | undefined) }
  const status: Fields = { ...(object['status'] as Fields | undefined) }

  const metrics = takeJson<ResourceMetric[]>(annotations, METRICS) ?? []
  const cpu = spec['targetCPUUtilizationPercentage']
  delete spec['targetCPUUtilizationPercentage']
  if (cpu !== undefined && cpu !== null) {
    const target = { type: 'Utilization', averageUtilization: cpu }
    metrics.unshift({ type: 'Resource', resource: { name: 'cpu', target } })
  }
  if (metrics.length > 0) spec['metrics'] = metrics
  const behavior = takeJson<Fields>(annotations, BEHAVIOR)
  if (behavior !== undefined) spec['behavior'] = behavior

  const current = takeJson<ResourceMetric[]>(annotations, CURRENT_METRICS) ?? []
  const currentCpu = status['currentCPUUtilizationPercentage']
  delete status['currentCPUUtilizationPercentage']
  if (currentCpu !== undefined && currentCpu !== null) {
    current.unshift({ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: currentCpu } } })
  }
  if (current.length > 0) status['currentMetrics'] = current
  const conditions = takeJson<Fields[]>(annotations, CONDITIONS)
  if (conditions !== undefined) status['conditions'] = conditions

  return withMeta(object, 'autoscaling/v2', annotations, spec, status)
}

/** autoscaling/v2 → autoscaling/v1: one CPU utilisation metric becomes a field, the rest annotations. */
export function autoscalerFromV2(object: KubeObject): KubeObject {
  const annotations = { ...object.metadata.annotations }
  const spec: Fields = { ...(object['spec'] as Fields | undefined) }
  const status: Fields = { ...(object['status'] as Fields | undefined) }

  const otherMetrics: ResourceMetric[] = []
  for (const metric of (spec['metrics'] as ResourceMetric[] | undefined) ?? []) {
    const utilization = metric.resource?.name === 'cpu' ? metric.resource.target?.['averageUtilization'] : undefined
    if (metric.type === 'Resource' && utilization !== undefined) spec['targetCPUUtilizationPercentage'] = utilization
    else otherMetrics.push(metric)
  }
  delete spec['metrics']
  if (otherMetrics.length > 0) annotations[METRICS] = JSON.stringify(otherMetrics)
  if (spec['behavior'] !== undefined) annotations[BEHAVIOR] = JSON.stringify(spec['behavior'])
  delete spec['behavior']

  const otherCurrent: ResourceMetric[] = []
  for (const metric of (status['currentMetrics'] as ResourceMetric[] | undefined) ?? []) {
    const utilization = metric.resource?.name === 'cpu' ? metric.resource.current?.['averageUtilization'] : undefined
    if (metric.type === 'Resource' && utilization !== undefined) status['currentCPUUtilizationPercentage'] = utilization
    else otherCurrent.push(metric)
  }
  delete status['currentMetrics']
  if (otherCurrent.length > 0) annotations[CURRENT_METRICS] = JSON.stringify(otherCurrent)
  if (status['conditions'] !== undefined) annotations[CONDITIONS] = JSON.stringify(status['conditions'])
  delete status['conditions']
  // Both are plain numbers in v1 and therefore always printed.
  status['currentReplicas'] ??= 0
  status['desiredReplicas'] ??= 0

  return withMeta(object, 'autoscaling/v1', annotations, spec, status)
}

function takeJson<T>(annotations: Record<string, string>, name: string): T | undefined {
  const text = annotations[name]
  if (text === undefined) return undefined
  delete annotations[name]
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
