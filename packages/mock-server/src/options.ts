import { emulatedVersions, type Clock, type KV } from '@freshread/core'
import type { KubeRequest } from './api/message.ts'
import type { RequestAttributes } from './api/request-info.ts'
import type { UserInfo } from './resources/strategy.ts'

/** What an authorizer is asked. */
export interface AuthorizationAttributes extends RequestAttributes {
  readonly user: UserInfo
  /** Path of requests that are not for a resource. */
  readonly path: string
}

/** Options of `createKubeServer`. */
export interface KubeServerOptions {
  /** Where objects are kept. Default: a new store in memory. Servers that share one are replicas of one control plane. */
  readonly storage?: KV
  /** The source of time; default the machine's clock. */
  readonly clock?: Clock
  /** Feature gates that differ from their defaults, such as `{ ConsistentListFromCacheSkipTimeoutFallback: true }`. */
  readonly featureGates?: Readonly<Record<string, boolean>>
  /** Kubernetes version whose gate defaults hold: `1.34` to `1.37`, the default. */
  readonly emulatedVersion?: string
  /** Controllers to run. `namespace` empties and ends namespaces that are deleted; default none, as with envtest. */
  readonly controllers?: readonly 'namespace'[]
  /** Seconds that a watch without `timeoutSeconds` lasts at least (up to twice as long). Default 1800. */
  readonly minRequestTimeoutSeconds?: number
  /** Requests the journal keeps. Default 1000. */
  readonly journalLimit?: number
  /** Who every request comes from. Default `admin` of the group `system:masters`. */
  readonly user?: UserInfo | ((request: KubeRequest) => UserInfo)
  /** Decides what is allowed; a text refuses with that reason. Default: everything is. */
  readonly authorize?: (attributes: AuthorizationAttributes) => boolean | string | Promise<boolean | string>
}

type Check = (value: unknown) => string | undefined

const isFunction: Check = (value) => (typeof value === 'function' ? undefined : 'a function')
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function hasMethods(value: unknown, names: readonly string[]): boolean {
  return isObject(value) && names.every((name) => typeof value[name] === 'function')
}

const CONTROLLERS: ReadonlySet<unknown> = new Set(['namespace'])

const checks: Readonly<Record<keyof KubeServerOptions, Check>> = {
  storage: (value) => (hasMethods(value, ['get', 'range', 'txn', 'watch', 'compact']) ? undefined : 'a KV'),
  clock: (value) =>
    hasMethods(value, ['now', 'setTimeout', 'clearTimeout']) ? undefined : 'a clock {now, setTimeout, clearTimeout}',
  featureGates: (value) =>
    isObject(value) && Object.values(value).every((gate) => typeof gate === 'boolean')
      ? undefined
      : 'an object of booleans by gate name',
  emulatedVersion: (value) =>
    (emulatedVersions as readonly unknown[]).includes(value) ? undefined : `one of ${emulatedVersions.join(', ')}`,
  controllers: (value) =>
    Array.isArray(value) && value.every((name) => CONTROLLERS.has(name)) ? undefined : "a list of 'namespace'",
  minRequestTimeoutSeconds: (value) =>
    Number.isFinite(value) && (value as number) > 0 ? undefined : 'a number of seconds > 0',
  journalLimit: (value) => (Number.isInteger(value) && (value as number) > 0 ? undefined : 'a positive integer'),
  user: (value) =>
    typeof value === 'function' ||
    (isObject(value) && typeof value['username'] === 'string' && Array.isArray(value['groups']))
      ? undefined
      : 'a user {username, groups} or a function',
  authorize: isFunction,
}

/** Throws a TypeError that names the first option that is wrong or unknown. */
export function checkOptions(options: unknown): asserts options is KubeServerOptions {
  if (!isObject(options)) throw new TypeError(`createKubeServer: options must be an object, got ${String(options)}`)
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(checks, name)) throw new TypeError(`createKubeServer: unknown option ${name}`)
    const expected = value === undefined ? undefined : checks[name as keyof KubeServerOptions](value)
    if (expected !== undefined) {
      throw new TypeError(`createKubeServer: option ${name} must be ${expected}, got ${String(value)}`)
    }
  }
}
