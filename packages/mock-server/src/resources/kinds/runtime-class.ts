import { duplicate, required, type FieldError, type KubeObject } from '@freshread/core'
import { internalValue } from '../decode/internal-value.ts'
import { fieldsAt, listAt, mapAt, stringAt } from '../fields.ts'
import type { Strategy } from '../strategy.ts'
import { declaredImmutable } from '../validation/common.ts'
import { validateResourceRequirements } from '../validation/container-resources.ts'
import { validateLabels } from '../validation/labels.ts'
import { checked, isDNSLabel } from '../validation/names.ts'
import { validateTolerations } from '../validation/scheduling.ts'

/** RuntimeClasses (`pkg/registry/node/runtimeclass/strategy.go`). */
export const runtimeClass: Strategy = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  validate: validateClass,
  validateUpdate(object, current) {
    const changed = declaredImmutable('handler', object['handler'], current['handler'])
    return [...changed, ...validateClass(object)]
  },
}

function validateClass(object: KubeObject): FieldError[] {
  const handler = stringAt(object, 'handler')
  const errors = handler === '' ? [required('handler', '')] : checked('handler', handler, isDNSLabel)
  const overhead = fieldsAt(object, 'overhead')
  if (overhead !== undefined)
    errors.push(...validateResourceRequirements('overhead', { limits: mapAt(overhead, 'podFixed') }, []))
  const scheduling = fieldsAt(object, 'scheduling')
  if (scheduling === undefined) return errors
  errors.push(...validateLabels('scheduling.nodeSelector', mapAt(scheduling, 'nodeSelector')))
  const tolerations = listAt(scheduling, 'tolerations')
  errors.push(...validateTolerations('scheduling.tolerations', tolerations))
  const keys = tolerations.map((entry) =>
    ['key', 'operator', 'value', 'effect'].map((name) => stringAt(entry, name)).join(' '),
  )
  tolerations.forEach((entry, i) => {
    if (keys.indexOf(keys[i]!) < i)
      errors.push(duplicate(`scheduling.tolerations[${i}]`, internalValue('core.Toleration', entry)))
  })
  return errors
}
