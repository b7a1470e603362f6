import { goQuote } from '../errors/go-text.ts'
import { invalid } from '../errors/field-error.ts'
import { InvalidStorageRequestError } from '../errors/storage-error.ts'

/** The largest resource version a client may ask for. */
export const maxResourceVersion: bigint = 2n ** 64n - 1n

/**
 * Parses a resource version as a client sends it (`pkg/storage/api_object_versioner.go:
 * ParseResourceVersion`): `''` and `'0'` are 0, else an unsigned 64-bit decimal, leading zeros allowed.
 * Throws an {@link InvalidStorageRequestError} with Go's text for anything else.
 */
export function parseResourceVersion(text: string): bigint {
  if (text === '' || text === '0') return 0n
  const reason = /^[0-9]+$/.test(text) ? 'value out of range' : 'invalid syntax'
  if (reason === 'value out of range') {
    const value = BigInt(text)
    if (value <= maxResourceVersion) return value
  }
  throw new InvalidStorageRequestError([
    invalid('resourceVersion', text, `strconv.ParseUint: parsing ${goQuote(text)}: ${reason}`),
  ])
}

/** Prints an object's resource version; 0 is `''`. */
export function printResourceVersion(resourceVersion: bigint | number): string {
  return Number(resourceVersion) === 0 ? '' : String(resourceVersion)
}

/** Prints a list's resource version; 0 throws, no list can have it. */
export function printListResourceVersion(resourceVersion: bigint | number): string {
  const text = printResourceVersion(resourceVersion)
  if (text === '') throw new Error('illegal resource version from storage: 0')
  return text
}

/**
 * Compares two resource versions of objects as strings, whatever their size (`apimachinery:
 * pkg/util/resourceversion: CompareResourceVersion`). Throws a TypeError unless both are digits without a
 * leading zero.
 */
export function compareResourceVersion(a: string, b: string): -1 | 0 | 1 {
  for (const text of [a, b]) {
    if (!/^[1-9][0-9]*$/.test(text)) throw new TypeError(`resource version is not well formed: ${text}`)
  }
  if (a.length !== b.length) return a.length < b.length ? -1 : 1
  return a === b ? 0 : a < b ? -1 : 1
}
