import type { KubeObject } from '@freshread/core'
import type { Resource } from '../resources/resource.ts'
import type { DeleteOptions } from './delete-options.ts'

/** Holds an object until the garbage collector has taken its dependents' references to it. */
export const ORPHAN = 'orphan'
/** Holds an object until the garbage collector has deleted its dependents. */
export const FOREGROUND = 'foregroundDeletion'

/** Resources that the garbage collector does not deal with (`rest.Unsupported`). */
const NOT_COLLECTED: ReadonlySet<string> = new Set(['/events'])

/**
 * The finalizers that hold an object until the garbage collector has dealt with what it owns, by propagation policy
 * (`deletionFinalizersForGarbageCollection`); `undefined` when they stay as they are.
 */
export function garbageCollectionFinalizers(
  resource: Resource,
  object: KubeObject,
  options: DeleteOptions,
): string[] | undefined {
  const current = object.metadata.finalizers ?? []
  const wanted = current.filter((finalizer) => finalizer !== ORPHAN && finalizer !== FOREGROUND)
  if (!NOT_COLLECTED.has(resource.storageKey)) {
    if (shouldOrphan(resource, current, options)) wanted.push(ORPHAN)
    if (shouldDeleteInForeground(current, options)) wanted.push(FOREGROUND)
  }
  const before = new Set(current)
  const after = new Set(wanted)
  return before.size === after.size && [...before].every((finalizer) => after.has(finalizer)) ? undefined : wanted
}

function shouldOrphan(resource: Resource, current: readonly string[], options: DeleteOptions): boolean {
  if (options.orphanDependents !== undefined) return options.orphanDependents
  if (options.propagationPolicy !== undefined) return options.propagationPolicy === 'Orphan'
  const first = current.find((finalizer) => finalizer === ORPHAN || finalizer === FOREGROUND)
  if (first !== undefined) return first === ORPHAN
  return resource.strategy.defaultPropagation === 'Orphan'
}

function shouldDeleteInForeground(current: readonly string[], options: DeleteOptions): boolean {
  if (options.orphanDependents !== undefined) return false
  if (options.propagationPolicy !== undefined) return options.propagationPolicy === 'Foreground'
  return current.find((finalizer) => finalizer === ORPHAN || finalizer === FOREGROUND) === FOREGROUND
}
