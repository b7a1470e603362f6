import { forbidden, notSupported, type FieldError, type KubeObject } from '@freshread/core'
import { isTrueAt, numberAt, stringAt } from '../fields.ts'
import type { Strategy } from '../strategy.ts'
import { immutable } from '../validation/common.ts'
import { admissionForbidden } from './common.ts'

const GROUP = 'scheduling.k8s.io'
const SYSTEM_PREFIX = 'system-'
const SYSTEM_VALUES: Readonly<Record<string, number>> = {
  'system-node-critical': 2_000_001_000,
  'system-cluster-critical': 2_000_000_000,
}
const HIGHEST_VALUE = 1_000_000_000
const PREEMPTION_POLICIES = ['Never', 'PreemptLowerPriority']

/** PriorityClasses (`pkg/registry/scheduling/priorityclass/strategy.go`). */
export const priorityClass: Strategy = {
  // Given when it is made; nothing of it can change.
  generation: () => false,
  async admit(object, _current, context) {
    if (!isTrueAt(object, 'globalDefault')) return
    const classes = await context.lookupAll(GROUP, 'priorityclasses', '')
    const other = classes.find((entry) => isTrueAt(entry, 'globalDefault'))
    if (other === undefined || other.metadata.name === object.metadata.name) return
    const text = `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`
    throw admissionForbidden(GROUP, 'priorityclasses', object, text)
  },
  validate(object) {
    const { name = '' } = object.metadata
    const value = numberAt(object, 'value') ?? 0
    const errors: FieldError[] = []
    if (name.startsWith(SYSTEM_PREFIX)) {
      const problem = systemClassProblem(object)
      if (problem !== undefined) {
        const text = `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only. error: ${problem}`
        errors.push(forbidden('metadata.name', text))
      }
    } else if (value > HIGHEST_VALUE) {
      errors.push(forbidden('value', `maximum allowed value of a user defined priority is ${HIGHEST_VALUE}`))
    }
    const policy = object['preemptionPolicy']
    if (typeof policy === 'string' && !PREEMPTION_POLICIES.includes(policy)) {
      errors.push(notSupported('preemptionPolicy', policy, ['PreemptLowerPriority', 'Never']))
    }
    return errors
  },
  validateUpdate(object, current) {
    const changed = (numberAt(object, 'value') ?? 0) !== (numberAt(current, 'value') ?? 0)
    const errors = changed ? [forbidden('value', 'may not be changed in an update.')] : []
    return [...errors, ...immutable('preemptionPolicy', object['preemptionPolicy'], current['preemptionPolicy'])]
  },
}

function systemClassProblem(object: KubeObject): string | undefined {
  const name = stringAt(object.metadata, 'name')
  const value = SYSTEM_VALUES[name]
  if (value === undefined) return `${name} is not a known system priority class`
  if (numberAt(object, 'value') !== value) return `value of ${name} PriorityClass must be ${value}`
  return isTrueAt(object, 'globalDefault') ? `globalDefault of ${name} PriorityClass must be false` : undefined
}
