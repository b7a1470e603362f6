import type { Route } from '../api/routing.ts'
import { createBinding } from './subresources/binding.ts'
import { getComponentStatus, listComponentStatuses } from './virtual/component-status.ts'
import { podConnect, podLog, proxy } from './subresources/connect.ts'
import { createEviction } from './subresources/eviction.ts'
import {
  createSelfSubjectAccessReview,
  createSelfSubjectReview,
  createSelfSubjectRulesReview,
  createSubjectAccessReview,
  createTokenReview,
} from './virtual/reviews.ts'
import { getScale, patchScale, updateScale } from './subresources/scale.ts'
import type { RequestScope, VerbResult } from './scope.ts'
import { createToken } from './subresources/token-request.ts'

type VerbHandler = (scope: RequestScope) => Promise<VerbResult>
type Handlers = Readonly<Record<string, VerbHandler>>

/** Verbs of subresources that are more than a part of their object. */
const subresources: Readonly<Record<string, Handlers>> = {
  attach: { connect: podConnect },
  binding: { create: createBinding },
  eviction: { create: createEviction },
  exec: { connect: podConnect },
  log: { get: podLog },
  portforward: { connect: podConnect },
  proxy: { connect: proxy },
  scale: { get: getScale, update: updateScale, patch: patchScale },
  token: { create: createToken },
}

/** Verbs of resources that are not stored, by group and name. */
const virtual: Readonly<Record<string, Handlers>> = {
  '/bindings': { create: createBinding },
  '/componentstatuses': { get: getComponentStatus, list: listComponentStatuses },
  'authentication.k8s.io/selfsubjectreviews': { create: createSelfSubjectReview },
  'authentication.k8s.io/tokenreviews': { create: createTokenReview },
  'authorization.k8s.io/localsubjectaccessreviews': { create: createSubjectAccessReview },
  'authorization.k8s.io/selfsubjectaccessreviews': { create: createSelfSubjectAccessReview },
  'authorization.k8s.io/selfsubjectrulesreviews': { create: createSelfSubjectRulesReview },
  'authorization.k8s.io/subjectaccessreviews': { create: createSubjectAccessReview },
}

/** What serves a route in place of the plain verb; `undefined` where the plain verb does. */
export function specialHandler({ resource, subresource, verb }: Route): VerbHandler | undefined {
  if (subresource !== undefined) return subresources[subresource.name]?.[verb]
  return virtual[`${resource.group}/${resource.resource}`]?.[verb]
}
