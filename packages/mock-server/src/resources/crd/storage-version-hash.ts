/*
 * SHA-256 (FIPS 180-4), here because discovery needs it without waiting, which browsers' own does not offer.
 */

const primes: number[] = []
for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n)
const fraction = (root: number): number => Math.floor((root - Math.floor(root)) * 2 ** 32) | 0
const constants = primes.map((prime) => fraction(Math.cbrt(prime)))
const initial = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)))

const rotate = (x: number, by: number): number => (x >>> by) | (x << (32 - by))

function sha256(bytes: Uint8Array): number[] {
  const length = (Math.floor((bytes.length + 8) / 64) + 1) * 64
  const padded = new Uint8Array(length)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(length - 4, bytes.length * 8)
  const hash = [...initial]
  const w = new Int32Array(64)
  for (let block = 0; block < length; block += 64) {
    for (let i = 0; i < 16; i++) w[i] = view.getInt32(block + i * 4)
    for (let i = 16; i < 64; i++) {
      const x = w[i - 15]!
      const y = w[i - 2]!
      const s0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3)
      const s1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10)
      w[i] = w[i - 16]! + s0 + w[i - 7]! + s1
    }
    let [a, b, c, d, e, f, g, h] = hash as [number, number, number, number, number, number, number, number]
    for (let i = 0; i < 64; i++) {
      const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + constants[i]! + w[i]!) | 0
      const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
      h = g
      g = f
      f = e
      e = (d + t1) | 0
      d = c
      c = b
      b = a
      a = (t1 + t2) | 0
    }
    for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) hash[i] = (hash[i]! + value) | 0
  }
  return hash
}

/** What discovery tells a stored version by (`pkg/endpoints/discovery: StorageVersionHash`). */
export function storageVersionHash(group: string, version: string, kind: string): string {
  const [first, second] = sha256(new TextEncoder().encode(`${group}/${version}/${kind}`))
  const bytes = [first!, second!].flatMap((word) => [24, 16, 8, 0].map((by) => (word >>> by) & 0xff))
  return btoa(String.fromCharCode(...bytes))
}
