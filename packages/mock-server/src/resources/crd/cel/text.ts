import { splitTimestamp } from './time.ts'
import type { Timestamp } from './values.ts'

/** Values as Go prints them. */

const second = 1_000_000_000n
/** From here on doubles are printed with an exponent. */
const largestPlainPower = 6

/** The shortest text of a double (`strconv.FormatFloat(x, 'g', -1, 64)`). */
export function doubleText(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (value === 0) return Object.is(value, -0) ? '-0' : '0'
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e')
  const power = Number(exponent)
  if (power >= -4 && power < largestPlainPower) return String(value)
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
}

/** RFC 3339 in the time's own zone, with as many decimals as there are. */
export function formatTimestamp({ nanos, offset }: Timestamp): string {
  const { date, nanos: rest } = splitTimestamp(nanos + BigInt(offset) * 60n * second)
  const fraction = rest === 0 ? '' : `.${String(rest).padStart(9, '0').replace(/0+$/, '')}`
  const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60].map((part) =>
    String(part).padStart(2, '0'),
  )
  const zone = offset === 0 ? 'Z' : `${offset < 0 ? '-' : '+'}${hours}:${minutes}`
  return `${date.toISOString().slice(0, -5)}${fraction}${zone}`
}

/** A duration in seconds: `1.5s`. */
export function formatDuration(nanos: bigint): string {
  const sign = nanos < 0n ? '-' : ''
  const amount = nanos < 0n ? -nanos : nanos
  const fraction = String(amount % second)
    .padStart(9, '0')
    .replace(/0+$/, '')
  return `${sign}${amount / second}${fraction === '' ? '' : `.${fraction}`}s`
}
