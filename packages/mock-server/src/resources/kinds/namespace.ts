import { invalid, isLabelKey, type FieldError, type KubeObject } from '@freshread/core'
import { assign, ensureFields, stringAt, stringsAt } from '../fields.ts'
import type { Strategy } from '../strategy.ts'
import { isDNSLabel } from '../validation/names.ts'
import { isMain, selectable, specOf, statusOf } from './common.ts'

const KUBERNETES = 'kubernetes'
const STANDARD_FINALIZERS = [KUBERNETES, 'orphan', 'foregroundDeletion']

/** Namespaces (`pkg/registry/core/namespace/strategy.go`). */
export const namespace: Strategy = {
  validateName: isDNSLabel,
  prepareForCreate(object) {
    object['status'] = { phase: 'Active' }
    const spec = ensureFields(object, 'spec')
    const finalizers = stringsAt(spec, 'finalizers')
    if (!finalizers.includes(KUBERNETES)) spec['finalizers'] = [...finalizers, KUBERNETES]
    // Defaulting could not know a generated name.
    object.metadata.labels = { ...object.metadata.labels, 'kubernetes.io/metadata.name': object.metadata.name ?? '' }
  },
  prepareForUpdate(object, current, context) {
    if (context.subresource === 'finalize') {
      object['status'] = structuredClone(current['status'])
      return
    }
    if (isMain(context))
      assign(ensureFields(object, 'spec'), 'finalizers', structuredClone(specOf(current)['finalizers']))
  },
  validate: (object) => validateFinalizers(object, () => 'spec.finalizers'),
  validateUpdate(object, _current, context) {
    if (context.subresource === 'status') return validateStatus(object)
    if (context.subresource === 'finalize') return validateFinalizers(object, (i) => `spec.finalizers[${i}]`)
    return validateFinalizers(object, () => 'spec.finalizers')
  },
  ...selectable((object) => ({ 'status.phase': stringAt(statusOf(object), 'phase') }), ['status.phase']),
}

function validateFinalizers(object: KubeObject, pathOf: (index: number) => string): FieldError[] {
  return stringsAt(specOf(object), 'finalizers').flatMap((finalizer, i) => {
    const errors = isLabelKey(finalizer).map((text) => invalid(pathOf(i), finalizer, text))
    if (!finalizer.includes('/') && !STANDARD_FINALIZERS.includes(finalizer)) {
      const text = 'name is neither a standard finalizer name nor is it fully qualified'
      errors.push(invalid(pathOf(i), finalizer, text))
    }
    return errors
  })
}

function validateStatus(object: KubeObject): FieldError[] {
  const phase = stringAt(statusOf(object), 'phase')
  const deleting = object.metadata.deletionTimestamp != null
  const wanted = deleting ? 'Terminating' : 'Active'
  if (phase === wanted) return []
  const when = deleting ? 'is not empty' : 'is empty'
  return [invalid('status.Phase', phase, `may only be '${wanted}' if \`deletionTimestamp\` ${when}`)]
}
