import type { Route } from '../api/routing.ts'
import type { RequestScope, VerbResult } from './scope.ts'

/** What serves a route in place of the plain verb; `undefined` where the plain verb does. */
export function subresourceVerb(_route: Route): ((scope: RequestScope) => Promise<VerbResult>) | undefined {
  return undefined
}
