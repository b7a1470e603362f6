import { isResourceExpired } from '../errors/guards.ts'
import { SelectionPredicate } from '../meta/selection-predicate.ts'
import type { KubeObject } from '../meta/types.ts'
import type { Storage, Watch } from '../storage/storage.ts'
import type { StoredObject } from '../storage/stored-object.ts'

/** How many objects the cache reads from its storage at once (`pkg/storage/cacher/cacher.go: storageWatchListPageSize`). */
const storageWatchListPageSize = 10_000

/** How a reflector opens a watch. */
export interface ReflectorWatchOptions {
  readonly resourceVersion: string
  readonly sendInitialEvents?: boolean
  readonly signal: AbortSignal
}

/** A whole state of the storage. */
export interface ListedState<T extends KubeObject = KubeObject> {
  readonly items: readonly StoredObject<T>[]
  readonly resourceVersion: number
}

/** Reads everything of one resource for its cache (`pkg/storage/cacher/lister_watcher.go`). */
export class ListerWatcher<T extends KubeObject = KubeObject> {
  readonly #storage: Storage<T>
  readonly #prefix: string
  readonly #pageSize: number

  constructor(storage: Storage<T>, resourcePrefix: string, pageSize: number = storageWatchListPageSize) {
    this.#storage = storage
    this.#prefix = resourcePrefix
    this.#pageSize = pageSize
  }

  /** The latest state, in pages; where they take so long that the first has been compacted, all at once. */
  async list(signal: AbortSignal): Promise<ListedState<T>> {
    try {
      return await this.#pages(this.#pageSize, signal)
    } catch (error) {
      if (!isResourceExpired(error)) throw error
      return await this.#pages(0, signal)
    }
  }

  watch(options: ReflectorWatchOptions): Promise<Watch<T>> {
    const { sendInitialEvents } = options
    return this.#storage.watch(this.#prefix, {
      resourceVersion: options.resourceVersion,
      resourceVersionMatch: sendInitialEvents ? 'NotOlderThan' : '',
      predicate: SelectionPredicate.everything.with({ allowWatchBookmarks: true }),
      recursive: true,
      progressNotify: true,
      signal: options.signal,
      ...(sendInitialEvents !== undefined && { sendInitialEvents }),
    })
  }

  async #pages(limit: number, signal: AbortSignal): Promise<ListedState<T>> {
    const items: StoredObject<T>[] = []
    let token = ''
    for (;;) {
      const page = await this.#storage.getList(this.#prefix, {
        resourceVersion: '',
        resourceVersionMatch: '',
        predicate: new SelectionPredicate({ limit, continue: token }),
        recursive: true,
        signal,
      })
      for (const item of page.items) items.push(item)
      token = page.continue
      if (token === '') return { items, resourceVersion: Number(page.resourceVersion) }
    }
  }
}
