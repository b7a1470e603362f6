/*
 * The Prometheus text format, printed as Go's client does.
 */

/** Go's `strconv.FormatFloat(value, 'g', -1, 64)`: an exponent of two digits from a million on and below 0.0001. */
export function formatFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  const size = Math.abs(value)
  if (size === 0 || (size >= 1e-4 && size < 1e6)) return String(value)
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2')
}

/** Labels in braces, sorted by name, with `extra` at the end; nothing where there are none. */
export function formatLabels(
  names: readonly string[],
  values: readonly string[],
  extra?: readonly [name: string, value: string],
): string {
  const pairs = names.map((name, i): readonly [string, string] => [name, values[i]!])
  pairs.sort(([a], [b]) => (a < b ? -1 : 1))
  if (extra !== undefined) pairs.push(extra)
  if (pairs.length === 0) return ''
  return `{${pairs.map(([name, value]) => `${name}="${escapeLabelValue(value)}"`).join(',')}}`
}

/** A help text on one line. */
export function escapeHelp(text: string): string {
  return text.replace(/\\/g, '\\\\').replace(/\n/g, '\\n')
}

function escapeLabelValue(value: string): string {
  return value.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/"/g, '\\"')
}
