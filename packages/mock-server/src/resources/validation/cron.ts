interface Bounds {
  readonly min: number
  readonly max: number
  readonly names?: readonly string[]
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const FIELDS: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: DAYS },
]
const DESCRIPTORS = new Set(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'])

/** What is wrong with a schedule, in the words of the cron library that Kubernetes uses; `undefined` when nothing is. */
export function cronError(schedule: string): string | undefined {
  if (schedule === '') return 'empty spec string'
  const spec = schedule.replace(/^(TZ|CRON_TZ)=\S+\s+/, '').trim()
  if (spec.startsWith('@')) {
    if (DESCRIPTORS.has(spec) || /^@every ([0-9.]+(ns|us|µs|ms|s|m|h))+$/.test(spec)) return undefined
    return spec.startsWith('@every ')
      ? `failed to parse duration ${spec}: time: invalid duration ${JSON.stringify(spec.slice('@every '.length))}`
      : `unrecognized descriptor: ${spec}`
  }
  const fields = spec.split(/\s+/).filter((field) => field !== '')
  if (fields.length !== FIELDS.length) {
    return `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`
  }
  for (const [i, field] of fields.entries()) {
    for (const range of field.split(',').filter((part) => part !== '')) {
      const error = rangeError(range, FIELDS[i]!)
      if (error !== undefined) return error
    }
  }
  return undefined
}

function rangeError(expression: string, bounds: Bounds): string | undefined {
  const [range, step, ...slashes] = expression.split('/')
  const ends = range!.split('-')
  const all = ends[0] === '*' || ends[0] === '?'
  let start: number | string = bounds.min
  let end: number | string = bounds.max
  if (!all) {
    start = numberOf(ends[0]!, bounds.names, bounds.min)
    if (typeof start === 'string') return start
    if (ends.length > 2) return `too many hyphens: ${expression}`
    end = ends.length === 2 ? numberOf(ends[1]!, bounds.names, bounds.min) : start
    if (typeof end === 'string') return end
  }
  if (slashes.length > 0) return `too many slashes: ${expression}`
  let every = 1
  if (step !== undefined) {
    const parsed = numberOf(step, undefined, 0)
    if (typeof parsed === 'string') return parsed
    every = parsed
    if (ends.length === 1) end = bounds.max
  }
  if (start < bounds.min) return `beginning of range (${start}) below minimum (${bounds.min}): ${expression}`
  if (end > bounds.max) return `end of range (${end}) above maximum (${bounds.max}): ${expression}`
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${expression}`
  return every === 0 ? `step of range should be a positive number: ${expression}` : undefined
}

/** The number of a text or a name; a string is an error. */
function numberOf(text: string, names: readonly string[] | undefined, first: number): number | string {
  const named = names?.indexOf(text.toLowerCase()) ?? -1
  if (named >= 0) return named + first
  if (!/^[+-]?\d+$/.test(text))
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`
  const value = Number(text)
  return value < 0 ? `negative number (${value}) not allowed: ${text}` : value
}
