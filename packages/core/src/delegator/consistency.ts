import { delay, type Clock } from '../clock.ts'
import { SelectionPredicate } from '../meta/selection-predicate.ts'
import type { KubeObject } from '../meta/types.ts'
import type { CacherMetrics } from '../metrics/cacher.ts'
import { setBackgroundTimer } from '../storage/background-timer.ts'
import type { ListOptions, ListResult } from '../storage/storage.ts'
import { Fnv64 } from './fnv.ts'

/** Least time between two comparisons, in milliseconds; up to half is added by chance (`pkg/storage/cacher/consistency/checker.go: CheckPeriod`). */
export const consistencyCheckPeriod = 300_000

/** How many objects are read from the storage at once (`checker.go: checkerListPageSize`). */
const pageSize = 10_000

/** Something that lists. */
export interface Lister<T extends KubeObject = KubeObject> {
  getList(key: string, options: ListOptions): Promise<ListResult<T>>
}

/** The cache that is checked. */
interface CheckedCache<T extends KubeObject = KubeObject> extends Lister<T> {
  readonly ready: { readonly isReady: boolean }
  markConsistent(consistent: boolean): void
}

/** Options of {@link ConsistencyChecker}. */
export interface ConsistencyCheckerOptions<T extends KubeObject = KubeObject> {
  readonly clock: Clock
  readonly cacher: CheckedCache<T>
  readonly storage: Lister<T>
  readonly resourcePrefix: string
  readonly metrics: Pick<CacherMetrics, 'consistencyCheck'>
  readonly random?: (() => number) | undefined
  /** Told of a difference, and of what kept a comparison from being made. */
  readonly onInconsistency?: ((error: Error) => void) | undefined
}

/** What a comparison found. */
export interface ConsistencyDigest {
  readonly resourceVersion: string
  readonly cacheDigest: string
  readonly storageDigest: string
  /** Where the two first differ. */
  readonly difference: ConsistencyDifference | undefined
}

/** One position of the lists; what is missing there is `undefined`. */
export interface ConsistencyDifference {
  readonly index: number
  readonly cached: string | undefined
  readonly stored: string | undefined
}

/**
 * Compares the cache with its storage now and then, and stops the cache from keeping past states when the two
 * differ (`pkg/storage/cacher/consistency/checker.go`, feature gate DetectCacheInconsistency).
 */
export class ConsistencyChecker<T extends KubeObject = KubeObject> {
  readonly #options: ConsistencyCheckerOptions<T>
  readonly #abort = new AbortController()

  constructor(options: ConsistencyCheckerOptions<T>) {
    this.#options = options
    void this.#run()
  }

  /** Idempotent. */
  stop(): void {
    this.#abort.abort(new Error('the consistency checker is stopped'))
  }

  /** Compares once and acts on it. */
  async check(): Promise<void> {
    const { cacher, metrics, onInconsistency } = this.#options
    let digest
    try {
      digest = await this.calculateDigests()
    } catch (error) {
      if (this.#abort.signal.aborted) return
      metrics.consistencyCheck('error')
      onInconsistency?.(error as Error)
      return
    }
    const consistent = digest.cacheDigest === digest.storageDigest
    metrics.consistencyCheck(consistent ? 'success' : 'failure')
    cacher.markConsistent(consistent)
    if (consistent) return
    const { index, cached = 'nothing', stored = 'nothing' } = digest.difference!
    onInconsistency?.(
      new Error(
        `the cache differs from its storage at resource version ${digest.resourceVersion}: item ${index} is ${cached} in the cache and ${stored} in the storage`,
      ),
    )
  }

  /** Reads both and compares. Throws when the cache is not ready or the storage answers another version. */
  async calculateDigests(): Promise<ConsistencyDigest> {
    const { cacher, storage } = this.#options
    if (!cacher.ready.isReady) throw new Error('cache is not ready')
    const cached = await this.#identities(cacher, '0', 0)
    const stored = await this.#identities(storage, cached.resourceVersion, pageSize)
    if (cached.resourceVersion !== stored.resourceVersion) {
      throw new Error(
        `etcd returned different resource version then expected, cache: "${cached.resourceVersion}", etcd: "${stored.resourceVersion}"`,
      )
    }
    return {
      resourceVersion: cached.resourceVersion,
      cacheDigest: digestOf(cached.items),
      storageDigest: digestOf(stored.items),
      difference: firstDifference(cached.items, stored.items),
    }
  }

  async #identities(
    lister: Lister<T>,
    resourceVersion: string,
    limit: number,
  ): Promise<{ items: string[]; resourceVersion: string }> {
    const items: string[] = []
    let options: ListOptions = {
      resourceVersion,
      resourceVersionMatch: resourceVersion === '0' ? 'NotOlderThan' : 'Exact',
      predicate: new SelectionPredicate({ limit }),
      recursive: true,
      signal: this.#abort.signal,
    }
    for (;;) {
      const page = await lister.getList(this.#options.resourcePrefix, options)
      for (const { object } of page.items) {
        const { namespace = '', name = '', resourceVersion: version = '' } = object.metadata
        items.push(`${namespace}/${name}/${version}`)
      }
      if (page.continue === '') return { items, resourceVersion: page.resourceVersion }
      // The token says which version; saying it again is refused.
      const predicate = new SelectionPredicate({ limit, continue: page.continue })
      options = { ...options, resourceVersion: '', resourceVersionMatch: '', predicate }
    }
  }

  async #run(): Promise<void> {
    const { clock, random = Math.random } = this.#options
    const background: Clock = {
      now: () => clock.now(),
      setTimeout: (callback, ms) => setBackgroundTimer(clock, callback, ms),
      clearTimeout: (handle) => clock.clearTimeout(handle),
    }
    const { signal } = this.#abort
    while (!signal.aborted) {
      try {
        await delay(background, consistencyCheckPeriod * (1 + 0.5 * random()), signal)
      } catch {
        return
      }
      await this.check()
    }
  }
}

function digestOf(items: readonly string[]): string {
  const hash = new Fnv64()
  for (const item of items) hash.write(item)
  return hash.toString()
}

function firstDifference(cached: readonly string[], stored: readonly string[]): ConsistencyDifference | undefined {
  const length = Math.max(cached.length, stored.length)
  for (let index = 0; index < length; index++) {
    if (cached[index] !== stored[index]) return { index, cached: cached[index], stored: stored[index] }
  }
  return undefined
}
