import { goJSON, goNumber } from '@freshread/core'

/** Printing of values as Go prints them, where an error message contains one. */

/** JSON as `encoding/json` writes a map: keys sorted, `<`, `>` and `&` escaped. */
export function goJson(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'string') return goJSON(value)
  if (typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`
  const object = value as Record<string, unknown>
  const keys = Object.keys(object).sort(compareUtf8)
  return `{${keys.map((key) => `${goJSON(key)}:${goJson(object[key])}`).join(',')}}`
}

/** `%v` of a decoded JSON value: `map[a:1]`, `[a b]`, `<nil>`. */
export function goValue(value: unknown): string {
  if (value === null || value === undefined) return '<nil>'
  if (typeof value === 'number') return goNumber(value)
  if (typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return `[${value.map(goValue).join(' ')}]`
  const object = value as Record<string, unknown>
  const keys = Object.keys(object).sort(compareUtf8)
  return `map[${keys.map((key) => `${key}:${goValue(object[key])}`).join(' ')}]`
}

type Kind = 'map' | 'slice' | 'string' | 'bool' | 'int64' | 'float64' | 'nil'

/** What `reflect` calls the kind of a decoded JSON value. */
export function goKind(value: unknown): Kind {
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64'
  }
  if (value === null || value === undefined) return 'nil'
  return Array.isArray(value) ? 'slice' : 'map'
}

/** `%T` of a decoded JSON value. */
export function goTypeName(value: unknown): string {
  const kind = goKind(value)
  switch (kind) {
    case 'nil':
      return '<nil>'
    case 'slice':
      return '[]interface {}'
    case 'map':
      return 'map[string]interface {}'
  }
  return kind
}

/** Orders strings by their UTF-8 bytes, as Go does; UTF-16 order differs above U+FFFF only. */
export function compareUtf8(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x === y) continue
    const surrogateX = x >= 0xd800 && x <= 0xdfff
    const surrogateY = y >= 0xd800 && y <= 0xdfff
    if (surrogateX !== surrogateY) return surrogateX ? 1 : -1
    return x < y ? -1 : 1
  }
  return a.length < b.length ? -1 : 1
}

/** `utf8.RuneCountInString`. */
export function runeCount(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
