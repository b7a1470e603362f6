// Replays the recordings against a server and prints where it differs.
//   pnpm conformance --base http://127.0.0.1:8001 [--group rv,lag] [--only name,name] [--gates Name=true] [--show 5]
// Without --base it starts servers of its own in this process, with the gates each scenario asks for.
import { parseArgs } from 'node:util'
import { inProcessTarget } from './in-process.ts'
import { check, loadScenarios, report, type Result, type Scenario, type Target } from './scenarios.ts'

const { values } = parseArgs({
  options: {
    base: { type: 'string' },
    group: { type: 'string' },
    only: { type: 'string' },
    gates: { type: 'string', default: '' },
    show: { type: 'string', default: '5' },
    dir: { type: 'string' },
  },
})
const groups = values.group?.split(',')
const only = values.only?.split(',')
const show = Number(values.show)

// A server without reset between scenarios: first what looks at the whole server, last what changes all caches.
const rank = (group: string): number => {
  const first = ['discovery', 'rv', 'watch'].indexOf(group)
  if (first >= 0) return first
  return group === 'restart' ? 5 : 4
}
const gatesText = (scenario: Scenario): string =>
  Object.entries(scenario.gates ?? {})
    .map(([name, on]) => `${name}=${on}`)
    .join(',')

const scenarios = loadScenarios(values.dir)
  .filter((s) => (!groups || groups.includes(s.group)) && (!only || only.includes(s.name)))
  .filter((s) => values.base === undefined || gatesText(s) === values.gates)
  .sort((a, b) => rank(a.group) - rank(b.group))

function httpTarget(base: string): Target {
  return {
    base,
    control: async (name, args) => {
      const response = await fetch(`${base}/_freshread/${name}?${new URLSearchParams(args)}`, { method: 'POST' })
      if (!response.ok) throw new Error(`control ${name}: ${response.status} ${await response.text()}`)
    },
  }
}

const results: Result[] = []
for (const scenario of scenarios) {
  let result: Result
  if (values.base === undefined) {
    await using target = await inProcessTarget(scenario)
    result = await check(scenario, target)
  } else {
    const target = httpTarget(values.base)
    await Promise.resolve(target.control('reset', {})).catch(() => undefined)
    result = await check(scenario, target)
    if (result.differing.size > 0) {
      for (const [name, args] of [
        ['thaw', {}],
        ['lag', { ms: '0' }],
      ] as const)
        await Promise.resolve(target.control(name, args)).catch(() => undefined)
    }
  }
  results.push(result)
  const equal = result.steps - result.differing.size
  console.log(`${equal === result.steps ? 'ok  ' : 'DIFF'} ${result.group}/${result.name} ${equal}/${result.steps}`)
  for (const [step, differences] of [...result.differing].slice(0, show)) {
    console.log(`     ${step}`)
    for (const d of differences.slice(0, show)) {
      console.log(
        `       ${d.path}: want ${JSON.stringify(d.want)?.slice(0, 200)} got ${JSON.stringify(d.got)?.slice(0, 200)}`,
      )
    }
  }
}
console.log(`\n${report(results)}`)
process.exitCode = results.every((result) => result.differing.size === 0) ? 0 : 1
