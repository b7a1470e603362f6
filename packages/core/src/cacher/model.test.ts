import * as fc from 'fast-check'
import { describe, it } from 'vitest'
import { CacheRun } from './cache-model.ts'
import { setup } from './test-support.ts'

type Step = (run: CacheRun) => void | Promise<void>

const n = fc.nat(10_000)
const steps: fc.Arbitrary<Step>[] = [
  n.map((i) => (run: CacheRun) => run.write(i)),
  fc.tuple(n, fc.nat(40)).map(([i, count]) => async (run: CacheRun) => {
    for (let j = 0; j < count; j++) await run.write(i + 7 * j)
  }),
  n.map((i) => (run: CacheRun) => run.remove(i)),
  fc.constant(async (run: CacheRun) => void (await run.at.elsewhere())),
  fc.constant((run: CacheRun) => run.at.kv.freeze()),
  fc.constant((run: CacheRun) => run.at.kv.thaw()),
  fc.constantFrom(0, 50, 400).map((ms) => (run: CacheRun) => void (run.at.kv.lag = ms)),
  fc.constantFrom(0, 20, 700, 2_500, 61_000).map((ms) => async (run: CacheRun) => {
    await run.at.clock.step(ms)
    run.checkWaits()
  }),
  fc.tuple(n, fc.boolean(), fc.boolean(), fc.boolean()).map(
    ([i, initial, labelled, eager]) =>
      (run: CacheRun) =>
        run.watch(i, initial, labelled, eager),
  ),
  n.map((i) => (run: CacheRun) => run.watches[i % (run.watches.length + 1)]?.drain()),
  n.map((i) => (run: CacheRun) => {
    const log = run.watches[i % (run.watches.length + 1)]
    log?.drain()
    log?.watch.stop()
  }),
  fc.tuple(n, fc.constantFrom('pinned', 'exact', 'consistent', 'any' as const)).map(
    ([i, kind]) =>
      (run: CacheRun) =>
        run.list(i, kind as 'any'),
  ),
  n.map((i) => (run: CacheRun) => run.get(i)),
  n.map((i) => (run: CacheRun) => run.page(i)),
  fc.tuple(n, fc.boolean()).map(
    ([i, told]) =>
      (run: CacheRun) =>
        run.compact(i, told),
  ),
  fc.constant((run: CacheRun) => run.at.resource.restart()),
]

describe('A cache driven at random', () => {
  it.each([
    ['as it is by default', {}],
    ['with a history of ten events', { history: { capacity: 10, lowerBoundCapacity: 10, upperBoundCapacity: 10 } }],
  ])('never tells anything that was not so, %s', { timeout: 60_000 }, async (_name, tuning) => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(...steps), { maxLength: 60, size: 'max' }), async (sequence) => {
        let run: CacheRun | undefined
        const at = await setup({ tuning, compactor: { compactRevision: () => run?.compacted ?? 0 } })
        run = new CacheRun(at)
        for (const step of sequence) await step(run)
        await run.finish()
      }),
      { numRuns: 60 },
    )
  })
})
