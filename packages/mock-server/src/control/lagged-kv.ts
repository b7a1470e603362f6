import type {
  Clock,
  GetResult,
  KV,
  KVWatch,
  KVWatchOptions,
  KVWatchResponse,
  RangeOptions,
  RangeResult,
  TimerHandle,
  TxnRequest,
  TxnResult,
} from '@freshread/core'

/** How far the watches of some keys are held back. */
export interface Lag {
  /** Nothing is delivered until this is false again. */
  readonly frozen: boolean
  /** Milliseconds each response is delayed by. */
  readonly ms: number
}

interface Rule {
  frozen: boolean
  ms: number
}

/**
 * A KV whose watches lag: responses (events and progress notifications alike) are held back while frozen or
 * delayed by a number of milliseconds, always in order. Everything else passes through at once, so writes and
 * direct reads see the newest state: what a cache built on this sees late is exactly what it would see late
 * behind a slow network.
 */
export class LaggedKV implements KV {
  readonly #kv: KV
  readonly #clock: Clock
  readonly #rule: Rule = { frozen: false, ms: 0 }
  /** Rules of their own for keys below a prefix (`/registry/pods/`). */
  readonly #prefixRules = new Map<string, Rule>()
  readonly #watches = new Set<LaggedWatch>()

  constructor(kv: KV, clock: Clock) {
    this.#kv = kv
    this.#clock = clock
  }

  get supportsProgress(): boolean {
    return this.#kv.supportsProgress
  }

  get(
    key: string,
    options?: { readonly revision?: number; readonly signal?: AbortSignal | undefined },
  ): Promise<GetResult> {
    return this.#kv.get(key, options)
  }

  range(options: RangeOptions): Promise<RangeResult> {
    return this.#kv.range(options)
  }

  txn(request: TxnRequest): Promise<TxnResult> {
    return this.#kv.txn(request)
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
    for (const watch of this.#watches) watch.cancel()
    return this.#kv.close()
  }

  watch(options: KVWatchOptions): KVWatch {
    const watch = new LaggedWatch(options, this.#clock, () => this.#ruleFor(options.key), this.#watches)
    watch.open(this.#kv)
    return watch
  }

  /** Holds back everything, or only keys below `prefix`. */
  freeze(prefix?: string): void {
    this.#change(prefix, (rule) => (rule.frozen = true))
  }

  /** Lets everything go that was held back, in order. Without a prefix it ends the freezes of single prefixes too. */
  thaw(prefix?: string): void {
    if (prefix === undefined) for (const rule of this.#prefixRules.values()) rule.frozen = false
    this.#change(prefix, (rule) => (rule.frozen = false))
  }

  /** Delays each response that comes from now on by `ms`; 0 ends the delay. */
  lag(ms: number, prefix?: string): void {
    if (prefix === undefined) for (const rule of this.#prefixRules.values()) rule.ms = ms
    this.#change(prefix, (rule) => (rule.ms = ms))
  }

  /** What holds now for all keys, or for those below `prefix`. */
  state(prefix?: string): Lag {
    const rule = prefix === undefined ? this.#rule : this.#ruleFor(prefix)
    return { frozen: rule.frozen, ms: rule.ms }
  }

  /** Changes that are held back at this moment, once for each watch; word of progress is none. */
  get pending(): number {
    let sum = 0
    for (const watch of this.#watches) sum += watch.pending
    return sum
  }

  #ruleFor(key: string): Rule {
    for (const [prefix, rule] of this.#prefixRules) if (key.startsWith(prefix)) return rule
    return this.#rule
  }

  #change(prefix: string | undefined, change: (rule: Rule) => void): void {
    if (prefix === undefined) change(this.#rule)
    else {
      let rule = this.#prefixRules.get(prefix)
      if (rule === undefined) this.#prefixRules.set(prefix, (rule = { ...this.#rule }))
      change(rule)
    }
    for (const watch of this.#watches) watch.deliver()
  }
}

interface Held {
  readonly response: KVWatchResponse
  readonly due: number
}

class LaggedWatch implements KVWatch {
  readonly #options: KVWatchOptions
  readonly #clock: Clock
  readonly #rule: () => Rule
  readonly #all: Set<LaggedWatch>
  #held: Held[] = []
  #inner: KVWatch | undefined
  #timer: TimerHandle | undefined
  #timerSet = false
  #cancelled = false
  #delivering = false

  constructor(options: KVWatchOptions, clock: Clock, rule: () => Rule, all: Set<LaggedWatch>) {
    this.#options = options
    this.#clock = clock
    this.#rule = rule
    this.#all = all
  }

  get pending(): number {
    let sum = 0
    for (const { response } of this.#held) if (response.type === 'events') sum += response.events.length
    return sum
  }

  open(kv: KV): void {
    this.#all.add(this)
    this.#inner = kv.watch({ ...this.#options, onResponse: (response) => this.#accept(response) })
    // The KV may have answered, and the receiver cancelled, before `watch` returned.
    if (this.#cancelled) this.#inner.cancel()
  }

  cancel(): void {
    if (this.#cancelled) return
    this.#cancelled = true
    this.#held = []
    this.#all.delete(this)
    this.#disarm()
    this.#inner?.cancel()
  }

  #accept(response: KVWatchResponse): void {
    if (this.#cancelled) return
    const { frozen, ms } = this.#rule()
    if (!frozen && ms === 0 && this.#held.length === 0 && !this.#delivering) {
      this.#pass(response)
      return
    }
    this.#held.push({ response, due: this.#clock.now() + ms })
    this.deliver()
  }

  /** Delivers what is due and arms a timer for what comes next. */
  deliver(): void {
    if (this.#delivering) return
    this.#delivering = true
    try {
      while (this.#held.length > 0 && !this.#rule().frozen && this.#held[0]!.due <= this.#clock.now()) {
        this.#pass(this.#held.shift()!.response)
      }
    } finally {
      this.#delivering = false
    }
    this.#disarm()
    if (this.#held.length === 0 || this.#rule().frozen || this.#cancelled) return
    this.#timerSet = true
    this.#timer = this.#clock.setTimeout(
      () => {
        this.#timerSet = false
        this.deliver()
      },
      Math.max(0, this.#held[0]!.due - this.#clock.now()),
    )
  }

  #pass(response: KVWatchResponse): void {
    if (response.type === 'compacted' || response.type === 'error') this.#all.delete(this)
    this.#options.onResponse(response)
  }

  #disarm(): void {
    if (!this.#timerSet) return
    this.#timerSet = false
    this.#clock.clearTimeout(this.#timer)
  }
}
