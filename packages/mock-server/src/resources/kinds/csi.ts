import type { KubeObject } from '@freshread/core'
import { isSet, listAt, semanticEqual } from '../fields.ts'
import type { Strategy } from '../strategy.ts'
import { declaredImmutable, immutable } from '../validation/common.ts'
import { specChanged, specOf } from './common.ts'

const TOKENS_IN_SECRETS =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible ' +
  'logging of tokens in volume attributes'

/** CSIDrivers (`pkg/registry/storage/csidriver/strategy.go`). */
export const csiDriver: Strategy = {
  allowUnconditionalUpdate: false,
  // New ones have no generation; it is counted from their first change.
  prepareForUpdate(object, current) {
    if (specChanged(object, current)) object.metadata.generation = (current.metadata.generation ?? 0) + 1
  },
  validateUpdate(object, current) {
    const [spec, before] = [specOf(object), specOf(current)]
    return [
      // The field is told by another name than it has.
      ...immutable('spec.attachedRequired', spec['attachRequired'], before['attachRequired']),
      ...immutable('spec.volumeLifecycleModes', spec['volumeLifecycleModes'], before['volumeLifecycleModes']),
    ]
  },
  warnings(object, current) {
    const requests = (of: KubeObject | undefined): unknown =>
      of === undefined ? undefined : specOf(of)['tokenRequests']
    const spec = specOf(object)
    if (listAt(spec, 'tokenRequests').length === 0 || isSet(spec, 'serviceAccountTokenInSecrets')) return []
    return semanticEqual(requests(object), requests(current)) ? [] : [TOKENS_IN_SECRETS]
  },
}

/** VolumeAttachments, of which only the status changes. */
export const volumeAttachment: Strategy = {
  allowUnconditionalUpdate: false,
  prepareForCreate(object) {
    object['status'] = { attached: false }
  },
  validateUpdate: (object, current, context) =>
    context.subresource === '' ? declaredImmutable('spec', object['spec'], current['spec']) : [],
}
