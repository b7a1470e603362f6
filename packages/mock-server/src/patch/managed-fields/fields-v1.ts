import { FieldSet } from './field-set.ts'
import { parsePathElement, type PathElement } from './path-element.ts'

/** A set as `managedFields[].fieldsV1` writes it. */
export interface FieldsV1 {
  [element: string]: FieldsV1
}

/*
 * Objects carry the same fieldsV1 from version to version, so the set made of one is kept for as long as it
 * lives, and the other way round for each part of a set.
 */
const sets = new WeakMap<object, FieldSet>()
const texts = new WeakMap<FieldSet, FieldsV1>()

/** Reads fieldsV1 (`Set.FromJSON`). Elements of unknown types are left out. Throws an Error for malformed ones. */
export function parseFieldsV1(fields: unknown): FieldSet {
  if (fields === undefined || fields === null) return FieldSet.empty
  if (typeof fields !== 'object' || Array.isArray(fields)) {
    throw new Error(`expected an object of path elements, got ${JSON.stringify(fields)}`)
  }
  let set = sets.get(fields)
  if (set === undefined) {
    const node = parseNode(fields as Record<string, unknown>)
    // The root is never a member, however the text may put it.
    set = node.member ? (node.children === undefined ? FieldSet.empty : new FieldSet(false, node.children)) : node
    sets.set(fields, set)
  }
  return set
}

function parseNode(fields: Record<string, unknown>): FieldSet {
  let member = false
  let children: Map<PathElement, FieldSet> | undefined
  for (const key in fields) {
    if (key === '.') {
      member = true
      continue
    }
    const element = parsePathElement(key)
    if (element === undefined) continue
    const value = fields[key]
    if (value === null || typeof value !== 'object' || Array.isArray(value)) {
      throw new Error(`expected an object below ${key}, got ${JSON.stringify(value)}`)
    }
    children ??= new Map()
    const known = children.get(element)
    const node = parseNode(value as Record<string, unknown>)
    children.set(element, known === undefined ? node : known.union(node))
  }
  return children === undefined ? FieldSet.leaf : new FieldSet(member, children)
}

/** Writes a set as fieldsV1, elements in order (`Set.ToJSON`). What is given out is shared: do not change it. */
export function serializeFieldsV1(set: FieldSet): FieldsV1 {
  if (set.children === undefined) return emptyFields
  let fields = texts.get(set)
  if (fields === undefined) {
    const structure = structureOf(set)
    fields = recent.get(structure)
    if (fields === undefined) {
      fields = serializeNode(set)
      sets.set(fields, set)
      remember(structure, fields)
    }
    texts.set(set, fields)
  }
  return fields
}

/** Objects that are made alike have equal sets: they share what the first of them was given. */
const recent = new Map<string, FieldsV1>()
const MOST_RECENT = 200

function remember(structure: string, fields: FieldsV1): void {
  const [oldest] = recent.size < MOST_RECENT ? [] : recent.keys()
  if (oldest !== undefined) recent.delete(oldest)
  recent.set(structure, fields)
}

/** A text that only equal sets have; equal ones whose elements came in another order have another. */
function structureOf({ member, children }: FieldSet): string {
  let text = member ? '.' : ''
  if (children !== undefined) {
    // With the length, no element can be taken for the end of another.
    for (const [element, child] of children) text += `${element.length}${element}(${structureOf(child)})`
  }
  return text
}

const emptyFields: FieldsV1 = Object.freeze({})

function serializeNode(node: FieldSet): FieldsV1 {
  if (node.children === undefined) return emptyFields
  let fields = texts.get(node)
  if (fields === undefined) {
    fields = node.member ? { '.': emptyFields } : {}
    for (const [element, child] of node.sortedChildren()) fields[element] = serializeNode(child)
    texts.set(node, fields)
  }
  return fields
}
