// What one event costs with many watchers: all of them concerned, none of them, each with a selector of its own.
//   node --expose-gc --conditions=@freshread/source benchmarks/core/fan-out.ts
import { LabelSelector, SelectionPredicate, type Watch } from '@freshread/core'
import { filled, keyOf, pod, prefix, turn, watchOptions } from './support.ts'

const rounds = 300

async function measure(title: string, count: number, select: (i: number) => SelectionPredicate): Promise<void> {
  const resource = await filled(1)
  const { storage } = resource
  let delivered = 0
  const open: Watch[] = []
  for (let i = 0; i < count; i++) {
    const watch = await storage.watch(prefix, watchOptions('2', select(i)))
    watch.onReadable = () => {
      while (watch.poll() !== undefined) delivered++
    }
    open.push(watch)
  }
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const started = performance.now()
    await storage.guaranteedUpdate(keyOf(0), {
      tryUpdate: (current) => ({ object: { ...current!.object, spec: { ...(pod(0).spec as object), round } } }),
    })
    times.push(performance.now() - started)
    if (round % 50 === 0) await turn()
  }
  times.sort((a, b) => a - b)
  const [median, worst] = [times[rounds >> 1]!, times[Math.floor(rounds * 0.99)]!]
  const each = count === 0 ? '' : `${((median * 1e6) / count).toFixed(0).padStart(8)} ns a watcher`
  const row = [
    title.padEnd(34),
    String(count).padStart(7),
    `${median.toFixed(3).padStart(9)} ms`,
    `${worst.toFixed(3).padStart(9)} ms`,
  ]
  console.log(`${row.join(' ')} ${String(delivered / rounds).padStart(8)} ${each}`)
  for (const watch of open) watch.stop()
  await resource.close()
}

console.log('one update, with                  watchers    median       99 %   events')
await measure('nobody watching', 0, () => SelectionPredicate.everything)
for (const count of [1_000, 10_000]) {
  await measure('watchers of everything', count, () => SelectionPredicate.everything)
  const none = new SelectionPredicate({ label: LabelSelector.parse('app=none') })
  await measure('watchers of nothing, one selector', count, () => none)
  await measure(
    'watchers of nothing, each its own',
    count,
    (i) => new SelectionPredicate({ label: LabelSelector.parse(`app=none-${i}`) }),
  )
}
