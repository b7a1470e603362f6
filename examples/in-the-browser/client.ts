// What the client does in a page: pins and waits over axios' xhr adapter, a KubeClient's watch and an Informer over fetch.
import { FreshReadSession, Informer, KubeClient, type KubeObject } from '@freshread/client'
import { attachFreshRead } from '@freshread/client/axios'
import { FakeClock } from '@freshread/core/testing'
import { setupKubeBrowser } from '@freshread/mock-server/browser'
import axios from 'axios'

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>
}

/** What happened, for a test to look at. */
export interface ClientOutcome {
  /** A read through the session while the cache was frozen, and what an abort during its wait left behind. */
  readonly fresh: string | undefined
  readonly aborted: string
  readonly timersAfterAbort: number
  /** After a delete that no list has confirmed. */
  readonly deleted: number | undefined
  /** What the informer told, across a 410 and a connection that broke. */
  readonly told: readonly string[]
  /** Types a watch gave until it was left, and how many watches were open then. */
  readonly watched: readonly string[]
  readonly watchesLeft: number
  readonly timersLeft: number
}

const BASE = 'https://cluster.example/k8s/clusters/one'
const MAPS = `${BASE}/api/v1/namespaces/default/configmaps`

/** Runs it all on a clock that is stepped. */
export async function run(): Promise<ClientOutcome> {
  const clock = new FakeClock()
  const kube = await setupKubeBrowser({ baseUrl: BASE, clock })
  const session = new FreshReadSession({ clock })
  const http = axios.create({ adapter: 'xhr' })
  attachFreshRead(http, session)
  const settle = async <T>(promise: Promise<T>): Promise<T> => {
    let settled = false
    const end = (): void => void (settled = true)
    promise.then(end, end)
    while (!settled) await clock.step(1000)
    return promise
  }
  try {
    const idle = clock.pendingTimers
    const { data: made } = await http.post<ConfigMap>(MAPS, { metadata: { name: 'a' }, data: { n: '1' } })
    kube.control.freeze()
    await http.put(`${MAPS}/a`, { ...made, data: { n: '2' } })

    const controller = new AbortController()
    const given = http.get(`${MAPS}/a`, { signal: controller.signal }).catch((error: Error) => error)
    let waiting = false
    session.on('wait', () => (waiting = true))
    while (!waiting) await clock.step(1000)
    const before = clock.pendingTimers
    controller.abort()
    const aborted = ((await given) as Error).name
    const timersAfterAbort = clock.pendingTimers - before

    const fresh = (await settle(http.get<ConfigMap>(`${MAPS}/a`))).data.data?.['n']
    await http.delete(`${MAPS}/a`)
    const gone = http.get(`${MAPS}/a`, { validateStatus: () => true, params: { resourceVersion: '0' } })
    const deleted = (await settle(gone)).status
    kube.control.thaw()

    const client = new KubeClient({ baseURL: BASE, session })
    const maps = client.resource<ConfigMap>('v1', 'configmaps', { namespace: 'default' })
    const informer = new Informer(maps, { labelSelector: 'show=yes' })
    const told: string[] = []
    for (const event of ['add', 'update', 'delete'] as const) {
      informer.on(event, ({ metadata, data }: ConfigMap) => told.push(`${event} ${metadata?.name} ${data?.['n']}`))
    }
    await settle(informer.start().whenSynced())
    const fresher = async (write: Promise<KubeObject>): Promise<void> => {
      await settle(informer.waitForFresh((await settle(write)).metadata!.resourceVersion!))
    }
    const labels = { show: 'yes' }
    await fresher(maps.create({ metadata: { name: 'b', labels }, data: { n: '1' } }))
    kube.control.dropWatches()
    await fresher(maps.patch('b', { data: { n: '2' } }))
    await settle(kube.control.restart())
    await fresher(maps.create({ metadata: { name: 'c', labels }, data: { n: '1' } }))
    informer.stop()

    const watched: string[] = []
    const watching = (async () => {
      for await (const { type } of maps.watch({ resourceVersion: '0' })) if (watched.push(type) === 2) break
    })()
    await settle(watching)
    await clock.step(2000)
    const { watches } = await settle(kube.control.state())
    return {
      fresh,
      aborted,
      timersAfterAbort,
      deleted,
      told,
      watched,
      watchesLeft: watches,
      timersLeft: clock.pendingTimers - idle,
    }
  } finally {
    await kube.close()
  }
}

void run().then(
  (outcome) => (document.body.textContent = JSON.stringify(outcome)),
  (error: unknown) => (document.body.textContent = JSON.stringify({ error: String(error) })),
)
