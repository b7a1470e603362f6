// Many clients read what they have just written while a watch cache stalls: what each way of reading costs.
//   node --conditions=@freshread/source main.ts [--clients 100000] [--stall 8] [--arrival 10] [--objects 50] [--seed 1] [--out herd.html]
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { heading, page, svg, table } from './report.ts'
import { BEHAVIOURS, type Result, type Scenario, simulate } from './simulate.ts'

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '100000' },
    stall: { type: 'string', default: '8' },
    arrival: { type: 'string', default: '10' },
    objects: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
    out: { type: 'string', default: 'thundering-herd.html' },
  },
})

function positive(name: 'clients' | 'stall' | 'arrival' | 'objects' | 'seed'): number {
  const value = Number(values[name])
  if (Number.isFinite(value) && value > 0) return value
  console.error(`--${name} must be a number above 0, got ${values[name]}`)
  process.exit(2)
}

const scenario: Scenario = {
  clients: Math.round(positive('clients')),
  objects: Math.round(positive('objects')),
  arrivalMs: positive('arrival') * 1000,
  stallMs: positive('stall') * 1000,
  seed: positive('seed'),
}

console.log(`${heading(scenario)}.\n`)
const results: Result[] = []
for (const behaviour of BEHAVIOURS) {
  const result = await simulate(scenario, behaviour)
  results.push(result)
  console.error(`${behaviour.name}: simulated in ${(result.realMs / 1000).toFixed(1)} s`)
}
console.log(`\n${table(results)}\n`)
writeFileSync(values.out, values.out.endsWith('.svg') ? svg(scenario, results) : page(scenario, results))
console.log(`Charts: ${values.out}`)
