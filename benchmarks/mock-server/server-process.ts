// One of the two servers of http.ts, in a process of its own: tells its port, and when asked the CPU time it used.
import { serve } from '@freshread/mock-server/http'
import { startBareServer } from './bare-server.ts'

const port = process.argv[2] === 'bare' ? await startBareServer() : (await serve()).port
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send!({ cpuMs: (user + system) / 1000 })
})
process.on('disconnect', () => process.exit(0))
process.send!({ port })
