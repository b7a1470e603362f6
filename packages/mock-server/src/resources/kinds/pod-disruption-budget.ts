import { invalid, notSupported, type FieldError, type KubeObject } from '@freshread/core'
import { internalValue } from '../decode/internal-value.ts'
import { fieldsAt, isSet, stringAt } from '../fields.ts'
import type { Strategy } from '../strategy.ts'
import { intOrPercent, notAboveHundredPercent } from '../validation/common.ts'
import { validateLabelSelector } from '../validation/labels.ts'
import { isPathSegmentName } from '../validation/names.ts'
import { counts } from '../validation/status.ts'
import { resetStatus, specChanged, specOf, statusOf } from './common.ts'

const EVICTION_POLICIES = ['AlwaysAllow', 'IfHealthyBudget']
const COUNTS = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods']

/** PodDisruptionBudgets (`pkg/registry/policy/poddisruptionbudget/strategy.go`). */
export const podDisruptionBudget: Strategy = {
  allowUnconditionalUpdate: false,
  // Nothing but the path limits what one is called.
  validateName: isPathSegmentName,
  prepareForCreate: resetStatus('api.policy.v1.PodDisruptionBudgetStatus'),
  generation: specChanged,
  validate: validateSpec,
  validateUpdate(object, _current, context) {
    return context.subresource === 'status' ? counts(statusOf(object), COUNTS) : validateSpec(object)
  },
}

function validateSpec(object: KubeObject): FieldError[] {
  const spec = specOf(object)
  const errors: FieldError[] = []
  if (isSet(spec, 'minAvailable') && isSet(spec, 'maxUnavailable')) {
    errors.push(
      invalid(
        'spec',
        internalValue('policy.PodDisruptionBudgetSpec', spec),
        'minAvailable and maxUnavailable cannot be both set',
      ),
    )
  }
  for (const name of ['minAvailable', 'maxUnavailable']) {
    errors.push(...intOrPercent(`spec.${name}`, spec[name]), ...notAboveHundredPercent(`spec.${name}`, spec[name]))
  }
  errors.push(...validateLabelSelector('spec.selector', fieldsAt(spec, 'selector')))
  if (isSet(spec, 'unhealthyPodEvictionPolicy')) {
    const policy = stringAt(spec, 'unhealthyPodEvictionPolicy')
    if (!EVICTION_POLICIES.includes(policy))
      errors.push(notSupported('spec.unhealthyPodEvictionPolicy', policy, EVICTION_POLICIES))
  }
  return errors
}
