// Our server and bare node:http on a port, asked for the same by the same client, in turns. For each kind of request
// it prints the time that one takes from the client's side and the CPU time that it takes the server; the ratio of the
// CPU times hardly changes with what else the machine does.
//   node --conditions=@freshread/source benchmarks/mock-server/http.ts [--pods 2000] [--watchers 200] [--rounds 5]
//     [--only list] [--profile DIRECTORY for a CPU profile of our server]
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    pods: { type: 'string', default: '2000' },
    watchers: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
    profile: { type: 'string' },
  },
})
const pods = Number(values.pods)
const watchers = Number(values.watchers)
const rounds = Number(values.rounds)
const collection = '/api/v1/namespaces/bench/pods'
const agent = new Agent({ keepAlive: true, maxSockets: Infinity })

interface Server {
  readonly name: string
  readonly child: ChildProcess
  readonly port: number
}

async function start(name: 'bare' | 'ours'): Promise<Server> {
  const flags =
    values.profile !== undefined && name === 'ours' ? ['--cpu-prof', `--cpu-prof-dir=${values.profile}`] : []
  const file = new URL('server-process.ts', import.meta.url)
  const child = fork(file, [name], { execArgv: ['--conditions=@freshread/source', ...flags] })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return { name, child, port }
}

async function cpuMs({ child }: Server): Promise<number> {
  child.send('cpu')
  const [{ cpuMs }] = (await once(child, 'message')) as [{ cpuMs: number }]
  return cpuMs
}

function open(server: Server, method: string, path: string, body?: unknown): Promise<IncomingMessage> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const payload = body === undefined ? undefined : JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const headers = {
      accept: 'application/json',
      ...(payload !== undefined && { 'content-type': type, 'content-length': Buffer.byteLength(payload) }),
    }
    const sent = request({ agent, port: server.port, host: '127.0.0.1', method, path, headers }, resolve)
    sent.on('error', reject)
    sent.end(payload)
  })
}

async function send(server: Server, method: string, path: string, body?: unknown): Promise<Buffer> {
  const response = await open(server, method, path, body)
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  if (response.statusCode! >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${bytes.toString()}`)
  return bytes
}

async function parallel(count: number, workers: number, run: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const work = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) await run(i)
  }
  await Promise.all(Array.from({ length: workers }, work))
}

function pod(i: number): object {
  const value = (k: number): string => `value-of-variable-${k}-for-pod-${i}`
  const env = Array.from({ length: 12 }, (_, k) => ({ name: `VARIABLE_${k}`, value: value(k) }))
  const resources = { requests: { cpu: '100m', memory: '64Mi' } }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: name(i), labels: { app: `app-${i % 100}` }, annotations: { note: 'x'.repeat(200) } },
    spec: { containers: [{ name: 'main', image: 'registry.example/app:1.0', env, resources }] },
  }
}

function name(i: number): string {
  return `pod-${String(i).padStart(6, '0')}`
}

const metaOf = (bytes: Buffer): { resourceVersion: string; continue?: string } =>
  (JSON.parse(bytes.toString()) as { metadata: { resourceVersion: string; continue?: string } }).metadata

const annotate = (server: Server, i: number): Promise<Buffer> =>
  send(server, 'PATCH', `${collection}/${name(1)}`, { metadata: { annotations: { i: String(i) } } })

/** What is measured: `run` makes so many operations. */
interface Measurement {
  readonly title: string
  readonly operations: number
  readonly run: (server: Server, round: number) => Promise<void>
}

const repeat = (title: string, operations: number, run: (server: Server) => Promise<unknown>): Measurement => ({
  title,
  operations,
  run: async (server) => {
    for (let i = 0; i < operations; i++) await run(server)
  },
})

async function pages(server: Server): Promise<void> {
  let token = ''
  do {
    const at = token === '' ? '' : `&continue=${token}`
    // The list's own metadata comes first.
    const bytes = await send(server, 'GET', `${collection}?limit=500${at}`)
    token = /"continue":"([^"]*)"/.exec(bytes.toString('latin1', 0, 500))?.[1] ?? ''
  } while (token !== '')
}

/** Opens watches and counts their events; waits for as many as are to come. */
async function fanOut(server: Server, events: number): Promise<void> {
  const { resourceVersion } = metaOf(await send(server, 'GET', `${collection}?limit=1`))
  let missing = watchers * events
  const done = Promise.withResolvers<void>()
  const open_ = async (): Promise<IncomingMessage> => {
    const response = await open(server, 'GET', `${collection}?watch=true&resourceVersion=${resourceVersion}`)
    response.on('data', (chunk: Buffer) => {
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) missing--
      if (missing === 0) done.resolve()
    })
    response.on('error', () => undefined)
    return response
  }
  const streams = await Promise.all(Array.from({ length: watchers }, open_))
  for (let i = 0; i < events; i++) await annotate(server, i + performance.now())
  await done.promise
  for (const stream of streams) stream.destroy()
}

const batch = Math.ceil(pods / rounds)
const measurements: readonly Measurement[] = [
  {
    title: 'create, 16 at a time',
    operations: batch,
    run: (server, round) => parallel(batch, 16, (i) => send(server, 'POST', collection, pod(round * batch + i))),
  },
  repeat('list, resourceVersion=0', 10, (server) => send(server, 'GET', `${collection}?resourceVersion=0`)),
  repeat('list, the latest', 10, (server) => send(server, 'GET', collection)),
  repeat('list, 1 % by label', 50, (server) =>
    send(server, 'GET', `${collection}?resourceVersion=0&labelSelector=app%3Dapp-7`),
  ),
  repeat('list, in pages of 500', 5, pages),
  {
    title: 'get, 32 at a time',
    operations: 2_000,
    run: (server) => parallel(2_000, 32, (i) => send(server, 'GET', `${collection}/${name(i % (batch * rounds))}`)),
  },
  repeat('patch', 100, (server) => annotate(server, performance.now())),
  repeat('patch, and a get of what it wrote', 100, async (server) => {
    const { resourceVersion } = metaOf(await annotate(server, performance.now()))
    await send(server, 'GET', `${collection}/${name(1)}?resourceVersion=${resourceVersion}`)
  }),
  { title: `event to ${watchers} watchers`, operations: 50, run: (server) => fanOut(server, 50) },
]

/** What a quarter of the rounds stay below: what else the machine does only ever adds. */
const quartile = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 2]!
const cell = (number: number): string => (number < 10 ? number.toFixed(3) : number.toFixed(1)).padStart(10)

const servers = [await start('bare'), await start('ours')]
for (const server of servers) {
  await send(server, 'POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'bench' },
  })
}
console.log(`${pods} pods; milliseconds an operation`)
console.log(
  `${''.padEnd(36)}${'time: bare      ours     ratio'.padStart(32)}${'CPU: bare      ours     ratio'.padStart(34)}`,
)
for (const [index, { title, operations, run }] of measurements.entries()) {
  if (index > 0 && values.only !== '' && !title.startsWith(values.only)) continue
  const times: number[][] = [[], []]
  const cpus: number[][] = [[], []]
  for (let round = 0; round < rounds; round++) {
    for (const [which, server] of servers.entries()) {
      const cpuBefore = await cpuMs(server)
      const before = performance.now()
      await run(server, round)
      times[which]!.push((performance.now() - before) / operations)
      cpus[which]!.push(((await cpuMs(server)) - cpuBefore) / operations)
    }
  }
  const row = [times, cpus].map(([bare, ours]) => {
    const [a, b] = [quartile(bare!), quartile(ours!)]
    return `${cell(a)}${cell(b)}${(b / a).toFixed(2).padStart(10)}`
  })
  console.log(`${title.padEnd(36)}${row.join('    ')}`)
}
agent.destroy()
for (const { child } of servers) child.disconnect()
