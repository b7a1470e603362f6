/*
 * How Go prints values. Texts of this kind end up in messages that clients see and compare, so they are
 * made the same way here.
 */

const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u

const shortEscapes: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
}

/** Whether `text` is printable ASCII without a quote or a backslash, so that quoting it needs no escapes. */
const plain = /^[ !#-[\]-~]*$/

/** Quotes a string as Go's `%q` does (`strconv.Quote`). */
export function goQuote(text: string): string {
  if (plain.test(text)) return `"${text}"`
  let out = '"'
  for (const char of text) {
    const short = shortEscapes[char]
    if (short !== undefined) out += short
    else if (printable.test(char)) out += char
    else out += escapeRune(char.codePointAt(0)!)
  }
  return out + '"'
}

function escapeRune(rune: number): string {
  if (rune < 0x80) return '\\x' + rune.toString(16).padStart(2, '0')
  // A half of a surrogate pair cannot be in UTF-8; Go would see the replacement character.
  if (rune >= 0xd800 && rune <= 0xdfff) return '\ufffd'
  if (rune < 0x10000) return '\\u' + rune.toString(16).padStart(4, '0')
  return '\\U' + rune.toString(16).padStart(8, '0')
}

/** Prints a number as Go's `%v` does: a float64 with more than 21 digits, or below 1e-4, gets an exponent of at least two digits. */
export function goNumber(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  const size = Math.abs(value)
  const text = size !== 0 && (size < 1e-4 || size >= 1e21) ? value.toExponential() : String(value)
  return text.replace(/e([+-])(\d)$/, 'e$10$2')
}

const htmlEscapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

/** Encodes a value as Go's `json.Marshal` does, whose strings are safe within HTML. Keys stay in the order they have. */
export function goJSON(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replace(/[<>&\u2028\u2029]/g, (char) => htmlEscapes[char]!)
}
