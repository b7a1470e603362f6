import {
  invalid,
  isLabelKey,
  notSupported,
  required,
  tooLong,
  utf8Length,
  type FieldError,
  type KubeObject,
} from '@freshread/core'
import { listAt, mapAt, stringAt, stringsAt } from '../fields.ts'
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
  if (mode === '') errors.push(required('volumeBindingMode', ''))
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
  for (const [i, term] of listAt(object, 'allowedTopologies').entries()) {
    for (const [j, expression] of listAt(term, 'matchLabelExpressions').entries()) {
      const path = `allowedTopologies[${i}].matchLabelExpressions[${j}]`
      const key = stringAt(expression, 'key')
      errors.push(...isLabelKey(key).map((text) => invalid(`${path}.key`, key, text)))
      if (stringsAt(expression, 'values').length === 0) errors.push(required(`${path}.values`, ''))
    }
  }
  return errors
}
