// What the history and the past states cost per event, and what a watch that replays much of it costs.
//   node --expose-gc --conditions=@freshread/source benchmarks/core/history.ts
import { OrderedMap, WatchCacheHistory } from '@freshread/core'
import { bench, do_not_optimize, run, summary } from 'mitata'
import { filled, keyOf, prefix, turn, watchOptions } from './support.ts'

interface Event {
  readonly resourceVersion: number
  readonly recordTime: number
}

summary(() => {
  for (const capacity of [100, 10_000, 102_400]) {
    const history = new WatchCacheHistory<Event>({
      capacity,
      lowerBoundCapacity: capacity,
      upperBoundCapacity: capacity,
    })
    let version = 0
    bench(`append to a full history of ${capacity}`, () => {
      version++
      history.append({ resourceVersion: version, recordTime: version })
    })
  }
})

bench('grow a history from 100 to 102 400 and fill it', () => {
  const history = new WatchCacheHistory<Event>()
  for (let i = 0; i < 102_400; i++) history.append({ resourceVersion: i, recordTime: 0 })
  do_not_optimize(history)
})

summary(() => {
  for (const count of [1_000, 10_000, 100_000]) {
    let state = OrderedMap.from(Array.from({ length: count }, (_, i) => ({ key: keyOf(i), value: 0 })))
    let i = 0
    bench(`change one of ${count} objects, the old state kept`, () => {
      i = (i + 7_919) % count
      state = state.set({ key: keyOf(i), value: i })
    })
  }
})

await run()

const events = 100_000
const resource = await filled(1_000)
for (let i = 0; i < events; i++) {
  await resource.storage.guaranteedUpdate(keyOf(i % 1_000), {
    tryUpdate: (current) => ({ object: { ...current!.object, spec: { i } } }),
  })
  if (i % 500 === 0) await turn()
}
const { resourceVersion, historyLength, historyCapacity } = resource.state()!
console.log(`\nhistory holds ${historyLength} events, capacity ${historyCapacity}`)
let best = Infinity
for (let round = 0; round < 5; round++) {
  const started = performance.now()
  const watch = await resource.storage.watch(prefix, watchOptions(String(resourceVersion - events)))
  let taken = 0
  while (watch.poll() !== undefined) taken++
  if (taken !== events) throw new Error(`${taken} of ${events} events`)
  best = Math.min(best, performance.now() - started)
  watch.stop()
}
console.log(`replay of ${events} events: ${best.toFixed(1)} ms, ${((best * 1e6) / events).toFixed(0)} ns an event`)

const writes = 20_000
const started = performance.now()
for (let i = 0; i < writes; i++) {
  await resource.storage.guaranteedUpdate(keyOf(i % 1_000), {
    tryUpdate: (current) => ({ object: { ...current!.object, spec: { again: i } } }),
  })
}
console.log(`update through storage and cache: ${(((performance.now() - started) * 1e3) / writes).toFixed(1)} us`)
process.exit(0)
