import type { KubeObject } from '../meta/types.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * A value as a KV holds it: an object, its JSON text, or both. Each form is made from the other when first
 * asked for, so that memory never encodes what nobody reads and etcd never decodes what nobody looks at.
 * The object is frozen by agreement: whoever wants to change it copies it first.
 */
export class StoredValue {
  /** What the reader made of this value, kept with it so that all share it; no KV looks at it. */
  decoded?: unknown
  #object: KubeObject | undefined
  #text: string | undefined

  private constructor(object: KubeObject | undefined, text: string | undefined) {
    this.#object = object
    this.#text = text
  }

  /** The value of a deleted key. */
  static readonly empty: StoredValue = new StoredValue(undefined, '')

  static fromObject(object: KubeObject): StoredValue {
    return new StoredValue(object, undefined)
  }

  static fromText(text: string): StoredValue {
    return new StoredValue(undefined, text)
  }

  static fromBytes(bytes: Uint8Array): StoredValue {
    return new StoredValue(undefined, decoder.decode(bytes))
  }

  /** The decoded object. Throws a SyntaxError when the text is not JSON. */
  get object(): KubeObject {
    return (this.#object ??= JSON.parse(this.#text!) as KubeObject)
  }

  get text(): string {
    return (this.#text ??= JSON.stringify(this.#object))
  }

  get bytes(): Uint8Array {
    return encoder.encode(this.text)
  }

  /** Length of the text in bytes where that is above `limit`, else `undefined`; does not encode what is far below. */
  byteLengthAbove(limit: number): number | undefined {
    if (this.#text === undefined ? fitsInto(limit, this.#object) : this.#text.length * 3 <= limit) return undefined
    const { length } = this.bytes
    return length > limit ? length : undefined
  }
}

/** Whether a value's JSON has at most `limit` bytes whatever its characters are; false when it only may have. */
function fitsInto(limit: number, value: unknown): boolean {
  let most = 0
  const left = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (typeof next === 'string') most += next.length * maxBytesPerUnit + 3
    else if (typeof next !== 'object' || next === null) most += maxBytesPerScalar
    else if (Array.isArray(next)) {
      most += 3
      for (const item of next) left.push(item)
    } else {
      most += 3
      for (const key in next) {
        most += key.length * maxBytesPerUnit + 3
        left.push((next as Record<string, unknown>)[key])
      }
    }
    if (most > limit) return false
  }
  return true
}

/** `\u0000` */
const maxBytesPerUnit = 6
/** `-1.2345678901234567e-300,` */
const maxBytesPerScalar = 26
