import { describe, expect, it } from 'vitest'
import { dropDisabledPodFields } from './disabled-fields.ts'

describe('dropDisabledPodFields', () => {
  it('takes out what belongs to features that are off', () => {
    const preStop = { exec: { command: ['x'] } }
    const containers = [{ lifecycle: { stopSignal: 'SIGUSR1' } }, { lifecycle: { preStop, stopSignal: 'SIGUSR1' } }]
    const object = { spec: { template: { spec: { containers, evictionResponders: [], hostNetwork: true } } } }
    dropDisabledPodFields(object, ['spec', 'template', 'spec'])
    expect(object.spec.template.spec).toEqual({ containers: [{}, { lifecycle: { preStop } }], hostNetwork: true })
  })
})
