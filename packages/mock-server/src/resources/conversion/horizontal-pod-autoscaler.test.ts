import type { KubeObject } from '@freshread/core'
import { describe, expect, it } from 'vitest'
import { autoscalerFromV2, autoscalerToV2 } from './horizontal-pod-autoscaler.ts'

const scaleTargetRef = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }
const metric = { name: 'q', selector: { matchLabels: { a: 'b' } } }

function v2(metrics: readonly object[], more: object = {}): KubeObject {
  return {
    kind: 'HorizontalPodAutoscaler',
    apiVersion: 'autoscaling/v2',
    metadata: { name: 'a', annotations: { mine: 'yes' } },
    spec: { maxReplicas: 3, scaleTargetRef, metrics, ...more },
    status: { currentReplicas: 0, desiredReplicas: 0 },
  }
}

describe('autoscaler conversion', () => {
  it('makes a field of the utilisation of the CPU', () => {
    const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }
    const v1 = autoscalerFromV2(v2([cpu]))
    expect(v1['spec']).toEqual({ maxReplicas: 3, scaleTargetRef, targetCPUUtilizationPercentage: 50 })
    expect(v1.metadata.annotations).toEqual({ mine: 'yes' })
    expect(autoscalerToV2(v1)).toEqual(v2([cpu]))
  })

  it.each<[string, object]>([
    ['Pods', { type: 'Pods', pods: { metric, target: { type: 'AverageValue', averageValue: '2' } } }],
    [
      'Object',
      { type: 'Object', object: { describedObject: scaleTargetRef, metric, target: { type: 'Value', value: '5' } } },
    ],
    [
      'Object by average',
      {
        type: 'Object',
        object: { describedObject: scaleTargetRef, metric, target: { type: 'AverageValue', averageValue: '5' } },
      },
    ],
    ['External', { type: 'External', external: { metric, target: { type: 'Value', value: '5' } } }],
    [
      'Resource',
      { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } } },
    ],
    [
      'ContainerResource',
      {
        type: 'ContainerResource',
        containerResource: { name: 'cpu', container: 'c', target: { type: 'Utilization', averageUtilization: 9 } },
      },
    ],
  ])('brings %s metrics through annotations and back', (_, given) => {
    const v1 = autoscalerFromV2(v2([given]))
    expect(Object.keys(v1.metadata.annotations ?? {})).toContain('autoscaling.alpha.kubernetes.io/metrics')
    expect(autoscalerToV2(v1)).toEqual(v2([given]))
  })

  it("writes behavior by Go's names", () => {
    const behavior = {
      scaleUp: { stabilizationWindowSeconds: 0, policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }] },
    }
    const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }
    const v1 = autoscalerFromV2(v2([cpu], { behavior }))
    expect(v1.metadata.annotations?.['autoscaling.alpha.kubernetes.io/behavior']).toBe(
      '{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":null,"Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15}],"Tolerance":null},"ScaleDown":null}',
    )
    expect(autoscalerToV2(v1)).toEqual(v2([cpu], { behavior }))
  })
})
