import { describe, expect, it } from 'vitest'
import { cronError } from './cron.ts'

describe('cronError', () => {
  it.each(['* * * * *', '*/5 0-12/2 1,15 JAN-mar mon', '@daily', '@every 1h30m', '0 0 ? * *', 'TZ=UTC 0 0 * * *'])(
    'accepts %s',
    (schedule) => {
      expect(cronError(schedule)).toBeUndefined()
    },
  )

  it.each(['', '* * * *', '60 * * * *', '5-1 * * * *', '*/0 * * * *', 'a b c d e', '@sometimes', '* * * * * *'])(
    'refuses %j',
    (schedule) => {
      expect(cronError(schedule)).toBeTypeOf('string')
    },
  )
})
