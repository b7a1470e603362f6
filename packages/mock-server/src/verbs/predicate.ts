import { defaultFieldLabelConversion, SelectionPredicate, type RequestListOptions } from '@freshread/core'
import type { Resource } from '../resources/resource.ts'
import { keyOf, keyRootOf } from '../resources/storage-key.ts'
import { attributesOf, indexedFields } from '../resources/selectable-attributes.ts'
import { isDNSLabel, isPathSegmentName } from '../resources/validation/names.ts'

/** Turns field labels of requests into those of {@link attributesOf}, or throws with the kind's text. */
export function fieldLabelConversion(resource: Resource): (label: string, value: string) => readonly [string, string] {
  const labels = resource.strategy.fieldLabels
  if (labels === undefined) return defaultFieldLabelConversion
  return (label, value) => {
    if (label === 'metadata.name' || label === 'metadata.namespace') return [label, value]
    const field = Object.hasOwn(labels, label) ? labels[label] : undefined
    if (field === undefined)
      throw new Error(resource.strategy.fieldLabelError?.(label) ?? `field label not supported: ${label}`)
    return [field, value]
  }
}

/** The predicate of a list or watch. */
export function predicateOf(resource: Resource, options: RequestListOptions): SelectionPredicate {
  return new SelectionPredicate({
    label: options.labelSelector,
    field: options.fieldSelector,
    getAttributes: attributesOf(resource),
    indexFields: indexedFields(resource),
  })
}

/** Where to look for what a predicate selects (`pkg/registry/generic/registry/store.go: ListPredicate, WatchPredicate`). */
export function rangeOf(
  resource: Resource,
  requestNamespace: string,
  predicate: SelectionPredicate,
): { readonly key: string; readonly recursive: boolean; readonly namespace: string } {
  let namespace = requestNamespace
  if (namespace === '' && resource.namespaced) {
    const single = predicate.matchesSingleNamespace()
    if (single !== undefined && isDNSLabel(single).length === 0) namespace = single
  }
  const name = predicate.matchesSingle()
  if (
    name !== undefined &&
    name !== '' &&
    isPathSegmentName(name).length === 0 &&
    (!resource.namespaced || namespace !== '')
  ) {
    return { key: keyOf(resource, namespace, name), recursive: false, namespace }
  }
  return { key: keyRootOf(resource, namespace), recursive: true, namespace }
}
