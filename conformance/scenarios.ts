import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { diff, runScenario, tidy } from './engine.mjs'

/** What a real kube-apiserver answered to a list of steps. */
export interface Scenario {
  readonly name: string
  readonly group: string
  readonly about?: string
  /** Feature gates the server must have been started with. */
  readonly gates?: Readonly<Record<string, boolean>>
  readonly steps: readonly unknown[]
  readonly expect: readonly ({ readonly id: string } & Record<string, unknown>)[]
}

/** Where a scenario is run. */
export interface Target {
  readonly base: string
  readonly fetch?: typeof fetch
  readonly headers?: Readonly<Record<string, string>>
  readonly control: (name: string, args: Readonly<Record<string, string>>) => Promise<void> | void
  /** Time to step instead of the machine's. */
  readonly clock?: {
    now(): number
    sleep(ms: number): Promise<void>
    setTimeout(callback: () => void, ms: number): unknown
    clearTimeout(handle: unknown): void
  }
}

/** One place where an answer is not the real server's. */
export interface Difference {
  readonly path: string
  readonly want: unknown
  readonly got: unknown
}

/** How a scenario went. */
export interface Result {
  readonly name: string
  readonly group: string
  readonly steps: number
  /** Steps that differ, by id. */
  readonly differing: ReadonlyMap<string, readonly Difference[]>
}

const recordings = join(dirname(fileURLToPath(import.meta.url)), 'recordings')

/** All recorded scenarios, by group and name. */
export function loadScenarios(folder: string = recordings): Scenario[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => ({
      group: dirname(file),
      ...(JSON.parse(readFileSync(join(folder, file), 'utf8')) as Omit<Scenario, 'group'>),
    }))
}

/** Runs one scenario and compares every step with what the real server answered. */
export async function check(scenario: Scenario, target: Target): Promise<Result> {
  let got: { id: string }[]
  let error: unknown
  try {
    got = (await runScenario(scenario, target)) as { id: string }[]
  } catch (thrown) {
    got = []
    error = thrown
  }
  const byId = new Map(got.map((step) => [step.id, step]))
  const differing = new Map<string, readonly Difference[]>()
  for (const want of scenario.expect) {
    const differences =
      error === undefined
        ? (diff(tidy(want), tidy(byId.get(want.id) ?? { missing: true })) as Difference[])
        : [{ path: '', want: 'an answer', got: String(error) }]
    if (differences.length > 0) differing.set(want.id, differences)
  }
  return { name: scenario.name, group: scenario.group, steps: scenario.expect.length, differing }
}

/** A line per group: scenarios and steps that equal the real server's. */
export function report(results: readonly Result[]): string {
  const groups = new Map<string, Result[]>()
  for (const result of results) groups.set(result.group, [...(groups.get(result.group) ?? []), result])
  const rows: readonly (readonly [string, readonly Result[]])[] = [...groups, ['total', results]]
  const lines = rows.map(([name, all]) => {
    const scenarios = all.filter((result) => result.differing.size === 0).length
    const steps = all.reduce((sum, result) => sum + result.steps, 0)
    const equal = all.reduce((sum, result) => sum + result.steps - result.differing.size, 0)
    return `${name.padEnd(10)} scenarios ${`${scenarios}/${all.length}`.padStart(8)}   steps ${`${equal}/${steps}`.padStart(10)}`
  })
  return lines.join('\n')
}
