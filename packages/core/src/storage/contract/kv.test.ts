import { FakeClock } from '../../testing/fake-clock.ts'
import { MemoryKV } from '../memory/memory-kv.ts'
import { describeKV } from './kv-contract.ts'

describeKV('memory', async () => {
  const clock = new FakeClock()
  const kv = new MemoryKV({ clock })
  return { kv, advance: (ms) => clock.step(ms), close: () => kv.close() }
})
