import { newForbidden, newUnauthorized, type StatusError } from '@freshread/core'
import type { KubeRequest } from './api/message.ts'
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
    return newForbidden(
      { group: '', resource: '' },
      '',
      `User ${name} cannot ${info.verb} path ${JSON.stringify(info.path)}${why}`,
    )
  }
  const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`
  const scope = info.namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(info.namespace)}`
  return newForbidden(
    { group: info.apiGroup, resource: info.resource },
    info.name,
    `User ${name} cannot ${info.verb} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(info.apiGroup)} ${scope}${why}`,
  )
}

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):[^:]+$/

/** The user that a request wants to be taken for (`pkg/endpoints/filters/impersonation`). */
export function impersonated(request: KubeRequest, user: UserInfo): UserInfo {
  const username = request.headers['impersonate-user']
  if (username === undefined || username === '') return user
  const given = (request.headers['impersonate-group'] ?? '').split(/\s*,\s*/).filter((group) => group !== '')
  const namespace = SERVICE_ACCOUNT.exec(username)?.[1]
  const implied =
    given.length === 0 && namespace !== undefined
      ? ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
      : []
  const authenticated = username === 'system:anonymous' ? 'system:unauthenticated' : 'system:authenticated'
  const groups = [...given, ...implied]
  if (!groups.includes(authenticated)) groups.push(authenticated)
  const uid = request.headers['impersonate-uid']
  return { username, groups, ...(uid !== undefined && { uid }) }
}
