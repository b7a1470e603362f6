const encoder = new TextEncoder()

/** The 64-bit FNV-1 hash, as two halves since numbers do not hold 64 bits (Go: `hash/fnv: New64`). */
export class Fnv64 {
  #high = 0xcbf29ce4
  #low = 0x84222325

  write(text: string): void {
    let high = this.#high
    let low = this.#low
    for (const byte of encoder.encode(text)) {
      // Times the prime, 2^40 + 0x1b3, modulo 2^64.
      const product = low * 0x1b3
      high = (high * 0x1b3 + Math.floor(product / 0x1_0000_0000) + low * 0x100) % 0x1_0000_0000
      low = ((product % 0x1_0000_0000) ^ byte) >>> 0
    }
    this.#high = high
    this.#low = low
  }

  /** In hexadecimal, without leading zeros. */
  toString(): string {
    if (this.#high === 0) return this.#low.toString(16)
    return this.#high.toString(16) + this.#low.toString(16).padStart(8, '0')
  }
}
