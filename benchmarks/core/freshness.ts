// What a wait for freshness costs: to begin one, to release it, to let it expire (waiting for different
// versions and for the same), with many waiting already.
//   node --expose-gc --conditions=@freshread/source benchmarks/core/freshness.ts
import { Freshness } from '@freshread/core'
import { FakeClock } from '@freshread/core/testing'
import { bench, do_not_optimize, run, summary } from 'mitata'

const ignore = (): void => {}

function waiting(count: number): { clock: FakeClock; freshness: Freshness } {
  const clock = new FakeClock()
  const freshness = new Freshness({ clock })
  for (let i = 0; i < count; i++) freshness.waitUntilFresh(1_000_000 + (i % 1_000))!.catch(ignore)
  return { clock, freshness }
}

bench('a read that need not wait', () => {
  do_not_optimize(satisfied.waitUntilFresh(0))
})
const satisfied = waiting(0).freshness

summary(() => {
  for (const count of [1, 1_000, 100_000]) {
    const { freshness } = waiting(count)
    let version = 1
    bench(`add and wake one, ${count} others wait`, () => {
      const wait = freshness.waitUntilFresh(version + 1)
      freshness.advance(++version)
      do_not_optimize(wait)
    })
  }
})

await run()

// Whole crowds, which can be woken only once: timed by hand, the best of several rounds.
console.log('\nnanoseconds per waiter    add   wake all at once   wake one by one   expire   the same   abort')
for (const count of [1, 1_000, 100_000]) {
  const rounds = { 1: 2_000, 1_000: 20 }[count] ?? 3
  const best = { add: Infinity, wake: Infinity, single: Infinity, expire: Infinity, same: Infinity, abort: Infinity }
  const note = (what: keyof typeof best, started: number): void => {
    best[what] = Math.min(best[what], ((performance.now() - started) * 1e6) / count)
  }
  for (let round = 0; round < rounds; round++) {
    const fresh = (): { clock: FakeClock; freshness: Freshness } => waiting(0)
    const fill = (freshness: Freshness, signal?: AbortSignal): void => {
      for (let i = 0; i < count; i++) freshness.waitUntilFresh(2 + i, signal)!.catch(ignore)
    }
    const all = fresh()
    let started = performance.now()
    fill(all.freshness)
    note('add', started)
    started = performance.now()
    all.freshness.advance(count + 2)
    note('wake', started)

    const each = fresh()
    fill(each.freshness)
    started = performance.now()
    for (let i = 0; i < count; i++) each.freshness.advance(2 + i)
    note('single', started)

    const late = fresh()
    fill(late.freshness)
    started = performance.now()
    await late.clock.step(3_000)
    note('expire', started)

    const alike = fresh()
    for (let i = 0; i < count; i++) alike.freshness.waitUntilFresh(2)!.catch(ignore)
    started = performance.now()
    await alike.clock.step(3_000)
    note('same', started)

    const gone = fresh()
    const controllers = Array.from({ length: count }, () => new AbortController())
    for (const [i, { signal }] of controllers.entries()) gone.freshness.waitUntilFresh(2 + i, signal)!.catch(ignore)
    started = performance.now()
    for (const controller of controllers) controller.abort()
    note('abort', started)
    await Promise.resolve()
  }
  const column = (value: number, width: number): string => value.toFixed(0).padStart(width)
  console.log(
    `${String(count).padStart(19)}${column(best.add, 10)}${column(best.wake, 19)}${column(best.single, 18)}${column(best.expire, 9)}${column(best.same, 11)}${column(best.abort, 8)}`,
  )
}
