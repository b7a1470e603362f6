import { classify, decide, type Outcome } from '@freshread/client'
import {
  FeatureGates,
  MemoryKV,
  SelectionPredicate,
  createResourceStorage,
  errorToStatus,
  interpretListError,
  type KubeObject,
  type ListOptions,
  type Storage,
} from '@freshread/core'
import { SimClock } from './sim-clock.ts'
import { StallingKV } from './stalling-kv.ts'

/** How clients read, and what the server does when its cache is behind. */
export interface Behaviour {
  readonly name: string
  /** The gate ConsistentListFromCacheSkipTimeoutFallback: "slow down" instead of a read from etcd. */
  readonly skipFallback: boolean
  /** Reads ask for at least what was written, instead of for the most recent. */
  readonly pinned: boolean
  /** Clients act on "not yet" as FreshRead does; without it, it is an error. */
  readonly policy: boolean
}

export const BEHAVIOURS: readonly Behaviour[] = [
  { name: 'consistent list, falls back to etcd (default)', skipFallback: false, pinned: false, policy: false },
  { name: 'consistent list, gate on, client gives up', skipFallback: true, pinned: false, policy: false },
  { name: 'consistent list, gate on, FreshRead', skipFallback: true, pinned: false, policy: true },
  { name: 'pinned list, FreshRead', skipFallback: false, pinned: true, policy: true },
]

/** The herd and the stall; times in milliseconds of the simulation. */
export interface Scenario {
  /** Each writes once and then lists. */
  readonly clients: number
  /** Objects in the collection. */
  readonly objects: number
  /** Clients come evenly over this long. */
  readonly arrivalMs: number
  /** The cache stands still from 1 s on, for this long. */
  readonly stallMs: number
  /** Seed of the randomness. */
  readonly seed: number
}

/** What came of it. */
export interface Result {
  readonly behaviour: Behaviour
  /** Lists that the storage itself had to answer. */
  readonly storageReads: number
  /** Times the storage was asked for its current revision only, which is cheap. */
  readonly revisionReads: number
  /** The most of them in one second. */
  readonly peakStorageReads: number
  /** Waits of clients between tries. */
  readonly waits: number
  /** Tries after the first. */
  readonly retries: number
  /** Reads that ended in an error. */
  readonly failures: number
  /** Answers that lacked the client's own write. Must be none. */
  readonly stale: number
  /** From the end of the stall until the last read that began in it had its answer; `undefined` when none was open. */
  readonly recoveryMs: number | undefined
  /** From a client's read to its answer or error. */
  readonly medianMs: number
  readonly p99Ms: number
  readonly maxMs: number
  /** Lists read from the storage, by second. */
  readonly readsPerSecond: readonly number[]
  /** Errors, by second. */
  readonly failuresPerSecond: readonly number[]
  /** Of this machine. */
  readonly realMs: number
}

const STALL_AT = 1000
const DEADLINE_MS = 30_000
const PREFIX = '/configmaps'

/** Plays the scenario with one behaviour. */
export async function simulate(scenario: Scenario, behaviour: Behaviour): Promise<Result> {
  // A hundred thousand errors are expected; nobody reads where they came from.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return await play(scenario, behaviour)
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

async function play(scenario: Scenario, behaviour: Behaviour): Promise<Result> {
  const began = performance.now()
  const random = randomFrom(scenario.seed)
  const clock = new SimClock()
  const kv = new StallingKV(new MemoryKV({ clock }), (key) => key.includes('/default/'))
  const resource = createResourceStorage({
    kv,
    groupResource: { group: '', resource: 'configmaps' },
    resourcePrefix: PREFIX,
    clock,
    random,
    featureGates: new FeatureGates({
      overrides: { ConsistentListFromCacheSkipTimeoutFallback: behaviour.skipFallback },
    }),
  })
  const { storage } = resource
  const name = (i: number): string => `object-${i % scenario.objects}`
  const setup = (async () => {
    await resource.ready()
    for (let i = 0; i < scenario.objects; i++)
      await storage.create(`${PREFIX}/default/${name(i)}`, objectOf(name(i), 0))
  })()
  let isSetUp = false
  void setup.then(() => (isSetUp = true))
  await clock.runUntil(500, () => isSetUp)
  await setup

  const startAt = clock.now()
  const counters = { waits: 0, retries: 0, failures: 0, stale: 0, open: scenario.clients }
  const latencies = new Float64Array(scenario.clients)
  const readsPerSecond: number[] = []
  const failuresPerSecond: number[] = []
  const count = (perSecond: number[]): void => {
    const second = Math.floor((clock.now() - startAt) / 1000)
    while (perSecond.length <= second) perSecond.push(0)
    perSecond[second]!++
  }
  kv.listReads = kv.revisionReads = 0
  kv.onListRead = () => count(readsPerSecond)
  const stallEnd = startAt + STALL_AT + scenario.stallMs
  let lastOfStall: number | undefined

  clock.setTimeout(() => kv.stall(), STALL_AT)
  clock.setTimeout(() => kv.recover(), STALL_AT + scenario.stallMs)
  for (let i = 0; i < scenario.clients; i++) {
    clock.setTimeout(() => void client(i), Math.floor((i * scenario.arrivalMs) / scenario.clients))
  }

  async function client(i: number): Promise<void> {
    const key = `${PREFIX}/default/${name(i)}`
    const written = await storage.guaranteedUpdate(key, { tryUpdate: () => ({ object: objectOf(name(i), i + 1) }) })
    const asked = clock.now()
    const list = await read(storage, behaviour, written.resourceVersion, clock, random, counters)
    const answered = clock.now()
    latencies[i] = answered - asked
    if (asked < stallEnd && answered >= stallEnd) lastOfStall = Math.max(lastOfStall ?? 0, answered - stallEnd)
    if (list === undefined) {
      counters.failures++
      count(failuresPerSecond)
    } else if (Number(list.resourceVersion) < written.resourceVersion) {
      counters.stale++
    }
    counters.open--
  }

  await clock.runUntil(startAt + 10 * 60_000, () => counters.open === 0)
  const closed = resource.close().then(() => kv.close())
  await clock.runUntil(clock.now() + 10_000)
  await closed
  latencies.sort()
  const { waits, retries, failures, stale } = counters
  return {
    behaviour,
    storageReads: kv.listReads,
    revisionReads: kv.revisionReads,
    peakStorageReads: Math.max(0, ...readsPerSecond),
    waits,
    retries,
    failures,
    stale,
    recoveryMs: lastOfStall,
    medianMs: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    maxMs: latencies.at(-1) ?? 0,
    readsPerSecond,
    failuresPerSecond,
    realMs: Math.round(performance.now() - began),
  }
}

type List = Awaited<ReturnType<Storage['getList']>>

/** One client's read: every try as the policy decides; `undefined` for an error. */
async function read(
  storage: Storage,
  behaviour: Behaviour,
  written: number,
  clock: SimClock,
  random: () => number,
  counters: { waits: number; retries: number },
): Promise<List | undefined> {
  const deadline = clock.now() + DEADLINE_MS
  const earlier = { behind: 0, throttled: 0, broken: 0 }
  let last = false
  for (;;) {
    const pinned = behaviour.pinned && !last
    let outcome: Outcome
    try {
      return await storage.getList(PREFIX + '/', pinned ? atLeast(written) : MOST_RECENT)
    } catch (error) {
      if (!behaviour.policy) return undefined
      outcome = outcomeOf(error, clock.now())
    }
    const decision = decide(
      {
        ...earlier,
        verb: 'list',
        replayable: true,
        pinned,
        last,
        fallback: 'unpin',
        remainingMs: deadline - clock.now(),
        random: random(),
      },
      outcome,
    )
    if (decision.action === 'surface') return undefined
    earlier[outcome.kind === 'behind' || outcome.kind === 'throttled' ? outcome.kind : 'broken']++
    last ||= decision.action === 'unpin'
    if (decision.ms > 0) {
      counters.waits++
      await new Promise<void>((resolve) => clock.setTimeout(resolve, decision.ms))
    }
    counters.retries++
  }
}

const predicate = new SelectionPredicate()
const MOST_RECENT: ListOptions = { resourceVersion: '', resourceVersionMatch: '', predicate, recursive: true }

function atLeast(resourceVersion: number): ListOptions {
  return { resourceVersion: String(resourceVersion), resourceVersionMatch: 'NotOlderThan', predicate, recursive: true }
}

/** The error as a client would see it over HTTP. */
function outcomeOf(error: unknown, now: number): Outcome {
  const status = errorToStatus(interpretListError(error, { group: '', resource: 'configmaps' }))
  const hint = status.details?.retryAfterSeconds
  return classify(status.code ?? 500, (header) => (header === 'retry-after' && hint ? String(hint) : null), status, now)
}

function objectOf(name: string, writer: number): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', uid: name },
    data: { writer: String(writer) },
  }
}

function quantile(sorted: Float64Array, q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0
}

/** Mulberry32: the same herd every time. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
