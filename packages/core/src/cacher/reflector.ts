import { delay, type Clock } from '../clock.ts'
import { isResourceExpired, isTooLargeResourceVersion, isTooManyRequests } from '../errors/guards.ts'
import { StatusError, type Status } from '../errors/status.ts'
import type { KubeObject } from '../meta/types.ts'
import { KVError } from '../storage/kv.ts'
import type { Watch, WatchEvent } from '../storage/storage.ts'
import type { StoredObject } from '../storage/stored-object.ts'
import { Backoff } from './backoff.ts'
import type { ChangeType } from './event.ts'
import type { ListerWatcher } from './lister-watcher.ts'

/** How long internal errors of the storage's watch are put up with, in milliseconds (`pkg/storage/cacher/cacher.go`). */
const maxInternalErrorRetryDuration = 30_000

/** Pause before the watch is tried again after an internal error, in milliseconds; upstream has none. */
const internalErrorPause = 100

/** A time without internal errors that makes the next one the first again, in milliseconds. */
const internalErrorReset = 60_000

/** A watch that ends sooner than this, in milliseconds, without an event is worth nothing. */
const shortWatch = 1_000

/** What the reflector keeps in step with the storage. */
export interface ReflectorStore<T extends KubeObject = KubeObject> {
  replace(objects: readonly StoredObject<T>[], resourceVersion: number): void
  processEvent(type: ChangeType, object: StoredObject<T>): void
  updateResourceVersion(resourceVersion: number): void
}

/** Says when to stop taking events. */
export interface Backpressure {
  readonly isFull: boolean
  /** Called when there is room again. */
  onRoom: (() => void) | undefined
}

/** Options of {@link Reflector}. */
export interface ReflectorOptions<T extends KubeObject> {
  readonly clock: Clock
  readonly listerWatcher: ListerWatcher<T>
  readonly store: ReflectorStore<T>
  readonly backpressure: Backpressure
  /** Gets the initial state from a watch, not from a list (client-go's feature gate WatchListClient). */
  readonly watchList: boolean
  /** 0 … 1, for jitter. */
  readonly random?: () => number
  /** Told of errors that are survived. */
  readonly onError?: ((error: unknown) => void) | undefined
}

type WatchEnd =
  | { readonly type: 'ended'; readonly events: number; readonly synced: boolean }
  | { readonly type: 'error'; readonly status: Status; readonly synced: boolean }
  | { readonly type: 'aborted' }
  | { readonly type: 'broken'; readonly error: Error }

/**
 * Keeps a store in step with what is stored (`client-go: tools/cache/reflector.go`): takes the whole state,
 * then every change, and says when it has lost touch. Events are applied within the call that announces
 * them, so that a storage in the same process is followed without delay.
 */
export class Reflector<T extends KubeObject = KubeObject> {
  readonly #clock: Clock
  readonly #source: ListerWatcher<T>
  readonly #store: ReflectorStore<T>
  readonly #backpressure: Backpressure
  readonly #watchList: boolean
  readonly #backoff: Backoff
  readonly #onError: ((error: unknown) => void) | undefined
  /** The last version that was applied. */
  #lastSynced = 0
  #firstInternalError = -Infinity
  #lastInternalError = -Infinity

  constructor(options: ReflectorOptions<T>) {
    this.#clock = options.clock
    this.#source = options.listerWatcher
    this.#store = options.store
    this.#backpressure = options.backpressure
    this.#watchList = options.watchList
    this.#backoff = new Backoff({
      clock: options.clock,
      initial: 800,
      max: 30_000,
      resetAfter: 120_000,
      ...(options.random !== undefined && { random: options.random }),
    })
    this.#onError = options.onError
  }

  /**
   * Fills the store and follows the storage, until the signal aborts or touch is lost; throws when the store
   * could not even be filled.
   */
  async listAndWatch(signal: AbortSignal): Promise<void> {
    let useList = !this.#watchList
    let watch = await this.#fill(useList, signal)
    let filling = watch !== undefined
    while (!signal.aborted) {
      watch ??= await this.#openWatch(signal)
      if (watch === undefined) return
      const started = this.#clock.now()
      const end = await this.#follow(watch, filling, signal)
      watch = undefined
      if (end.type === 'aborted') return
      if (end.type === 'broken') throw end.error
      if (end.synced) {
        filling = false
        if (!(await this.#isWorthResuming(end, started, signal))) return
        continue
      }
      // The state did not become complete.
      if (end.type === 'ended') await this.#pause(this.#backoff.next(), signal)
      else if (!(await this.#survives(new StatusError(end.status), signal))) useList = true
      watch = await this.#fill(useList, signal)
      filling = watch !== undefined
    }
  }

  /** Fills the store from a list, or gives the watch to fill it from. */
  async #fill(useList: boolean, signal: AbortSignal): Promise<Watch<T> | undefined> {
    const watch = useList ? undefined : await this.#openWatchList(signal)
    if (watch === undefined && !signal.aborted) await this.#list(signal)
    return watch
  }

  /** Whether a watch that has ended should be opened again where it left off; waits as long as it should. */
  async #isWorthResuming(
    end: Extract<WatchEnd, { type: 'ended' | 'error' }>,
    started: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    const now = this.#clock.now()
    if (end.type === 'ended') return end.events > 0 || now - started >= shortWatch
    const error = new StatusError(end.status)
    this.#onError?.(error)
    if (isTooManyRequests(error)) {
      await this.#pause(this.#backoff.next(), signal)
      return true
    }
    if (end.status.reason === 'InternalError') {
      // A minute without one makes the next one the first.
      if (now - this.#lastInternalError > internalErrorReset) this.#firstInternalError = now
      this.#lastInternalError = now
      if (now - this.#firstInternalError > maxInternalErrorRetryDuration) return false
      await this.#pause(internalErrorPause, signal)
      return true
    }
    return false
  }

  /** Opens a watch that begins with the whole state; `undefined` when a list has to do instead. */
  async #openWatchList(signal: AbortSignal): Promise<Watch<T> | undefined> {
    while (!signal.aborted) {
      try {
        return await this.#source.watch({ resourceVersion: '', sendInitialEvents: true, signal })
      } catch (error) {
        if (signal.aborted) return undefined
        this.#onError?.(error)
        if (!(await this.#survives(error, signal))) return undefined
      }
    }
    return undefined
  }

  /** Whether a watch-list is worth another try after that error; waits as long as it should. */
  async #survives(error: unknown, signal: AbortSignal): Promise<boolean> {
    const passes = isResourceExpired(error) || isTooLargeResourceVersion(error) || isTooManyRequests(error)
    if (!passes && !isUnavailable(error)) return false
    await this.#pause(this.#backoff.next(), signal)
    return true
  }

  async #openWatch(signal: AbortSignal): Promise<Watch<T> | undefined> {
    while (!signal.aborted) {
      try {
        return await this.#source.watch({ resourceVersion: String(this.#lastSynced), signal })
      } catch (error) {
        if (signal.aborted) return undefined
        this.#onError?.(error)
        if (!isUnavailable(error) && !isTooManyRequests(error)) return undefined
        await this.#pause(this.#backoff.next(), signal)
      }
    }
    return undefined
  }

  async #list(signal: AbortSignal): Promise<void> {
    let state
    try {
      state = await this.#source.list(signal)
    } catch (error) {
      if (signal.aborted) return
      const message = error instanceof Error ? error.message : String(error)
      // Upstream's reflector does not know the type of a cache's objects either.
      throw new Error(`failed to list <unspecified>: ${message}`, { cause: error })
    }
    this.#store.replace(state.items, state.resourceVersion)
    this.#lastSynced = state.resourceVersion
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    try {
      await delay(this.#clock, ms, signal)
    } catch {
      // Aborted; the callers look.
    }
  }

  /** Applies what the watch tells until it ends; with `initial` it begins with the whole state. */
  #follow(watch: Watch<T>, initial: boolean, signal: AbortSignal): Promise<WatchEnd> {
    return new Promise((resolve) => {
      const state = initial ? new Map<string, StoredObject<T>>() : undefined
      let synced = !initial
      let events = 0
      let finished = false
      let draining = false
      let held: WatchEvent<T> | undefined

      const finish = (end: WatchEnd): void => {
        finished = true
        watch.onReadable = undefined
        this.#backpressure.onRoom = undefined
        signal.removeEventListener('abort', onAbort)
        watch.stop()
        resolve(end)
      }
      const onAbort = (): void => finish({ type: 'aborted' })

      const apply = (event: WatchEvent<T>): void => {
        events++
        if (event.type === 'ERROR') return finish({ type: 'error', status: event.status, synced })
        if (!synced) {
          if (event.type === 'BOOKMARK') {
            if (!event.initialEventsEnd) return
            this.#store.replace([...state!.values()], event.resourceVersion)
            state!.clear()
            synced = true
            this.#lastSynced = event.resourceVersion
          } else if (event.type === 'DELETED') state!.delete(event.object.key)
          else state!.set(event.object.key, event.object)
          return
        }
        if (event.type === 'BOOKMARK') {
          this.#lastSynced = event.resourceVersion
          this.#store.updateResourceVersion(event.resourceVersion)
          return
        }
        this.#store.processEvent(event.type, event.object)
        this.#lastSynced = event.object.resourceVersion
        this.#store.updateResourceVersion(event.object.resourceVersion)
      }

      const drain = (): void => {
        if (draining || finished) return
        draining = true
        try {
          for (;;) {
            if (finished) break
            const event = held ?? watch.poll()
            held = undefined
            if (event === undefined) {
              if (watch.ended) finish({ type: 'ended', events, synced })
              break
            }
            // What belongs to one revision is applied in one go, lest somebody reads half of it.
            if (this.#backpressure.isFull && versionOf(event) !== this.#lastSynced) {
              held = event
              break
            }
            apply(event)
          }
        } catch (error) {
          finish({ type: 'broken', error: error as Error })
        }
        draining = false
      }

      if (signal.aborted) return finish({ type: 'aborted' })
      signal.addEventListener('abort', onAbort, { once: true })
      watch.onReadable = drain
      this.#backpressure.onRoom = drain
      drain()
    })
  }
}

function versionOf(event: WatchEvent): number | undefined {
  if (event.type === 'ERROR') return undefined
  return event.type === 'BOOKMARK' ? event.resourceVersion : event.object.resourceVersion
}

/** The storage cannot be reached, which passes. */
function isUnavailable(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof KVError && at.code === 'unavailable') return true
  }
  return false
}
