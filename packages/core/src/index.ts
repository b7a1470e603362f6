export { delay, systemClock, type Clock, type TimerHandle } from './clock.ts'

export {
  groupKindText,
  newAlreadyExists,
  newApplyConflict,
  newBadRequest,
  newConflict,
  newForbidden,
  newGenerateNameConflict,
  newGenericServerResponse,
  newGone,
  newInternalError,
  newInvalid,
  newMethodNotSupported,
  newNotAcceptable,
  newNotAcceptableConversion,
  newNotFound,
  newRequestEntityTooLarge,
  newResourceExpired,
  newServerTimeout,
  newServiceUnavailable,
  newTimeoutError,
  newTooLargeResourceVersionError,
  newTooManyRequests,
  newUnauthorized,
  newUnsupportedMediaType,
  type GroupKind,
} from './errors/api-errors.ts'
export {
  aggregateMessage,
  duplicate,
  forbidden,
  internalFieldError,
  invalid,
  notFound,
  notSupported,
  omitValue,
  PrintedValue,
  required,
  tooFew,
  tooLong,
  tooLongCharacters,
  tooMany,
  tooShort,
  typeInvalid,
  type FieldError,
  type FieldErrorType,
} from './errors/field-error.ts'
export { goJSON, goNumber, goQuote } from './errors/go-text.ts'
export {
  findStatusError,
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isForbidden,
  isGone,
  isInternalError,
  isInvalid,
  isMethodNotSupported,
  isNotAcceptable,
  isNotFound,
  isRequestEntityTooLarge,
  isResourceExpired,
  isServerTimeout,
  isServiceUnavailable,
  isTimeout,
  isTooLargeResourceVersion,
  isTooManyRequests,
  isUnauthorized,
  isUnsupportedMediaType,
  statusCause,
  suggestsClientDelay,
} from './errors/guards.ts'
export {
  errorToStatus,
  interpretCreateError,
  interpretDeleteError,
  interpretGetError,
  interpretListError,
  interpretUpdateError,
} from './errors/interpret.ts'
export { StatusError, type Status, type StatusCause, type StatusDetails } from './errors/status.ts'
export {
  InternalStorageError,
  InvalidStorageRequestError,
  isStorageError,
  newCorruptObjectError,
  newInvalidObjectError,
  newKeyExistsError,
  newKeyNotFoundError,
  newResourceVersionConflictsError,
  newStorageTimeoutError,
  newUnreachableError,
  StorageError,
  StorageNotReadyError,
  type StorageErrorCode,
} from './errors/storage-error.ts'

export {
  decodeContinue,
  encodeContinue,
  prepareContinueToken,
  type ContinuePosition,
  type ListContinuation,
} from './meta/continue-token.ts'
export { escapeValue, FieldSelector, type FieldRequirement, type FieldSet } from './meta/field-selector.ts'
export { compareKeys, hasPathPrefix, orderKey, prefixEnd, prepareKey } from './meta/key.ts'
export { LabelRequirement, LabelSelector, type LabelOperator, type LabelSet } from './meta/label-selector.ts'
export {
  decodeListOptions,
  defaultFieldLabelConversion,
  isListWatchRequest,
  listOptionsFromQuery,
  setListOptionsDefaults,
  validateListOptions,
  type ListOptionsContext,
  type RequestListOptions,
} from './meta/list-options.ts'
export {
  isDNS1123Label,
  isDNS1123Subdomain,
  isLabelKey,
  isLabelValue,
  maxLengthError,
  regexError,
  utf8Length,
} from './meta/names.ts'
export { parseInt64, tryParseInt64 } from './meta/parse-int.ts'
export {
  compareResourceVersion,
  maxResourceVersion,
  parseResourceVersion,
  printListResourceVersion,
  printResourceVersion,
} from './meta/resource-version.ts'
export {
  defaultClusterScopedAttributes,
  defaultNamespaceScopedAttributes,
  fieldIndex,
  labelIndex,
  SelectionPredicate,
  type GetAttributes,
  type MatchValue,
  type ObjectAttributes,
  type SelectionPredicateOptions,
} from './meta/selection-predicate.ts'
export {
  groupResourceText,
  type GroupResource,
  type JsonValue,
  type KubeObject,
  type ManagedFieldsEntry,
  type ObjectMeta,
  type OwnerReference,
} from './meta/types.ts'

export { Compactor, compactRevisionKey, defaultCompactInterval, type CompactorOptions } from './storage/compactor.ts'
export {
  KVError,
  type GetResult,
  type KeyValue,
  type KV,
  type KVErrorCode,
  type KVEvent,
  type KVWatch,
  type KVWatchOptions,
  type KVWatchResponse,
  type RangeOptions,
  type RangeResult,
  type TxnRequest,
  type TxnResult,
} from './storage/kv.ts'
export { MemoryKV, type MemoryKVOptions, type MemoryKVSnapshot } from './storage/memory/memory-kv.ts'
export type { ListCost, StorageObserver, StorageOperation } from './storage/observer.ts'
export { prepareObjectForStorage, sameStoredForm } from './storage/prepare-object.ts'
export type {
  CallOptions,
  DeleteOptions,
  GetOptions,
  GuaranteedUpdateOptions,
  ListOptions,
  ListResult,
  Preconditions,
  ReadTrace,
  ResponseMeta,
  Storage,
  UpdateOutcome,
  Watch,
  WatchEvent,
  WatchOptions,
} from './storage/storage.ts'
export { Store, type StorageStats, type StoreOptions } from './storage/store.ts'
export { StoredObject } from './storage/stored-object.ts'
export {
  parseRequestedVersion,
  validateStorageListOptions,
  type ListPosition,
} from './storage/validate-list-options.ts'
export { StoredValue } from './storage/value.ts'

export { FeatureGates, emulatedVersions, parseFeatureGates } from './features/feature-gates.ts'
export type { EmulatedVersion, FeatureGatesOptions, FeatureState } from './features/feature-gates.ts'
export { knownFeatures } from './features/known-features.ts'
export type { FeatureName, FeatureStage, VersionedFeature } from './features/known-features.ts'

export * from './metrics/registry.ts'
export { cacherMetrics } from './metrics/cacher.ts'
export type { CacherMetrics } from './metrics/cacher.ts'
export { storageListMetrics } from './metrics/list.ts'
export type { StorageListMetrics } from './metrics/list.ts'
export { observeObjectCount, storageObserver } from './metrics/storage.ts'
export { watchMetrics, type WatchMetricLabels, type WatchMetrics } from './metrics/apiserver.ts'

export { Cacher } from './cacher/cacher.ts'
export type { CacherOptions, CacherState, CacherTuning } from './cacher/cacher-options.ts'
export { blockTimeout, Freshness, type FreshnessOptions } from './cacher/freshness.ts'
export { WatchCacheHistory, type HistoryOptions, type HistoryRange } from './cacher/history.ts'
export type { Indexers, IndexFunction } from './cacher/indexer.ts'
export { OrderedMap } from './cacher/ordered-map.ts'
export type { WatchTrigger } from './cacher/watchers.ts'

export { CacheDelegator, type CacheDelegatorOptions } from './delegator/delegator.ts'
export { ConsistencyChecker, type ConsistencyDifference, type ConsistencyDigest } from './delegator/consistency.ts'
export { createResourceStorage } from './delegator/resource-storage.ts'
export type { ResourceStorage, ResourceStorageOptions } from './delegator/resource-storage.ts'
export { shouldDelegateList, type DelegateDecision } from './delegator/should-delegate.ts'
