const RFC3339 = '2006-01-02T15:04:05Z07:00'
const RFC3339_MICRO = '2006-01-02T15:04:05.000000Z07:00'

/** Parts of the two layouts: what Go's error calls it, the digits it takes, and its range. */
const DATE_TIME: readonly (readonly [element: string, digits: number, name?: string, min?: number, max?: number])[] = [
  ['2006', 4],
  ['-', 0],
  ['01', 2, 'month', 1, 12],
  ['-', 0],
  ['02', 2, 'day', 1, 31],
  ['T', 0],
  ['15', 2, 'hour', 0, 23],
  [':', 0],
  ['04', 2, 'minute', 0, 59],
  [':', 0],
  ['05', 2, 'second', 0, 59],
]

/**
 * Parses a time as `metav1.Time` and `metav1.MicroTime` do and gives it as they print it, in UTC; `null` for Go's zero
 * time. Throws an Error with Go's text.
 */
export function canonicalTime(text: string, micro: boolean): string | null {
  const layout = micro ? RFC3339_MICRO : RFC3339
  const fail = (rest: string, element: string): never => {
    throw new Error(
      `parsing time ${JSON.stringify(text)} as "${layout}": cannot parse ${JSON.stringify(rest)} as "${element}"`,
    )
  }
  const range = (name: string): never => {
    throw new Error(`parsing time ${JSON.stringify(text)}: ${name} out of range`)
  }
  let at = 0
  const numbers: number[] = []
  for (const [element, digits, name, min, max] of DATE_TIME) {
    if (digits === 0) {
      if (text[at] !== element) fail(text.slice(at), element)
      at++
      continue
    }
    const part = text.slice(at, at + digits)
    if (part.length < digits || !/^\d+$/.test(part)) fail(text.slice(at), element)
    const value = Number(part)
    if (name !== undefined && (value < min! || value > max!)) range(name)
    numbers.push(value)
    at += digits
  }
  let micros = 0
  if (micro) {
    const fraction = /^\.(\d{6})(?!\d)/.exec(text.slice(at))
    if (fraction === null) fail(text.slice(at), '.000000')
    micros = Number(fraction![1])
    at += 7
  } else {
    at += /^[.,]\d+/.exec(text.slice(at))?.[0].length ?? 0
  }
  const zone = /^(?:Z|([+-])(\d\d):(\d\d))/.exec(text.slice(at))
  if (zone === null) fail(text.slice(at), 'Z07:00')
  at += zone![0].length
  if (at < text.length)
    throw new Error(`parsing time ${JSON.stringify(text)}: extra text: ${JSON.stringify(text.slice(at))}`)
  const [year, month, day, hour, minute, second] = numbers as [number, number, number, number, number, number]
  if (day > new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()) range('day')
  const offset = zone![1] === undefined ? 0 : (zone![1] === '-' ? -1 : 1) * (Number(zone![2]) * 60 + Number(zone![3]))
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute - offset, second)
  const iso = date.toISOString().slice(0, 19)
  if (iso === '0001-01-01T00:00:00' && micros === 0) return null
  return micro ? `${iso}.${String(micros).padStart(6, '0')}Z` : `${iso}Z`
}
