/** A query string's values by name, in the order sent. */
export type Query = ReadonlyMap<string, readonly string[]>

const decoder = new TextDecoder()
const encoder = new TextEncoder()

const hex = (code: number): number => {
  if (code >= 48 && code <= 57) return code - 48
  const lower = code | 32
  return lower >= 97 && lower <= 102 ? lower - 87 : -1
}

/**
 * Undoes percent-encoding as Go does (`net/url: unescape`): a `%` that is not followed by two hexadecimal
 * digits is an error, told by `undefined`; bytes that are not UTF-8 become U+FFFD.
 */
export function percentDecode(text: string, plusIsSpace = false): string | undefined {
  if (!text.includes('%')) return plusIsSpace && text.includes('+') ? text.replaceAll('+', ' ') : text
  const source = encoder.encode(text)
  const bytes = new Uint8Array(source.length)
  let length = 0
  for (let i = 0; i < source.length; i++) {
    let byte = source[i]!
    if (byte === 0x25) {
      const high = hex(source[i + 1] ?? 0)
      const low = hex(source[i + 2] ?? 0)
      if (high < 0 || low < 0) return undefined
      byte = high * 16 + low
      i += 2
    } else if (plusIsSpace && byte === 0x2b) byte = 0x20
    bytes[length++] = byte
  }
  return decoder.decode(bytes.subarray(0, length))
}

/** Reads a raw query string (without `?`) as Go does: pairs that hold a `;` or a broken escape are left out. */
export function parseQuery(raw: string): Query {
  const query = new Map<string, string[]>()
  for (const pair of raw.split('&')) {
    if (pair === '' || pair.includes(';')) continue
    const cut = pair.indexOf('=')
    const name = percentDecode(cut < 0 ? pair : pair.slice(0, cut), true)
    const value = percentDecode(cut < 0 ? '' : pair.slice(cut + 1), true)
    if (name === undefined || value === undefined) continue
    const values = query.get(name)
    if (values) values.push(value)
    else query.set(name, [value])
  }
  return query
}

/** The first value of a parameter; `undefined` when it was not sent. */
export function firstValue(query: Query, name: string): string | undefined {
  return query.get(name)?.[0]
}

/** How query booleans are read (`apimachinery: pkg/runtime/conversion.go`): everything but `0` and `false` is true. */
export function queryBoolean(query: Query, name: string): boolean | undefined {
  const value = firstValue(query, name)
  if (value === undefined) return undefined
  return value !== '0' && value.toLowerCase() !== 'false'
}
