const simpleEscapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  '?': '?',
}
const encoder = new TextEncoder()

/** Takes off quotes and escapes of a literal's text, which the lexer has checked (`parser/unescape.go`). */
export function unquote(
  literal: string,
  isBytes: boolean,
): { readonly value: string | Uint8Array } | { readonly error: string } {
  let text = (isBytes ? literal.slice(1) : literal).replaceAll('\r\n', '\n').replaceAll('\r', '\n')
  const raw = /^[rR]/.test(text)
  if (raw) text = text.slice(1)
  const quote = /^("""|''')/.test(text) && text.length >= 6 ? 3 : 1
  text = text.slice(quote, -quote)
  if (raw || !text.includes('\\')) return { value: isBytes ? encoder.encode(text) : text }
  const bytes: number[] = []
  let out = ''
  let error: string | undefined
  const pattern =
    /\\(?:([abfnrtv\\'"`?])|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2}))|[^]/gu
  for (const match of text.matchAll(pattern)) {
    const [whole, simple, hex, short, long, octal] = match
    const code = hex ?? short ?? long
    if (simple !== undefined) {
      out += simpleEscapes[simple]
      if (isBytes) bytes.push(...encoder.encode(simpleEscapes[simple]))
    } else if (code !== undefined || octal !== undefined) {
      const value = code === undefined ? Number.parseInt(octal!, 8) : Number.parseInt(code, 16)
      if (isBytes && (short !== undefined || long !== undefined)) error ??= 'unable to unescape string'
      else if (value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) error ??= 'invalid unicode code point'
      else if (isBytes) bytes.push(value & 0xff)
      else out += String.fromCodePoint(value)
    } else {
      out += whole
      if (isBytes) bytes.push(...encoder.encode(whole))
    }
  }
  if (error !== undefined) return { error }
  return { value: isBytes ? Uint8Array.from(bytes) : out }
}
