import type { KubeObject } from '../meta/types.ts'

/**
 * The object as it is stored: without resourceVersion and selfLink, which say where it lies and not what it
 * is (`pkg/storage/api_object_versioner.go: PrepareObjectForStorage`). Copies only what it must.
 */
export function prepareObjectForStorage<T extends KubeObject>(object: T): T {
  const { metadata } = object
  if (!('resourceVersion' in metadata) && !('selfLink' in metadata)) return object
  const { resourceVersion: _rv, selfLink: _selfLink, ...rest } = metadata
  return { ...object, metadata: rest }
}

/**
 * Whether two objects are stored as the same thing: equal JSON, whatever the order of keys, resource versions
 * and self links aside. Parts that are shared cost nothing.
 */
export function sameStoredForm(a: KubeObject, b: KubeObject): boolean {
  return a === b || sameKeys(a, b, (key) => sameValue(a[key], b[key], key === 'metadata'))
}

function sameValue(a: unknown, b: unknown, metadata: boolean): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    return a.every((value, i) => sameValue(value, b[i], false))
  }
  const x = a as Record<string, unknown>
  const y = b as Record<string, unknown>
  return sameKeys(x, y, (key) => {
    return (metadata && (key === 'resourceVersion' || key === 'selfLink')) || sameValue(x[key], y[key], false)
  })
}

/** Compares under every key that either has; one that is undefined is not there. */
function sameKeys(a: object, b: object, same: (key: string) => boolean): boolean {
  for (const key in a) if (!same(key)) return false
  for (const key in b) if (!(key in a) && !same(key)) return false
  return true
}
