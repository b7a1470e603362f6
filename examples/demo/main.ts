// `pnpm demo`
import { systemClock } from '@freshread/core'
import { runDemo } from './demo.ts'
import { Timeline } from './timeline.ts'

await runDemo(systemClock, new Timeline())
