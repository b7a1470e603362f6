import { inZone } from '../time.ts'
import { CelError, Duration, type Timestamp } from '../values.ts'
import { declare, type FunctionDecl, type Implementation } from './declare.ts'

/* Parts of timestamps and durations (`cel-go: common/types/timestamp.go`). */

type Part = (time: { readonly date: Date; readonly nanos: number }) => number

/** A part of a timestamp, in UTC or the zone that is named, or of a duration. */
export function timePart(part: Part, ofDuration?: (nanos: bigint) => bigint): Implementation {
  return ([value, zone]) => {
    if (value instanceof Duration && ofDuration !== undefined) return ofDuration(value.nanos)
    const local = inZone((value as Timestamp).nanos, zone as string | undefined)
    return typeof local === 'string' ? new CelError(local) : BigInt(part(local))
  }
}

export function dayOfYear({ date }: { readonly date: Date }): number {
  const start = new Date(date)
  start.setUTCMonth(0, 1)
  return Math.floor((date.getTime() - start.getTime()) / 86_400_000 + 0.5)
}

export function timeFunction(name: string, id: string, run: Implementation, durationId?: string): FunctionDecl {
  const forms = [`timestamp_to_${id} timestamp.() int`, `timestamp_to_${id}_with_tz timestamp.(string) int`]
  if (durationId !== undefined) forms.push(`duration_to_${durationId} duration.() int`)
  return declare(name, forms.join('\n'), run)
}
