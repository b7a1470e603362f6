import { goTypeName, goValue } from '../../go/text.ts'
import type { Atom, KeyField, ListAtom, MapAtom } from './atom.ts'
import { compareText, keyElementOf, scalarText, valueElement, valueText, type PathElement } from './path-element.ts'

/** A JSON object. */
export type JsonMap = Readonly<Record<string, unknown>>

/*
 * Values here are plain JSON. `undefined` is a field that is not there; `null` is there and is taken for an
 * empty map or list where the type is one.
 */

export function isMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

/** What kind of value an atom sees in a value; `any` where it cannot tell (`typed/helpers.go: deduceAtom, handleAtom`). */
export type Shape = 'map' | 'scalar' | 'list' | 'any' | 'none'

/** The part of `atom` that applies to `value`; `any` for the whole atom, when the value fits none or is null. */
export function deduceShape(atom: Atom, value: unknown): Exclude<Shape, 'none'> {
  if (isScalar(value)) return atom.scalar === undefined ? 'any' : 'scalar'
  if (Array.isArray(value)) return atom.list === undefined ? 'any' : 'list'
  if (isMap(value)) return atom.map === undefined ? 'any' : 'map'
  return 'any'
}

/** How a value of the shape is walked: an undecided one goes by what the atom has, maps first. */
export function handleAs(atom: Atom, shape: Exclude<Shape, 'none'>): Shape {
  if (shape !== 'any') return shape
  if (atom.map !== undefined) return 'map'
  if (atom.scalar !== undefined) return 'scalar'
  return atom.list !== undefined ? 'list' : 'none'
}

/** Two shapes of one atom select the same part of it. */
export function sameShape(atom: Atom, a: Exclude<Shape, 'none'>, b: Exclude<Shape, 'none'>): boolean {
  if (a === b) return true
  if (a !== 'any' && b !== 'any') return false
  const parts = Number(atom.map !== undefined) + Number(atom.scalar !== undefined) + Number(atom.list !== undefined)
  return parts === 1
}

/** Why a scalar is not what its type wants; `undefined` when it is. */
export function scalarError(atom: Atom, value: unknown, prefix: string): string | undefined {
  if (value === undefined || value === null) return undefined
  switch (atom.scalar!) {
    case 'numeric':
      return typeof value === 'number'
        ? undefined
        : `${prefix}expected numeric (int or float), got ${goTypeName(value)}`
    case 'string':
      return typeof value === 'string' ? undefined : `${prefix}expected string, got ${goSyntax(value)}`
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `${prefix}expected boolean, got ${wrapped(value)}`
    case 'untyped':
      return isScalar(value) ? undefined : `${prefix}expected any scalar, got ${wrapped(value)}`
  }
}

/** A value as typed errors print it, inside the wrapper that Go has it in (`%v`). */
export function wrapped(value: unknown): string {
  return `&{${goValue(value)}}`
}

/** The same in Go's own syntax (`%#v`). */
function goSyntax(value: unknown): string {
  return `&value.valueUnstructured{Value:${goLiteral(value)}}`
}

function goLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'interface {}(nil)'
  if (typeof value === 'string') return valueText(value)
  if (typeof value !== 'object') return valueText(value)
  if (Array.isArray(value)) return `[]interface {}{${value.map(goLiteral).join(', ')}}`
  const fields = Object.entries(value).map(([name, inner]) => `${valueText(name)}:${goLiteral(inner)}`)
  return `map[string]interface {}{${fields.join(', ')}}`
}

/** The type of a field: declared, or what undeclared ones are, or `undefined` when there may be none. */
export function fieldAtom(map: MapAtom, name: string): Atom | undefined {
  return map.field(name) ?? map.element
}

/** The element that an item of an associative list goes by. Throws {@link TypedErrors} for items that have none. */
export function itemElement(list: ListAtom, item: unknown): PathElement {
  if (!list.associative) throw new TypedErrors(['invalid indexing of non-associative list'])
  return list.keys.length > 0 ? keyedElement(list, item) : setElement(item)
}

function keyedElement(list: ListAtom, item: unknown): PathElement {
  if (item === null || item === undefined) {
    throw new TypedErrors(['associative list with keys may not have a null element'])
  }
  if (!isMap(item)) throw new TypedErrors(['associative list with keys may not have non-map elements'])
  const fields: string[] = []
  for (const key of sortedKeys(list)) {
    const value = Object.hasOwn(item, key.name) ? item[key.name] : key.default
    // An item without a key is another than one that has it.
    if (value !== undefined) fields.push(key.prefix + scalarText(value))
  }
  if (fields.length === 0) {
    const names = list.keys.map(({ name }) => valueText(name)).join(' ')
    throw new TypedErrors([
      `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
    ])
  }
  return keyElementOf(fields)
}

interface SortedKey extends KeyField {
  /** `"name":` */
  readonly prefix: string
}

const sorted = new WeakMap<ListAtom, readonly SortedKey[]>()

function sortedKeys(list: ListAtom): readonly SortedKey[] {
  let keys = sorted.get(list)
  if (keys === undefined) {
    keys = list.keys
      .map((key) => ({ ...key, prefix: `${JSON.stringify(key.name)}:` }))
      .sort((a, b) => compareText(a.name, b.name))
    sorted.set(list, keys)
  }
  return keys
}

function setElement(item: unknown): PathElement {
  if (isMap(item)) throw new TypedErrors(["associative list without keys has an element that's a map type"])
  if (Array.isArray(item)) throw new TypedErrors(['not supported: associative list with lists as elements'])
  if (item === null || item === undefined) {
    throw new TypedErrors(["associative list without keys has an element that's an explicit null"])
  }
  return valueElement(item)
}

/** Deep equality of JSON values; fields that are `undefined` are not there. */
export function equalValues(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false
    for (let i = 0; i < a.length; i++) if (!equalValues(a[i], b[i])) return false
    return true
  }
  if (Array.isArray(b)) return false
  const left = a as JsonMap
  const right = b as JsonMap
  let fields = 0
  for (const name in left) {
    if (left[name] === undefined) continue
    fields++
    if (right[name] === undefined || !equalValues(left[name], right[name])) return false
  }
  for (const name in right) if (right[name] !== undefined) fields--
  return fields === 0
}

/** An Error for values that do not have the type they should, one line for each (`typed.ValidationErrors`). */
export class TypedErrors extends Error {
  override readonly name: string = 'TypedErrors'
  readonly lines: readonly string[]

  constructor(lines: readonly string[]) {
    super(lines.length === 1 ? lines[0]! : ['errors:', ...lines.map((line) => `  ${line}`)].join('\n'))
    this.lines = lines
  }
}

/** A line of {@link TypedErrors}: the path, where there is one, then what is wrong. */
export function errorLine(path: string, message: string): string {
  return path === '' ? message : `${path}: ${message}`
}
