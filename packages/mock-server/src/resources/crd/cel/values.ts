import { compareUtf8, runeCount } from '../../../go/text.ts'
import type { CelType } from './types.ts'

/*
 * Values of expressions. Strings, booleans, bytes and null are JavaScript's own; `bigint` is an int, `number` a
 * double. An error is a value, too, until somebody has to look at it (`cel-go: common/types`).
 */

/** An unsigned integer. */
export class Uint {
  readonly value: bigint

  constructor(value: bigint) {
    this.value = value
  }
}

/** A span of time, in nanoseconds. */
export class Duration {
  readonly nanos: bigint

  constructor(nanos: bigint) {
    this.nanos = nanos
  }
}

/** A point in time, in nanoseconds since the epoch. */
export class Timestamp {
  readonly nanos: bigint
  /** Minutes east of UTC that it is printed in. */
  readonly offset: number

  constructor(nanos: bigint, offset = 0) {
    this.nanos = nanos
    this.offset = offset
  }
}

/** A value that may be missing. */
export class Optional {
  readonly value: Value | undefined

  constructor(value: Value | undefined) {
    this.value = value
  }

  static readonly none: Optional = new Optional(undefined)
}

/** A type as a value: `type(x)`, `int`. */
export class TypeValue {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** What went wrong. */
export class CelError {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

export const noSuchOverload: CelError = new CelError('no such overload')

/** A list; elements may be made as they are asked for. */
export abstract class CelList {
  abstract readonly size: number
  abstract at(index: number): Value

  *[Symbol.iterator](): Generator<Value> {
    for (let i = 0; i < this.size; i++) yield this.at(i)
  }

  /** Equal to another value; an error where that cannot be told. */
  equals(other: Value): boolean | CelError {
    if (!(other instanceof CelList) || other.size !== this.size) return false
    for (let i = 0; i < this.size; i++) {
      const same = equal(this.at(i), other.at(i))
      if (same !== true) return same
    }
    return true
  }

  concat(other: CelList): CelList {
    return new ValueList([...this, ...other])
  }
}

/** A list of values that are there already. */
export class ValueList extends CelList {
  readonly values: readonly Value[]

  constructor(values: readonly Value[]) {
    super()
    this.values = values
  }

  override get size(): number {
    return this.values.length
  }

  override at(index: number): Value {
    return this.values[index]!
  }
}

/** A map or an object. */
export abstract class CelMap {
  abstract readonly size: number
  /** `undefined` where there is no such key. */
  abstract find(key: Value): Value | undefined
  abstract keys(): Iterable<Value>

  equals(other: Value): boolean | CelError {
    if (!(other instanceof CelMap) || other.size !== this.size) return false
    for (const key of this.keys()) {
      const theirs = other.find(key)
      if (theirs === undefined) return false
      const same = equal(this.find(key)!, theirs)
      if (same !== true) return same
    }
    return true
  }
}

/** Text that is the same for keys that are equal: numbers of all types are one. */
export function mapKey(key: Value): string | undefined {
  if (typeof key === 'string') return `s${key}`
  if (typeof key === 'boolean') return `b${key}`
  if (typeof key === 'bigint') return `n${key}`
  if (key instanceof Uint) return `n${key.value}`
  if (typeof key === 'number') return Number.isInteger(key) ? `n${BigInt(key)}` : undefined
  return undefined
}

/** A map that an expression made. */
export class ValueMap extends CelMap {
  readonly entries: ReadonlyMap<string, readonly [Value, Value]>

  constructor(entries: ReadonlyMap<string, readonly [Value, Value]>) {
    super()
    this.entries = entries
  }

  override get size(): number {
    return this.entries.size
  }

  override find(key: Value): Value | undefined {
    const text = mapKey(key)
    return text === undefined ? undefined : this.entries.get(text)?.[1]
  }

  override *keys(): Generator<Value> {
    for (const [key] of this.entries.values()) yield key
  }
}

/** A value of one of Kubernetes' own types. */
export abstract class LibraryValue {
  abstract readonly type: CelType
  abstract equals(other: Value): boolean | CelError
  /** What it counts as in costs; `undefined` for one. */
  readonly size: number | undefined = undefined
}

export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Duration
  | Timestamp
  | CelList
  | CelMap
  | Optional
  | TypeValue
  | LibraryValue
  | CelError

export function isError(value: Value): value is CelError {
  return value instanceof CelError
}

/** The name of a value's type. */
export function typeName(value: Value): string {
  if (value === null) return 'null_type'
  switch (typeof value) {
    case 'boolean':
      return 'bool'
    case 'bigint':
      return 'int'
    case 'number':
      return 'double'
    case 'string':
      return 'string'
    default:
  }
  if (value instanceof CelMap) return 'map'
  if (value instanceof CelList) return 'list'
  if (value instanceof Uint8Array) return 'bytes'
  if (value instanceof Uint) return 'uint'
  if (value instanceof Duration) return 'google.protobuf.Duration'
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp'
  if (value instanceof Optional) return 'optional_type'
  if (value instanceof TypeValue) return 'type'
  return value instanceof LibraryValue ? value.type.name : 'error'
}

/** Elements, entries, characters or bytes of a value; 1 for all others. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return runeCount(value)
  if (value instanceof CelList || value instanceof CelMap) return value.size
  if (value instanceof Uint8Array) return value.length
  if (value instanceof Optional && value.value !== undefined) return sizeOf(value.value)
  return value instanceof LibraryValue ? (value.size ?? 1) : 1
}

/** Whether two values are equal; those of different types are not, except for numbers. */
export function equal(a: Value, b: Value): boolean | CelError {
  if (a === b) return !(typeof a === 'number' && Number.isNaN(a))
  if (a === null || b === null) return false
  if (isError(a)) return a
  if (isError(b)) return b
  if (isNumber(a)) return isNumber(b) && compareNumbers(a, b) === 0
  if (a instanceof CelList || a instanceof CelMap || a instanceof LibraryValue) return a.equals(b)
  if (a instanceof Uint8Array) return b instanceof Uint8Array && compareBytes(a, b) === 0
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name
  if (a instanceof Optional) {
    if (!(b instanceof Optional)) return false
    if (a.value === undefined || b.value === undefined) return a.value === b.value
    return equal(a.value, b.value)
  }
  return false
}

type CelNumber = bigint | number | Uint

function isNumber(value: Value): value is CelNumber {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint
}

/** Order of two numbers of any types; `undefined` where one is not a number at all. */
function compareNumbers(a: CelNumber, b: CelNumber): number | undefined {
  const x = a instanceof Uint ? a.value : a
  const y = b instanceof Uint ? b.value : b
  if (Number.isNaN(x) || Number.isNaN(y)) return undefined
  // JavaScript compares bigints and numbers by their mathematical value.
  return x < y ? -1 : x > y ? 1 : 0
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return a[i]! < b[i]! ? -1 : 1
  return a.length - b.length
}

/** Order of two values of a kind that has one. */
export function compare(a: Value, b: Value): number | CelError {
  if (isError(a)) return a
  if (isError(b)) return b
  if (isNumber(a)) {
    if (!isNumber(b)) return noSuchOverload
    return compareNumbers(a, b) ?? new CelError('NaN values cannot be ordered')
  }
  if (typeof a === 'string') return typeof b === 'string' ? compareUtf8(a, b) : noSuchOverload
  if (typeof a === 'boolean') return typeof b === 'boolean' ? Number(a) - Number(b) : noSuchOverload
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? compareBytes(a, b) : noSuchOverload
  if ((a instanceof Duration && b instanceof Duration) || (a instanceof Timestamp && b instanceof Timestamp)) {
    return a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0
  }
  return noSuchOverload
}

/** A value as messages show it (`%v`). */
export function show(value: Value): string {
  if (value instanceof Uint) return String(value.value)
  if (value instanceof TypeValue) return value.name
  if (value instanceof CelError) return value.message
  return value === null ? 'null' : String(value)
}
