/**
 * Parses JSON as Go decodes it into a struct: an object under a field that is there twice is added to the
 * first one, any other value replaces it. The text must be valid JSON. For texts with duplicate fields only:
 * others are the same to `JSON.parse`, which is far faster.
 */
export function parseMergingDuplicates(text: string): unknown {
  try {
    return new Parser(text).value()
  } catch (error) {
    // Nested deeper than the stack: nobody means it.
    if (error instanceof RangeError) return JSON.parse(text)
    throw error
  }
}

type JsonObject = Record<string, unknown>

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

class Parser {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  value(): unknown {
    this.#space()
    const char = this.#text[this.#at]
    if (char === '{') return this.#object()
    if (char === '[') return this.#array()
    // A string, or all up to what can follow a value.
    const scalar = char === '"' ? /"(?:[^"\\]|\\.)*"/y : /[^\s,\]}]+/y
    scalar.lastIndex = this.#at
    const token = scalar.exec(this.#text)![0]
    this.#at += token.length
    return JSON.parse(token)
  }

  #object(): JsonObject {
    const object: JsonObject = {}
    this.#each('}', () => {
      const key = this.value() as string
      this.#space()
      this.#at++
      const value = this.value()
      const before = Object.hasOwn(object, key) ? object[key] : undefined
      set(object, key, isObject(before) && isObject(value) ? merge(before, value) : value)
    })
    return object
  }

  #array(): unknown[] {
    const list: unknown[] = []
    this.#each(']', () => list.push(this.value()))
    return list
  }

  /** Reads what is between brackets, separated by commas. */
  #each(close: string, read: () => void): void {
    this.#at++
    this.#space()
    while (this.#text[this.#at] !== close) {
      read()
      this.#space()
      if (this.#text[this.#at] === ',') this.#at++
      this.#space()
    }
    this.#at++
  }

  #space(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++
  }
}

/** `__proto__` is a key like any other here. */
function set(object: JsonObject, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
}

function merge(first: JsonObject, second: JsonObject): JsonObject {
  for (const [key, value] of Object.entries(second)) {
    const before = Object.hasOwn(first, key) ? first[key] : undefined
    set(first, key, isObject(before) && isObject(value) ? merge(before, value) : value)
  }
  return first
}
