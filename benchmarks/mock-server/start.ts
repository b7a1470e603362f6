// What a new server costs: the first of a process, with what is read and compiled for all of them, and those after it.
//   node --conditions=@freshread/source benchmarks/mock-server/start.ts [--rounds 30]
import type { createKubeServer as CreateKubeServer } from '@freshread/mock-server'
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '30' } } })
const rounds = Number(values.rounds)

interface Cost {
  readonly wallMs: number
  readonly cpuMs: number
}

async function costOf(run: () => Promise<unknown>): Promise<Cost> {
  const cpuBefore = process.cpuUsage()
  const before = performance.now()
  await run()
  const wallMs = performance.now() - before
  const { user, system } = process.cpuUsage(cpuBefore)
  return { wallMs, cpuMs: (user + system) / 1000 }
}

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!

function print(title: string, costs: readonly Cost[]): void {
  const cell = (ms: number): string => ms.toFixed(2).padStart(10)
  const wall = costs.map((cost) => cost.wallMs)
  const cpu = costs.map((cost) => cost.cpuMs)
  console.log(`${title.padEnd(36)}${cell(median(wall))}${cell(Math.min(...wall))}${cell(median(cpu))}`)
}

console.log(`${'milliseconds'.padEnd(36)}${'median'.padStart(10)}${'least'.padStart(10)}${'CPU'.padStart(10)}`)
let createKubeServer!: typeof CreateKubeServer
print('import', [await costOf(async () => ({ createKubeServer } = await import('@freshread/mock-server')))])
const start = async (): Promise<void> => {
  const server = createKubeServer()
  await server.ready()
  await server.close()
}
print('first server, ready and closed', [await costOf(start)])
const others: Cost[] = []
for (let round = 0; round < rounds; round++) others.push(await costOf(start))
print(`${rounds} more, each`, others)

const reset: Cost[] = []
const server = createKubeServer()
await server.ready()
for (let round = 0; round < rounds; round++) reset.push(await costOf(() => server.reset()))
print('reset of a server', reset)
await server.close()
