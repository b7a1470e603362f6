import type { GetAttributes, KubeObject } from '@freshread/core'
import type { Resource } from './resource.ts'

/** Fields that an index is kept for (`pkg/registry/core/pod/storage`, `pkg/registry/resource/resourceslice/storage`). */
const INDEXED: Readonly<Record<string, readonly string[]>> = {
  '/pods': ['spec.nodeName'],
  'resource.k8s.io/resourceslices': ['spec.nodeName'],
}

/** Fields of a resource that have an index, and that its watchers are grouped by. */
export function indexedFields(resource: Resource): readonly string[] {
  return INDEXED[resource.storageKey] ?? []
}

const attributes = new Map<string, GetAttributes>()

/** Reads the labels and selectable fields of a resource's objects. */
export function attributesOf(resource: Resource): GetAttributes {
  // Kinds of CustomResourceDefinitions can change their fields: those are made anew with each resource.
  const known = resource.builtIn ? attributes.get(resource.storageKey) : undefined
  if (known !== undefined) return known
  const { namespaced, strategy } = resource
  const own = strategy.fields
  const made: GetAttributes = (object: KubeObject) => {
    const { labels, name = '', namespace = '' } = object.metadata
    const fields: Record<string, string> = { 'metadata.name': name }
    if (namespaced) fields['metadata.namespace'] = namespace
    return { labels, fields: own === undefined ? fields : { ...own(object), ...fields } }
  }
  if (resource.builtIn) attributes.set(resource.storageKey, made)
  return made
}
