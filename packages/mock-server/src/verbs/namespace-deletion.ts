import { timestamp } from '../resources/system-fields.ts'
import { admitDelete } from './admission/namespace-lifecycle.ts'
import type { Deletion } from './delete-object.ts'
import type { DeleteOptions } from './delete-options.ts'
import { FOREGROUND, ORPHAN } from './garbage-collection.ts'
import type { RequestScope } from './scope.ts'
import { deleteInTwoSteps } from './two-step-deletion.ts'

/**
 * Deletes a namespace (`pkg/registry/core/namespace/storage: REST.Delete`): it goes when whoever empties it has taken
 * its `spec.finalizers`.
 */
export function deleteNamespace(scope: RequestScope, name: string, options: DeleteOptions): Promise<Deletion> {
  return deleteInTwoSteps(scope, name, options, {
    failed: 'Precondition failed',
    terminating: (object) => {
      admitDelete(scope, name)
      object.metadata.deletionTimestamp ??= timestamp(scope.host.clock)
      object['status'] = { ...(object['status'] as object | undefined), phase: 'Terminating' }
      const finalizers = new Set(object.metadata.finalizers)
      setMember(finalizers, ORPHAN, wants(options, finalizers.has(ORPHAN), true, 'Orphan'))
      setMember(finalizers, FOREGROUND, wants(options, finalizers.has(FOREGROUND), false, 'Foreground'))
      if (finalizers.size > 0) object.metadata.finalizers = [...finalizers]
      else delete object.metadata.finalizers
      return object
    },
    stays: (object) => {
      const { finalizers } = object['spec'] as { finalizers?: readonly string[] }
      return (finalizers?.length ?? 0) > 0
    },
  })
}

function wants(options: DeleteOptions, has: boolean, orphanValue: boolean, policy: string): boolean {
  if (options.orphanDependents !== undefined) return options.orphanDependents === orphanValue
  if (options.propagationPolicy !== undefined) return options.propagationPolicy === policy
  return has
}

function setMember(set: Set<string>, member: string, wanted: boolean): void {
  if (wanted) set.add(member)
  else set.delete(member)
}
