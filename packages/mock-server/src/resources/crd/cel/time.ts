import { Timestamp } from './values.ts'

/** Times and durations as Go has them: nanoseconds, and texts of their own. */

const second = 1_000_000_000n
const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?([Zz]|[+-]\d\d:\d\d)$/

/** An RFC 3339 time; `undefined` for another text. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = rfc3339.exec(text)
  if (match === null) return undefined
  const [, year, month, day, hours, minutes, seconds, fraction = '', zone] = match as unknown as string[]
  const ms = Date.UTC(2000, Number(month) - 1, Number(day), Number(hours), Number(minutes), Number(seconds))
  const date = new Date(ms)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  const valid =
    date.getUTCMonth() === Number(month) - 1 &&
    date.getUTCDate() === Number(day) &&
    Number(hours) < 24 &&
    Number(minutes) < 60 &&
    Number(seconds) < 60
  if (!valid) return undefined
  let offset = 0
  if (zone!.length > 1) {
    const [h, m] = [Number(zone!.slice(1, 3)), Number(zone!.slice(4, 6))]
    if (h > 24 || m >= 60) return undefined
    offset = (h * 60 + m) * (zone!.startsWith('-') ? -1 : 1)
  }
  const whole = BigInt(date.getTime() / 1000 - offset * 60)
  return new Timestamp(whole * second + BigInt(fraction.padEnd(9, '0').slice(0, 9)), offset)
}

/** First and last second that a timestamp can have: years 1 to 9999. */
export const minTimestamp: bigint = -62_135_596_800n * second
export const maxTimestamp: bigint = 253_402_300_800n * second - 1n

function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b
  return a % b < 0n ? quotient - 1n : quotient
}

/** The date of a time, and its nanoseconds within the second. */
export function splitTimestamp(nanos: bigint): { readonly date: Date; readonly nanos: number } {
  const seconds = floorDivide(nanos, second)
  return { date: new Date(Number(seconds) * 1000), nanos: Number(nanos - seconds * second) }
}

const offsetPattern = /^[+-]?\d\d:\d\d$/

/** Parts of a time in a zone, which is an offset or a name; an error text for an unknown one. */
export function inZone(
  nanos: bigint,
  zone: string | undefined,
): { readonly date: Date; readonly nanos: number } | string {
  if (zone === undefined) return splitTimestamp(nanos)
  if (zone.includes(':')) {
    if (!offsetPattern.test(zone)) return `strconv.Atoi: parsing ${JSON.stringify(zone)}: invalid syntax`
    const negative = zone.startsWith('-')
    const [hours, minutes] = zone.replace(/^[+-]/, '').split(':').map(Number) as [number, number]
    const shift = BigInt((hours * 60 + minutes) * 60 * (negative ? -1 : 1)) * second
    return splitTimestamp(nanos + shift)
  }
  const { date, nanos: rest } = splitTimestamp(nanos)
  if (zone === '' || zone === 'UTC') return { date, nanos: rest }
  try {
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }).formatToParts(date)
    const part = (type: string): number => Number(parts.find((p) => p.type === type)?.value)
    const local = new Date(0)
    local.setUTCFullYear(part('year'), part('month') - 1, part('day'))
    local.setUTCHours(part('hour'), part('minute'), part('second'))
    return { date: local, nanos: rest }
  } catch {
    return `unknown time zone ${zone}`
  }
}
