const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const VALUES: ReadonlyMap<string, number> = new Map([...ALPHABET].map((char, value) => [char, value]))

/** Decodes standard base64 as Go does: line breaks are skipped, padding is required. Throws with Go's text. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const bytes: number[] = []
  let at = 0
  const corrupt = (offset: number): never => {
    throw new Error(`illegal base64 data at input byte ${offset}`)
  }
  const skip = (): void => {
    while (text[at] === '\n' || text[at] === '\r') at++
  }
  for (;;) {
    const quantum: number[] = []
    let padded = false
    for (let j = 0; j < 4; j++) {
      skip()
      if (at >= text.length) {
        if (j === 0) return Uint8Array.from(bytes)
        corrupt(at - j)
      }
      const char = text[at++]!
      const value = VALUES.get(char)
      if (value !== undefined) {
        quantum.push(value)
        continue
      }
      if (char !== '=' || j < 2) corrupt(at - 1)
      if (j === 2) {
        skip()
        if (at === text.length) corrupt(text.length)
        if (text[at] !== '=') corrupt(at - 1)
        at++
      }
      skip()
      if (at < text.length) corrupt(at)
      padded = true
      break
    }
    const [a, b, c = 0, d = 0] = quantum as [number, number, number?, number?]
    const word = (a << 18) | (b << 12) | (c << 6) | d
    bytes.push((word >> 16) & 255)
    if (quantum.length > 2) bytes.push((word >> 8) & 255)
    if (quantum.length > 3) bytes.push(word & 255)
    if (padded) return Uint8Array.from(bytes)
  }
}

/** Encodes bytes as standard base64 with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  let out = ''
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i
    const word = (bytes[i]! << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0)
    out += ALPHABET[word >> 18]! + ALPHABET[(word >> 12) & 63]!
    out += left > 1 ? ALPHABET[(word >> 6) & 63]! : '='
    out += left > 2 ? ALPHABET[word & 63]! : '='
  }
  return out
}
