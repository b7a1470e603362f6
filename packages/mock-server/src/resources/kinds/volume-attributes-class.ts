import { forbidden, type KubeObject } from '@freshread/core'
import { mapAt, semanticEqual, stringAt } from '../fields.ts'
import type { Strategy } from '../strategy.ts'

const PROTECTION = 'kubernetes.io/vac-protection'

/** VolumeAttributesClasses, of which nothing but the metadata changes. */
export const volumeAttributesClass: Strategy = {
  admit(object, current) {
    if (current !== undefined) return
    const finalizers = object.metadata.finalizers ?? []
    if (!finalizers.includes(PROTECTION)) object.metadata.finalizers = [...finalizers, PROTECTION]
  },
  validateUpdate: (object, current) => [
    ...(stringAt(object, 'driverName') === stringAt(current, 'driverName') ? [] : [frozen('driverName')]),
    ...(semanticEqual(parameters(object), parameters(current)) ? [] : [frozen('parameters')]),
  ],
}

function parameters(object: KubeObject): Readonly<Record<string, string>> {
  return mapAt(object, 'parameters')
}

function frozen(name: string): ReturnType<typeof forbidden> {
  return forbidden(name, `updates to ${name} are forbidden.`)
}
