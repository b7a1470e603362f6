import { CelError, CelList, Duration, noSuchOverload, Timestamp, Uint } from '../values.ts'
import type { Implementation } from './declare.ts'
import { duration, int, timestamp, uint } from './limits.ts'

/* Sums, differences and the like (`cel-go: common/types/traits`). */

export function noTrait(name: string): CelError {
  return new CelError(`no such overload: ${name}`)
}

function concatBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(a.length + b.length)
  bytes.set(a)
  bytes.set(b, a.length)
  return bytes
}

export const add: Implementation = ([a, b]) => {
  if (typeof a === 'bigint') return typeof b === 'bigint' ? int(a + b) : noSuchOverload
  if (typeof a === 'number') return typeof b === 'number' ? a + b : noSuchOverload
  if (typeof a === 'string') return typeof b === 'string' ? a + b : noSuchOverload
  if (a instanceof Uint) return b instanceof Uint ? uint(a.value + b.value) : noSuchOverload
  if (a instanceof CelList) return b instanceof CelList ? a.concat(b) : noSuchOverload
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? concatBytes(a, b) : noSuchOverload
  if (a instanceof Duration) {
    if (b instanceof Duration) return duration(a.nanos + b.nanos)
    return b instanceof Timestamp ? timestamp(a.nanos + b.nanos, b.offset) : noSuchOverload
  }
  if (a instanceof Timestamp) return b instanceof Duration ? timestamp(a.nanos + b.nanos, a.offset) : noSuchOverload
  return noTrait('_+_')
}

export const subtract: Implementation = ([a, b]) => {
  if (typeof a === 'bigint') return typeof b === 'bigint' ? int(a - b) : noSuchOverload
  if (typeof a === 'number') return typeof b === 'number' ? a - b : noSuchOverload
  if (a instanceof Uint) return b instanceof Uint ? uint(a.value - b.value) : noSuchOverload
  if (a instanceof Duration) return b instanceof Duration ? duration(a.nanos - b.nanos) : noSuchOverload
  if (a instanceof Timestamp) {
    if (b instanceof Duration) return timestamp(a.nanos - b.nanos, a.offset)
    return b instanceof Timestamp ? duration(a.nanos - b.nanos) : noSuchOverload
  }
  return noTrait('_-_')
}

/** An operator on numbers of one type. */
export function arithmetic(
  name: string,
  onInts: (a: bigint, b: bigint) => bigint | CelError,
  onDoubles?: (a: number, b: number) => number,
): Implementation {
  return ([a, b]) => {
    if (typeof a === 'bigint') {
      if (typeof b !== 'bigint') return noSuchOverload
      const result = onInts(a, b)
      return typeof result === 'bigint' ? int(result) : result
    }
    if (a instanceof Uint) {
      if (!(b instanceof Uint)) return noSuchOverload
      const result = onInts(a.value, b.value)
      return typeof result === 'bigint' ? uint(result) : result
    }
    if (typeof a === 'number' && onDoubles !== undefined)
      return typeof b === 'number' ? onDoubles(a, b) : noSuchOverload
    return noTrait(name)
  }
}
