// Reads that MSW intercepts in this process: ours, and a bare MSW handler that answers the same bytes, in turns.
//   node --conditions=@freshread/source benchmarks/mock-server/in-process.ts [--rounds 20] [--pods 200]
import { createKubeServer } from '@freshread/mock-server'
import { setupKubeServer } from '@freshread/mock-server/msw'
import { http, HttpResponse, type RequestHandler } from 'msw'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '20' }, pods: { type: 'string', default: '200' } },
})
const rounds = Number(values.rounds)
const pods = Number(values.pods)
const origin = 'https://any.cluster'
const collection = '/api/v1/namespaces/default/pods'

const server = createKubeServer()
await server.load(
  Array.from({ length: pods }, (_, i) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `pod-${i}`, namespace: 'default', labels: { app: `app-${i % 10}` } },
    spec: { containers: [{ name: 'main', image: 'registry.example/app:1.0' }] },
  })),
)
const kube = await setupKubeServer({ server })

/** A handler that answers every request as the server answers this one. */
async function bare(path: string): Promise<RequestHandler> {
  const response = await server.fetch(path)
  const bytes = await response.arrayBuffer()
  const headers = [...response.headers] as [string, string][]
  return http.all('*', () => new HttpResponse(bytes, { status: response.status, headers }))
}

interface Cost {
  readonly wall: number
  readonly cpu: number
}

/** @param first a handler that is asked before the server */
async function measure(first: RequestHandler | undefined, path: string, count: number): Promise<Cost> {
  if (first !== undefined) kube.use(first)
  const cpuBefore = process.cpuUsage()
  const before = performance.now()
  for (let i = 0; i < count; i++) await (await fetch(origin + path)).arrayBuffer()
  const wall = (performance.now() - before) / count
  const { user, system } = process.cpuUsage(cpuBefore)
  kube.resetHandlers()
  return { wall, cpu: (user + system) / 1000 / count }
}

/** What a quarter of the rounds stay below: what else the machine does only ever adds. */
const quartile = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 2]!

console.log(`milliseconds an operation, lower quartile of ${rounds} rounds`)
console.log(
  `${''.padEnd(30)}${'time: bare      ours     ratio'.padStart(32)}${'CPU: bare      ours     ratio'.padStart(34)}`,
)
for (const [title, path, count] of [
  ['get', `${collection}/pod-7?resourceVersion=0`, 25],
  ['get, the latest', `${collection}/pod-7`, 25],
  [`list of ${pods}`, `${collection}?resourceVersion=0`, 10],
  ['list, 10 % by label', `${collection}?labelSelector=app%3Dapp-7`, 15],
] as const) {
  const handlers = [await bare(path), undefined]
  const costs: Cost[][] = [[], []]
  for (let round = 0; round < rounds; round++) {
    for (const [which, first] of handlers.entries()) costs[which]!.push(await measure(first, path, count))
  }
  const columns = (['wall', 'cpu'] as const).map((kind) => {
    const [a, b] = costs.map((list) => quartile(list.map((cost) => cost[kind]))) as [number, number]
    return [a.toFixed(3), b.toFixed(3), (b / a).toFixed(2)].map((text) => text.padStart(10)).join('')
  })
  console.log(`${title.padEnd(30)}${columns.map((column) => column.padStart(32)).join('  ')}`)
}
await kube.close()
await server.close()
