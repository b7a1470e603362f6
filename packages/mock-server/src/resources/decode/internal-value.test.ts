import { describe, expect, it } from 'vitest'
import { internalValue } from './internal-value.ts'

describe('internalValue', () => {
  it("has every field, by Go's names", () => {
    expect(internalValue('policy.PodDisruptionBudgetSpec', { minAvailable: 1, maxUnavailable: '5%' })).toEqual({
      MinAvailable: 1,
      Selector: null,
      MaxUnavailable: '5%',
      UnhealthyPodEvictionPolicy: null,
    })
  })

  it('keeps the JSON of types that have their own', () => {
    const affinity = { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }] } }
    expect(internalValue('*core.VolumeNodeAffinity', affinity)).toEqual({
      Required: {
        NodeSelectorTerms: [{ MatchExpressions: [{ Key: 'a', Operator: 'Exists', Values: null }], MatchFields: null }],
      },
    })
    expect(internalValue('core.ResourceRequirements', { limits: { memory: '1Gi', cpu: '1' } })).toMatchObject({
      Limits: { cpu: '1', memory: '1Gi' },
    })
  })

  it('puts metadata where the internal type embeds it', () => {
    const template = internalValue('core.PodTemplateSpec', {
      metadata: { labels: { a: 'b' } },
      spec: { serviceAccountName: 's' },
    })
    expect(template).toMatchObject({
      labels: { a: 'b' },
      Spec: { ServiceAccountName: 's', Containers: null, HostNetwork: false },
    })
  })

  it('is null for pointers to nothing', () => {
    expect(internalValue('*rbac.RoleRef', undefined)).toBeNull()
    expect(internalValue('rbac.RoleRef', undefined)).toEqual({ APIGroup: '', Kind: '', Name: '' })
  })
})
