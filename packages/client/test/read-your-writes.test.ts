import { array, assert, asyncProperty, constantFrom, nat, record } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wrapFetch, type Fetch } from '../src/adapters/fetch.ts'
import { FreshReadSession } from '../src/session.ts'
import { BASE, CONFIG_MAPS, type Cluster, settle, startCluster } from './cluster.ts'

const SESSIONS = 3
const NAMES = ['a', 'b', 'c']
const ACTIONS = ['create', 'update', 'delete', 'get', 'list', 'lag', 'freeze', 'thaw', 'restart', 'time'] as const

interface Step {
  readonly action: (typeof ACTIONS)[number]
  readonly session: number
  readonly name: string
  /** Whether a read says `resourceVersion=0`, which replica is meant, how long a lag is. */
  readonly detail: number
}

/** What a read showed of an object, and the storage's revisions when it may have seen that. */
interface Observation {
  readonly since: number
  readonly until: number
  readonly name: string
  readonly version: string | undefined
}

/** What became of each object, and when: the truth that reads are held against. */
class History {
  /** By name: the revisions that changed it, oldest first; a deletion has no version. */
  readonly #changes = new Map<string, { readonly revision: number; readonly version: string | undefined }[]>()

  add(name: string, revision: number, version: string | undefined): void {
    const changes = this.#changes.get(name) ?? []
    this.#changes.set(name, [...changes, { revision, version }])
  }

  /** Whether the object was in this version (`undefined`: absent) at any revision between two. */
  heldBetween({ since, until, name, version }: Observation): boolean {
    const changes = [{ revision: 0, version: undefined }, ...(this.#changes.get(name) ?? [])]
    return changes.some(
      (change, i) =>
        change.version === version && change.revision <= until && (changes[i + 1]?.revision ?? Infinity) > since,
    )
  }

  exists(name: string): boolean {
    return this.#changes.get(name)?.at(-1)?.version !== undefined
  }
}

interface Item {
  readonly metadata: { readonly name: string; readonly resourceVersion: string }
}

/** Plays the steps through `clients`; answers every read that showed a state from before its client's own last write. */
async function play(steps: readonly Step[], cluster: Cluster, clients: readonly Fetch[]): Promise<string[]> {
  const history = new History()
  /** The revision of each client's last acknowledged write or delete. */
  const acknowledged = clients.map(() => 0)
  /** What was seen, to be judged when the whole history is known. */
  const observed: Observation[] = []
  const reads: Promise<void>[] = []
  const run = <T>(promise: Promise<T>): Promise<T> => settle(cluster.clock, promise)
  const url = (name = '', query = ''): string => BASE + CONFIG_MAPS + (name && `/${name}`) + query

  const read = async (fetch: Fetch, since: number, name: string, query: string): Promise<void> => {
    const response = await fetch(url(name, query))
    const body = (await response.json()) as Item & { readonly items: readonly Item[] }
    // The cache that it waited for was stopped by a restart: that is told, and nobody is misled.
    if (response.status === 500) return
    if (response.status !== 200 && response.status !== 404) throw new Error(`read: ${response.status}`)
    const until = (await cluster.kube.control.state()).revision
    const found = response.status === 404 ? [] : name ? [body] : body.items
    for (const each of name ? [name] : NAMES) {
      const version = found.find((item) => item.metadata.name === each)?.metadata.resourceVersion
      observed.push({ since, until, name: each, version })
    }
  }

  for (const { action, session, name, detail } of steps) {
    const fetch = clients[session % clients.length]!
    const me = session % clients.length
    const { control } = cluster.servers[detail % cluster.servers.length]!
    if (action === 'create' || action === 'update') {
      const exists = history.exists(name)
      if (exists !== (action === 'update')) continue
      const response = await run(
        fetch(url(exists ? name : ''), {
          method: exists ? 'PATCH' : 'POST',
          headers: { 'content-type': exists ? 'application/merge-patch+json' : 'application/json' },
          body: JSON.stringify({ metadata: { name, labels: { at: String(cluster.sent.length) } } }),
        }),
      )
      const { metadata } = (await response.json()) as Item
      acknowledged[me] = Number(metadata.resourceVersion)
      history.add(name, acknowledged[me], metadata.resourceVersion)
    } else if (action === 'delete') {
      if (!history.exists(name)) continue
      await run(fetch(url(name), { method: 'DELETE' }))
      acknowledged[me] = (await run(cluster.kube.control.state())).revision
      history.add(name, acknowledged[me], undefined)
    } else if (action === 'get' || action === 'list') {
      reads.push(read(fetch, acknowledged[me]!, action === 'get' ? name : '', detail % 2 ? '?resourceVersion=0' : ''))
      reads.at(-1)!.catch(() => {})
      // Some overlap with what comes next, some do not.
      if (detail % 3) await run(reads.at(-1)!)
    } else if (action === 'lag') control.lag((detail % 5) * 400)
    else if (action === 'freeze') control.freeze()
    else if (action === 'thaw') control.thaw()
    else if (action === 'restart') await run(control.restart())
    else await cluster.clock.step(detail * 100)
  }
  await run(Promise.all(reads))
  return observed
    .filter((observation) => !history.heldBetween(observation))
    .map(({ since, name, version }) => `${name} in ${version}, though ${since} was written`)
}

const steps = array(
  record({
    action: constantFrom(...ACTIONS),
    session: nat(SESSIONS - 1),
    name: constantFrom(...NAMES),
    detail: nat(11),
  }),
  { minLength: 10, maxLength: 50 },
)

const direct =
  (cluster: Cluster): Fetch =>
  (input, init) =>
    cluster.fetch(new Request(input, init))

describe('a read through a session', () => {
  it('never shows a state older than the session’s last acknowledged write or delete', async () => {
    await assert(
      asyncProperty(steps, async (script) => {
        const cluster = await startCluster({ replicas: 2 })
        try {
          const clients = Array.from({ length: SESSIONS }, () =>
            wrapFetch(direct(cluster), new FreshReadSession({ clock: cluster.clock, random: () => 0.5 })),
          )
          expect(await play(script, cluster, clients)).toEqual([])
        } finally {
          await cluster.close()
        }
      }),
      { numRuns: Number(process.env['FRESHREAD_RUNS'] ?? 25) },
    )
  }, 60_000)

  it('is needed: plain reads at resource version 0 do show older states', async () => {
    const cluster = await startCluster({ replicas: 2 })
    // The second replica stands still; requests take turns.
    const script: Step[] = [
      { action: 'freeze', session: 0, name: 'a', detail: 1 },
      { action: 'create', session: 0, name: 'a', detail: 0 },
      { action: 'get', session: 0, name: 'a', detail: 1 },
      { action: 'thaw', session: 0, name: 'a', detail: 1 },
      { action: 'time', session: 0, name: 'a', detail: 10 },
      { action: 'freeze', session: 0, name: 'a', detail: 1 },
      { action: 'delete', session: 0, name: 'a', detail: 0 },
      { action: 'list', session: 0, name: 'a', detail: 1 },
    ]
    const plain = await play(script, cluster, [direct(cluster)])
    await cluster.close()
    expect(plain).toHaveLength(2)

    const again = await startCluster({ replicas: 2 })
    const session = new FreshReadSession({ clock: again.clock, random: () => 0.5 })
    expect(await play(script, again, [wrapFetch(direct(again), session)])).toEqual([])
    await again.close()
  })
})
