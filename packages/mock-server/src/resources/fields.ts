/*
 * Reading and filling in decoded objects. Decoding has made sure of every type, so that a wrong one here means a
 * field that is not set.
 */

/** A JSON object, as decoding made it. */
export type Fields = Record<string, unknown>

/** The object at `name`, or `undefined`. */
export function fieldsAt(parent: object | undefined, name: string): Fields | undefined {
  const value = (parent as Fields | undefined)?.[name]
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}

/** The object at `name`, made when missing. */
export function ensureFields(parent: object, name: string): Fields {
  const existing = fieldsAt(parent, name)
  if (existing !== undefined) return existing
  const made: Fields = {}
  ;(parent as Fields)[name] = made
  return made
}

/** The objects in the list at `name`; none when it is not set. */
export function listAt(parent: object | undefined, name: string): readonly Fields[] {
  const value = (parent as Fields | undefined)?.[name]
  return Array.isArray(value) ? (value as Fields[]) : []
}

/** The strings in the list at `name`; none when it is not set. */
export function stringsAt(parent: object | undefined, name: string): readonly string[] {
  const value = (parent as Fields | undefined)?.[name]
  return Array.isArray(value) ? (value as string[]) : []
}

/** The string at `name`, `''` when not set. */
export function stringAt(parent: object | undefined, name: string): string {
  const value = (parent as Fields | undefined)?.[name]
  return typeof value === 'string' ? value : ''
}

/** The number at `name`, or `undefined`. */
export function numberAt(parent: object | undefined, name: string): number | undefined {
  const value = (parent as Fields | undefined)?.[name]
  return typeof value === 'number' ? value : undefined
}

/** Whether the field is set and true. */
export function isTrueAt(parent: object | undefined, name: string): boolean {
  return (parent as Fields | undefined)?.[name] === true
}

/** The map of strings at `name`; empty when not set. */
export function mapAt(parent: object | undefined, name: string): Readonly<Record<string, string>> {
  return (fieldsAt(parent, name) ?? {}) as Record<string, string>
}

/** Whether a field holds something, which `null` is not. */
export function isSet(parent: object | undefined, name: string): boolean {
  const value = (parent as Fields | undefined)?.[name]
  return value !== undefined && value !== null
}

/** Sets the field when it is absent or null (a nil pointer). */
export function defaultTo(parent: object, name: string, value: unknown): void {
  if (!isSet(parent, name)) (parent as Fields)[name] = value
}

/** Sets the field when it is absent, or a string or number that is zero. */
export function defaultZero(parent: object, name: string, value: unknown): void {
  const current = (parent as Fields)[name]
  if (current === undefined || current === null || current === '' || current === 0) (parent as Fields)[name] = value
}

/** Sets a field, or deletes it for `undefined`. */
export function assign(parent: object, name: string, value: unknown): void {
  if (value === undefined) delete (parent as Fields)[name]
  else (parent as Fields)[name] = value
}

/** Whether two decoded values say the same; nil and empty are alike, as in Go's semantic equality. */
export function semanticEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (isEmpty(a) && isEmpty(b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  if (Array.isArray(a)) {
    const other = b as unknown[]
    return a.length === other.length && a.every((item, index) => semanticEqual(item, other[index]))
  }
  for (const key of Object.keys(a)) if (!semanticEqual((a as Fields)[key], (b as Fields)[key])) return false
  for (const key of Object.keys(b)) if (!(key in a) && !isEmpty((b as Fields)[key])) return false
  return true
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}
