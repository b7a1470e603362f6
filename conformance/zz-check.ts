import { inProcessTarget } from './in-process.ts'
import { check, loadScenarios } from './scenarios.ts'
const groups = new Set(process.argv.slice(2))
for (const scenario of loadScenarios()) {
  if (!groups.has(scenario.group)) continue
  await using target = await inProcessTarget(scenario)
  const result = await check(scenario, target)
  for (const [step, diffs] of result.differing) if (!step.startsWith('ns-')) console.log(scenario.name, step, JSON.stringify(diffs).slice(0, 400))
}
process.exit(0)
