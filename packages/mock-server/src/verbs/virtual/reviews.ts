import { invalid, newBadRequest, newInvalid, type FieldError, type KubeObject } from '@freshread/core'
import { managerOrUserAgent } from '../../patch/managed-fields/manager-name.ts'
import type { UserInfo } from '../../resources/strategy.ts'
import { timestamp } from '../../resources/system-fields.ts'
import { decodeRequestObject } from '../decode.ts'
import { noteUpdate } from '../managed-fields.ts'
import { ensureNamespace, wipeSystemFields } from '../object-meta.ts'
import type { RequestScope, VerbResult } from '../scope.ts'
import { writeOptions } from '../write-options.ts'

interface ResourceAttributes {
  readonly namespace?: string
  readonly verb?: string
  readonly group?: string
  readonly version?: string
  readonly resource?: string
  readonly subresource?: string
  readonly name?: string
}

interface AccessReviewSpec {
  readonly resourceAttributes?: ResourceAttributes
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string }
  readonly user?: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

const AUTHORIZATION = 'authorization.k8s.io'
const AUDIENCE = 'https://kubernetes.default.svc'

/** Reviews are questions: they are answered, not stored. */
async function review(
  scope: RequestScope,
  answer: (object: KubeObject) => Promise<KubeObject> | KubeObject,
): Promise<VerbResult> {
  const options = writeOptions(scope.query, 'CreateOptions')
  const object = decodeRequestObject(scope, options.fieldValidation)
  wipeSystemFields(object.metadata)
  ensureNamespace(object.metadata, scope.namespace)
  const manager = managerOrUserAgent(options.fieldManager, scope.request.headers['user-agent'])
  return { type: 'value', code: 201, object: await answer(noteUpdate(scope, undefined, object, manager)) }
}

/** May somebody do something? (`pkg/registry/authorization/subjectaccessreview`; also the local one, for one namespace) */
export function createSubjectAccessReview(scope: RequestScope): Promise<VerbResult> {
  return review(scope, async (object) => {
    const spec = (object['spec'] ?? {}) as AccessReviewSpec
    const errors = validateAttributes(spec)
    if ((spec.user ?? '') === '' && (spec.groups?.length ?? 0) === 0) {
      errors.push(invalid('spec.user', spec.user ?? '', 'at least one of user or group must be specified'))
    }
    errors.push(...validateMetadata(object, scope.namespace))
    const { namespace } = scope
    if (namespace !== '') errors.push(...validateLocal(spec, namespace))
    refuse(errors)
    const { user = '', uid, groups = [], extra } = spec
    const subject: UserInfo = {
      username: user,
      groups,
      ...(uid !== undefined && { uid }),
      ...(extra !== undefined && { extra }),
    }
    return answered(scope, object, subject, spec)
  })
}

/** May I do something? (`pkg/registry/authorization/selfsubjectaccessreview`) */
export function createSelfSubjectAccessReview(scope: RequestScope): Promise<VerbResult> {
  return review(scope, async (object) => {
    const spec = (object['spec'] ?? {}) as AccessReviewSpec
    refuse([...validateAttributes(spec), ...validateMetadata(object, '')])
    return answered(scope, object, scope.user, spec)
  })
}

async function answered(
  scope: RequestScope,
  object: KubeObject,
  user: UserInfo,
  spec: AccessReviewSpec,
): Promise<KubeObject> {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec
  const decision = await scope.host.allowed({
    user,
    verb: resource?.verb ?? path?.verb ?? '',
    group: resource?.group ?? '',
    version: resource?.version ?? '',
    resource: resource?.resource ?? '',
    subresource: resource?.subresource ?? '',
    namespace: resource?.namespace ?? '',
    name: resource?.name ?? '',
    path: path?.path ?? '',
  })
  const reason = typeof decision === 'string' && decision !== '' ? { reason: decision } : {}
  return withStatus(object, { allowed: decision === true, ...reason })
}

/** Status behind the metadata that was there before it, whatever the request said of it. */
function withStatus(object: KubeObject, status: unknown): KubeObject {
  const { status: _status, ...rest } = object
  return { ...rest, status }
}

/** Of one namespace's review. */
function validateLocal(
  { resourceAttributes, nonResourceAttributes }: AccessReviewSpec,
  namespace: string,
): FieldError[] {
  const errors: FieldError[] = []
  if (resourceAttributes !== undefined && (resourceAttributes.namespace ?? '') !== namespace) {
    const field = 'spec.resourceAttributes.namespace'
    errors.push(invalid(field, resourceAttributes.namespace ?? '', 'must match metadata.namespace'))
  }
  if (nonResourceAttributes !== undefined) {
    const field = 'spec.nonResourceAttributes'
    errors.push(invalid(field, internalPath(nonResourceAttributes), 'disallowed on this kind of request'))
  }
  return errors
}

/** Printed as Go's internal type, whose fields have no JSON names. */
function internalPath({ path = '', verb = '' }: NonNullable<AccessReviewSpec['nonResourceAttributes']>): unknown {
  return { Path: path, Verb: verb }
}

function validateAttributes({ resourceAttributes, nonResourceAttributes: path }: AccessReviewSpec): FieldError[] {
  if ((resourceAttributes === undefined) !== (path === undefined)) return []
  const shown = path === undefined ? null : internalPath(path)
  return [invalid('spec', shown, 'exactly one of nonResourceAttributes or resourceAttributes must be specified')]
}

function validateMetadata(object: KubeObject, namespace: string): FieldError[] {
  const { managedFields: _managed, namespace: own, ...rest } = object.metadata
  const isEmpty = (own === undefined || own === namespace) && Object.keys(rest).length === 0
  return isEmpty ? [] : [invalid('metadata', object.metadata, 'must be empty')]
}

function refuse(errors: readonly FieldError[]): void {
  // Upstream tells no kind here.
  if (errors.length > 0) throw newInvalid({ group: AUTHORIZATION, kind: '' }, '', errors)
}

/** What may I do? Everything, as far as an authorizer that is a function can tell (`pkg/registry/authorization/selfsubjectrulesreview`). */
export function createSelfSubjectRulesReview(scope: RequestScope): Promise<VerbResult> {
  return review(scope, (object) => {
    const { namespace = '' } = (object['spec'] ?? {}) as { namespace?: string }
    if (namespace === '') throw newBadRequest('no namespace on request')
    const resourceRules = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]
    const nonResourceRules = [{ verbs: ['*'], nonResourceURLs: ['*'] }]
    const status = { resourceRules, nonResourceRules, incomplete: scope.host.restricted }
    return { kind: object.kind!, apiVersion: object.apiVersion!, metadata: {}, spec: {}, status }
  })
}

/** Who am I? (`pkg/registry/authentication/selfsubjectreview`) */
export function createSelfSubjectReview(scope: RequestScope): Promise<VerbResult> {
  return review(scope, (object) => ({
    kind: object.kind!,
    apiVersion: object.apiVersion!,
    metadata: { creationTimestamp: timestamp(scope.host.clock) },
    status: { userInfo: wireUser(scope.user) },
  }))
}

function wireUser({ username, uid, groups, extra }: UserInfo): Record<string, unknown> {
  return { username, ...(uid && { uid }), ...(groups.length > 0 && { groups }), ...(extra && { extra }) }
}

/** Whose token is this? Tokens of this server's service accounts are known, no others (`pkg/registry/authentication/tokenreview`). */
export function createTokenReview(scope: RequestScope): Promise<VerbResult> {
  return review(scope, (object) => {
    const { token = '' } = (object['spec'] ?? {}) as { token?: string }
    if (token === '') throw newBadRequest('token is required for TokenReview in authentication')
    const user = userOfToken(token)
    const status =
      user === undefined
        ? { user: {}, error: 'invalid bearer token' }
        : { authenticated: true, user: wireUser(user), audiences: [AUDIENCE] }
    return withStatus(object, status)
  })
}

/** Reads what a service account's token says of itself; there is no signature to check. */
function userOfToken(token: string): UserInfo | undefined {
  const [, payload, ...rest] = token.split('.')
  if (payload === undefined || rest.length !== 1) return undefined
  try {
    const claims = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as {
      readonly sub?: string
      readonly 'kubernetes.io'?: { readonly namespace?: string; readonly serviceaccount?: { readonly uid?: string } }
    }
    const { namespace = '', serviceaccount } = claims['kubernetes.io'] ?? {}
    if (claims.sub === undefined || serviceaccount === undefined) return undefined
    return {
      username: claims.sub,
      ...(serviceaccount.uid !== undefined && { uid: serviceaccount.uid }),
      groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    }
  } catch {
    return undefined
  }
}
