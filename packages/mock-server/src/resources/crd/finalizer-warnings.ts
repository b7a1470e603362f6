import { isLabelKey, type KubeObject } from '@freshread/core'
import { compareUtf8 } from '../../go/text.ts'

const standardFinalizers = new Set(['orphan', 'foregroundDeletion', 'kubernetes'])

/** Warnings about finalizers that an object gets, and that have no domain of their own (`pkg/registry/customresource: validator.go`). */
export function finalizerWarnings(object: KubeObject, current: KubeObject | undefined): string[] {
  const old = new Set(current?.metadata.finalizers)
  const added = [...new Set(object.metadata.finalizers ?? [])]
    .filter((finalizer) => !old.has(finalizer))
    .sort(compareUtf8)
  return added.flatMap((finalizer) => {
    const where = `metadata.finalizers: ${JSON.stringify(finalizer)}:`
    const warnings = isLabelKey(finalizer).map((message) => `${where} ${message}`)
    if (!finalizer.includes('/') && !standardFinalizers.has(finalizer)) {
      const name = finalizer.includes('.') ? 'name including a path (/)' : 'name'
      warnings.push(
        `${where} prefer a domain-qualified finalizer ${name} to avoid accidental conflicts with other finalizer writers`,
      )
    }
    return warnings
  })
}
