import {
  interpretGetError,
  invalid,
  newBadRequest,
  newConflict,
  newInvalid,
  newNotFound,
  type FieldError,
  type KubeObject,
} from '@freshread/core'
import { managerOrUserAgent } from '../../patch/managed-fields/manager-name.ts'
import { keyOf } from '../../resources/storage-key.ts'
import { formatTime, newUid, timestamp } from '../../resources/system-fields.ts'
import { asKind } from '../as-kind.ts'
import { decodeRequestObject } from '../decode.ts'
import { noteUpdate } from '../managed-fields.ts'
import type { RequestScope, VerbResult } from '../scope.ts'
import { writeOptions } from '../write-options.ts'

interface BoundObject {
  readonly apiVersion?: string
  readonly kind?: string
  readonly name?: string
  readonly uid?: string
}

interface TokenRequest extends KubeObject {
  readonly spec?: {
    readonly audiences?: readonly string[] | null
    readonly expirationSeconds?: number | null
    readonly boundObjectRef?: BoundObject | null
  }
}

const GROUP = 'authentication.k8s.io'
const ISSUER = 'https://kubernetes.default.svc'
const DEFAULT_SECONDS = 3600
const MIN_SECONDS = 600
const MAX_SECONDS = 2 ** 32

/** Makes a token for a service account (`pkg/registry/core/serviceaccount/storage: TokenREST`). It is not signed. */
export async function createToken(scope: RequestScope): Promise<VerbResult> {
  const { host, namespace, name } = scope
  const tokenScope = asKind(scope, GROUP, 'v1', 'TokenRequest')
  const options = writeOptions(scope.query, 'CreateOptions')
  const request: TokenRequest = decodeRequestObject(tokenScope, options.fieldValidation)
  const kind = { group: GROUP, kind: 'TokenRequest' }
  const { metadata } = request
  if (metadata.name && metadata.name !== name) {
    const text = 'must match the service account name if specified'
    throw newInvalid(kind, name, [invalid('metadata.name', metadata.name, text)])
  }
  if (metadata.namespace && metadata.namespace !== namespace) {
    const text = 'must match the service account namespace if specified'
    throw newInvalid(kind, name, [invalid('metadata.namespace', metadata.namespace, text)])
  }
  let account: KubeObject
  try {
    account = (
      await host.storageOf(scope.resource).get(keyOf(scope.resource, namespace, name), { signal: scope.signal })
    ).object
  } catch (error) {
    throw interpretGetError(error, scope.resource, name)
  }
  const uid = account.metadata.uid!
  if (metadata.uid && metadata.uid !== uid) {
    throw newConflict(
      { group: GROUP, resource: 'TokenRequest' },
      name,
      `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`,
    )
  }
  const { boundObjectRef = null } = request.spec ?? {}
  const expirationSeconds = request.spec?.expirationSeconds ?? DEFAULT_SECONDS
  const audiences = request.spec?.audiences?.length ? request.spec.audiences : [ISSUER]
  const errors = validateExpiration(expirationSeconds)
  if (errors.length > 0) throw newInvalid(kind, '', errors)
  if (boundObjectRef !== null) await checkBound(scope, boundObjectRef)

  const manager = managerOrUserAgent(options.fieldManager, scope.request.headers['user-agent'])
  const spec = Object.fromEntries(Object.entries(request.spec ?? {}).filter(([, value]) => value !== null))
  const withDefaults = {
    ...request,
    metadata: {},
    spec: { ...spec, expirationSeconds },
  }
  const { managedFields } = noteUpdate(tokenScope, undefined, withDefaults, manager).metadata
  const now = host.clock.now()
  const expires = now + expirationSeconds * 1000
  const claims = {
    aud: audiences,
    exp: Math.floor(expires / 1000),
    iat: Math.floor(now / 1000),
    iss: ISSUER,
    jti: newUid(),
    'kubernetes.io': { namespace, serviceaccount: { name, uid } },
    nbf: Math.floor(now / 1000),
    sub: `system:serviceaccount:${namespace}:${name}`,
  }
  const object: KubeObject = {
    kind: 'TokenRequest',
    apiVersion: `${GROUP}/v1`,
    metadata: {
      name,
      namespace,
      uid,
      creationTimestamp: timestamp(host.clock),
      ...(managedFields !== undefined && { managedFields }),
    },
    spec: { audiences, expirationSeconds, boundObjectRef },
    status: { token: tokenOf(claims), expirationTimestamp: formatTime(expires) },
  }
  return { type: 'value', code: 201, object }
}

/** Kinds of objects that a token can end with, by resource. */
const BINDABLE: Readonly<Record<string, string>> = { Pod: 'pods', Node: 'nodes', Secret: 'secrets' }

/** Throws for an object that a token cannot be bound to. */
async function checkBound({ host, namespace, name }: RequestScope, bound: BoundObject): Promise<void> {
  const { apiVersion = '', kind = '', name: boundName = '', uid = '' } = bound
  const resource = BINDABLE[kind]
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion]
  if (group !== '' || resource === undefined || !Object.hasOwn(BINDABLE, kind)) {
    throw newBadRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`)
  }
  const found = await host.lookup('', resource, resource === 'nodes' ? '' : namespace, boundName)
  if (found === undefined) throw newNotFound({ group: '', resource }, boundName)
  const { serviceAccountName } = (found['spec'] ?? {}) as { readonly serviceAccountName?: string }
  if (kind === 'Pod' && serviceAccountName !== name) {
    throw newBadRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(name)} to pod running with different serviceaccount name.`,
    )
  }
  if (uid === '' || uid === found.metadata.uid) return
  throw newConflict(
    { group: '', resource: kind },
    boundName,
    `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
  )
}

function validateExpiration(seconds: number): FieldError[] {
  const field = 'spec.expirationSeconds'
  if (seconds < MIN_SECONDS) return [invalid(field, seconds, 'may not specify a duration less than 10 minutes')]
  if (seconds > MAX_SECONDS) return [invalid(field, seconds, 'may not specify a duration larger than 2^32 seconds')]
  return []
}

/** A JSON web token whose signature is nobody's. */
function tokenOf(claims: unknown): string {
  const part = (value: unknown): string => base64url(new TextEncoder().encode(JSON.stringify(value)))
  const signature = crypto.getRandomValues(new Uint8Array(32))
  return `${part({ alg: 'RS256', kid: 'freshread' })}.${part(claims)}.${base64url(signature)}`
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
