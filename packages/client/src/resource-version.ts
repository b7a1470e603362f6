/**
 * Whether a resource version can be ordered: a decimal number of any length without a leading zero. Some
 * aggregated APIs use other strings; those are never compared, never pinned and never an error.
 */
export function isComparable(rv: unknown): rv is string {
  return typeof rv === 'string' && /^[1-9]\d*$/.test(rv)
}

/**
 * Orders two comparable resource versions: negative, zero or positive. By length, then by digits: they may
 * be longer than a JavaScript number is exact. `undefined` when either cannot be ordered.
 */
export function compareResourceVersions(a: unknown, b: unknown): number | undefined {
  if (!isComparable(a) || !isComparable(b)) return undefined
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
}

/** Whether `a` is certainly older than `b`. */
export function isOlder(a: unknown, b: unknown): boolean {
  return compareResourceVersions(a, b)! < 0
}

/** The newer of two; what cannot be ordered loses, and `undefined` means that neither can. */
export function newerOf(a: unknown, b: unknown): string | undefined {
  if (!isComparable(a)) return isComparable(b) ? b : undefined
  return isOlder(a, b) ? (b as string) : a
}
