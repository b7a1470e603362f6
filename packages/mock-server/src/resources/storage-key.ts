import type { Resource } from './resource.ts'

/** Storage key of an object (`pkg/registry/generic/registry/store.go: NamespaceKeyFunc`). */
export function keyOf(resource: Resource, namespace: string, name: string): string {
  return resource.namespaced ? `${resource.storagePrefix}/${namespace}/${name}` : `${resource.storagePrefix}/${name}`
}

/** Key that all objects of a namespace, or of the whole resource, lie under. */
export function keyRootOf(resource: Resource, namespace: string): string {
  return resource.namespaced && namespace !== '' ? `${resource.storagePrefix}/${namespace}` : resource.storagePrefix
}
