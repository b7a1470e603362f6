import { parseGoDuration } from '../../formats.ts'
import { doubleText, formatDuration, formatTimestamp } from '../text.ts'
import { parseTimestamp } from '../time.ts'
import { CelError, Duration, Timestamp, typeName, TypeValue, Uint, type Value } from '../values.ts'
import type { Implementation } from './declare.ts'
import { duration, int, maxInt, minInt, overflow, timestamp, unsignedOverflow } from './limits.ts'

/* Conversions between CEL's types (`cel-go: common/types: ConvertToType`). */

const conversionError = (value: Value, to: string): CelError =>
  new CelError(`type conversion error from '${typeName(value)}' to '${to}'`)

export const toInt: Implementation = ([value]) => {
  if (typeof value === 'bigint') return value
  if (value instanceof Uint) return int(value.value)
  if (typeof value === 'number') {
    return Number.isFinite(value) && value > -(2 ** 63) && value < 2 ** 63 ? BigInt(Math.trunc(value)) : overflow
  }
  if (value instanceof Duration) return value.nanos
  if (value instanceof Timestamp) {
    const seconds = value.nanos / 1_000_000_000n
    return value.nanos % 1_000_000_000n < 0n ? seconds - 1n : seconds
  }
  if (typeof value === 'string' && /^[-+]?\d+$/.test(value)) {
    const number = BigInt(value.replace(/^\+/, ''))
    if (number <= maxInt && number >= minInt) return number
  }
  return conversionError(value!, 'int')
}

export const toUint: Implementation = ([value]) => {
  if (value instanceof Uint) return value
  if (typeof value === 'bigint') return value < 0n ? unsignedOverflow : new Uint(value)
  if (typeof value === 'number') {
    return Number.isFinite(value) && value >= 0 && value < 2 ** 64
      ? new Uint(BigInt(Math.trunc(value)))
      : unsignedOverflow
  }
  if (typeof value === 'string' && /^\d+$/.test(value)) {
    const number = BigInt(value)
    if (BigInt.asUintN(64, number) === number) return new Uint(number)
  }
  return conversionError(value!, 'uint')
}

const goFloat = /^[-+]?(?:(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|inf(?:inity)?|nan)$/i

export const toDouble: Implementation = ([value]) => {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Uint) return Number(value.value)
  if (typeof value === 'string' && goFloat.test(value)) {
    const lower = value.toLowerCase()
    if (lower.endsWith('nan')) return NaN
    if (lower.includes('inf')) return lower.startsWith('-') ? -Infinity : Infinity
    const number = Number(value)
    if (Number.isFinite(number)) return number
  }
  return conversionError(value!, 'double')
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** `string(x)`. */
export const toString: Implementation = ([value]) => {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (value instanceof Uint) return String(value.value)
  if (typeof value === 'number') {
    return doubleText(value)
  }
  if (value instanceof Duration) return formatDuration(value.nanos)
  if (value instanceof Timestamp) return formatTimestamp(value)
  if (value instanceof TypeValue) return value.name
  if (value instanceof Uint8Array) {
    try {
      return decoder.decode(value)
    } catch {
      return new CelError('invalid UTF-8 in bytes, cannot convert to string')
    }
  }
  return conversionError(value!, 'string')
}

const trueTexts = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])
const falseTexts = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False'])

export const toBool: Implementation = ([value]) => {
  if (typeof value === 'boolean') return value
  if (typeof value === 'string' && trueTexts.has(value)) return true
  return typeof value === 'string' && falseTexts.has(value) ? false : conversionError(value!, 'bool')
}

export const toDuration: Implementation = ([value]) => {
  if (value instanceof Duration) return value
  const nanos = typeof value === 'string' ? parseGoDuration(value) : undefined
  return nanos === undefined ? conversionError(value!, 'google.protobuf.Duration') : duration(nanos)
}

export const toTimestamp: Implementation = ([value]) => {
  if (value instanceof Timestamp) return value
  if (typeof value === 'bigint') return timestamp(value * 1_000_000_000n)
  const time = typeof value === 'string' ? parseTimestamp(value) : undefined
  return time === undefined ? conversionError(value!, 'google.protobuf.Timestamp') : timestamp(time.nanos, time.offset)
}
