import { maxTimestamp, minTimestamp } from '../time.ts'
import { CelError, Duration, Timestamp, Uint, type Value } from '../values.ts'

/* The ranges of CEL's numbers and times: what leaves them is an error (`cel-go: common/types/overflow.go`). */

export const maxInt: bigint = (1n << 63n) - 1n
export const minInt: bigint = -(1n << 63n)
export const overflow: CelError = new CelError('integer overflow')
export const unsignedOverflow: CelError = new CelError('unsigned integer overflow')
const durationOverflow = new CelError('duration overflow')
const timestampOverflow = new CelError('timestamp overflow')

export const int = (value: bigint): Value => (value > maxInt || value < minInt ? overflow : value)
export const uint = (value: bigint): Value =>
  value < 0n || BigInt.asUintN(64, value) !== value ? unsignedOverflow : new Uint(value)
export const duration = (nanos: bigint): Value =>
  nanos > maxInt || nanos < minInt ? durationOverflow : new Duration(nanos)
export const timestamp = (nanos: bigint, offset = 0): Value =>
  nanos > maxTimestamp || nanos < minTimestamp ? timestampOverflow : new Timestamp(nanos, offset)
