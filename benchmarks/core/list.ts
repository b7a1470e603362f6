// What lists from the cache cost.
//   node --expose-gc --conditions=@freshread/source benchmarks/core/list.ts
import { LabelSelector, SelectionPredicate, type KubeObject } from '@freshread/core'
import { bench, run, summary } from 'mitata'
import { filled, keyOf, listOptions, prefix } from './support.ts'

const appIndex = { 'l:app': (object: KubeObject) => [object.metadata.labels?.['app'] ?? ''] }

for (const count of [10_000, 100_000]) {
  const { storage, state } = await filled(count, { indexers: appIndex })
  const version = String(state()!.resourceVersion)
  const byLabel = new SelectionPredicate({ label: LabelSelector.parse('app=app-7') })
  const byIndex = byLabel.with({ indexLabels: ['app'] })
  const page = new SelectionPredicate({ limit: 500 })
  const { continue: token } = await storage.getList(prefix, listOptions('', '', page))
  // A later change, so that an exact read is one of the past.
  await storage.delete(keyOf(count - 1))

  summary(() => {
    bench(`${count}: all`, () => storage.getList(prefix, listOptions('0')))
    bench(`${count}: all, the latest`, () => storage.getList(prefix, listOptions('')))
    bench(`${count}: all, exactly as of a version`, () => storage.getList(prefix, listOptions(version, 'Exact')))
    bench(`${count}: by label, ${count / 1_000} match`, () => storage.getList(prefix, listOptions('0', '', byLabel)))
    bench(`${count}: by label with an index`, () => storage.getList(prefix, listOptions('0', '', byIndex)))
    bench(`${count}: one namespace of 100`, () => storage.getList(`${prefix}/ns-7`, listOptions('0')))
    bench(`${count}: first page of 500`, () => storage.getList(prefix, listOptions('', '', page)))
    bench(`${count}: second page of 500`, () =>
      storage.getList(prefix, listOptions('', '', page.with({ continue: token }))))
    bench(`${count}: get one`, () => storage.get(keyOf(17), { resourceVersion: '0' }))
  })
}

await run()
