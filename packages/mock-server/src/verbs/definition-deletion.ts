import { withCondition } from '../resources/crd/definition/conditions.ts'
import type { CustomResourceDefinition } from '../resources/crd/types.ts'
import { timestamp } from '../resources/system-fields.ts'
import type { Deletion } from './delete-object.ts'
import type { DeleteOptions } from './delete-options.ts'
import type { RequestScope } from './scope.ts'
import { deleteInTwoSteps } from './two-step-deletion.ts'

/** Holds a definition until all its objects are gone. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io'

/** Deletes a definition (`pkg/registry/customresourcedefinition: REST.Delete`): it goes when its objects have gone. */
export function deleteDefinition(scope: RequestScope, name: string, options: DeleteOptions): Promise<Deletion> {
  return deleteInTwoSteps(scope, name, options, {
    failed: 'precondition failed',
    terminating: (object) => terminating(object, timestamp(scope.host.clock)),
  })
}

function terminating(crd: CustomResourceDefinition, now: string): CustomResourceDefinition {
  const { metadata } = crd
  metadata.deletionTimestamp ??= now
  const finalizers = metadata.finalizers ?? []
  if (!finalizers.includes(cleanupFinalizer)) metadata.finalizers = [...finalizers, cleanupFinalizer]
  return withCondition(
    crd,
    {
      type: 'Terminating',
      status: 'True',
      reason: 'InstanceDeletionPending',
      message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    },
    now,
  )
}
