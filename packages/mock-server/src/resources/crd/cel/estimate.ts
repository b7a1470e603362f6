/** Ranges of sizes and costs, in the arithmetic of 64 unsigned bits that never overflows (`cel-go: checker/cost.go`). */
export interface Range {
  readonly min: bigint
  readonly max: bigint
}

export const maxUint64: bigint = (1n << 64n) - 1n
const twoTo64 = 2 ** 64

export const unknownSize: Range = { min: 0n, max: maxUint64 }

export function fixed(value: bigint | number): Range {
  return { min: BigInt(value), max: BigInt(value) }
}

const cap = (value: bigint): bigint => (value > maxUint64 ? maxUint64 : value)

export function add(...ranges: readonly Range[]): Range {
  let min = 0n
  let max = 0n
  for (const range of ranges) {
    min = cap(min + range.min)
    max = cap(max + range.max)
  }
  return { min, max }
}

export function multiply(a: Range, b: Range): Range {
  return { min: cap(a.min * b.min), max: cap(a.max * b.max) }
}

function scaleOne(value: bigint, factor: number): bigint {
  const float = Number(value)
  if (float > 0 && factor > 0 && float > twoTo64 / factor) return maxUint64
  const scaled = Math.ceil(float * factor)
  return scaled >= twoTo64 ? maxUint64 : BigInt(scaled)
}

/** Times a factor, rounded up. */
export function scale(range: Range, factor: number): Range {
  return { min: scaleOne(range.min, factor), max: scaleOne(range.max, factor) }
}

/** The range that has both in it. */
export function union(a: Range, b: Range): Range {
  return { min: a.min < b.min ? a.min : b.min, max: a.max > b.max ? a.max : b.max }
}
