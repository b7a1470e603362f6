import { newForbidden, type KubeObject, type StatusError } from '@freshread/core'
import { emptyGoType } from '../decode/decode-object.ts'
import { assign, fieldsAt, semanticEqual, type Fields } from '../fields.ts'
import type { Strategy, StrategyContext } from '../strategy.ts'

/** Whether the desired state differs: what most kinds count generations of. */
export function specChanged(object: KubeObject, current: KubeObject): boolean {
  return !semanticEqual(object['spec'], current['spec'])
}

export function specOf(object: object): Fields {
  return fieldsAt(object, 'spec') ?? {}
}

export function statusOf(object: object): Fields {
  return fieldsAt(object, 'status') ?? {}
}

export function metaOf(object: KubeObject): Fields {
  return object.metadata as Fields
}

/** Puts a kind's untouched status in place of whatever a create says. */
export function resetStatus(goType: string): (object: KubeObject) => void {
  let empty: Fields | undefined
  return (object) => {
    object['status'] = structuredClone((empty ??= emptyGoType(goType)))
  }
}

/** Metadata that a write to a subresource leaves as it is (`metav1.ResetObjectMetaForStatus` keeps all of these). */
export function keepMeta(object: KubeObject, current: KubeObject, names: readonly string[]): void {
  for (const name of names) assign(object.metadata, name, structuredClone((current.metadata as Fields)[name]))
}

export const META_FOR_STATUS: readonly string[] = [
  'generation',
  'selfLink',
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
]

/** The object itself is written, not one of its subresources. */
export function isMain(context: StrategyContext): boolean {
  return context.subresource === ''
}

/** What admission answers when it refuses (`pkg/admission/errors.go: NewForbidden`). */
export function admissionForbidden(group: string, resource: string, object: KubeObject, text: string): StatusError {
  const name = object.metadata.name || object.metadata.generateName || 'Unknown/errors'
  return newForbidden({ group, resource }, name, text)
}

/** Selectable fields of a kind; the names under which they can be asked for are the same. */
export function selectable(
  fields: (object: KubeObject) => Readonly<Record<string, string>>,
  names: readonly string[],
): Pick<Strategy, 'fields' | 'fieldLabels'> {
  return { fields, fieldLabels: Object.fromEntries(names.map((name) => [name, name])) }
}
