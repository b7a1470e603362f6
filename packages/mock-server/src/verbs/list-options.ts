import { listOptionsFromQuery, newBadRequest, type RequestListOptions } from '@freshread/core'
import type { Query } from '../api/query.ts'
import { fieldLabelConversion } from './predicate.ts'
import type { RequestScope } from './scope.ts'

/** Reads the options of a list, watch or delete-collection; throws the 400 or 422 that wrong ones get. */
export function requestListOptions(scope: RequestScope): RequestListOptions {
  try {
    return listOptionsFromQuery(searchParams(scope.query), {
      watchList: scope.host.enabled('WatchList'),
      convertFieldLabel: fieldLabelConversion(scope.resource),
      name: scope.name,
    })
  } catch (error) {
    if (error instanceof SyntaxError) throw newBadRequest(error.message)
    throw error
  }
}

function searchParams(query: Query): URLSearchParams {
  const params = new URLSearchParams()
  for (const [name, values] of query) for (const value of values) params.append(name, value)
  return params
}
