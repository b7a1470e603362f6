import type { Route } from '../api/routing.ts'
import { getScale, patchScale, updateScale } from './scale.ts'
import type { RequestScope, VerbResult } from './scope.ts'

type VerbHandler = (scope: RequestScope) => Promise<VerbResult>

/** Verbs of subresources that are objects of another kind. */
const handlers: Readonly<Record<string, Readonly<Record<string, VerbHandler>>>> = {
  scale: { get: getScale, update: updateScale, patch: patchScale },
}

/** What serves a route in place of the plain verb; `undefined` where the plain verb does. */
export function subresourceVerb({ subresource, verb }: Route): VerbHandler | undefined {
  return subresource === undefined ? undefined : handlers[subresource.name]?.[verb]
}
