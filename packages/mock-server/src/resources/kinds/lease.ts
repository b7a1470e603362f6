import { forbidden, invalid, notSupported, type FieldError, type KubeObject } from '@freshread/core'
import { numberAt, stringAt, type Fields } from '../fields.ts'
import type { Strategy } from '../strategy.ts'
import { nonNegative } from '../validation/common.ts'
import { specOf } from './common.ts'

/** Leases (`pkg/registry/coordination/lease/strategy.go`). */
export const lease: Strategy = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  prepareForCreate: (object) => dropCoordination(object, {}),
  prepareForUpdate: (object, current) => dropCoordination(object, specOf(current)),
  validate: validateSpec,
  validateUpdate: validateSpec,
}

/** Fields of coordinated leader election, which is off. */
function dropCoordination(object: KubeObject, before: Fields): void {
  const spec = specOf(object)
  for (const name of ['strategy', 'preferredHolder']) if (before[name] == null) delete spec[name]
}

function validateSpec(object: KubeObject): FieldError[] {
  const spec = specOf(object)
  const errors: FieldError[] = []
  const duration = numberAt(spec, 'leaseDurationSeconds')
  if (duration !== undefined && duration <= 0)
    errors.push(invalid('spec.leaseDurationSeconds', duration, 'must be greater than 0'))
  errors.push(...nonNegative('spec.leaseTransitions', numberAt(spec, 'leaseTransitions')))
  const strategy = stringAt(spec, 'strategy')
  if (strategy !== '' && strategy !== 'OldestEmulationVersion' && !strategy.includes('/')) {
    errors.push(notSupported('spec.strategy', strategy, ['OldestEmulationVersion']))
  }
  if (stringAt(spec, 'preferredHolder') !== '' && strategy === '') {
    errors.push(forbidden('spec.preferredHolder', 'may only be specified if `strategy` is defined'))
  }
  return errors
}
