import type { Clock, KubeObject } from '@freshread/core'
import { describe, expect, it } from 'vitest'
import type { StrategyContext } from '../strategy.ts'
import { service } from './service.ts'

type Service = KubeObject & { spec: { clusterIP?: string; ports?: { nodePort?: number }[] } }

/** A server with these services. */
function contextOf(stored: readonly KubeObject[]): StrategyContext {
  return {
    clock: { now: () => 0 } as Clock,
    namespace: 'default',
    name: '',
    dryRun: false,
    user: { username: 'admin', groups: [] },
    subresource: '',
    lookup: () => Promise.resolve(undefined),
    lookupAll: () => Promise.resolve(stored),
  }
}

function make(spec: object): Service {
  const object = {
    metadata: { name: 's', namespace: 'default' },
    spec: { type: 'ClusterIP', ports: [{ port: 80, protocol: 'TCP' }], ...spec },
  }
  return object as unknown as Service
}

describe('service', () => {
  it('gives every service an address of its own until there are none', async () => {
    const stored: KubeObject[] = []
    const context = contextOf(stored)
    const addresses = new Set<string>()
    for (let i = 0; i < 254; i++) {
      const object = make({})
      await service.prepareForCreate?.(object, context)
      addresses.add(object.spec.clusterIP!)
      stored.push(object)
      service.afterWrite?.(object, true, context)
    }
    expect(addresses.size).toBe(254)
    await expect(async () => service.prepareForCreate?.(make({}), context)).rejects.toThrow(/failed to allocate/)
    stored.pop()
    await expect(Promise.resolve(service.prepareForCreate?.(make({}), context))).resolves.toBeUndefined()
  })

  it('gives no two writes at a time the same address', async () => {
    const context = contextOf([])
    const [a, b] = [make({}), make({})]
    await Promise.all([service.prepareForCreate?.(a, context), service.prepareForCreate?.(b, context)])
    expect(a.spec.clusterIP).not.toBe(b.spec.clusterIP)
  })

  it('takes back what a failed write was given', async () => {
    const context = contextOf([])
    const failed = make({ clusterIP: '10.0.0.99', clusterIPs: ['10.0.0.99'] })
    await service.prepareForCreate?.(failed, context)
    service.afterWrite?.(failed, false, context)
    const next = make({ clusterIP: '10.0.0.99', clusterIPs: ['10.0.0.99'] })
    await service.prepareForCreate?.(next, context)
    expect(next.spec.clusterIP).toBe('10.0.0.99')
  })

  it('gives node ports where the type has them', async () => {
    const context = contextOf([])
    const object = make({ type: 'NodePort' })
    await service.prepareForCreate?.(object, context)
    expect(object.spec.ports?.[0]?.nodePort).toBeGreaterThanOrEqual(30000)
    expect(object.spec.ports?.[0]?.nodePort).toBeLessThanOrEqual(32767)
  })
})
