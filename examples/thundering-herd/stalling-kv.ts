import type {
  GetResult,
  KV,
  KVWatch,
  KVWatchOptions,
  KVWatchResponse,
  RangeOptions,
  RangeResult,
  TxnRequest,
  TxnResult,
} from '@freshread/core'

/** A storage whose watches can stall, while reads and writes go on; it counts what it is asked. */
export class StallingKV implements KV {
  /** Lists that the storage itself had to answer. */
  listReads = 0
  /** Questions for its current revision: what a consistent read from the cache begins with. */
  revisionReads = 0
  /** Told of each of them. */
  onListRead: () => void = () => {}
  readonly #kv: KV
  readonly #isObject: (key: string) => boolean
  #stalled = false
  readonly #held: (() => void)[] = []

  /** @param isObject tells the keys of objects from the one that is asked for its revision only */
  constructor(kv: KV, isObject: (key: string) => boolean) {
    this.#kv = kv
    this.#isObject = isObject
  }

  get supportsProgress(): boolean {
    return this.#kv.supportsProgress
  }

  stall(): void {
    this.#stalled = true
  }

  /** Lets everything go that was held back, in order. */
  recover(): void {
    this.#stalled = false
    for (const deliver of this.#held.splice(0)) deliver()
  }

  get(
    key: string,
    options?: { readonly revision?: number; readonly signal?: AbortSignal | undefined },
  ): Promise<GetResult> {
    if (!this.#isObject(key)) this.revisionReads++
    return this.#kv.get(key, options)
  }

  range(options: RangeOptions): Promise<RangeResult> {
    this.listReads++
    this.onListRead()
    return this.#kv.range(options)
  }

  txn(request: TxnRequest): Promise<TxnResult> {
    return this.#kv.txn(request)
  }

  watch(options: KVWatchOptions): KVWatch {
    const onResponse = (response: KVWatchResponse): void => {
      const deliver = (): void => options.onResponse(response)
      if (this.#stalled) this.#held.push(deliver)
      else deliver()
    }
    return this.#kv.watch({ ...options, onResponse })
  }

  requestProgress(): Promise<void> {
    return this.#kv.requestProgress()
  }

  compact(revision: number): Promise<void> {
    return this.#kv.compact(revision)
  }

  grantLease(ttlSeconds: number): Promise<number> {
    return this.#kv.grantLease(ttlSeconds)
  }

  close(): Promise<void> {
    return this.#kv.close()
  }
}
