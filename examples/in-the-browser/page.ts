// What runs in the page: a Kubernetes API in the page's own memory, axios and a FreshRead session as its clients.
import { FreshReadSession } from '@freshread/client'
import { attachFreshRead } from '@freshread/client/axios'
import { FakeClock } from '@freshread/core/testing'
import { setupKubeBrowser } from '@freshread/mock-server/browser'
import axios from 'axios'

interface ConfigMap {
  readonly metadata: { readonly name: string; readonly resourceVersion: string }
  readonly data: Readonly<Record<string, string>>
}

/** What happened in the page, for it to show and for a test to look at. */
export interface Outcome {
  /** A read of any state, while the cache was frozen. */
  readonly stale: string
  /** What the FreshRead client read, and after how many milliseconds. */
  readonly fresh: string
  readonly waitedMs: number
  readonly waits: number
  /** Types and names the watch delivered. */
  readonly watched: readonly string[]
}

const URL_OF_CLUSTER = 'https://cluster.example'
const SETTINGS = `${URL_OF_CLUSTER}/api/v1/namespaces/default/configmaps`

/** Creates and updates an object while the watch cache is frozen, reads it back, and watches it arrive. Time is stepped. */
export async function run(): Promise<Outcome> {
  const clock = new FakeClock()
  const kube = await setupKubeBrowser({ baseUrl: URL_OF_CLUSTER, clock })
  const session = new FreshReadSession({ clock })
  const http = axios.create()
  const detach = attachFreshRead(http, session)
  let waits = 0
  session.on('wait', () => waits++)
  try {
    const created = await http.post<ConfigMap>(SETTINGS, { metadata: { name: 'settings' }, data: { level: 'info' } })
    const watched: string[] = []
    const abort = new AbortController()
    const watching = watch(created.data.metadata.resourceVersion, abort.signal, (type, object) => {
      watched.push(`${type} ${object.metadata.name} ${object.data['level']}`)
    })

    kube.control.freeze()
    await http.put(`${SETTINGS}/settings`, { ...created.data, data: { level: 'debug' } })
    const anyState = await axios.get<ConfigMap>(`${SETTINGS}/settings`, { params: { resourceVersion: '0' } })

    const began = clock.now()
    const reading = http.get<ConfigMap>(`${SETTINGS}/settings`)
    await clock.step(3500) // three seconds of waiting, "not yet", and half of the second that the server asks for
    kube.control.thaw()
    let settled = false
    void reading.finally(() => (settled = true))
    while (!settled) await clock.step(100)
    const fresh = await reading
    const waitedMs = clock.now() - began
    while (watched.length < 1) await clock.step(10)
    abort.abort()
    await watching
    return { stale: anyState.data.data['level']!, fresh: fresh.data.data['level']!, waitedMs, waits, watched }
  } finally {
    detach()
    await kube.close()
  }
}

async function watch(
  from: string,
  signal: AbortSignal,
  onEvent: (type: string, object: ConfigMap) => void,
): Promise<void> {
  const response = await fetch(`${SETTINGS}?watch=true&resourceVersion=${from}`, { signal })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      const lines = (rest + chunk.value).split('\n')
      rest = lines.pop()!
      for (const line of lines.filter(Boolean)) {
        const { type, object } = JSON.parse(line) as { type: string; object: ConfigMap }
        onEvent(type, object)
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

if (typeof document !== 'undefined') {
  void run().then(
    (outcome) => (document.body.textContent = JSON.stringify(outcome)),
    (error: unknown) => (document.body.textContent = JSON.stringify({ error: String(error) })),
  )
}
