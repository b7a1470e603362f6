// The main job on real input: a cluster whose watch cache stalls, clients that write and read in it, and what
// each of them gets to see.
import { readFileSync } from 'node:fs'
import { FreshReadSession } from '@freshread/client'
import { attachFreshRead } from '@freshread/client/axios'
import { makeApi } from '@freshread/client/client-node'
import { delay, type Clock } from '@freshread/core'
import { createKubeServer } from '@freshread/mock-server'
import { setupKubeServer } from '@freshread/mock-server/msw'
import { AppsV1Api, CoreV1Api, KubeConfig, type V1Deployment, type V1Pod } from '@kubernetes/client-node'
import axios, { AxiosError } from 'axios'
import { parseAllDocuments } from 'yaml'
import type { Timeline } from './timeline.ts'

const CLUSTER = 'https://shop.cluster'
const STRICT_CLUSTER = 'https://strict.cluster'
const DEPLOYMENT = '/apis/apps/v1/namespaces/shop/deployments/checkout'
const PODS = '/api/v1/namespaces/shop/pods'

const manifest = <T>(file: string): T[] =>
  parseAllDocuments(readFileSync(new URL(`manifests/${file}`, import.meta.url), 'utf8')).map(
    (document) => document.toJS() as T,
  )

/** What an axios error says, in one line. */
function told(error: unknown): never {
  if (!(error instanceof AxiosError) || error.response === undefined) throw error
  const { status, headers, data } = error.response
  const hint = headers['retry-after'] === undefined ? '' : ` (Retry-After: ${String(headers['retry-after'])})`
  throw new Error(`${status} ${(data as { message?: string }).message ?? ''}${hint}`)
}

const image = (deployment: V1Deployment): string =>
  deployment.spec?.template.spec?.containers[0]?.image?.split('/').at(-1) ?? '?'
const version = (object: V1Deployment | V1Pod): string => object.metadata?.resourceVersion ?? '?'

function kubeConfig(server: string): KubeConfig {
  const config = new KubeConfig()
  config.loadFromClusterAndUser({ name: 'demo', server, skipTLSVerify: true }, { name: 'admin' })
  return config
}

/** Runs the demo on a clock, telling it to a timeline. */
export async function runDemo(clock: Clock, timeline: Timeline): Promise<void> {
  const strict = createKubeServer({ clock, featureGates: { ConsistentListFromCacheSkipTimeoutFallback: true } })
  const kube = await setupKubeServer({
    clock,
    baseUrl: CLUSTER,
    clusters: [{ server: strict, baseUrl: STRICT_CLUSTER }],
    onUnhandledRequest: 'error',
  })

  timeline.heading('A Deployment and three Pods, written with @kubernetes/client-node and with axios')
  const apps = kubeConfig(CLUSTER).makeApiClient(AppsV1Api)
  const core = kubeConfig(CLUSTER).makeApiClient(CoreV1Api)
  const plain = axios.create({ baseURL: CLUSTER })
  await core.createNamespace({ body: { metadata: { name: 'shop' } } })
  const [deployment] = manifest<V1Deployment>('deployment.yaml')
  await timeline.ask(
    'client-node',
    'POST deployment checkout',
    () => apps.createNamespacedDeployment({ namespace: 'shop', body: deployment! }),
    (created) => `created with image ${image(created)}, resourceVersion ${version(created)}`,
  )
  for (const pod of manifest<V1Pod>('pods.yaml')) {
    await timeline.ask(
      'axios',
      `POST pod ${pod.metadata?.name}`,
      () => plain.post<V1Pod>(PODS, pod),
      ({ data }) => `created, resourceVersion ${version(data)}, QoS ${data.status?.qosClass}`,
    )
  }

  timeline.heading('The watch cache stalls. A new image is rolled out.')
  kube.control.freeze()
  timeline.event('control', 'freeze: no event reaches the watch caches any more')
  const session = new FreshReadSession({ clock })
  session.on('wait', ({ reason, delayMs, attempt }) =>
    timeline.note(`FreshRead: told "not yet" (${reason}), waits ${Math.round(delayMs)} ms, try ${attempt}`),
  )

  const fresh = axios.create({ baseURL: CLUSTER })
  attachFreshRead(fresh, session)
  const patched = await timeline.ask(
    'FreshRead',
    'PATCH deployment checkout: image 1.9.0',
    () =>
      fresh.patch<V1Deployment>(
        DEPLOYMENT,
        {
          spec: {
            template: { spec: { containers: [{ name: 'checkout', image: 'registry.example/shop/checkout:1.9.0' }] } },
          },
        },
        { headers: { 'content-type': 'application/strategic-merge-patch+json' } },
      ),
    ({ data }) => `stored as resourceVersion ${version(data)}`,
  )
  const written = version(patched!.data)

  timeline.heading('Three reads of what was just written')
  await timeline.ask(
    'axios',
    'GET ?resourceVersion=0 (any state will do)',
    () => plain.get<V1Deployment>(DEPLOYMENT, { params: { resourceVersion: '0' } }),
    ({ data }) => `image ${image(data)}, resourceVersion ${version(data)}: the past`,
  )
  const thaw = delay(clock, 4300).then(() => {
    kube.control.thaw()
    timeline.event('control', 'thaw: the cache catches up')
  })
  await Promise.all([
    timeline.ask(
      'axios',
      `GET ?resourceVersion=${written} (pinned, plain client)`,
      () => plain.get<V1Deployment>(DEPLOYMENT, { params: { resourceVersion: written } }).catch(told),
      ({ data }) => `image ${image(data)}`,
    ),
    timeline.ask(
      'FreshRead',
      'GET (pins what it wrote)',
      () => fresh.get<V1Deployment>(DEPLOYMENT).catch(told),
      ({ data }) => `image ${image(data)}, resourceVersion ${version(data)}: its own write`,
    ),
    thaw,
  ])

  timeline.heading('A cluster that says 429 instead of asking etcd: ConsistentListFromCacheSkipTimeoutFallback')
  const strictSession = new FreshReadSession({ clock })
  strictSession.on('wait', ({ reason, delayMs, attempt }) =>
    timeline.note(`FreshRead: told "not yet" (${reason}), waits ${Math.round(delayMs)} ms, try ${attempt}`),
  )
  const strictPods = makeApi(kubeConfig(STRICT_CLUSTER), CoreV1Api, strictSession)
  const strictPlain = axios.create({ baseURL: STRICT_CLUSTER })
  await strictPlain.post('/api/v1/namespaces', { metadata: { name: 'shop' } })
  strict.control.freeze()
  timeline.event('control', 'freeze')
  await strictPlain.post(PODS, manifest<V1Pod>('pods.yaml')[0])
  const strictThaw = delay(clock, 4300).then(() => {
    strict.control.thaw()
    timeline.event('control', 'thaw')
  })
  await Promise.all([
    timeline.ask(
      'axios',
      'LIST pods (consistent, plain client)',
      () => strictPlain.get<{ items: V1Pod[] }>(PODS).catch(told),
      ({ data }) => `${data.items.length} pod`,
    ),
    timeline.ask(
      'FreshRead',
      'LIST pods (consistent, client-node)',
      () => strictPods.listNamespacedPod({ namespace: 'shop' }),
      (list) =>
        `${list.items.map((pod) => pod.metadata?.name).join(', ')}, resourceVersion ${list.metadata?.resourceVersion}`,
    ),
    strictThaw,
  ])

  timeline.heading('What the two servers measured')
  for (const [name, url] of [
    ['shop', CLUSTER],
    ['strict', STRICT_CLUSTER],
  ] as const) {
    const { data } = await plain.get<string>(`${url}/metrics`)
    for (const line of data.split('\n')) {
      if (/^apiserver_watch_cache_(read_wait_seconds_(count|sum)|consistent_read_total)\{/.test(line))
        timeline.line(`  ${name.padEnd(7)} ${line}`)
    }
  }
  timeline.line(
    `\nFreshRead's sessions: ${JSON.stringify(session.stats())}\n                      ${JSON.stringify(strictSession.stats())}`,
  )
  await kube.close()
  await strict.close()
}
