import { goQuote } from '@freshread/core'

/** Parses JSON; what is wrong is told in the words of Go's `encoding/json`. Throws a SyntaxError. */
export function parseGoJson(text: string): unknown {
  // JavaScript reads any depth.
  if (text.length > MAX_DEPTH && isTooDeep(text)) throw new SyntaxError(syntaxErrorOf(text))
  try {
    return HALF_SURROGATE.test(text) ? JSON.parse(text, wellFormed) : JSON.parse(text)
  } catch {
    throw new SyntaxError(syntaxErrorOf(text))
  }
}

const HALF_SURROGATE = /\\u[dD][89a-fA-F]/

/** Go has no halves of surrogate pairs: each becomes U+FFFD. */
const wellFormed = (_key: string, value: unknown): unknown => (typeof value === 'string' ? value.toWellFormed() : value)

const WHITESPACE = /[ \t\r\n]/
const LITERALS: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' }

/** The first thing wrong with `text`, which is known not to be JSON (`encoding/json: scanner.go`). */
export function syntaxErrorOf(text: string): string {
  try {
    new Scanner(text).scan()
  } catch (error) {
    if (error instanceof ScanError) return error.message
    throw error
  }
  // JavaScript and Go agree on what JSON is; this is for a text that only one of them refuses.
  return 'invalid JSON'
}

class ScanError extends Error {}

/** Go gives up below this depth (`encoding/json: maxNestingDepth`). */
const MAX_DEPTH = 10_000

/** Whether more brackets are open at once, outside of strings, than Go takes. */
function isTooDeep(text: string): boolean {
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x22) {
      // On to the quote that ends the string.
      for (i++; i < text.length && text.charCodeAt(i) !== 0x22; i++) if (text.charCodeAt(i) === 0x5c) i++
    } else if (code === 0x5b || code === 0x7b) {
      if (++depth > MAX_DEPTH) return true
    } else if (code === 0x5d || code === 0x7d) depth--
  }
  return false
}

class Scanner {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  scan(): void {
    this.#space()
    this.#value()
    this.#space()
    if (this.#at < this.#text.length) this.#fail('after top-level value')
  }

  /** @param inside what the text ends in the middle of: Go tries a space there before it gives up */
  #peek(inside?: string): string {
    const char = this.#text[this.#at]
    if (char !== undefined) return char
    throw new ScanError(inside === undefined ? 'unexpected end of JSON input' : `invalid character ' ' ${inside}`)
  }

  #fail(context: string): never {
    throw new ScanError(`invalid character ${quoteChar(this.#text, this.#at)} ${context}`)
  }

  #space(): void {
    while (this.#at < this.#text.length && WHITESPACE.test(this.#text[this.#at]!)) this.#at++
  }

  /** Without recursion: a body of many thousand brackets must not overflow the stack. */
  #value(): void {
    const open: ('{' | '[')[] = []
    for (;;) {
      this.#space()
      const char = this.#peek()
      if (char === '{' || char === '[') {
        if (open.push(char) > MAX_DEPTH) this.#fail('exceeded max depth')
        this.#at++
        this.#space()
        if (this.#peek() === (char === '{' ? '}' : ']')) {
          this.#at++
          open.pop()
        } else {
          if (char === '{') this.#key()
          continue
        }
      } else this.#scalar(char)
      // A value is complete: close what it completes, or go on to the next.
      for (;;) {
        const around = open.at(-1)
        if (around === undefined) return
        this.#space()
        const next = this.#peek()
        if (next === ',') {
          this.#at++
          this.#space()
          if (around === '{') this.#key()
          break
        }
        if (next !== (around === '{' ? '}' : ']'))
          this.#fail(around === '{' ? 'after object key:value pair' : 'after array element')
        this.#at++
        open.pop()
      }
    }
  }

  #key(): void {
    if (this.#peek() !== '"') this.#fail('looking for beginning of object key string')
    this.#string()
    this.#space()
    if (this.#peek() !== ':') this.#fail('after object key')
    this.#at++
  }

  #scalar(char: string): void {
    if (char === '"') this.#string()
    else if (char === '-' || (char >= '0' && char <= '9')) this.#number()
    else if (char in LITERALS) this.#literal(LITERALS[char]!)
    else this.#fail('looking for beginning of value')
  }

  #string(): void {
    this.#at++
    for (;;) {
      const char = this.#peek()
      if (char < ' ') this.#fail('in string literal')
      this.#at++
      if (char === '"') return
      if (char !== '\\') continue
      const escape = this.#peek('in string escape code')
      if (escape === 'u') {
        this.#at++
        for (let i = 0; i < 4; i++, this.#at++) {
          const context = 'in \\u hexadecimal character escape'
          if (!/[0-9a-fA-F]/.test(this.#peek(context))) this.#fail(context)
        }
      } else if ('"\\/bfnrt'.includes(escape)) this.#at++
      else this.#fail('in string escape code')
    }
  }

  #digits(context: string): void {
    if (!isDigit(this.#peek(context))) this.#fail(context)
    while (isDigit(this.#text[this.#at])) this.#at++
  }

  #number(): void {
    if (this.#text[this.#at] === '-') this.#at++
    const first = this.#peek('in numeric literal')
    if (first === '0') this.#at++
    else this.#digits('in numeric literal')
    if (this.#text[this.#at] === '.') {
      this.#at++
      this.#digits('after decimal point in numeric literal')
    }
    if (this.#text[this.#at] === 'e' || this.#text[this.#at] === 'E') {
      this.#at++
      const sign = this.#peek('in exponent of numeric literal')
      if (sign === '+' || sign === '-') this.#at++
      this.#digits('in exponent of numeric literal')
    }
  }

  #literal(word: string): void {
    this.#at++
    for (let i = 1; i < word.length; i++, this.#at++) {
      const context = `in literal ${word} (expecting '${word[i]}')`
      if (this.#peek(context) !== word[i]) this.#fail(context)
    }
  }
}

const isDigit = (char: string | undefined): boolean => char !== undefined && char >= '0' && char <= '9'

function quoteChar(text: string, at: number): string {
  const char = String.fromCodePoint(text.codePointAt(at)!)
  if (char === "'") return "'\\''"
  if (char === '"') return `'"'`
  // Go looks at one byte at a time: of a longer character it names the first.
  const byte = new TextEncoder().encode(char)[0]!
  return `'${goQuote(byte < 0x80 ? char : String.fromCodePoint(byte)).slice(1, -1)}'`
}

/**
 * Fields that an object of this JSON text has twice, as strict decoding tells them: `duplicate field "spec.a"`.
 * The text must be valid JSON. List items are named by their index.
 */
export function duplicateFields(text: string): string[] {
  const found: string[] = []
  const stack: Frame[] = []
  let key: string | undefined
  let at = 0
  const pathOf = (name: string): string => {
    let path = ''
    for (const frame of stack) {
      if (frame.keys === undefined) path += `[${frame.index}]`
      else if (frame.key !== undefined && frame !== stack.at(-1)) path += path === '' ? frame.key : `.${frame.key}`
    }
    return path === '' ? name : `${path}.${name}`
  }
  while (at < text.length) {
    const char = text[at]!
    if (char === '"') {
      const end = endOfString(text, at)
      const top = stack.at(-1)
      if (top?.keys !== undefined && top.expectsKey) {
        const raw = text.slice(at + 1, end)
        key = raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw
        if (top.keys.has(key)) found.push(`duplicate field ${goQuote(pathOf(key))}`)
        top.keys.add(key)
        top.key = key
        top.expectsKey = false
      }
      at = end + 1
      continue
    }
    if (char === '{') stack.push({ keys: new Set(), key: undefined, expectsKey: true, index: 0 })
    else if (char === '[') stack.push({ keys: undefined, key: undefined, expectsKey: false, index: 0 })
    else if (char === '}' || char === ']') stack.pop()
    else if (char === ',') {
      const top = stack.at(-1)
      if (top !== undefined) {
        top.index++
        top.expectsKey = top.keys !== undefined
      }
    }
    at++
  }
  return found
}

interface Frame {
  readonly keys: Set<string> | undefined
  key: string | undefined
  expectsKey: boolean
  index: number
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}
