import { goNumber } from '@freshread/core'

/** Prints a decoded JSON value as Go's `%v` does: `map[image:x]`, keys in order. */
export function goValue(value: unknown): string {
  if (value === null || value === undefined) return '<nil>'
  if (typeof value === 'number') return goNumber(value)
  if (typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return `[${value.map(goValue).join(' ')}]`
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `map[${fields.map(([name, inner]) => `${name}:${goValue(inner)}`).join(' ')}]`
}

/** The Go type of a decoded JSON value. */
export function goTypeOf(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64'
  }
  if (value === null || value === undefined) return '%!s(<nil>)'
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}'
}
