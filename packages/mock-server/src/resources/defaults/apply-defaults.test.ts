import type { KubeObject } from '@freshread/core'
import { describe, expect, it } from 'vitest'
import { schemaOfKind } from '../catalogue.ts'
import { decodeObject } from '../decode/decode-object.ts'
import { applyDefaults } from './apply-defaults.ts'

function defaulted(group: string, kind: string, object: object): KubeObject {
  const schema = schemaOfKind(group, 'v1', kind)
  const decoded = decodeObject(object, schema, { mode: 'Ignore' }).object
  applyDefaults(decoded, schema)
  return decoded
}

describe('applyDefaults', () => {
  it('fills in a pod', () => {
    const { spec } = defaulted('', 'Pod', {
      spec: { containers: [{ name: 'a', image: 'nginx', ports: [{ containerPort: 80 }] }] },
    }) as unknown as { spec: object }
    expect(spec).toMatchObject({
      restartPolicy: 'Always',
      dnsPolicy: 'ClusterFirst',
      terminationGracePeriodSeconds: 30,
      schedulerName: 'default-scheduler',
      securityContext: {},
      enableServiceLinks: true,
      containers: [
        {
          imagePullPolicy: 'Always',
          terminationMessagePath: '/dev/termination-log',
          ports: [{ containerPort: 80, protocol: 'TCP' }],
        },
      ],
    })
  })

  it('lets limits stand for requests that are missing', () => {
    const { spec } = defaulted('', 'Pod', {
      spec: { containers: [{ name: 'a', resources: { limits: { cpu: '1' } } }] },
    }) as unknown as {
      spec: { containers: [{ resources: object }] }
    }
    expect(spec.containers[0].resources).toEqual({ limits: { cpu: '1' }, requests: { cpu: '1' } })
  })

  it.each<[string, string, object]>([
    ['apps', 'Deployment', { spec: { template: { spec: { containers: [{ name: 'a' }] } } } }],
    ['apps', 'StatefulSet', { spec: { volumeClaimTemplates: [{ spec: {} }], template: { spec: {} } } }],
    ['batch', 'CronJob', { spec: { schedule: '@daily' } }],
    ['', 'Service', { spec: { ports: [{ port: 80 }], type: 'LoadBalancer' } }],
    ['networking.k8s.io', 'NetworkPolicy', { spec: { podSelector: {}, egress: [{}] } }],
    ['', 'LimitRange', { spec: { limits: [{ type: 'Container', max: { cpu: '1' } }] } }],
  ])('has nothing left to do a second time: %s %s', (group, kind, object) => {
    const once = defaulted(group, kind, object)
    expect(defaulted(group, kind, once)).toEqual(once)
  })
})
