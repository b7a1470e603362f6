import { describe, expect, it } from 'vitest'
import resourceLists from '../../../data/resources.json' with { type: 'json' }
import { strategies, strategyFor } from './index.ts'

describe('strategyFor', () => {
  it('has strategies only for resources that there are', () => {
    const known = new Set<string>()
    for (const [path, list] of Object.entries(
      resourceLists.lists as Record<string, { resources: readonly { name: string }[] }>,
    )) {
      const group = path.startsWith('/apis/') ? path.split('/')[2]! : ''
      for (const { name } of list.resources) known.add(`${group}/${name}`)
    }
    expect(Object.keys(strategies).filter((key) => !known.has(key))).toEqual([])
  })

  it('finds a strategy by resource or kind', () => {
    expect(strategyFor('apps', 'deployments').validate).toBe(strategyFor('apps', 'Deployment').validate)
    expect(strategyFor('apps', 'Deployment').validate).toBeTypeOf('function')
  })

  it('shows an empty object of the version', () => {
    expect(strategyFor('', 'pods').emptyObject?.()).toEqual({ spec: { containers: null }, status: {} })
    expect(Object.keys(strategyFor('autoscaling', 'horizontalpodautoscalers', 'v2').emptyObject?.() ?? {})).toEqual([
      'spec',
      'status',
    ])
  })
})
