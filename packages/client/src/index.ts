export { FreshReadSession } from './session.ts'
export type { RequestEvent, SessionEvents, SessionStats } from './session.ts'
export type { RequestOptions, SessionOptions } from './options.ts'
export type { ExportedPins } from './pins.ts'
export { classify } from './classify.ts'
export type { AnswerView, Outcome, StatusLike } from './classify.ts'
export { decide } from './policy.ts'
export type { Decision, PolicyState, Reason } from './policy.ts'
export { compareResourceVersions, isComparable } from './resource-version.ts'
export { parseRequest } from './request-path.ts'
export type { RequestInfo, Verb } from './request-path.ts'
export { triesOf } from './exchange.ts'
export type { Exchange, Try } from './exchange.ts'
export { systemClock } from './clock.ts'
export type { Clock } from './clock.ts'
export { wrapFetch } from './adapters/fetch.ts'
export type { Fetch, FreshRequestInit } from './adapters/fetch.ts'
export { attachFreshRead } from './adapters/axios.ts'
export { KubeClient } from './kube-client.ts'
export type { CallOptions, KubeClientOptions, KubeRequest } from './kube-client.ts'
export { ResourceClient } from './resource-client.ts'
export type {
  DeleteOptions,
  GetOptions,
  ListOptions,
  Listing,
  Page,
  PatchType,
  Scale,
  Selection,
  SubresourceClient,
  WatchOptions,
  WriteOptions,
} from './resource-client.ts'
export type { KubeList, KubeObject, ObjectMeta, Status, WatchEvent } from './kube-types.ts'
export { KubeError, isConflict, isGone, isNotFound } from './kube-error.ts'
export type { CallLimits } from './deadline.ts'
export type { ByteStream } from './json-lines.ts'
export { Informer } from './informer.ts'
export type { InformerEvents, InformerOptions } from './informer.ts'
export type { IndexFunction, ReadonlyStore } from './store.ts'
export { retryOnConflict } from './retry-on-conflict.ts'
export type { RetryOnConflictOptions } from './retry-on-conflict.ts'
export { waitFor } from './wait-for.ts'
