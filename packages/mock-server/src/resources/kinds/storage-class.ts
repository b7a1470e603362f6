import {
  duplicate,
  invalid,
  isLabelKey,
  notSupported,
  required,
  tooLong,
  utf8Length,
  type FieldError,
  type KubeObject,
} from '@freshread/core'
import { isSet, listAt, mapAt, semanticEqual, stringAt, stringsAt, type Fields } from '../fields.ts'
import type { Strategy } from '../strategy.ts'
import { declaredImmutable } from '../validation/common.ts'
import { qualifiedName } from '../validation/names.ts'

const RECLAIM_POLICIES = ['Delete', 'Retain']
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer']
const IMMUTABLE_FIELDS = ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode']
const MAX_PARAMETERS = 512
const MAX_PARAMETERS_SIZE = 256 * 1024

/** StorageClasses (`pkg/registry/storage/storageclass/strategy.go`). */
export const storageClass: Strategy = {
  validate: validateClass,
  validateUpdate(object, current) {
    const changed = IMMUTABLE_FIELDS.flatMap((name) => declaredImmutable(name, object[name], current[name]))
    return [...validateClass(object), ...changed]
  },
}

function validateClass(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const provisioner = stringAt(object, 'provisioner')
  if (provisioner === '') errors.push(required('provisioner', ''))
  else errors.push(...qualifiedName('provisioner', provisioner.toLowerCase()))
  errors.push(...validateParameters(object))
  const reclaim = stringAt(object, 'reclaimPolicy')
  if (reclaim !== '' && !RECLAIM_POLICIES.includes(reclaim))
    errors.push(notSupported('reclaimPolicy', reclaim, RECLAIM_POLICIES))
  const mode = stringAt(object, 'volumeBindingMode')
  if (!isSet(object, 'volumeBindingMode')) errors.push(required('volumeBindingMode', ''))
  else if (!BINDING_MODES.includes(mode)) errors.push(notSupported('volumeBindingMode', mode, BINDING_MODES))
  return [...errors, ...validateTopologies(object)]
}

function validateParameters(object: KubeObject): FieldError[] {
  const parameters = Object.entries(mapAt(object, 'parameters'))
  if (parameters.length > MAX_PARAMETERS) return [tooLong('parameters', MAX_PARAMETERS)]
  const errors = parameters
    .filter(([key]) => key === '')
    .map(([key]) => invalid('parameters', key, 'field can not be empty.'))
  const size = parameters.reduce((sum, [key, value]) => sum + utf8Length(key) + utf8Length(value), 0)
  if (size > MAX_PARAMETERS_SIZE) errors.push(tooLong('parameters', MAX_PARAMETERS_SIZE))
  return errors
}

function validateTopologies(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const seen: unknown[] = []
  for (const [i, term] of listAt(object, 'allowedTopologies').entries()) {
    const keys = listAt(term, 'matchLabelExpressions').map((expression) => stringAt(expression, 'key'))
    keys.forEach((key, j) => {
      if (keys.indexOf(key) < j) {
        errors.push(duplicate(`allowedTopologies[${i}].matchLabelExpressions[${j}].key`, key))
      }
    })
    const sets = termSets(term)
    // Empty terms are refused too: they are compared with what is not there yet.
    if (keys.length === 0 || seen.some((other) => semanticEqual(other, sets))) {
      errors.push(duplicate(`allowedTopologies[${i}].matchLabelExpressions`, ''))
    }
    seen.push(sets)
    for (const [j, expression] of listAt(term, 'matchLabelExpressions').entries()) {
      const path = `allowedTopologies[${i}].matchLabelExpressions[${j}]`
      const key = stringAt(expression, 'key')
      errors.push(...isLabelKey(key).map((text) => invalid(`${path}.key`, key, text)))
      const values = stringsAt(expression, 'values')
      if (values.length === 0) errors.push(required(`${path}.values`, ''))
      values.forEach((value, k) => {
        if (values.indexOf(value) < k) errors.push(duplicate(`${path}.values[${k}]`, value))
      })
    }
  }
  return errors
}

/** Values by key, in no order. */
function termSets(term: Fields): unknown {
  const entries = listAt(term, 'matchLabelExpressions').map((expression) => {
    const values = [...new Set(stringsAt(expression, 'values'))].sort()
    return [stringAt(expression, 'key'), values] as const
  })
  return Object.fromEntries(entries)
}
