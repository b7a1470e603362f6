import { newInternalError, newResourceExpired, newTooLargeResourceVersionError } from '../errors/api-errors.ts'
import { goQuote } from '../errors/go-text.ts'
import { StatusError } from '../errors/status.ts'
import { prefixEnd } from '../meta/key.ts'
import type { SelectionPredicate } from '../meta/selection-predicate.ts'
import type { KubeObject } from '../meta/types.ts'
import { UndecodableObjectError } from './corrupt-objects.ts'
import { KVError, type KeyValue, type KVEvent, type KVWatch, type KVWatchResponse } from './kv.ts'
import type { WatchEvent, WatchOptions } from './storage.ts'
import type { StoreContext } from './store-context.ts'
import { StoreWatch } from './store-watch.ts'

/** What comes in: a change, an object that is there at the start, or a bookmark ready to be passed on. */
export type Received =
  | KVEvent
  | { readonly type: 'initial'; readonly kv: KeyValue }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: number; readonly initialEventsEnd: boolean }

/**
 * Watches the KV (`pkg/storage/etcd3/watcher.go`). What is wrong before there is a stream is thrown, what
 * goes wrong afterwards is an ERROR event.
 * @param resourceVersion where to start; 0 for the state as it is now
 * @param onStop is called when the watch ends
 */
export async function watchStore<T extends KubeObject>(
  context: StoreContext<T>,
  fullKey: string,
  resourceVersion: bigint,
  options: WatchOptions,
  onStop: (watch: StoreWatch<Received, T>) => void,
): Promise<StoreWatch<Received, T>> {
  const { predicate, recursive, signal, sendInitialEvents } = options
  const wantsInitial =
    (sendInitialEvents === undefined && resourceVersion === 0n) || (context.watchList && sendInitialEvents === true)
  // One beyond all revisions there can be waits for ever, like every revision that is not there yet.
  let revision = Number(resourceVersion < maxRevision ? resourceVersion : maxRevision)
  if (revision === 0 && context.watchList && sendInitialEvents === false) {
    revision = await context.currentRevision(signal)
  }

  let kvWatch: KVWatch | undefined
  const watch = new StoreWatch<Received, T>(
    (received) => toEvent(context, predicate, received),
    (error) => ({ type: 'ERROR', status: toStatusError(error).status }),
    () => {
      kvWatch?.cancel()
      onStop(watch)
      signal?.removeEventListener('abort', stop)
    },
  )
  const stop = (): void => watch.stop()
  if (signal?.aborted) {
    stop()
    return watch
  }
  signal?.addEventListener('abort', stop)

  try {
    if (wantsInitial) {
      if (revision > 0) await checkReached(context, resourceVersion, signal)
      revision = await pushInitial(context, fullKey, recursive, signal, watch)
      if (context.watchList && sendInitialEvents === true && predicate.allowWatchBookmarks) {
        watch.push({ type: 'BOOKMARK', resourceVersion: revision, initialEventsEnd: true })
      }
    }
  } catch (error) {
    watch.fail(error)
    return watch
  }
  if (watch.closed) return watch
  const started = context.kv.watch({
    key: fullKey,
    prefix: recursive,
    startRevision: revision + 1,
    previous: true,
    progressNotify: options.progressNotify ?? false,
    onResponse: (response) => receive(context, watch, options.progressNotify ?? false, response),
  })
  // It may have ended while it was started.
  if (watch.closed) started.cancel()
  else kvWatch = started
  return watch
}

const maxRevision = BigInt(Number.MAX_SAFE_INTEGER - 1)

async function checkReached<T extends KubeObject>(
  context: StoreContext<T>,
  resourceVersion: bigint,
  signal: AbortSignal | undefined,
): Promise<void> {
  const current = await context.currentRevision(signal)
  if (resourceVersion <= BigInt(current)) return
  // A second, and up to three more at random, cut to whole seconds.
  throw newTooLargeResourceVersionError(resourceVersion, current, Math.floor(1 + 3 * Math.random()))
}

/** Everything there is now. Answers the revision of that read. */
async function pushInitial<T extends KubeObject>(
  context: StoreContext<T>,
  fullKey: string,
  recursive: boolean,
  signal: AbortSignal | undefined,
  watch: StoreWatch<Received, T>,
): Promise<number> {
  const push = (kv: KeyValue): void => watch.push({ type: 'initial', kv })
  if (recursive) {
    const range = { start: fullKey, end: prefixEnd(fullKey), signal }
    const { kvs, revision } = await context.request('listStream', () => context.kv.range(range))
    for (const kv of kvs) push(kv)
    return revision
  }
  const { kv, revision } = await context.request('get', () => context.kv.get(fullKey, { signal }))
  if (kv !== undefined) push(kv)
  return revision
}

function receive<T extends KubeObject>(
  context: StoreContext<T>,
  watch: StoreWatch<Received, T>,
  progressNotify: boolean,
  response: KVWatchResponse,
): void {
  switch (response.type) {
    case 'events':
      for (const event of response.events) {
        context.observer.eventReceived?.(context.groupResource)
        watch.push(event)
      }
      break
    case 'progress':
      // Somebody else on this KV may have asked for it.
      if (!progressNotify) break
      context.observer.bookmarkReceived?.(context.groupResource)
      watch.push({ type: 'BOOKMARK', resourceVersion: response.revision, initialEventsEnd: false })
      break
    case 'compacted':
      watch.fail(new KVError('compacted', 'etcdserver: mvcc: required revision has been compacted'))
      break
    case 'error':
      if (response.error instanceof KVError && response.error.code === 'closed') watch.end()
      else watch.fail(response.error)
  }
}

/** `watchChan.transform` */
function toEvent<T extends KubeObject>(
  context: StoreContext<T>,
  predicate: SelectionPredicate,
  received: Received,
): WatchEvent<T> | undefined {
  if (received.type === 'BOOKMARK') return received
  const { kv } = received
  if (received.type === 'initial') {
    const object = context.decode(kv)
    return predicate.matches(object.object) ? { type: 'ADDED', object } : undefined
  }
  const created = received.type === 'put' && kv.createRevision === kv.modRevision
  if (created) {
    const object = context.decode(kv)
    return predicate.matches(object.object) ? { type: 'ADDED', object } : undefined
  }
  const { previous } = received
  if (previous === undefined) throw missingPrevious(received)
  if (received.type === 'delete') {
    const object = decodeDeleted(context, previous, kv.modRevision)
    return predicate.matches(object.object) ? { type: 'DELETED', object } : undefined
  }
  const object = context.decode(kv)
  if (predicate.empty) return { type: 'MODIFIED', object }
  const matched = predicate.matches(context.decode(previous).object)
  if (predicate.matches(object.object)) return { type: matched ? 'MODIFIED' : 'ADDED', object }
  return matched ? { type: 'DELETED', object: context.decodeAt(previous, kv.modRevision) } : undefined
}

/** The version before is compacted: nobody can tell what this change changed. */
function missingPrevious({ type, kv }: KVEvent): Error {
  return new Error(
    `etcd event received with PrevKv=nil (key=${goQuote(kv.key)}, modRevision=${kv.modRevision}, type=${type.toUpperCase()})`,
  )
}

function decodeDeleted<T extends KubeObject>(
  context: StoreContext<T>,
  previous: KeyValue,
  revision: number,
): ReturnType<StoreContext<T>['decode']> {
  try {
    return context.decodeAt(previous, revision)
  } catch (error) {
    if (!(error instanceof UndecodableObjectError)) throw error
    throw new StatusError({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `saw a DELETED event, but object data is corrupt - ${error.message}`,
      reason: 'StorageReadError',
      code: 500,
    })
  }
}

/** `transformErrorToEvent` */
function toStatusError(error: unknown): StatusError {
  if (error instanceof StatusError) return error
  if (error instanceof KVError && error.code === 'compacted') {
    return newResourceExpired('The resourceVersion for the provided watch is too old.')
  }
  return newInternalError(error instanceof Error ? error : String(error))
}
