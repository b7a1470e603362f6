import { newConflict, newInternalError, type KubeObject } from '@freshread/core'
import { formatTime, timestamp } from '../resources/system-fields.ts'
import type { DeleteOptions } from './delete-options.ts'
import type { RequestScope } from './scope.ts'

/** What becomes of an object that is to be deleted. */
export interface DeletionPlan {
  /** It stays, with the deletionTimestamp that was just set, until someone deletes it for good. */
  readonly graceful: boolean
  /** Its graceful deletion is under way already, and this request does not shorten it. */
  readonly pending: boolean
}

const AT_ONCE: DeletionPlan = { graceful: false, pending: false }

/**
 * Prepares the deletion of an object (`pkg/registry/rest/delete.go: BeforeDelete`). May change `object` (deletion
 * times, generation) and sets the grace period in `options`. Throws the 409 for preconditions that do not hold.
 */
export function beforeDelete(scope: RequestScope, object: KubeObject, options: DeleteOptions): DeletionPlan {
  const { resource, host } = scope
  const meta = object.metadata
  checkPreconditions(scope, object, options)
  if (options.gracePeriodSeconds !== undefined && options.gracePeriodSeconds < 0) options.gracePeriodSeconds = 1
  if (meta.deletionGracePeriodSeconds !== undefined && meta.deletionGracePeriodSeconds < 0)
    meta.deletionGracePeriodSeconds = 1

  const check = resource.strategy.checkGracefulDelete
  if (check === undefined) return AT_ONCE
  if (meta.deletionTimestamp != null) return shorten(scope, object, options)

  const { gracePeriodSeconds } = check(object, options.gracePeriodSeconds)
  if (!Number.isFinite(gracePeriodSeconds)) throw newInternalError('options.GracePeriodSeconds should not be nil')
  options.gracePeriodSeconds = gracePeriodSeconds
  meta.deletionTimestamp = timestamp(host.clock, gracePeriodSeconds)
  meta.deletionGracePeriodSeconds = gracePeriodSeconds
  if ((meta.generation ?? 0) > 0) meta.generation = meta.generation! + 1
  return { graceful: true, pending: false }
}

/** An object on its way out can only be hurried. */
function shorten(scope: RequestScope, object: KubeObject, options: DeleteOptions): DeletionPlan {
  const meta = object.metadata
  const current = meta.deletionGracePeriodSeconds ?? 0
  if (current === 0) return AT_ONCE
  if (options.gracePeriodSeconds === undefined) {
    options.gracePeriodSeconds = current
    return { graceful: false, pending: true }
  }
  let period = options.gracePeriodSeconds
  if (period >= current) return { graceful: false, pending: true }
  const now = scope.host.clock.now()
  let at = Date.parse(meta.deletionTimestamp!) + (period - current) * 1000
  if (at < now) {
    at = now
    // A grace that is over already still leaves the last word to whoever ends the object.
    if (period !== 0) period = 1
  }
  meta.deletionTimestamp = formatTime(at)
  meta.deletionGracePeriodSeconds = period
  return { graceful: true, pending: false }
}

/** Throws the 409 for an object that is not the one a deletion means. */
export function checkPreconditions(
  scope: RequestScope,
  object: KubeObject,
  { preconditions }: Pick<DeleteOptions, 'preconditions'>,
): void {
  if (preconditions === undefined) return
  const { uid = '', resourceVersion = '', name = '' } = object.metadata
  // The kind stands where the resource should: that is how upstream tells it.
  const gr = { group: scope.resource.group, resource: scope.resource.kind }
  if (preconditions.uid !== undefined && preconditions.uid !== uid) {
    throw newConflict(
      gr,
      name,
      `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    )
  }
  if (preconditions.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    throw newConflict(
      gr,
      name,
      `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    )
  }
}
