import { describe, expect, it } from 'vitest'
import { qosClass } from './pod-qos.ts'

describe('qosClass', () => {
  it.each([
    ['BestEffort', {}],
    ['BestEffort', { limits: { 'example.com/gpu': '1' } }],
    ['Burstable', { requests: { cpu: '1' } }],
    ['Burstable', { requests: { cpu: '1', memory: '1' }, limits: { cpu: '2', memory: '1' } }],
    ['Guaranteed', { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1000m', memory: '1024Mi' } }],
  ])('is %s with %j', (expected, resources) => {
    expect(qosClass({ containers: [{ name: 'a', resources }] })).toBe(expected)
  })
})
