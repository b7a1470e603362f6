import { interpretGetError } from '@freshread/core'
import { firstValue } from '../api/query.ts'
import { keyOf } from '../resources/storage-key.ts'
import type { RequestScope, VerbResult } from './scope.ts'

/** Reads one object (`pkg/endpoints/handlers/get.go: GetResource`). */
export async function get(scope: RequestScope): Promise<VerbResult> {
  const { resource, namespace, name, trace, signal } = scope
  const resourceVersion = firstValue(scope.query, 'resourceVersion') ?? ''
  try {
    const object = await scope.host
      .storageOf(resource)
      .get(keyOf(resource, namespace, name), { resourceVersion, trace, signal })
    return { type: 'object', code: 200, object }
  } catch (error) {
    throw interpretGetError(error, resource, name)
  }
}
