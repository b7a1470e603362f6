import { invalid, isNotFound, newInvalid, type ListResult, type StoredObject } from '@freshread/core'
import { deleteOptions, type DeleteOptions } from './delete-options.ts'
import { deleteObject, warnOfDependents } from './delete.ts'
import { requestListOptions } from './list-options.ts'
import { listObjects } from './list.ts'
import type { RequestScope, VerbResult } from './scope.ts'

const PAGE_SIZE = 10_000

/**
 * Deletes what a list finds, page by page, and answers that list (`pkg/registry/generic/registry/store.go:
 * DeleteCollection`). What vanishes meanwhile counts as deleted.
 */
export async function deleteCollection(scope: RequestScope): Promise<VerbResult> {
  let options = requestListOptions(scope)
  const deletion = deleteOptions(scope)
  if (deletion.ignoreStoreReadError) {
    const field = 'ignoreStoreReadErrorWithClusterBreakingPotential'
    const error = invalid(field, true, 'is not allowed with DELETECOLLECTION, try again after removing the option')
    throw newInvalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', [error])
  }
  warnOfDependents(scope, deletion)
  const hasLimit = options.limit > 0
  if (options.limit === 0) options = { ...options, limit: PAGE_SIZE }
  const items: StoredObject[] = []
  let first: ListResult | undefined
  for (;;) {
    const list = await listObjects(scope, options)
    first ??= list
    for (const item of list.items) await deleteItem(scope, item, deletion)
    if (hasLimit) return { type: 'list', list }
    items.push(...list.items)
    if (list.continue === '') break
    options = { ...options, continue: list.continue, resourceVersion: '', resourceVersionMatch: '' }
  }
  return { type: 'list', list: { ...first, items } }
}

async function deleteItem(scope: RequestScope, item: StoredObject, options: DeleteOptions): Promise<void> {
  const { name = '', namespace = '' } = item.object.metadata
  try {
    await deleteObject({ ...scope, namespace, name }, name, {
      ...options,
      preconditions: options.preconditions && { ...options.preconditions },
    })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
