import type {
  Clock,
  KubeObject,
  ListResult,
  ReadTrace,
  Status,
  Storage,
  StoredObject,
  Watch,
  WatchMetrics,
} from '@freshread/core'
import type { WarningRecorder } from '../api/headers.ts'
import type { KubeRequest } from '../api/message.ts'
import type { Query } from '../api/query.ts'
import type { AuthorizationAttributes } from '../options.ts'
import type { MutableRegistry } from '../resources/mutable-registry.ts'
import type { Resource, SubresourceInfo } from '../resources/resource.ts'
import type { StrategyContext, UserInfo } from '../resources/strategy.ts'

/** What the verbs ask of the server they run in. */
export interface VerbHost {
  readonly clock: Clock
  readonly registry: MutableRegistry
  /** The cached storage of a resource, shared by all its versions. */
  readonly storageOf: (resource: Resource) => Storage
  /** Whether a feature gate is on. */
  readonly enabled: (gate: string) => boolean
  /** Seconds a watch lasts at least when its request does not say. */
  readonly minRequestTimeoutSeconds: number
  readonly lookup: StrategyContext['lookup']
  readonly lookupAll: StrategyContext['lookupAll']
  /** Asks the authorizer, for access reviews: true, or a reason why not. */
  readonly allowed: (attributes: AuthorizationAttributes) => Promise<boolean | string>
  /** There is an authorizer, which may refuse something. */
  readonly restricted: boolean
  /** Metrics of the watches that are served. */
  readonly watchMetrics: () => WatchMetrics
  /** Runs after each write that was stored, with the object as it is now; `undefined` when it is gone. */
  readonly afterWrite: (resource: Resource, object: KubeObject, deleted: boolean) => void | Promise<void>
}

/** How a request was served, for the journal and the `Server-Timing` header. */
export interface RequestTrace extends ReadTrace {
  /** The resourceVersion given: of the object or of the list. */
  givenResourceVersion?: string
}

/** One request on its way through a verb. */
export interface RequestScope {
  readonly host: VerbHost
  readonly request: KubeRequest
  readonly query: Query
  readonly resource: Resource
  readonly subresource: SubresourceInfo | undefined
  readonly namespace: string
  readonly name: string
  /** Came by a deprecated `/watch/` path. */
  readonly watchPath: boolean
  readonly user: UserInfo
  /** Filled in by the storage: how a read was served. */
  readonly trace: RequestTrace
  readonly warnings: WarningRecorder
  /** Aborted when the client goes away or the request's time is over. */
  readonly signal: AbortSignal
}

/** What a verb answers. Stored objects are in the version of the storage until they are written. */
export type VerbResult =
  | { readonly type: 'object'; readonly code: number; readonly object: StoredObject }
  /** An object that is not stored as it is: a dry run's, a review's; in the version of the request. */
  | { readonly type: 'value'; readonly code: number; readonly object: KubeObject }
  | { readonly type: 'list'; readonly list: ListResult }
  | { readonly type: 'watch'; readonly watch: Watch; readonly timeoutMs: number; readonly watchList: boolean }
  | { readonly type: 'status'; readonly code: number; readonly status: Status }
  | { readonly type: 'text'; readonly code: number; readonly text: string }
  | { readonly type: 'empty'; readonly code: number }

/** The strategy's view of a request. */
export function strategyContext(
  scope: RequestScope,
  options: { readonly name?: string; readonly dryRun?: boolean } = {},
): StrategyContext {
  return {
    clock: scope.host.clock,
    namespace: scope.namespace,
    name: options.name ?? scope.name,
    dryRun: options.dryRun ?? false,
    user: scope.user,
    subresource: scope.subresource?.name ?? '',
    lookup: scope.host.lookup,
    lookupAll: scope.host.lookupAll,
  }
}
