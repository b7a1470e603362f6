import { classify } from './classify.ts'
import { delay } from './clock.ts'
import { type CallLimits, timeoutError } from './deadline.ts'
import { Emitter } from './emitter.ts'
import { KubeError, watchError } from './kube-error.ts'
import type { KubeObject, WatchEvent } from './kube-types.ts'
import { backoff, withJitter } from './policy.ts'
import type { ResourceClient, Selection } from './resource-client.ts'
import { compareResourceVersions, isComparable } from './resource-version.ts'
import { type IndexFunction, type ReadonlyStore, Store, storeKey } from './store.ts'

/** Options of an {@link Informer}. */
export interface InformerOptions<T> extends Selection {
  /** Ways to find objects in the store, by name. */
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>
  /**
   * Whether to begin with one watch that sends the initial objects too, or with a list. Default `auto`: what the
   * server has. `false` for servers before 1.27, which do not know the difference.
   */
  readonly watchList?: 'auto' | boolean
  /** Stops the informer. */
  readonly signal?: AbortSignal
}

/** Events of an informer. The objects are shared with the store: copy before changing. */
export interface InformerEvents<T> {
  add: (object: T) => void
  update: (object: T, before: T) => void
  delete: (object: T) => void
  /** The store is complete for the first time, or again after it had to begin anew. */
  synced: (resourceVersion: string) => void
  /** Something failed; the informer goes on by itself. */
  error: (error: unknown) => void
}

/** A watch that lasted this long was no failure. */
const HEALTHY_MS = 30_000

/** `metadata.annotations` of the bookmark that ends the initial events. */
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end'

interface Waiter {
  readonly resourceVersion: string
  readonly done: () => void
}

/**
 * Keeps a local copy of a collection up to date: lists and watches, or only watches where the server can send
 * the initial objects (WatchList). Resumes from the last bookmark, begins anew on 410, acts on every ERROR
 * event, and tells its handlers each change once.
 */
export class Informer<T extends KubeObject = KubeObject> extends Emitter<InformerEvents<T>> {
  readonly #resource: ResourceClient<T>
  readonly #options: InformerOptions<T>
  readonly #store: Store<T>
  readonly #stopped = new AbortController()
  #started = false
  #synced = false
  /** The store is complete as of its resource version, and a watch can go on from there. */
  #listed = false
  #watchList: boolean
  /** Failures and fruitless watches in a row. */
  #failures = 0
  readonly #waiters = new Set<Waiter>()
  /** How the next list is to be read: at least this, or `''` for the most recent. */
  #from = '0'

  constructor(resource: ResourceClient<T>, options: InformerOptions<T> = {}) {
    super()
    if (typeof resource?.list !== 'function') throw new TypeError('Informer: expected a resource of a KubeClient')
    this.#resource = resource
    this.#options = options
    this.#store = new Store<T>(options.indexes)
    this.#watchList = options.watchList !== false
    options.signal?.addEventListener('abort', () => this.stop(), { once: true, signal: this.#stopped.signal })
    if (options.signal?.aborted) this.stop()
  }

  get store(): ReadonlyStore<T> {
    return this.#store
  }

  /** Whether the store is complete. */
  get synced(): boolean {
    return this.#synced
  }

  /** Begins. Calling it again is no error. */
  start(): this {
    if (!this.#started) {
      this.#started = true
      void this.#run()
    }
    return this
  }

  /** Ends the watch and all waits. Idempotent. */
  stop(): void {
    this.#stopped.abort(new DOMException('the informer is stopped', 'AbortError'))
  }

  /** Resolves when the store is complete for the first time. */
  whenSynced(limits: CallLimits = {}): Promise<void> {
    return this.#wait('', limits)
  }

  /**
   * Resolves in the turn in which the store has everything up to `resourceVersion`, after the handlers have
   * been told. Rejects with the signal's reason, a TimeoutError, or when the informer stops.
   */
  async waitForFresh(resourceVersion: string, limits: CallLimits = {}): Promise<void> {
    if (!isComparable(resourceVersion)) throw new TypeError(`resourceVersion: ${resourceVersion} cannot be waited for`)
    return this.#wait(resourceVersion, limits)
  }

  #wait(resourceVersion: string, { signal, timeoutMs }: CallLimits): Promise<void> {
    return new Promise((resolve, reject) => {
      const { clock } = this.#resource.client.session.options
      const stopped = this.#stopped.signal
      for (const given of [signal, stopped]) if (given?.aborted) return reject(given.reason as Error)
      if (this.#reached(resourceVersion)) return resolve()
      const end = (settle: () => void) => (): void => {
        this.#waiters.delete(waiter)
        clock.clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
        stopped.removeEventListener('abort', onStop)
        settle()
      }
      const waiter: Waiter = { resourceVersion, done: end(resolve) }
      const onAbort = end(() => reject(signal!.reason as Error))
      const onStop = end(() => reject(stopped.reason as Error))
      const timer =
        timeoutMs === undefined
          ? undefined
          : clock.setTimeout(
              end(() => reject(timeoutError(timeoutMs))),
              timeoutMs,
            )
      signal?.addEventListener('abort', onAbort)
      stopped.addEventListener('abort', onStop)
      this.#waiters.add(waiter)
    })
  }

  #reached(resourceVersion: string): boolean {
    return (
      this.#synced &&
      (resourceVersion === '' || compareResourceVersions(this.#store.resourceVersion, resourceVersion)! >= 0)
    )
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped
    const { clock, random } = this.#resource.client.session.options
    while (!signal.aborted) {
      const began = clock.now()
      let hintMs = 0
      try {
        if (!this.#listed && !this.#watchList) await this.#list()
        await this.#watch(!this.#listed)
      } catch (error) {
        if (signal.aborted) return
        hintMs = this.#failed(error)
        this.emit('error', error)
      }
      if (clock.now() - began > HEALTHY_MS) this.#failures = 0
      // A server may end a watch whenever it likes, but one that told nothing is not asked for in a tight loop.
      const ms = Math.max(hintMs, backoff(100, this.#failures++))
      await delay(clock, withJitter(ms, random()), signal).catch(() => {})
    }
  }

  /** Decides how to go on after an error; answers the server's hint, in milliseconds. */
  #failed(error: unknown): number {
    if (!(error instanceof KubeError)) return 0
    const auto = this.#options.watchList === 'auto' || this.#options.watchList === undefined
    const outcome = classify(error.code, () => null, error.status, 0)
    if (outcome.kind === 'gone') {
      this.#listed = false
      this.#from = ''
    } else if (outcome.kind === 'behind' && this.#failures >= 2) {
      // Behind what the session wrote or another replica showed, for long: take what is current.
      this.#listed = false
      this.#from = ''
      if (auto) this.#watchList = false
    } else if (outcome.kind === 'failed' && this.#listed && this.#failures >= 2) {
      // It may be one event that cannot be told: a new list leads past it.
      this.#listed = false
    } else if (!this.#listed && auto && (error.code === 400 || error.code === 422)) {
      // A server that cannot send initial events says that the parameter is forbidden.
      this.#watchList = false
    }
    return ('hintMs' in outcome && outcome.hintMs) || 0
  }

  async #list(): Promise<void> {
    const { labelSelector, fieldSelector } = this.#options
    const list = await this.#resource
      .list({
        ...(labelSelector && { labelSelector }),
        ...(fieldSelector && { fieldSelector }),
        resourceVersion: this.#from,
        ...(this.#from !== '' && this.#from !== '0' && { resourceVersionMatch: 'NotOlderThan' as const }),
        pin: this.#from === '0',
        signal: this.#stopped.signal,
      })
      .all()
    this.#replace(new Map(list.items.map((object) => [storeKey(object), object])), list.metadata.resourceVersion ?? '')
  }

  /** One watch; with `initial`, the initial objects come first. Returns when the server ends it. */
  async #watch(initial: boolean): Promise<void> {
    const { labelSelector, fieldSelector } = this.#options
    let collected: Map<string, T> | undefined = initial ? new Map() : undefined
    const batches = this.#resource.watchBatches({
      ...(labelSelector && { labelSelector }),
      ...(fieldSelector && { fieldSelector }),
      allowWatchBookmarks: true,
      resourceVersion: initial ? this.#from : this.#store.resourceVersion,
      ...(initial && { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' as const }),
      // Five to ten minutes, so that watches do not all end at once.
      timeoutSeconds: Math.round(300 * (1 + this.#resource.client.session.options.random())),
      signal: this.#stopped.signal,
    })
    for await (const events of batches) {
      for (const event of events) {
        // A handler may have stopped it.
        if (this.#stopped.signal.aborted) return
        if (event.type === 'ERROR') throw watchError(event.object)
        if (!collected) {
          this.#apply(event)
        } else if (event.type === 'DELETED') {
          collected.delete(storeKey(event.object))
        } else if (event.type !== 'BOOKMARK') {
          collected.set(storeKey(event.object), event.object)
        } else if (event.object.metadata?.annotations?.[INITIAL_EVENTS_END] === 'true') {
          this.#replace(collected, event.object.metadata.resourceVersion ?? '')
          collected = undefined
        }
      }
      this.#wake()
    }
    if (!collected) return
    // It ended before the initial events did, or the server does not know how to send them.
    if (this.#options.watchList !== true && this.#failures > 0) this.#watchList = false
    throw new Error('the watch ended before its initial events')
  }

  #apply(event: WatchEvent<T> & { type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' }): void {
    this.#failures = 0
    const { resourceVersion = '' } = event.object.metadata ?? {}
    if (event.type !== 'BOOKMARK') {
      const key = storeKey(event.object)
      const before = this.#store.byKey(key)
      // Told already, by the list or by a watch that was answered twice. Without an order, another version is newer.
      const stored = before?.metadata?.resourceVersion
      const order = compareResourceVersions(resourceVersion, stored) ?? (resourceVersion === stored ? 0 : 1)
      if (before && (order < 0 || (order === 0 && event.type !== 'DELETED'))) return
      this.#change(key, before, event.type === 'DELETED' ? undefined : event.object, event.object)
    }
    this.#advance(resourceVersion)
  }

  /** Makes the store hold exactly `objects`, telling the handlers the differences. */
  #replace(objects: Map<string, T>, resourceVersion: string): void {
    const { signal } = this.#stopped
    for (const key of this.#store.keys()) {
      if (signal.aborted) return
      if (!objects.has(key)) this.#change(key, this.#store.byKey(key), undefined)
    }
    for (const [key, object] of objects) {
      if (signal.aborted) return
      const before = this.#store.byKey(key)
      if (
        !before ||
        before.metadata?.uid !== object.metadata?.uid ||
        before.metadata?.resourceVersion !== object.metadata?.resourceVersion
      ) {
        this.#change(key, before, object)
      }
    }
    if (signal.aborted) return
    this.#store.resourceVersion = this.#from = resourceVersion
    this.#listed = this.#synced = true
    this.emit('synced', resourceVersion)
    this.#wake()
  }

  #change(key: string, before: T | undefined, after: T | undefined, last: T | undefined = before): void {
    if (before && after && before.metadata?.uid !== after.metadata?.uid) {
      // Deleted and created again while nobody looked.
      this.#change(key, before, undefined)
      return this.#change(key, undefined, after)
    }
    this.#store.put(key, after)
    if (after && before) this.emit('update', after, before)
    else if (after) this.emit('add', after)
    else if (before) this.emit('delete', last!)
  }

  #advance(resourceVersion: string): void {
    if (!resourceVersion || compareResourceVersions(resourceVersion, this.#store.resourceVersion)! < 0) return
    this.#store.resourceVersion = this.#from = resourceVersion
  }

  #wake(): void {
    for (const waiter of this.#waiters) if (this.#reached(waiter.resourceVersion)) waiter.done()
  }
}
