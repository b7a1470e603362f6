import { goQuote, newBadRequest, newForbidden, newUnauthorized, type StatusError } from '@freshread/core'
import type { KubeRequest } from './api/message.ts'
import { percentDecode } from './api/query.ts'
import { requestAttributes, type RequestInfo } from './api/request-info.ts'
import type { KubeServerOptions } from './options.ts'
import type { UserInfo } from './resources/strategy.ts'

/** Asks the authorizer; throws the 403 that a refused request gets (`pkg/endpoints/handlers/responsewriters/errors.go: Forbidden`). */
export async function authorizeRequest(
  authorize: KubeServerOptions['authorize'],
  user: UserInfo,
  info: RequestInfo,
): Promise<void> {
  if (authorize === undefined) return
  const decision = await authorize({ user, ...requestAttributes(info), path: info.path })
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

const EXTRA = 'impersonate-extra-'

/**
 * The user that a request wants to be taken for (`pkg/endpoints/filters/impersonation`). Throws the 400 for a
 * request that names all but the user.
 */
export function impersonated(request: KubeRequest, user: UserInfo): UserInfo {
  const username = request.headers['impersonate-user'] ?? ''
  const uid = request.headers['impersonate-uid'] ?? ''
  const given = (request.headers['impersonate-group'] ?? '').split(/\s*,\s*/).filter((group) => group !== '')
  const extra = impersonatedExtra(request.headers)
  if (username === '') {
    if (uid === '' && given.length === 0 && extra === undefined) return user
    const wanted = `&user.DefaultInfo{Name:"", UID:${goQuote(uid)}, Groups:${goStrings(given)}, Extra:${goExtra(extra)}}`
    throw newBadRequest(`requested ${wanted} without impersonating a user name`)
  }
  const namespace = SERVICE_ACCOUNT.exec(username)?.[1]
  const implied =
    given.length === 0 && namespace !== undefined
      ? ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
      : []
  const authenticated = username === 'system:anonymous' ? 'system:unauthenticated' : 'system:authenticated'
  const groups = [...given, ...implied]
  if (!groups.includes(authenticated)) groups.push(authenticated)
  return { username, groups, ...(uid !== '' && { uid }), ...(extra !== undefined && { extra }) }
}

/** `Impersonate-Extra-…` headers by what follows, which may be escaped; `undefined` without any. */
function impersonatedExtra(headers: KubeRequest['headers']): Record<string, string[]> | undefined {
  const found = Object.entries(headers).filter(([name]) => name.startsWith(EXTRA))
  if (found.length === 0) return undefined
  return Object.fromEntries(
    found.map(([name, values]) => {
      const key = name.slice(EXTRA.length)
      return [percentDecode(key) ?? key, (values ?? '').split(/\s*,\s*/)]
    }),
  )
}

/** A Go `[]string` as `%#v` prints it. */
function goStrings(values: readonly string[]): string {
  return values.length === 0 ? '[]string(nil)' : `[]string{${values.map(goQuote).join(', ')}}`
}

function goExtra(extra: Readonly<Record<string, readonly string[]>> | undefined): string {
  if (extra === undefined) return 'map[string][]string(nil)'
  const keys = Object.keys(extra).sort()
  return `map[string][]string{${keys.map((key) => `${goQuote(key)}:${goStrings(extra[key]!)}`).join(', ')}}`
}
