import { afterAll, beforeAll, describe } from 'vitest'
import { FakeClock } from '../../testing/fake-clock.ts'
import { EtcdKV } from '../etcd/etcd-kv.ts'
import { externalTool } from '../../../../../scripts/external-tool.ts'
import { runEtcd, type RunningEtcd } from '../etcd/run-etcd.ts'
import { MemoryKV } from '../memory/memory-kv.ts'
import { describeKV } from './kv-contract.ts'

describeKV('memory', async () => {
  const clock = new FakeClock()
  const kv = new MemoryKV({ clock })
  return { kv, advance: (ms) => clock.step(ms), close: () => kv.close() }
})

const binary = externalTool('etcd')
describe.skipIf(binary === undefined)('on a real etcd (skipped without one: set FRESHREAD_ETCD)', () => {
  let etcd: RunningEtcd
  beforeAll(async () => {
    etcd = await runEtcd(binary!)
  })
  afterAll(() => etcd.stop())
  describeKV('etcd', async () => {
    const kv = await EtcdKV.connect({ endpoints: etcd.endpoint })
    // Its time passes by itself; tests wait for what it brings.
    return { kv, advance: async () => undefined, close: () => kv.close() }
  })
})
