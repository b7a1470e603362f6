import { afterAll, beforeAll, describe } from 'vitest'
import { createResourceStorage } from '../../delegator/resource-storage.ts'
import { FakeClock } from '../../testing/fake-clock.ts'
import { EtcdKV } from '../etcd/etcd-kv.ts'
import { externalTool } from '../../../../../scripts/external-tool.ts'
import { runEtcd, type RunningEtcd } from '../etcd/run-etcd.ts'
import { MemoryKV } from '../memory/memory-kv.ts'
import { Store } from '../store.ts'
import { describeStorage } from './storage-contract.ts'

const groupResource = { group: '', resource: 'widgets' }

describeStorage('memory', async (resourcePrefix) => {
  const clock = new FakeClock()
  const kv = new MemoryKV({ clock })
  return { kv, storage: new Store({ kv, groupResource, resourcePrefix, clock }), close: () => kv.close() }
})

describeStorage(
  'cache over memory',
  async (resourcePrefix) => {
    const kv = new MemoryKV()
    const { storage, ready } = createResourceStorage({ kv, groupResource, resourcePrefix })
    await ready()
    return { kv, storage, close: () => kv.close() }
  },
  { cached: true },
)

const binary = externalTool('etcd')
describe.skipIf(binary === undefined)('on a real etcd (skipped without one: set FRESHREAD_ETCD)', () => {
  let etcd: RunningEtcd
  beforeAll(async () => {
    etcd = await runEtcd(binary!)
  })
  afterAll(() => etcd.stop())
  describeStorage(
    'cache over etcd',
    async (resourcePrefix) => {
      const kv = await EtcdKV.connect({ endpoints: etcd.endpoint })
      const { storage, ready } = createResourceStorage({ kv, groupResource, resourcePrefix })
      await ready()
      return { kv, storage, close: () => kv.close() }
    },
    { cached: true },
  )
  describeStorage('etcd', async (resourcePrefix) => {
    const kv = await EtcdKV.connect({ endpoints: etcd.endpoint })
    return { kv, storage: new Store({ kv, groupResource, resourcePrefix }), close: () => kv.close() }
  })
})
