/* oxlint-disable vitest/no-standalone-expect -- the checks of model.test.ts, which calls them within its tests */
import { expect } from 'vitest'
import { isResourceExpired, isTooLargeResourceVersion, isTooManyRequests } from '../errors/guards.ts'
import { compareKeys } from '../meta/key.ts'
import type { ListResult, Watch, WatchEvent } from '../storage/storage.ts'
import { keyOf, listOptions, watchOptions, type Setup } from './test-support.ts'

/* A cache that is driven at random is compared with a list of all states that there have been. */

interface ModelObject {
  readonly key: string
  readonly rv: number
  readonly labelled: boolean
}

class Model {
  readonly states: { readonly rv: number; readonly objects: ReadonlyMap<string, ModelObject> }[] = [
    { rv: 1, objects: new Map() },
  ]

  get now(): ReadonlyMap<string, ModelObject> {
    return this.states.at(-1)!.objects
  }

  write(key: string, rv: number, labelled: boolean): void {
    this.states.push({ rv, objects: new Map(this.now).set(key, { key, rv, labelled }) })
  }

  remove(key: string, rv: number): void {
    const objects = new Map(this.now)
    objects.delete(key)
    this.states.push({ rv, objects })
  }

  /** `name rv` of all objects at a version, in key order. */
  at(rv: number, selected: (object: ModelObject) => boolean = () => true): string[] {
    const { objects } = this.states.findLast((state) => state.rv <= rv)!
    return [...objects.values()]
      .filter(selected)
      .sort((a, b) => compareKeys(a.key, b.key))
      .map((object) => `${object.key} ${object.rv}`)
  }

  /** What a watch with that selector must see after a version. */
  eventsAfter(rv: number, selected: (object: ModelObject) => boolean): string[] {
    const events: string[] = []
    for (const [i, { rv: at, objects }] of this.states.entries()) {
      if (i === 0 || at <= rv) continue
      const before = this.states[i - 1]!.objects
      for (const key of new Set([...before.keys(), ...objects.keys()])) {
        const [was, is] = [before.get(key), objects.get(key)]
        if (was === is) continue
        const [matched, matches] = [was !== undefined && selected(was), is !== undefined && selected(is)]
        if (matches) events.push(`${matched ? 'MODIFIED' : 'ADDED'} ${key} ${at}`)
        else if (matched) events.push(`DELETED ${key} ${at}`)
      }
    }
    return events
  }
}

class WatchLog {
  readonly watch: Watch
  readonly from: number
  readonly initial: boolean
  readonly selected: (object: ModelObject) => boolean
  readonly seen: string[] = []
  end: number | undefined
  error: number | undefined
  stoppedByClient = false
  #last = 0

  constructor(watch: Watch, from: number, initial: boolean, labelled: boolean) {
    this.watch = watch
    this.from = from
    this.initial = initial
    this.selected = labelled ? (object) => object.labelled : () => true
  }

  drain(): void {
    for (let event = this.watch.poll(); event !== undefined; event = this.watch.poll()) this.#take(event)
  }

  #take(event: WatchEvent): void {
    if (event.type === 'ERROR') {
      expect([410, 504]).toContain(event.status.code)
      expect(this.seen).toEqual([])
      this.error = event.status.code!
    } else if (event.type === 'BOOKMARK') {
      expect(event.resourceVersion).toBeGreaterThanOrEqual(this.#last)
      this.#last = event.resourceVersion
      if (!event.initialEventsEnd) return
      expect(this.end).toBeUndefined()
      this.end = event.resourceVersion
      expect(this.end).toBeGreaterThanOrEqual(this.from)
    } else {
      const { key, resourceVersion, object } = event.object
      expect(object.metadata.resourceVersion).toBe(String(resourceVersion))
      if (!this.initial || this.end !== undefined) {
        expect(resourceVersion).toBeGreaterThan(this.#last)
        this.#last = resourceVersion
      }
      this.seen.push(`${event.type} ${key} ${resourceVersion}`)
    }
  }

  check(model: Model): void {
    if (this.error !== undefined) {
      expect(this.watch.ended).toBe(true)
      return
    }
    const live = !this.watch.ended
    if (this.initial) {
      if (this.end === undefined) {
        // Whoever was not ended has been told the whole state by now.
        expect(live).toBe(false)
        return
      }
      const state = model.at(this.end, this.selected).map((text) => `ADDED ${text}`)
      expect(this.seen.slice(0, state.length)).toEqual(state)
      this.#checkEvents(this.seen.slice(state.length), model.eventsAfter(this.end, this.selected), live)
      return
    }
    this.#checkEvents(this.seen, model.eventsAfter(this.from, this.selected), live)
  }

  #checkEvents(seen: readonly string[], expected: readonly string[], live: boolean): void {
    // Everything, once and in order, or an end without a gap before it.
    expect(seen).toEqual(live ? expected : expected.slice(0, seen.length))
  }
}

function keysOf(list: ListResult): string[] {
  return list.items.map((item) => `${item.key} ${item.resourceVersion}`)
}

/** One cache, what was done to it, and what it answered. */
export class CacheRun {
  readonly model: Model = new Model()
  readonly watches: WatchLog[] = []
  readonly reads: { started: number; ended: number | undefined; failure: unknown }[] = []
  readonly pages: ListResult[] = []
  /** What has to hold of the answers; looked at in the end, when the model has heard of everything. */
  readonly checks: (() => void)[] = []
  readonly at: Setup
  compacted: number = 0

  constructor(at: Setup) {
    this.at = at
  }

  get revision(): number {
    return this.at.kv.inner.revision
  }

  /** A version at random: often a recent one, at times one that is not there yet. */
  version(n: number): number {
    return 1 + (n % (this.revision + 3))
  }

  async write(n: number): Promise<void> {
    const [namespace, name] = [n % 2 === 0 ? 't1' : 't2', `o${(n >> 1) % 5}`]
    const key = keyOf(name, namespace)
    const labelled = (n >> 4) % 3 === 0
    const options = { namespace, labels: { app: labelled ? 'x' : 'y' }, data: String(this.revision) }
    const rv = await (this.model.now.has(key) ? this.at.update(name, options) : this.at.create(name, options))
    this.model.write(key, rv, labelled)
  }

  async remove(n: number): Promise<void> {
    const keys = [...this.model.now.keys()]
    const key = keys[n % Math.max(1, keys.length)]
    if (key === undefined) return
    const [, , namespace, name] = key.split('/')
    this.model.remove(key, await this.at.remove(name!, namespace))
  }

  async watch(n: number, initial: boolean, labelled: boolean, eager: boolean): Promise<void> {
    const from = this.version(n)
    const started = this.follow(async () => {
      const options = watchOptions(String(from), {
        ...(labelled && { labels: 'app=x' }),
        allowWatchBookmarks: n % 3 !== 0 || initial,
        ...(initial && { sendInitialEvents: true }),
      })
      const log = new WatchLog(await this.at.delegator.watch('/configmaps', options), from, initial, labelled)
      if (eager) log.watch.onReadable = () => log.drain()
      log.drain()
      this.watches.push(log)
    })
    if (!initial) await started
  }

  list(n: number, kind: 'pinned' | 'exact' | 'consistent' | 'any'): void {
    const wanted = this.version(n)
    const current = this.revision
    void this.follow(async () => {
      const [rv, match] = {
        pinned: [String(wanted), 'NotOlderThan'],
        exact: [String(wanted), 'Exact'],
        consistent: ['', ''],
        any: ['0', ''],
      }[kind] as [string, string]
      const result = await this.at.delegator.getList('/configmaps', listOptions(rv, match))
      const answered = Number(result.resourceVersion)
      if (kind === 'pinned') expect(answered).toBeGreaterThanOrEqual(wanted)
      if (kind === 'exact') expect(answered).toBe(wanted)
      if (kind === 'consistent') expect(answered).toBeGreaterThanOrEqual(current)
      this.checks.push(() => expect(keysOf(result)).toEqual(this.model.at(answered)))
    })
  }

  get(n: number): void {
    const wanted = this.version(n)
    const key = keyOf(`o${n % 5}`)
    void this.follow(async () => {
      const object = await this.at.delegator.get(key, { resourceVersion: String(wanted), ignoreNotFound: true })
      const latest = this.revision
      this.checks.push(() => {
        const { states } = this.model
        const before = states.findLast((state) => state.rv <= wanted)!
        const since = states.filter((state) => state.rv >= wanted && state.rv <= latest)
        // As it was then or at some time since, never older.
        expect([before, ...since].map((state) => state.objects.get(key)?.rv)).toContain(object?.resourceVersion)
      })
    })
  }

  /** Reads page after page, one each time it is called. */
  page(n: number): void {
    const last = this.pages.at(-1)
    void this.follow(async () => {
      const token = last?.continue ?? ''
      const options = listOptions('', '', { limit: 1 + (n % 3), continue: token })
      const result = await this.at.delegator.getList('/configmaps', options).catch((error: unknown) => {
        this.pages.length = 0
        throw error
      })
      if (this.pages.at(-1) !== last) return
      this.pages.push(result)
      expect(new Set(this.pages.map((page) => page.resourceVersion)).size).toBe(1)
      const all = this.pages.flatMap(keysOf)
      const complete = result.continue === ''
      if (complete) this.pages.length = 0
      this.checks.push(() => {
        const expected = this.model.at(Number(result.resourceVersion))
        expect(all).toEqual(complete ? expected : expected.slice(0, all.length))
        expect(result.remainingItemCount ?? 0).toBe(expected.length - all.length)
      })
    })
  }

  /** Runs a read and notes how long it took; refusals that clients know are fine. */
  async follow(read: () => Promise<void>): Promise<void> {
    const { clock } = this.at
    const entry = { started: clock.now(), ended: undefined as number | undefined, failure: undefined as unknown }
    this.reads.push(entry)
    try {
      await read()
    } catch (error) {
      if (!isResourceExpired(error) && !isTooLargeResourceVersion(error) && !isTooManyRequests(error)) {
        entry.failure = error
      }
    }
    entry.ended = clock.now()
  }

  async compact(n: number, told: boolean): Promise<void> {
    const revision = 1 + (n % this.revision)
    await this.at.kv.compact(revision).catch(() => {})
    if (told) this.compacted = Math.max(this.compacted, revision)
  }

  checkWaits(): void {
    const now = this.at.clock.now()
    for (const { started, ended = now, failure } of this.reads) {
      if (failure !== undefined) throw failure
      expect(ended - started).toBeLessThanOrEqual(3_000)
    }
  }

  async finish(): Promise<void> {
    const { at } = this
    at.kv.lag = 0
    at.kv.thaw()
    for (let i = 0; i < 4; i++) {
      await at.clock.step(1_000)
      for (const watch of this.watches) watch.drain()
    }
    await at.delegator.requestWatchProgress()
    await at.clock.step(3_000)
    this.checkWaits()
    expect(this.reads.every(({ ended }) => ended !== undefined)).toBe(true)
    for (let i = 0; i < 50; i++) {
      for (const watch of this.watches) watch.drain()
      await at.clock.step(0)
    }
    for (const watch of this.watches) watch.check(this.model)
    for (const check of this.checks) check()
    const state = at.resource.state()!
    expect(state).toMatchObject({ ready: true, waiters: 0, objects: this.model.now.size })
    expect(state.resourceVersion).toBe(this.revision)
    expect(state.watchers).toBe(this.watches.filter(({ watch }) => !watch.ended).length)
    await at.close()
    expect(at.resource.state()).toMatchObject({ watchers: 0, waiters: 0 })
    expect(at.clock.pendingTimers).toBe(0)
  }
}
