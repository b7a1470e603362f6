import { wrapFetch, type Fetch } from './adapters/fetch.ts'
import { classify, type AnswerView, type Outcome } from './classify.ts'
import { delay } from './clock.ts'
import { Emitter } from './emitter.ts'
import { type Exchange, type Try, rememberTries, triesOf } from './exchange.ts'
import { type RequestOptions, type SessionOptions, resolveOptions } from './options.ts'
import { type ExportedPins, Pins, pinName } from './pins.ts'
import { type Reason, decide } from './policy.ts'
import { type RequestInfo, isTrue, parseRequest, withResourceVersion } from './request-path.ts'
import { isComparable, isOlder, newerOf } from './resource-version.ts'
import { SingleFlight } from './single-flight.ts'

/** What every event says about its request. */
export interface RequestEvent {
  readonly request: RequestInfo
  /** Number of the try it is about, from 1. */
  readonly attempt: number
}

/** Events of a session and what they carry. */
export interface SessionEvents {
  /** A resource has a new pin. `name` is `resource.group`. */
  pin: (event: { readonly server: string; readonly name: string; readonly resourceVersion: string }) => void
  /** A try was answered "not yet", "slow down" or not at all; the next follows in `delayMs`. */
  wait: (event: RequestEvent & { readonly reason: Reason; readonly delayMs: number }) => void
  /** The try `attempt` is sent. */
  retry: (event: RequestEvent) => void
  /** The pin is given up for one read: after its tries, or because the storage itself is behind the pin. */
  unpin: (event: RequestEvent & { readonly reason: Reason; readonly delayMs: number }) => void
  /** The server went back in time; everything known about it is dropped. */
  rewind: (event: { readonly request: RequestInfo; readonly expected: string; readonly found: string }) => void
  /** A 429. */
  throttled: (event: RequestEvent & { readonly outcome: Outcome & { kind: 'throttled' } }) => void
  /** A 410. With a `continueToken` in its outcome, a list may go on, inconsistently. */
  gone: (event: RequestEvent & { readonly outcome: Outcome & { kind: 'gone' } }) => void
  /** An answer is surfaced that is not what was asked for. */
  'give-up': (event: RequestEvent & { readonly outcome: Outcome; readonly tries: readonly Try[] }) => void
}

/** Counters of a session: of its events, by name, and of these. */
export interface SessionStats extends Readonly<Record<keyof SessionEvents, number>> {
  /** Tries sent. */
  readonly sent: number
  /** Tries that carried the session's pin. */
  readonly pinned: number
  /** Calls answered by another call's request. */
  readonly shared: number
  /** Milliseconds waited between tries. */
  readonly waitedMs: number
}

/** How one try is sent. */
interface Plan {
  readonly url: string
  /** The resource version it carries; `''` for none. */
  readonly resourceVersion: string
  /** The session put its pin on it. */
  readonly pinned: boolean
}

interface Sent extends Plan {
  /** The session's time when it was sent. */
  readonly at: number
  /** The resource's pin at that time. */
  readonly pin: string | undefined
}

/** The parts of any answer that matter here. */
interface Body {
  readonly kind?: unknown
  readonly metadata?: {
    readonly uid?: unknown
    readonly resourceVersion?: unknown
    readonly deletionTimestamp?: unknown
    readonly finalizers?: unknown
  }
}

/** What goes through these is somebody else's: nothing of it is stored, or as of a resource version. */
const PASSED_ON = ['log', 'proxy', 'exec', 'attach', 'portforward', 'token']
const MAX_CONFLICTS = 256

/**
 * Remembers what was written through it and asks for at least that when reading; treats "not yet" as a wait.
 * One session is one reader's view: a page, a job, a reconcile loop. Create one per view, or share one.
 */
export class FreshReadSession extends Emitter<SessionEvents> {
  /** `fetch` through this session; the global one, looked up at each call. */
  readonly fetch: Fetch = wrapFetch((input, init) => globalThis.fetch(input, init), this)

  readonly options: Required<SessionOptions>
  readonly #pins = new Pins()
  /** By API server and uid: the last resource version written, and when. */
  readonly #own = new Map<string, { readonly resourceVersion: string; readonly at: number }>()
  /** By API server and object: when a write to it was refused as a conflict. */
  readonly #conflicts = new Map<string, number>()
  readonly #inFlight = new SingleFlight()
  /** Advances with everything that a later read must reflect. */
  #time = 1
  #warned = false
  readonly #stats: { -readonly [K in keyof SessionStats]: number } = {
    sent: 0,
    pinned: 0,
    shared: 0,
    waitedMs: 0,
    pin: 0,
    wait: 0,
    retry: 0,
    unpin: 0,
    rewind: 0,
    throttled: 0,
    gone: 0,
    'give-up': 0,
  }

  /** Throws a TypeError naming an option that is wrong or unknown. */
  constructor(options: SessionOptions = {}) {
    super()
    this.options = resolveOptions(options)
    this.checkTimeout(options.deadlineMs)
  }

  /** Counters since the session began. */
  stats(): SessionStats {
    return { ...this.#stats }
  }

  /** Forgets what it knows of an API server (origin and path prefix), or of all. */
  clear(server?: string): void {
    this.#time++
    this.#pins.clear(server)
    for (const map of [this.#own, this.#conflicts]) {
      for (const key of map.keys()) if (server === undefined || key.startsWith(`${server} `)) map.delete(key)
    }
  }

  /** The pins as plain JSON. */
  exportPins(): ExportedPins {
    return this.#pins.toJSON()
  }

  /** Takes over pins of another session, keeping the newer of each. Throws a TypeError for anything else. */
  importPins(exported: ExportedPins): this {
    this.#pins.import(exported, ++this.#time)
    return this
  }

  /** The pins as one short, header-safe token. */
  toToken(): string {
    return btoa(JSON.stringify(this.exportPins().servers))
  }

  /** Takes over the pins in a token. Throws a TypeError for anything that is not one. */
  fromToken(token: string): this {
    let servers: unknown
    try {
      servers = JSON.parse(atob(token))
    } catch {
      // Refused with what decodes to no pins.
    }
    return this.importPins({ version: 1, servers } as ExportedPins)
  }

  /** Warns, once, of a timeout that ends a request before the server's own "not yet", which comes after 3 seconds. */
  checkTimeout(timeoutMs: number | undefined): void {
    if (!timeoutMs || timeoutMs > 3000 || this.#warned) return
    this.#warned = true
    this.options.warn(`FreshRead: timeout ${timeoutMs} ms hides "not yet" (3000 ms)`)
  }

  /** Sends a request as the session sees fit. For adapters. */
  async request<A>(exchange: Exchange<A>): Promise<A> {
    const { url, identity, options } = exchange
    const info = parseRequest(exchange.method, url, exchange.contentType)
    if (!info) return exchange.send(url)
    const began = this.options.clock.now()
    const run = (): Promise<A> => this.#run(exchange, info, began)
    if (identity === undefined || !isObjectRead(info)) return run()
    // Reads that began before something was written or deleted must not answer those that begin after it.
    const key = [this.#time, exchange.method, url, identity, JSON.stringify(options)].join('\n')
    const share = async (answer: A, count: number): Promise<A[]> => {
      const answers = await exchange.share(answer, count)
      for (const each of answers) rememberTries(each, triesOf(answer))
      return answers
    }
    return this.#inFlight.do(key, { signal: exchange.signal, run, share }, () => this.#stats.shared++)
  }

  async #run<A>(exchange: Exchange<A>, request: RequestInfo, began: number): Promise<A> {
    const { signal, options } = exchange
    const { clock, random } = this.options
    const deadline = began + (options?.deadlineMs ?? this.options.deadlineMs)
    const verb = isRead(request) ? (request.verb === 'get' ? 'get' : 'list') : 'write'
    const stats = this.#stats
    const tries: Try[] = []
    const earlier = { behind: 0, throttled: 0, broken: 0 }
    let last = false
    for (let attempt = 1; ; attempt++) {
      const sent: Sent = {
        ...this.#plan(request, exchange, last),
        at: this.#time,
        pin: this.#known(request).pin,
      }
      stats.sent++
      if (sent.pinned) stats.pinned++
      if (attempt > 1) this.#tell('retry', { request, attempt })

      let answer: A | undefined
      let error: unknown
      let status = 0
      let outcome: Outcome = { kind: 'broken' }
      try {
        answer = await exchange.send(sent.url)
      } catch (thrown) {
        error = thrown
        this.#mayHaveHappened(request)
        if (signal?.aborted || exchange.isBroken?.(thrown) === false) throw thrown
      }
      if (answer) {
        const view = exchange.view(answer)
        status = view.status
        outcome = await this.#understand(request, exchange, sent, view)
      }
      if (outcome.kind === 'ok') return answer!
      if (outcome.kind === 'throttled') this.#tell('throttled', { request, attempt, outcome })
      if (outcome.kind === 'gone') this.#tell('gone', { request, attempt, outcome })

      const decision = decide(
        {
          ...earlier,
          verb,
          replayable: exchange.replayable,
          pinned: sent.pinned,
          last,
          fallback: options?.fallback ?? this.options.fallback,
          remainingMs: deadline - clock.now(),
          random: random(),
        },
        outcome,
      )
      const { action, ms } = decision
      tries.push({ resourceVersion: sent.resourceVersion, status, outcome: outcome.kind, waitedMs: ms })
      if (action === 'surface') {
        if (attempt > 1 || decision.gaveUp) rememberTries(answer ?? error, tries)
        if (decision.gaveUp) this.#tell('give-up', { request, attempt, outcome, tries })
        if (answer) return answer
        throw error
      }

      earlier[outcome.kind === 'behind' || outcome.kind === 'throttled' ? outcome.kind : 'broken']++
      last ||= action === 'unpin'
      this.#tell(action, { request, attempt, reason: decision.reason, delayMs: ms })
      if (ms) await delay(clock, ms, signal)
      stats.waitedMs += ms
      signal?.throwIfAborted()
    }
  }

  /** Puts the pin on a read, or takes the caller's resource version off it, where that is ours to do. */
  #plan(
    request: RequestInfo,
    { url, options }: { url: string; options?: RequestOptions | undefined },
    last: boolean,
  ): Plan {
    const { verb, query } = request
    const given = query.get('resourceVersion') ?? ''
    const match = query.get('resourceVersionMatch') ?? ''
    const isWatch = verb === 'watch'
    const asWritten: Plan = { url, resourceVersion: given, pinned: false }
    if (
      (given ? given !== '0' || match === 'Exact' || this.options.rv0 === 'leave' : match) ||
      // A pin on a plain watch would swallow the initial events it promises.
      !(isWatch ? given && isTrue(query.get('sendInitialEvents')) : isObjectRead(request))
    ) {
      return asWritten
    }
    const send = (resourceVersion: string, pinned: boolean): Plan => ({
      // A list needs the match: with a limit, a resource version alone means exactly that one.
      url: withResourceVersion(
        url,
        resourceVersion,
        isWatch ? undefined : pinned && verb === 'list' ? 'NotOlderThan' : '',
      ),
      resourceVersion,
      pinned,
    })
    const { pin, blind } = this.#known(request)
    if (last || blind.size || this.#conflicts.has(objectKey(request))) return given ? send('', false) : asWritten
    if (options?.pin === false) return asWritten
    if (pin) return send(pin, true)
    return this.options.unpinned === 'any' ? send('0', false) : asWritten
  }

  /** Learns from an answer, and says what it means. */
  async #understand<A>(request: RequestInfo, exchange: Exchange<A>, sent: Sent, view: AnswerView): Promise<Outcome> {
    const { status } = view
    if (status >= 400) {
      const outcome = classify(status, (name) => view.header(name), await view.json(), this.options.clock.now())
      if (status >= 500) this.#mayHaveHappened(request)
      if (outcome.kind === 'conflict') {
        setBounded(this.#conflicts, objectKey(request), ++this.#time, MAX_CONFLICTS)
      }
      return outcome
    }
    if (!isRead(request)) await this.#wrote(request, exchange, view)
    else if (!sent.resourceVersion && isObjectRead(request)) await this.#readCurrent(request, sent, view)
    return { kind: 'ok' }
  }

  /** A write was acknowledged. */
  async #wrote<A>(request: RequestInfo, exchange: Exchange<A>, view: AnswerView): Promise<void> {
    const { server, verb, subresource, query } = request
    if (query.get('dryRun') || (verb.startsWith('delete') && asksDryRun(exchange.body))) return
    if (PASSED_ON.includes(subresource)) return
    // What these did has no resource version: an eviction is a delete, a binding an update.
    if (verb === 'deletecollection' || subresource === 'eviction' || subresource === 'binding') {
      return this.#setBlind(request)
    }
    const body = (await view.json()) as Body | undefined
    const { resourceVersion, uid, deletionTimestamp, finalizers } = (body?.kind !== 'Status' && body?.metadata) || {}
    if (isComparable(resourceVersion)) {
      this.#time++
      this.#raise(request, resourceVersion)
      this.#conflicts.delete(objectKey(request))
      const key = `${server} ${uid as string}`
      const newest = newerOf(this.#own.get(key)?.resourceVersion, resourceVersion)!
      setBounded(this.#own, key, { resourceVersion: newest, at: this.#time }, this.options.maxOwnObjects)
      // An update that takes the last finalizer off deletes, and answers with the version from before.
      if (verb === 'delete' || !deletionTimestamp || finalizers) return
    } else if (verb !== 'delete' && body) return
    this.#setBlind(request)
  }

  /** Something happened, and no pin can tell: until a list shows where we are, reads ask for the newest. */
  #setBlind(request: RequestInfo): void {
    this.#known(request).blind.set(request.namespace, ++this.#time)
  }

  /** A request failed in a way that leaves open whether it happened. */
  #mayHaveHappened(request: RequestInfo): void {
    if (!isRead(request) && !PASSED_ON.includes(request.subresource)) this.#setBlind(request)
  }

  /** A read sent without a resource version shows the server's present: a confirmation, or a rewind. */
  async #readCurrent(request: RequestInfo, { pin, at }: Sent, view: AnswerView): Promise<void> {
    const isGet = request.verb === 'get'
    const conflict = objectKey(request)
    if (this.#conflicts.get(conflict)! <= at) this.#conflicts.delete(conflict)
    const { blind } = this.#known(request)
    if (isGet ? !this.#own.size : !pin && !blind.size) return
    const { uid, resourceVersion: found } = ((await view.json()) as Body | undefined)?.metadata ?? {}
    if (!isComparable(found)) return
    let expected = pin
    if (isGet) {
      const key = `${request.server} ${uid as string}`
      const own = this.#own.get(key)
      // A Table has no uid. Written after this read was sent: an older answer proves nothing.
      if (!uid || !own || own.at > at) return
      setBounded(this.#own, key, own, Infinity)
      expected = own.resourceVersion
    }
    if (isOlder(found, expected)) {
      this.clear(request.server)
      this.#tell('rewind', { request, expected: expected!, found })
      return
    }
    if (isGet) return
    // Selectors do not matter: a list's resource version is the whole collection's.
    for (const [namespace, since] of blind) {
      if (since > at || (request.namespace && request.namespace !== namespace)) continue
      blind.delete(namespace)
      this.#raise(request, found)
    }
  }

  #tell<E extends keyof SessionEvents>(event: E, ...args: Parameters<SessionEvents[E]>): void {
    this.#stats[event]++
    this.emit(event, ...args)
  }

  #known(request: RequestInfo): ReturnType<Pins['of']> {
    return this.#pins.of(request.server, pinName(request))
  }

  #raise(request: RequestInfo, resourceVersion: string): void {
    const entry = this.#known(request)
    if (newerOf(entry.pin, resourceVersion) === entry.pin) return
    entry.pin = resourceVersion
    this.#tell('pin', { server: request.server, name: pinName(request), resourceVersion })
  }
}

function isRead({ verb }: RequestInfo): boolean {
  return verb === 'get' || verb === 'list' || verb === 'watch'
}

/** Reads an object or the first page of a collection. */
function isObjectRead({ verb, subresource, query }: RequestInfo): boolean {
  return (verb === 'get' && !PASSED_ON.includes(subresource)) || (verb === 'list' && !query.get('continue'))
}

function objectKey(request: RequestInfo): string {
  return `${request.server} ${pinName(request)} ${request.namespace}/${request.name}`
}

/** Whether a delete's body asks for a dry run. */
function asksDryRun(body: unknown): boolean {
  try {
    const options = (typeof body === 'string' ? JSON.parse(body) : body) as { dryRun?: unknown[] } | undefined
    return !!options?.dryRun?.length
  } catch {
    return false
  }
}

/** Sets what was used last, and makes room: the least recently used goes first. */
function setBounded<V>(map: Map<string, V>, key: string, value: V, max: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size > max) map.delete(map.keys().next().value!)
}
