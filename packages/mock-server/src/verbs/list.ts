import { interpretListError, newMethodNotSupported, type RequestListOptions } from '@freshread/core'
import { requestListOptions } from './list-options.ts'
import { predicateOf, rangeOf } from './predicate.ts'
import type { RequestScope, VerbResult } from './scope.ts'
import { watch } from './watch.ts'

/** Reads a collection (`pkg/endpoints/handlers/get.go: ListResource`); with `watch=true` it is watched instead. */
export async function list(scope: RequestScope): Promise<VerbResult> {
  const options = requestListOptions(scope)
  if (options.watch || scope.watchPath) {
    if (!scope.resource.verbs.includes('watch')) throw newMethodNotSupported(scope.resource, 'watch')
    return watch(scope, options)
  }
  return { type: 'list', list: await listObjects(scope, options) }
}

/** The list that a request's options ask for. */
export async function listObjects(
  scope: RequestScope,
  options: RequestListOptions,
): Promise<Extract<VerbResult, { type: 'list' }>['list']> {
  const { resource, trace, signal } = scope
  const predicate = predicateOf(resource, options).with({ limit: options.limit, continue: options.continue })
  const { key, recursive } = rangeOf(resource, scope.namespace, predicate)
  const { resourceVersion, resourceVersionMatch } = options
  try {
    return await scope.host
      .storageOf(resource)
      .getList(key, { resourceVersion, resourceVersionMatch, predicate, recursive, trace, signal })
  } catch (error) {
    throw interpretListError(error, resource)
  }
}
