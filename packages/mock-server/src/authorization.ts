import { newForbidden, newUnauthorized, StatusError } from '@freshread/core'
import type { RequestInfo } from './api/request-info.ts'
import type { KubeServerOptions } from './options.ts'
import type { UserInfo } from './resources/strategy.ts'

/** Asks the authorizer; throws the 403 that a refused request gets (`pkg/endpoints/handlers/responsewriters/errors.go: Forbidden`). */
export async function authorizeRequest(
  authorize: KubeServerOptions['authorize'],
  user: UserInfo,
  info: RequestInfo,
): Promise<void> {
  if (authorize === undefined) return
  const decision = await authorize({
    user,
    verb: info.verb,
    group: info.apiGroup,
    version: info.apiVersion,
    resource: info.resource,
    subresource: info.subresource,
    namespace: info.namespace,
    name: info.name,
    path: info.path,
  })
  if (decision === true) return
  const reason = typeof decision === 'string' ? decision : ''
  throw forbidden(user, info, reason)
}

function forbidden(user: UserInfo, info: RequestInfo, reason: string): StatusError {
  if (user.username === '') return newUnauthorized('')
  const name = JSON.stringify(user.username)
  const why = reason === '' ? '' : `: ${reason}`
  if (!info.isResourceRequest) {
    return newForbidden({ group: '', resource: '' }, '', `User ${name} cannot ${info.verb} path ${JSON.stringify(info.path)}${why}`)
  }
  const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`
  const scope = info.namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(info.namespace)}`
  return newForbidden(
    { group: info.apiGroup, resource: info.resource },
    info.name,
    `User ${name} cannot ${info.verb} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(info.apiGroup)} ${scope}${why}`,
  )
}
