import { goJSON, goNumber, goQuote } from '@freshread/core'

/*
 * Path elements in the form that fieldsV1 writes them (`structured-merge-diff: fieldpath/serialize-pe.go`),
 * which is also the key under which a FieldSet keeps them: equal elements have equal texts.
 *
 *   f:name         a field of a map or struct
 *   k:{"a":1}      the list item with these key fields, names in order
 *   v:"x"          the item of a set
 *   i:3            the item at an index
 */

/** A path element as text. */
export type PathElement = string

/** The element of a field. */
export function fieldElement(name: string): PathElement {
  return `f:${name}`
}

/** The element of a list item that is known by its key fields. The order of `keys` does not matter. */
export function keyElement(keys: ReadonlyMap<string, unknown>): PathElement {
  const names = [...keys.keys()].sort(compareText)
  return keyElementOf(names.map((name) => `${JSON.stringify(name)}:${scalarText(keys.get(name))}`))
}

/** The same of `"name":value` texts, which must be in the order of the names. */
export function keyElementOf(fields: readonly string[]): PathElement {
  return `k:{${fields.join(',')}}`
}

const plain = /^[\w ./:-]*$/

/** A key's or item's value as fieldsV1 writes it. */
export function scalarText(value: unknown): string {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && plain.test(value) ? `"${value}"` : goJSON(value)
}

/** The element of a set's item. */
export function valueElement(value: unknown): PathElement {
  return `v:${scalarText(value)}`
}

/**
 * Checks a path element that somebody else wrote and brings it into the form used here. `undefined` is an
 * element of an unknown type, to be skipped. Throws an Error that says what is wrong.
 */
export function parsePathElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new Error('key must be 2 characters long:')
  if (text[1] !== ':') throw new Error(`missing colon: ${text}`)
  const rest = text.slice(2)
  switch (text[0]) {
    case 'f':
      return text
    case 'v':
      return valueElement(JSON.parse(rest))
    case 'k': {
      const keys: unknown = JSON.parse(rest)
      if (keys === null || typeof keys !== 'object' || Array.isArray(keys)) {
        throw new Error(`expected an object of key fields: ${rest}`)
      }
      return keyElement(new Map(Object.entries(keys)))
    }
    case 'i':
      if (!/^[+-]?\d+$/.test(rest)) throw new Error(`strconv.Atoi: parsing ${goQuote(rest)}: invalid syntax`)
      return `i:${Number(rest)}`
    default:
      return undefined
  }
}

/** The name of a field's element, else `undefined`. */
export function fieldName(element: PathElement): string | undefined {
  return element.startsWith('f:') ? element.slice(2) : undefined
}

/** Whether the element selects a list item by key fields. */
export function isKeyElement(element: PathElement): boolean {
  return element.startsWith('k:')
}

const rank: Readonly<Record<string, number>> = { f: 0, k: 1, v: 2, i: 3 }

/** What an element is sorted by: reading it once is worth it, as sorting compares it many times. */
interface SortKey {
  readonly kind: number
  readonly text: string
  /** Names and values of key fields, in order; the item of a set. */
  readonly values: readonly unknown[]
}

/** One key field with a string that needs no escapes, as nearly all are. */
const simpleKey = /^k:\{"([^"\\]*)":"([^"\\]*)"\}$/

function sortKey(element: PathElement): SortKey {
  const kind = rank[element[0]!]!
  if (kind === 0) return { kind, text: element, values: [] }
  const simple = kind === 1 ? simpleKey.exec(element) : null
  if (simple !== null) return { kind, text: element, values: [simple[1], simple[2]] }
  const value: unknown = JSON.parse(element.slice(2))
  const values =
    kind === 1
      ? Object.entries(value as object)
          .sort(byName)
          .flat()
      : [value]
  return { kind, text: element, values }
}

/** The order in which fieldsV1 and conflicts list elements (`fieldpath.PathElement.Compare`). */
function compareSortKeys(a: SortKey, b: SortKey): number {
  if (a.kind !== b.kind) return a.kind - b.kind
  if (a.kind === 0) return compareText(a.text, b.text)
  for (let i = 0; i < a.values.length && i < b.values.length; i++) {
    const order = compareScalars(a.values[i], b.values[i])
    if (order !== 0) return order
  }
  return a.values.length - b.values.length
}

/** The elements in order: fields, keys, values, indices. */
export function sortElements(elements: Iterable<PathElement>): PathElement[] {
  const sorted = [...elements]
  if (sorted.length < 2) return sorted
  const keys = new Map(sorted.map((element) => [element, sortKey(element)]))
  return sorted.sort((a, b) => compareSortKeys(keys.get(a)!, keys.get(b)!))
}

function byName(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return compareText(a[0], b[0])
}

/** Numbers, then strings, then booleans, then all else (`value.Compare`). */
function compareScalars(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b)
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b)
  const order = scalarRank(a) - scalarRank(b)
  return order !== 0 ? order : compareText(JSON.stringify(a), JSON.stringify(b))
}

function scalarRank(value: unknown): number {
  switch (typeof value) {
    case 'number':
      return 0
    case 'string':
      return 1
    case 'boolean':
      return 2
    default:
      return value === null ? 5 : Array.isArray(value) ? 3 : 4
  }
}

const surrogate = /[\ud800-\udfff]/

/** Compares as Go does, by bytes of UTF-8: the order of code points. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  if (!surrogate.test(a) && !surrogate.test(b)) return a < b ? -1 : 1
  const left = [...a]
  const right = [...b]
  for (let i = 0; i < left.length && i < right.length; i++) {
    const order = left[i]!.codePointAt(0)! - right[i]!.codePointAt(0)!
    if (order !== 0) return order
  }
  return left.length - right.length
}

/** The element as people read it: `.spec`, `[name="main"]`, `[="x"]`, `[3]`. */
export function elementText(element: PathElement): string {
  const rest = element.slice(2)
  switch (element[0]) {
    case 'f':
      return `.${rest}`
    case 'k': {
      const keys = Object.entries(JSON.parse(rest) as Record<string, unknown>).sort(byName)
      return `[${keys.map(([name, value]) => `${name}=${valueText(value)}`).join(',')}]`
    }
    case 'v':
      return `[=${valueText(JSON.parse(rest))}]`
    default:
      return `[${rest}]`
  }
}

/** A path as people read it: `.spec.containers[name="main"].image`. */
export function pathText(path: readonly PathElement[]): string {
  return path.map(elementText).join('')
}

/** A value as people read it (`value.ToString`). */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  switch (typeof value) {
    case 'number':
      return goNumber(value)
    case 'string':
      return goQuote(value)
    case 'boolean':
      return String(value)
  }
  if (Array.isArray(value)) return `[${value.map(valueText).join(',')}]`
  return Object.entries(value as object)
    .map(([name, inner]) => `${name}=${valueText(inner)}`)
    .join('')
}
