import { goJSON, type KubeObject } from '@freshread/core'
import { compareTyped } from './compare.ts'
import type { FieldSet } from './field-set.ts'
import { toFieldSet } from './to-field-set.ts'
import { validateTyped } from './validate-typed.ts'
import type { Versioned } from './updater.ts'

/** Where `kubectl apply` keeps what it applied last (`pkg/util/managedfields/internal/lastapplied.go`). */
const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration'

/** All annotations of an object together may have this many bytes (`pkg/api/validation: TotalAnnotationSizeLimitB`). */
const totalAnnotationSizeLimit = 256 * 1024

/** The configuration that client-side apply left behind, if any. */
export function lastAppliedOf(object: KubeObject): string | undefined {
  return object.metadata.annotations?.[lastAppliedAnnotation] || undefined
}

/**
 * What kubectl's server-side apply may take without conflict from the managers of an object that was applied
 * client-side before: the fields that still are as they were applied (`lastAppliedManager`). `undefined` when
 * that is not to be known.
 */
export function allowedConflicts(live: Versioned, lastApplied: string): FieldSet | undefined {
  try {
    const config = JSON.parse(lastApplied) as KubeObject
    if (config.apiVersion !== live.apiVersion) return undefined
    validateTyped(config, live.atom, false)
    const { changed, removed } = compareTyped(config, live.value, live.atom)
    return toFieldSet(config, live.atom).difference(changed).difference(removed)
  } catch {
    return undefined
  }
}

/**
 * The object with the annotation brought up to what was applied (`lastAppliedUpdater`), so that client-side
 * apply can be used again afterwards. Annotations that grow too large lose it.
 */
export function withLastApplied(object: KubeObject, applied: KubeObject): KubeObject {
  const { [lastAppliedAnnotation]: _, ...annotations } = applied.metadata?.annotations ?? {}
  const metadata = { ...applied.metadata, annotations }
  if (Object.keys(annotations).length === 0) delete (metadata as Partial<typeof metadata>).annotations
  // As Go writes objects: keys in order, and a line break at the end.
  const text = `${goJSON(sorted({ ...applied, metadata }))}\n`
  const all: Record<string, string> = { ...object.metadata.annotations, [lastAppliedAnnotation]: text }
  let size = 0
  for (const name in all) size += byteLength(name) + byteLength(all[name]!)
  if (size > totalAnnotationSizeLimit) delete all[lastAppliedAnnotation]
  return { ...object, metadata: { ...object.metadata, annotations: all } }
}

const encoder = new TextEncoder()

function byteLength(text: string): number {
  return encoder.encode(text).length
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  )
}
