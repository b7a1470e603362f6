import type { Clock, FieldError, GroupKind, KubeObject } from '@freshread/core'

/** What a strategy may know of the request it serves. */
export interface StrategyContext {
  readonly clock: Clock
  readonly namespace: string
  readonly name: string
  readonly dryRun: boolean
  readonly user: UserInfo
  /** `''` for the object itself, else `status`, `scale`, … */
  readonly subresource: string
  /** Other objects, read as they are in the storage (for references, quotas, allocation, admission). */
  readonly lookup: (group: string, resource: string, namespace: string, name: string) => Promise<KubeObject | undefined>
  readonly lookupAll: (group: string, resource: string, namespace: string) => Promise<readonly KubeObject[]>
}

/** Who asks (`authentication.k8s.io/v1: UserInfo`). */
export interface UserInfo {
  readonly username: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** How an object of a kind may be deleted. */
export interface DeletionGrace {
  /** Seconds between the request and the object's end; 0 deletes at once. */
  readonly gracePeriodSeconds: number
}

/**
 * What is particular to one kind (`pkg/registry/rest: RESTCreateStrategy, RESTUpdateStrategy,
 * RESTGracefulDeleteStrategy`). All functions work on objects of the storage version; those that change an
 * object change the one they are given, which is the caller's own copy. Every member is optional: what the
 * schema says is done for all kinds alike.
 */
export interface Strategy {
  /**
   * Takes out of a request's object what the kind does not know, before defaulting, and returns the paths of
   * what went (`spec.x`), for strict field validation. Kinds with this are not pruned by their schema. Throws a
   * StatusError where the metadata cannot be read.
   */
  readonly coerce?: (object: KubeObject) => readonly string[]
  /** Defaults that the schema cannot express, on every decode of a request's object. */
  readonly setDefaults?: (object: KubeObject) => void
  /** Clears and sets what only the server may (status, generation …) before a create. */
  readonly prepareForCreate?: (object: KubeObject, context: StrategyContext) => void | Promise<void>
  readonly prepareForUpdate?: (
    object: KubeObject,
    current: KubeObject,
    context: StrategyContext,
  ) => void | Promise<void>
  /** What admission adds or refuses (throws a StatusError), after defaulting and before validation. */
  readonly admit?: (
    object: KubeObject,
    current: KubeObject | undefined,
    context: StrategyContext,
  ) => void | Promise<void>
  /** What validating admission refuses (throws a StatusError), when all else is found valid. */
  readonly validateAdmission?: (
    object: KubeObject,
    current: KubeObject | undefined,
    context: StrategyContext,
  ) => void | Promise<void>
  readonly validate?: (object: KubeObject, context: StrategyContext) => readonly FieldError[]
  readonly validateUpdate?: (object: KubeObject, current: KubeObject, context: StrategyContext) => readonly FieldError[]
  /** Brings an object that is valid into the form it is stored in; may change it. */
  readonly canonicalize?: (object: KubeObject) => void
  /** Texts for `Warning` headers. */
  readonly warnings?: (
    object: KubeObject,
    current: KubeObject | undefined,
    context: StrategyContext,
  ) => readonly string[]
  /** Texts for `Warning` headers of a deletion that does not say what becomes of dependents. */
  readonly deleteWarnings?: readonly string[]
  /** How validation errors name the kind, where that is not its own group. */
  readonly errorKind?: GroupKind
  /** Runs when a create or update has been stored, or is given up (`stored: false`): releases what was allocated. */
  readonly afterWrite?: (object: KubeObject, stored: boolean, context: StrategyContext) => void
  readonly afterDelete?: (object: KubeObject, context: StrategyContext) => void
  /** Metadata is looked at only when all else is right. */
  readonly metadataLast?: boolean
  /** Refuses names; default: DNS subdomain (`apimachinery: pkg/api/validation: NameIsDNSSubdomain`). Returns messages. */
  readonly validateName?: (name: string) => readonly string[]
  /** A PUT to a name that does not exist creates it. */
  readonly allowCreateOnUpdate?: boolean
  /** A PUT without resourceVersion overwrites; default true. */
  readonly allowUnconditionalUpdate?: boolean
  /** Whether `metadata.generation` is kept, and what counts as a change of the desired state. */
  readonly generation?: 'none' | ((object: KubeObject, current: KubeObject) => boolean)
  /** Graceful deletion (pods): how long; `undefined` for kinds without. */
  readonly checkGracefulDelete?: (object: KubeObject, requestedSeconds: number | undefined) => DeletionGrace
  /** Propagation when the request names none; default `Background` (which deletes the object at once). */
  readonly defaultPropagation?: 'Orphan' | 'Background' | 'Foreground'
  /** Values of selectable fields beside metadata.name and metadata.namespace. */
  readonly fields?: (object: KubeObject) => Readonly<Record<string, string>>
  /** Selectable field names and aliases: alias → field. */
  readonly fieldLabels?: Readonly<Record<string, string>>
  /** What is said of a field that cannot be selected by; default `field label not supported: …`. */
  readonly fieldLabelError?: (label: string) => string
  /** Zero-value fields that a bookmark's object of the typed kind prints. */
  readonly emptyObject?: () => Readonly<Record<string, unknown>>
  /** Annotations that conversion gives an empty object. */
  readonly emptyAnnotations?: Readonly<Record<string, string>>
  /** Fields that an update to the main resource leaves as they are, and those the status subresource may change. */
  readonly hasStatus?: boolean
}
