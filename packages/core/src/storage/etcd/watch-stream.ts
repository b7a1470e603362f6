import { status, type ClientDuplexStream, type ServiceError } from '@grpc/grpc-js'
import type { Clock, TimerHandle } from '../../clock.ts'
import { KVError, type KVWatchOptions, type KVWatchResponse } from '../kv.ts'
import type { EtcdConnection } from './connection.ts'
import { closedError, toKVError } from './errors.ts'
import { keyBytes, prefixEndBytes, revisionOf, toEvent } from './key-values.ts'
import type { WatchRequest, WatchResponse } from './proto.ts'

/** A running watch and how far it is. */
interface EtcdWatcher {
  readonly id: number
  readonly options: KVWatchOptions
  /** The next revision to deliver. */
  nextRevision: number
  /** Ask etcd for one revision more than is wanted. */
  early: boolean
  /** The server has acknowledged it on this stream. */
  created: boolean
}

const firstBackoff = 100
const maxBackoff = 5_000

/** An answer about all watches of a stream carries this in place of a watch's number. */
const allWatches = -1

/**
 * All watches of one KV on one stream, so that one request for progress is answered for all of them. A broken
 * stream is opened anew, and every watch goes on after what it has delivered (etcd: `client/v3/watch.go`).
 */
export class WatchStream {
  readonly #connection: Pick<EtcdConnection, 'watchStream'>
  readonly #clock: Clock
  readonly #watchers = new Map<number, EtcdWatcher>()
  #stream: ClientDuplexStream<WatchRequest, WatchResponse> | undefined
  #nextId = 1
  #backoff = firstBackoff
  #reopening: TimerHandle | undefined
  #closed = false

  constructor(connection: Pick<EtcdConnection, 'watchStream'>, clock: Clock) {
    this.#connection = connection
    this.#clock = clock
  }

  /** Starts a watch; the function answered ends it. */
  watch(options: KVWatchOptions): () => void {
    if (this.#closed) {
      options.onResponse({ type: 'error', error: closedError() })
      return () => undefined
    }
    const id = this.#nextId++
    const watcher = { id, options, nextRevision: options.startRevision, early: true, created: false }
    this.#watchers.set(id, watcher)
    if (this.#stream !== undefined) this.#create(watcher)
    else if (this.#reopening === undefined) this.#open()
    return () => this.#cancel(watcher)
  }

  /** Asks how far the watches are. Nothing happens without any. */
  requestProgress(): void {
    this.#stream?.write({ progress_request: {} })
  }

  close(): void {
    this.#closed = true
    const watchers = [...this.#watchers.values()]
    this.#watchers.clear()
    this.#hangUp()
    for (const { options } of watchers) options.onResponse({ type: 'error', error: closedError() })
  }

  #cancel(watcher: EtcdWatcher): void {
    if (!this.#watchers.delete(watcher.id)) return
    if (this.#watchers.size === 0) this.#hangUp()
    else this.#stream?.write({ cancel_request: { watch_id: watcher.id } })
  }

  #hangUp(): void {
    if (this.#reopening !== undefined) this.#clock.clearTimeout(this.#reopening)
    this.#reopening = undefined
    this.#stream?.cancel()
    this.#stream = undefined
  }

  #open(): void {
    this.#reopening = undefined
    const stream = this.#connection.watchStream()
    this.#stream = stream
    stream.on('data', (response: WatchResponse) => {
      if (this.#stream === stream) this.#receive(response)
    })
    stream.on('error', (error: ServiceError) => {
      if (this.#stream === stream) this.#broken(error)
    })
    stream.on('end', () => {
      if (this.#stream === stream) this.#broken({ code: status.UNAVAILABLE, details: 'the watch stream ended' })
    })
    for (const watcher of this.#watchers.values()) this.#create(watcher)
  }

  /**
   * etcd tells no progress while any watch of the stream starts in the future, as one from now on does until
   * the next write. So each starts at the revision before, and what comes of that is left out.
   */
  #create(watcher: EtcdWatcher): void {
    const { id, options, nextRevision, early } = watcher
    watcher.created = false
    this.#stream!.write({
      create_request: {
        key: keyBytes(options.key),
        ...(options.prefix && { range_end: prefixEndBytes(options.key) }),
        start_revision: early && nextRevision > 1 ? nextRevision - 1 : nextRevision,
        progress_notify: options.progressNotify ?? false,
        prev_kv: options.previous ?? false,
        watch_id: id,
      },
    })
  }

  #receive(response: WatchResponse): void {
    this.#backoff = firstBackoff
    if (response.watch_id === allWatches && !response.canceled) {
      for (const watcher of Array.from(this.#watchers.values())) {
        if (watcher.created) this.#progress(watcher, response.header.revision)
      }
      return
    }
    const watcher = this.#watchers.get(response.watch_id) ?? this.#refused(response)
    if (watcher === undefined) return
    if (response.canceled) this.#canceled(watcher, response)
    else if (response.created) watcher.created = true
    else if (response.events.length === 0) this.#progress(watcher, response.header.revision)
    else this.#events(watcher, response)
  }

  /** One that may not be created is told without its number; they are answered in order. */
  #refused(response: WatchResponse): EtcdWatcher | undefined {
    if (response.watch_id !== allWatches) return undefined
    return [...this.#watchers.values()].find((watcher) => !watcher.created)
  }

  #events(watcher: EtcdWatcher, response: WatchResponse): void {
    const wanted = response.events.filter((event) => event.kv.mod_revision >= watcher.nextRevision)
    if (wanted.length === 0) return
    watcher.nextRevision = revisionOf(wanted.at(-1)!.kv.mod_revision) + 1
    this.#tell(watcher, { type: 'events', revision: response.header.revision, events: wanted.map(toEvent) })
  }

  #progress(watcher: EtcdWatcher, revision: number): void {
    if (revision < watcher.options.startRevision) return
    watcher.nextRevision = Math.max(watcher.nextRevision, revisionOf(revision) + 1)
    this.#tell(watcher, { type: 'progress', revision })
  }

  #canceled(watcher: EtcdWatcher, { compact_revision: compactRevision, cancel_reason: reason }: WatchResponse): void {
    if (compactRevision > 0 && compactRevision <= watcher.nextRevision && watcher.early) {
      // Only the revision asked for in addition is gone. The number is still taken: use another.
      this.#watchers.delete(watcher.id)
      const again = { ...watcher, id: this.#nextId++, early: false }
      this.#watchers.set(again.id, again)
      return this.#create(again)
    }
    this.#watchers.delete(watcher.id)
    if (this.#watchers.size === 0) this.#hangUp()
    this.#tell(
      watcher,
      compactRevision > 0
        ? { type: 'compacted', compactRevision }
        : { type: 'error', error: new KVError('other', reason === '' ? 'the watch was canceled' : reason) },
    )
  }

  #broken(error: Pick<ServiceError, 'code' | 'details'>): void {
    this.#stream = undefined
    if (error.details === 'etcdserver: no leader') {
      const watchers = [...this.#watchers.values()]
      this.#watchers.clear()
      for (const watcher of watchers) this.#tell(watcher, { type: 'error', error: toKVError(error) })
      return
    }
    if (this.#watchers.size === 0) return
    this.#reopening = this.#clock.setTimeout(() => this.#open(), this.#backoff)
    this.#backoff = Math.min(this.#backoff * 2, maxBackoff)
  }

  #tell(watcher: EtcdWatcher, response: KVWatchResponse): void {
    try {
      watcher.options.onResponse(response)
    } catch (error) {
      // One listener's fault must not end the stream of all.
      queueMicrotask(() => {
        throw error
      })
    }
  }
}
