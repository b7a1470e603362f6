import { afterAll, beforeAll, describe, it } from 'vitest'
import { FakeClock } from '../../testing/fake-clock.ts'
import { EtcdKV } from '../etcd/etcd-kv.ts'
import { findEtcd, runEtcd, type RunningEtcd } from '../etcd/run-etcd.ts'
import { MemoryKV } from '../memory/memory-kv.ts'
import { describeKV } from './kv-contract.ts'

describeKV('memory', async () => {
  const clock = new FakeClock()
  const kv = new MemoryKV({ clock })
  return { kv, advance: (ms) => clock.step(ms), close: () => kv.close() }
})

const binary = findEtcd()
if (binary === undefined) {
  it.skip('KV: etcd (there is no etcd: set FRESHREAD_ETCD)', () => undefined)
} else {
  describe('with an etcd of its own', () => {
    let etcd: RunningEtcd
    beforeAll(async () => {
      etcd = await runEtcd(binary)
    })
    afterAll(() => etcd.stop())
    describeKV('etcd', async () => {
      const kv = await EtcdKV.connect({ endpoints: etcd.endpoint })
      // Its time passes by itself; tests wait for what it brings.
      return { kv, advance: async () => undefined, close: () => kv.close() }
    })
  })
}
