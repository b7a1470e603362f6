import type { KVEvent, KVWatchOptions, KVWatchResponse } from '../kv.ts'
import type { Commit } from './mvcc.ts'

/** A running watch and how far it is. */
export class Watcher {
  readonly options: KVWatchOptions
  /** The next revision to deliver. */
  nextRevision: number
  ended = false
  /** Whether events went out since the last automatic progress notification. */
  sentSinceProgress = false

  constructor(options: KVWatchOptions) {
    this.options = options
    this.nextRevision = options.startRevision
  }

  send(response: KVWatchResponse): void {
    if (this.ended) return
    if (response.type === 'events') this.sentSinceProgress = true
    try {
      this.options.onResponse(response)
    } catch (error) {
      // A listener's fault must neither undo a commit nor keep it from the others.
      queueMicrotask(() => {
        throw error
      })
    }
  }

  /** Delivers what of a commit this watch wants to see. */
  deliver(commit: Commit): void {
    if (commit.revision < this.nextRevision) return
    this.nextRevision = commit.revision + 1
    const events = this.select(commit.events)
    if (events.length > 0) this.send({ type: 'events', revision: commit.revision, events })
  }

  select(events: readonly KVEvent[]): readonly KVEvent[] {
    const { previous = false } = this.options
    if (events.length === 1 && previous) return this.#wants(events[0]!.kv.key) ? events : []
    const wanted = events.filter((event) => this.#wants(event.kv.key))
    return previous ? wanted : wanted.map((event) => ({ ...event, previous: undefined }))
  }

  #wants(key: string): boolean {
    return this.options.prefix ? key.startsWith(this.options.key) : key === this.options.key
  }
}

/**
 * Finds the watchers of a key. Most watch a prefix that ends in a slash, so a key's watchers are found by
 * its own prefixes rather than by asking every watcher (etcd: `server/storage/mvcc: watcherGroup`).
 */
export class WatcherGroup implements Iterable<Watcher> {
  readonly #all = new Set<Watcher>()
  readonly #byKey = new Map<string, Set<Watcher>>()
  readonly #byPath = new Map<string, Set<Watcher>>()
  readonly #byPrefix = new Map<string, Set<Watcher>>()

  add(watcher: Watcher): void {
    this.#all.add(watcher)
    const map = this.#mapOf(watcher)
    const { key } = watcher.options
    const group = map.get(key)
    if (group === undefined) map.set(key, new Set([watcher]))
    else group.add(watcher)
  }

  delete(watcher: Watcher): void {
    this.#all.delete(watcher)
    const map = this.#mapOf(watcher)
    const { key } = watcher.options
    const group = map.get(key)
    group?.delete(watcher)
    if (group?.size === 0) map.delete(key)
  }

  #mapOf({ options }: Watcher): Map<string, Set<Watcher>> {
    if (!options.prefix) return this.#byKey
    return options.key.endsWith('/') ? this.#byPath : this.#byPrefix
  }

  /** Calls `visit` for each watcher that wants any of the commit, once. */
  forCommit(commit: Commit, visit: (watcher: Watcher) => void): void {
    if (this.#all.size === 0) return
    if (commit.events.length === 1) return this.#forKey(commit.events[0]!.kv.key, visit)
    const watchers = new Set<Watcher>()
    for (const event of commit.events) this.#forKey(event.kv.key, (watcher) => watchers.add(watcher))
    for (const watcher of watchers) visit(watcher)
  }

  #forKey(key: string, visit: (watcher: Watcher) => void): void {
    if (this.#byKey.size > 0) for (const watcher of this.#byKey.get(key) ?? none) visit(watcher)
    for (let slash = key.indexOf('/'); slash >= 0; slash = key.indexOf('/', slash + 1)) {
      for (const watcher of this.#byPath.get(key.slice(0, slash + 1)) ?? none) visit(watcher)
    }
    for (const [prefix, group] of this.#byPrefix) {
      if (key.startsWith(prefix)) for (const watcher of group) visit(watcher)
    }
  }

  [Symbol.iterator](): Iterator<Watcher> {
    return this.#all.values()
  }
}

const none: readonly Watcher[] = []
