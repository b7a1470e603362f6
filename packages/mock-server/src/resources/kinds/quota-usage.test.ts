import type { KubeObject } from '@freshread/core'
import { describe, expect, it } from 'vitest'
import { missingForQuota, quotaCovers, quotaUsage } from './quota-usage.ts'

const pods = { group: '', resource: 'pods' }
const container = { name: 'a', resources: { requests: { cpu: '500m', memory: '1Gi' }, limits: { cpu: '1' } } }

function pod(spec: object): KubeObject {
  return { metadata: { name: 'p' }, spec }
}

function usage(group: string, resource: string, object: KubeObject): Record<string, string> {
  const entries = Object.entries(quotaUsage({ group, resource }, object))
  return Object.fromEntries(entries.map(([name, amount]) => [name, String(amount)]))
}

describe('quotaUsage', () => {
  it('counts what containers ask for', () => {
    expect(usage('', 'pods', pod({ containers: [container, { ...container, name: 'b' }] }))).toEqual({
      'count/pods': '1',
      pods: '1',
      cpu: '1',
      'requests.cpu': '1',
      memory: '2Gi',
      'requests.memory': '2Gi',
      'limits.cpu': '2',
    })
  })

  it('counts objects of any kind', () => {
    expect(usage('apps', 'deployments', pod({}))).toEqual({ 'count/deployments.apps': '1' })
    expect(usage('', 'configmaps', pod({}))).toEqual({ 'count/configmaps': '1', configmaps: '1' })
  })

  it('counts storage by class', () => {
    const claim = pod({ storageClassName: 'fast', resources: { requests: { storage: '1Gi' } } })
    expect(usage('', 'persistentvolumeclaims', claim)).toMatchObject({
      'requests.storage': '1Gi',
      'fast.storageclass.storage.k8s.io/requests.storage': '1Gi',
      'fast.storageclass.storage.k8s.io/persistentvolumeclaims': '1',
    })
  })
})

describe('quotaCovers', () => {
  it.each([
    [['BestEffort'], false],
    [['NotBestEffort', 'NotTerminating'], true],
    [['Terminating'], false],
    [[], true],
  ])('%j', (scopes, covers) => {
    const quota = { metadata: {}, spec: { scopes } } as KubeObject
    expect(quotaCovers(quota, pods, pod({ containers: [container] }))).toBe(covers)
  })
})

describe('missingForQuota', () => {
  it('names what containers leave out', () => {
    const object = pod({ containers: [container, { name: 'b' }] })
    expect(missingForQuota(pods, ['pods', 'requests.cpu', 'limits.memory'], object)).toBe(
      'must specify limits.memory for: a,b; requests.cpu for: b',
    )
    expect(missingForQuota(pods, ['pods'], object)).toBeUndefined()
  })
})
