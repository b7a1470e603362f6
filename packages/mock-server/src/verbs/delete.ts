import { StoredObject, type KubeObject, type Status } from '@freshread/core'
import { deleteDefinition } from './definition-deletion.ts'
import { ANSWERS_DELETED } from '../resources/answers-deleted.ts'
import type { Resource } from '../resources/resource.ts'
import { deleteFromStore, type Deletion } from './delete-object.ts'
import { deleteOptions, type DeleteOptions } from './delete-options.ts'
import { deleteNamespace } from './namespace-deletion.ts'
import type { RequestScope, VerbResult } from './scope.ts'

/** Resources that answer it, too, though OpenAPI tells of a Status. */
const ANSWERS_UNTOLD: ReadonlySet<string> = new Set(['/namespaces', 'resource.k8s.io/devicetaintrules'])

/** Deletes an object (`pkg/endpoints/handlers/delete.go: DeleteResource`). */
export async function remove(scope: RequestScope): Promise<VerbResult> {
  const options = deleteOptions(scope)
  warnOfDependents(scope, options)
  const deletion = await deleteObject(scope, scope.name, options)
  const code = !deletion.deleted && options.orphanDependents === false ? 202 : 200
  return deletionResult(scope.resource, deletion, code)
}

/** Warns where nothing is said of dependents and the kind has something to say of that. */
export function warnOfDependents(scope: RequestScope, { propagationPolicy, orphanDependents }: DeleteOptions): void {
  if (propagationPolicy !== undefined || orphanDependents !== undefined) return
  for (const text of scope.resource.strategy.deleteWarnings ?? []) scope.warnings.add(text)
}

function deletionResult(resource: Resource, { object, showObject }: Deletion, code: number): VerbResult {
  const key = resource.storageKey
  if (!showObject && !ANSWERS_DELETED.has(key) && !ANSWERS_UNTOLD.has(key)) {
    const plain = object instanceof StoredObject ? object.object : object
    return { type: 'status', code, status: deletedStatus(resource, plain) }
  }
  if (object instanceof StoredObject) return { type: 'object', code, object }
  return { type: 'value', code, object: resource.fromStorage(object) }
}

function deletedStatus(resource: Resource, object: KubeObject): Status {
  const { name, uid } = object.metadata
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      ...(name !== undefined && { name }),
      ...(resource.group !== '' && { group: resource.group }),
      kind: resource.resource,
      ...(uid !== undefined && { uid }),
    },
  }
}

/** Deletes one object, in the way of its kind. */
export function deleteObject(scope: RequestScope, name: string, options: DeleteOptions): Promise<Deletion> {
  const { group, resource } = scope.resource
  if (group === '' && resource === 'namespaces') return deleteNamespace(scope, name, options)
  if (group === 'apiextensions.k8s.io' && resource === 'customresourcedefinitions')
    return deleteDefinition(scope, name, options)
  return deleteFromStore(scope, name, options)
}
