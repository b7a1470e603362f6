// Runs the recorded scenarios in a loop and prints the heap after each round: it must stay flat.
//   node --expose-gc --conditions=@freshread/source benchmarks/soak.ts [--minutes 10] [--group rv,lag]
import { parseArgs } from 'node:util'
import { inProcessTarget } from '../conformance/in-process.ts'
import { check, loadScenarios } from '../conformance/scenarios.ts'

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' }, group: { type: 'string' } } })
const groups = values.group?.split(',')
const scenarios = loadScenarios().filter((scenario) => !groups || groups.includes(scenario.group))
const end = performance.now() + Number(values.minutes) * 60_000
const heaps: number[] = []

for (let round = 1; performance.now() < end; round++) {
  for (const scenario of scenarios) {
    await using target = await inProcessTarget(scenario)
    await check(scenario, target)
  }
  globalThis.gc?.()
  await new Promise((resolve) => setTimeout(resolve, 50))
  globalThis.gc?.()
  const heap = process.memoryUsage().heapUsed / 1024 / 1024
  heaps.push(heap)
  console.log(
    `round ${String(round).padStart(4)}   heap ${heap.toFixed(1).padStart(7)} MiB   handles ${process.getActiveResourcesInfo().length}`,
  )
}

// The first rounds fill caches that are kept on purpose (schemas, compiled documents).
const settled = heaps.slice(Math.min(3, heaps.length - 1))
const slope = settled.length < 2 ? 0 : (settled.at(-1)! - settled[0]!) / settled.length
console.log(
  `\n${heaps.length} rounds; heap ${settled[0]!.toFixed(1)} → ${settled.at(-1)!.toFixed(1)} MiB, ${slope.toFixed(3)} MiB a round`,
)
process.exitCode = slope > 0.2 ? 1 : 0
