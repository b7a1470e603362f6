import { newResourceExpired, newTooLargeResourceVersionError } from '../errors/api-errors.ts'
import { StatusError } from '../errors/status.ts'
import { newStorageTimeoutError } from '../errors/storage-error.ts'
import { encodeContinue, prepareContinueToken } from '../meta/continue-token.ts'
import { prefixEnd } from '../meta/key.ts'
import { printListResourceVersion } from '../meta/resource-version.ts'
import type { KubeObject } from '../meta/types.ts'
import { CorruptObjectCollector } from './corrupt-objects.ts'
import { KVError, type KeyValue } from './kv.ts'
import type { ListOptions, ListResult } from './storage.ts'
import type { StoreContext } from './store-context.ts'
import type { StoredObject } from './stored-object.ts'
import { parseRequestedVersion, validateStorageListOptions } from './validate-list-options.ts'

/** Pages of a filtered list grow up to this many. */
const maxPage = 10_000

/** One answer of the KV. */
interface Page {
  readonly kvs: readonly KeyValue[]
  /** The KV's current revision. */
  readonly revision: number
  /** Keys from this page's start on, itself included. */
  readonly count: number
}

/** Lists from the KV (`pkg/storage/etcd3/store.go: GetList`). */
export async function listFromStore<T extends KubeObject>(
  context: StoreContext<T>,
  key: string,
  options: ListOptions,
): Promise<ListResult<T>> {
  const keyPrefix = context.fullKey(key, options.recursive)
  const { withRevision, continueKey } = validateStorageListOptions(keyPrefix, options)
  return new ListRead(context, keyPrefix, options, withRevision, continueKey).run()
}

class ListRead<T extends KubeObject> {
  readonly #context: StoreContext<T>
  readonly #keyPrefix: string
  readonly #options: ListOptions
  /** Where a list in pages stands. */
  #startKey: string
  /** The revision all pages are read at; 0 until the first one tells. */
  #revision: bigint
  readonly #items: StoredObject<T>[] = []
  readonly #corrupt = new CorruptObjectCollector()
  #fetched = 0
  #evaluated = 0
  /** All in one read: the KV knows nothing of selectors, so only without a selector can a limit be its limit. */
  readonly #streamed: boolean

  constructor(
    context: StoreContext<T>,
    keyPrefix: string,
    options: ListOptions,
    withRevision: bigint,
    continueKey: string,
  ) {
    const { predicate, recursive } = options
    this.#context = context
    this.#keyPrefix = keyPrefix
    this.#options = options
    this.#revision = withRevision
    this.#startKey = continueKey === '' ? keyPrefix : continueKey
    this.#streamed = recursive && (predicate.limit <= 0 || predicate.empty)
  }

  async run(): Promise<ListResult<T>> {
    const start = this.#context.now()
    try {
      return await this.#list()
    } finally {
      // What an unsuccessful list cost counts, too.
      this.#context.observer.list?.(this.#context.groupResource, {
        fetched: this.#fetched,
        evaluated: this.#evaluated,
        returned: this.#items.length,
        streamed: this.#streamed,
        durationMs: this.#context.now() - start,
      })
    }
  }

  async #list(): Promise<ListResult<T>> {
    const { predicate, resourceVersion } = this.#options
    const limit = Math.max(0, predicate.limit)
    let pageSize = limit
    let lastKey = ''
    for (;;) {
      const page = await this.#readPage(pageSize)
      this.#fetched += page.kvs.length
      if (this.#revision === 0n) {
        checkMinimumVersion(resourceVersion, page.revision)
        this.#revision = BigInt(page.revision)
      }
      const left = page.count - page.kvs.length
      if (page.kvs.length === 0 && left > 0) {
        throw new Error('no results were found, but etcd indicated there were more values remaining')
      }
      const taken = this.#take(page.kvs, limit)
      if (taken > 0) lastKey = page.kvs[taken - 1]!.key
      const full = limit > 0 && this.#items.length >= limit
      if (full || left === 0) {
        this.#corrupt.throwIfAny(this.#context.groupResource)
        const hasMore = left > 0 || taken < page.kvs.length
        return {
          ...prepareContinueToken(lastKey, this.#keyPrefix, this.#revision, page.count, hasMore, predicate),
          resourceVersion: printListResourceVersion(this.#revision),
          items: this.#items,
        }
      }
      this.#startKey = page.kvs.at(-1)!.key + '\0'
      // The selector drops much: ask for more at a time.
      pageSize = Math.min(pageSize * 2, Math.max(pageSize, maxPage))
    }
  }

  /** Takes what matches, until there is enough. Answers how many were looked at. */
  #take(kvs: readonly KeyValue[], limit: number): number {
    const { predicate, signal } = this.#options
    for (let i = 0; i < kvs.length; i++) {
      const kv = kvs[i]!
      if (limit > 0 && this.#items.length >= limit) return i
      if (signal?.aborted) throw newStorageTimeoutError(kv.key, 'request did not complete within requested timeout')
      try {
        const stored = this.#context.decode(kv)
        this.#evaluated++
        if (predicate.empty || predicate.matches(stored.object)) this.#items.push(stored)
      } catch (error) {
        if (this.#corrupt.add(kv.key, error)) this.#corrupt.throwIfAny(this.#context.groupResource)
      }
    }
    return kvs.length
  }

  async #readPage(limit: number): Promise<Page> {
    const { kv: store } = this.#context
    const { recursive, signal } = this.#options
    if (this.#revision > BigInt(Number.MAX_SAFE_INTEGER)) return this.#tooLarge()
    const revision = Number(this.#revision)
    try {
      if (recursive) {
        const range = { start: this.#startKey, end: prefixEnd(this.#keyPrefix), revision, limit, signal }
        return await this.#context.request(this.#streamed ? 'listStream' : 'list', () => store.range(range))
      }
      const found = await this.#context.request('get', () => store.get(this.#keyPrefix, { revision, signal }))
      const kvs = found.kv === undefined ? [] : [found.kv]
      return { kvs, revision: found.revision, count: kvs.length }
    } catch (error) {
      if (error instanceof KVError && error.code === 'future-revision') return this.#tooLarge()
      if (error instanceof KVError && error.code === 'compacted') throw this.#expired()
      throw error
    }
  }

  async #tooLarge(): Promise<never> {
    const current = await this.#context.currentRevision(this.#options.signal).catch(() => 0)
    throw newTooLargeResourceVersionError(this.#revision, current, 0)
  }

  /** What to say when the revision is compacted; a list that goes on can go on inconsistently. */
  #expired(): StatusError {
    if (this.#options.predicate.continue === '') {
      return newResourceExpired('The resourceVersion for the provided list is too old.')
    }
    const tooOld =
      'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter'
    let token: string
    try {
      token = encodeContinue(this.#startKey, this.#keyPrefix, -1)
    } catch {
      return newResourceExpired(`${tooOld}.`)
    }
    const { status } = newResourceExpired(
      `${tooOld}, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.`,
    )
    return new StatusError({ ...status, metadata: { continue: token } })
  }
}

/**
 * Throws when a read was to show at least `resourceVersion` and the storage is not that far
 * (`validateMinimumResourceVersion`); a malformed one is a 400.
 */
export function checkMinimumVersion(resourceVersion: string, revision: number): void {
  if (resourceVersion === '') return
  const minimum = parseRequestedVersion(resourceVersion)
  if (minimum > BigInt(revision)) throw newTooLargeResourceVersionError(minimum, revision, 0)
}
