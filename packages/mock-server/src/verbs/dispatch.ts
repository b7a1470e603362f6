import { respondObject, respondList, respondValue, negotiateFormat, type OutputFormat } from '../api/encode.ts'
import type { KubeResponse } from '../api/message.ts'
import { answerHeaders, type ResponseContext } from '../api/response-context.ts'
import type { Route } from '../api/routing.ts'
import { respondStatus, respondText } from '../api/status.ts'
import { respondWatch } from '../api/watch-stream.ts'
import { create } from './create.ts'
import { deleteCollection } from './delete-collection.ts'
import { remove } from './delete.ts'
import { get } from './get.ts'
import { list } from './list.ts'
import { checkPatchType, patch } from './patch.ts'
import { observeWatch } from './observe-watch.ts'
import type { RequestScope, VerbResult } from './scope.ts'
import { specialHandler } from './special-handlers.ts'
import { update } from './update.ts'

/** Serves a verb of an object. */
export type VerbHandler = (scope: RequestScope) => Promise<VerbResult>

const verbs: Readonly<Record<string, VerbHandler>> = {
  get,
  list,
  watch: list,
  create,
  update,
  patch,
  delete: remove,
  deletecollection: deleteCollection,
}

/** Finds what serves a route: the verb itself, or what a subresource or a kind without storage has in its place. */
export function handlerOf(route: Route): VerbHandler {
  return specialHandler(route) ?? verbs[route.verb]!
}

/** Serves a resource request. Throws what {@link respondError} answers with. */
export async function dispatch(scope: RequestScope, route: Route, context: ResponseContext): Promise<KubeResponse> {
  if (route.verb === 'patch') checkPatchType(scope)
  for (const text of route.resource.requestWarnings ?? []) context.warnings.add(text)
  const format = negotiateFormat(context, scope.resource)
  const began = context.clock.now()
  const result = await handlerOf(route)(scope)
  return respond(scope, context, format, result, began)
}

function respond(
  scope: RequestScope,
  context: ResponseContext,
  format: OutputFormat,
  result: VerbResult,
  began: number,
): KubeResponse {
  const { resource, trace } = scope
  const version = versionOf(result)
  if (version !== undefined) trace.givenResourceVersion = version
  switch (result.type) {
    case 'object':
      return respondObject(context, result.code, result.object, resource, { format, trace })
    case 'value':
      return respondValue(context, result.code, result.object, resource, { format, trace })
    case 'list':
      return respondList(context, result.list, resource, { format, trace })
    case 'watch':
      return respondWatch(context, result.watch, resource, {
        format,
        timeoutMs: result.timeoutMs,
        isWatchList: result.watchList,
        trace,
        observer: observeWatch(scope, result.watchList, began),
      })
    case 'status':
      return respondStatus(context, result.status, result.code)
    case 'text':
      return respondText(context, result.code, result.text)
    case 'empty':
      return { status: result.code, headers: answerHeaders(context, {}) }
  }
}

function versionOf(result: VerbResult): string | undefined {
  switch (result.type) {
    case 'object':
      return String(result.object.resourceVersion)
    case 'value':
      return result.object.metadata?.resourceVersion
    case 'list':
      return result.list.resourceVersion
    default:
      return undefined
  }
}
