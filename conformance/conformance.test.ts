import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { inProcessTarget } from './in-process.ts'
import { check, loadScenarios, report, type Result } from './scenarios.ts'

/** What is not yet as the real server has it: scenario → ids of steps. It may only shrink. */
const knownGaps = JSON.parse(readFileSync(new URL('known-gaps.json', import.meta.url), 'utf8')) as Record<
  string,
  string[]
>

const scenarios = loadScenarios()
const results: Result[] = []

afterAll(() => console.log(report(results)))

describe.each([...new Set(scenarios.map((scenario) => scenario.group))])(
  'recordings of a real kube-apiserver: %s',
  (group) => {
    it.each(scenarios.filter((scenario) => scenario.group === group))('$name', async (scenario) => {
      await using target = await inProcessTarget(scenario)
      const result = await check(scenario, target)
      results.push(result)
      const gaps = new Set(knownGaps[`${group}/${scenario.name}`] ?? [])
      const unexpected = Object.fromEntries([...result.differing].filter(([step]) => !gaps.has(step)))
      const closed = [...gaps].filter((step) => !result.differing.has(step))
      expect(unexpected, 'steps that differ from the real server and are not in known-gaps.json').toEqual({})
      expect(closed, 'steps of known-gaps.json that equal the real server now: remove them').toEqual([])
    })
  },
)

it('lists only gaps of scenarios and steps that exist', () => {
  const steps = new Map(scenarios.map((s) => [`${s.group}/${s.name}`, new Set(s.expect.map((step) => step.id))]))
  const unknown = Object.entries(knownGaps).flatMap(([name, ids]) =>
    ids.filter((id) => !steps.get(name)?.has(id)).map((id) => `${name} ${id}`),
  )
  expect(unknown).toEqual([])
})
