import type { Atom, ListAtom, MapAtom } from './atom.ts'
import { FieldSet } from './field-set.ts'
import { fieldElement, type PathElement } from './path-element.ts'
import {
  deduceShape,
  equalValues,
  fieldAtom,
  handleAs,
  isMap,
  itemElement,
  sameShape,
  scalarError,
  TypedErrors,
  type JsonMap,
  type Shape,
} from './typed-value.ts'

/** How a value differs from another. */
export interface Comparison {
  /** What is new or has another value; ownership makes no difference between the two. */
  readonly changed: FieldSet
  readonly removed: FieldSet
}

const same: Comparison = { changed: FieldSet.empty, removed: FieldSet.empty }

/**
 * Compares two values of one type (`structured-merge-diff: typed/compare.go`). Parts that both share are not
 * looked into. Throws {@link TypedErrors} when neither side of a field has its type.
 */
export function compareTyped(before: unknown, after: unknown, atom: Atom): Comparison {
  if (before === after) return same
  const difference = new Difference()
  compare(before, after, atom, difference)
  return { changed: difference.changed.take(), removed: difference.removed.take() }
}

/** Collects a node of a set while its children are still being made. */
class NodeBuilder {
  member = false
  #children: Map<PathElement, FieldSet> | undefined

  add(element: PathElement, node: FieldSet | undefined): void {
    if (node === undefined) return
    this.#children ??= new Map()
    const known = this.#children.get(element)
    this.#children.set(element, known === undefined ? node : known.union(node))
  }

  finish(): FieldSet | undefined {
    return FieldSet.node(this.member, this.#children)
  }

  /** The set of a whole object, which is no member itself. */
  take(): FieldSet {
    return FieldSet.node(false, this.#children) ?? FieldSet.empty
  }
}

class Difference {
  readonly changed: NodeBuilder = new NodeBuilder()
  readonly removed: NodeBuilder = new NodeBuilder()

  add(element: PathElement, inner: Difference): void {
    this.changed.add(element, inner.changed.finish())
    this.removed.add(element, inner.removed.finish())
  }
}

function compare(before: unknown, after: unknown, atom: Atom, out: Difference): void {
  const left = deduceShape(atom, before)
  const right = deduceShape(atom, after)
  let leaf: boolean
  if (after === undefined) {
    leaf = compareAs(handleAs(atom, left), before, after, atom, out)
  } else if (before === undefined || sameShape(atom, left, right)) {
    leaf = compareAs(handleAs(atom, right), before, after, atom, out)
  } else {
    // The value turned from one shape into another.
    compareAs(handleAs(atom, left), before, after, atom, out)
    leaf = compareAs(handleAs(atom, right), before, after, atom, out)
  }
  if (leaf) return
  if (before === undefined) out.changed.member = true
  else if (after === undefined) out.removed.member = true
}

/** Compares with one part of the type. Answers whether the value was taken as one piece. */
function compareAs(shape: Shape, before: unknown, after: unknown, atom: Atom, out: Difference): boolean {
  switch (shape) {
    case 'scalar': {
      const left = scalarError(atom, before, 'lhs: ')
      const right = scalarError(atom, after, 'rhs: ')
      if (left !== undefined && right !== undefined) throw new TypedErrors([left, right])
      return compareLeaf(before, after, out)
    }
    case 'list': {
      const left = Array.isArray(before) ? before : undefined
      const right = Array.isArray(after) ? after : undefined
      if (!atom.list!.associative || (isEmptyList(left) && isEmptyList(right))) return compareLeaf(before, after, out)
      compareLists(left ?? [], right ?? [], atom.list!, out)
      return false
    }
    case 'map': {
      const left = isMap(before) ? before : undefined
      const right = isMap(after) ? after : undefined
      if (atom.map!.atomic || (isEmpty(left) && isEmpty(right))) return compareLeaf(before, after, out)
      compareMaps(left, right, atom.map!, out)
      return false
    }
    default:
      throw new TypedErrors(['schema error: invalid atom: inlined'])
  }
}

function compareLeaf(before: unknown, after: unknown, out: Difference): true {
  if (before === undefined) out.changed.member = true
  else if (after === undefined) out.removed.member = true
  else if (!equalValues(before, after)) out.changed.member = true
  return true
}

function isEmptyList(list: readonly unknown[] | undefined): boolean {
  return list === undefined || list.length === 0
}

function isEmpty(map: JsonMap | undefined): boolean {
  for (const name in map) if (map[name] !== undefined) return false
  return true
}

function compareMaps(before: JsonMap | undefined, after: JsonMap | undefined, map: MapAtom, out: Difference): void {
  for (const name in after) {
    const right = after[name]
    if (right === undefined) continue
    const left = before === undefined || !Object.hasOwn(before, name) ? undefined : before[name]
    if (left !== right) compareItem(fieldElement(name), left, right, fieldAtom(map, name), out)
  }
  for (const name in before) {
    const left = before[name]
    if (left === undefined || (after !== undefined && Object.hasOwn(after, name) && after[name] !== undefined)) continue
    compareItem(fieldElement(name), left, undefined, fieldAtom(map, name), out)
  }
}

function compareItem(
  element: PathElement,
  left: unknown,
  right: unknown,
  atom: Atom | undefined,
  out: Difference,
): void {
  if (atom === undefined) throw new TypedErrors(['schema error: invalid atom: inlined'])
  const inner = new Difference()
  compare(left, right, atom, inner)
  out.add(element, inner)
}

/** Items that have the same element, where a list should have one. */
class Duplicates {
  readonly items: unknown[]

  constructor(items: unknown[]) {
    this.items = items
  }
}

/** Items of a list by their elements. */
function indexItems(items: readonly unknown[], list: ListAtom): Map<PathElement, unknown> {
  const index = new Map<PathElement, unknown>()
  for (const item of items) {
    const element = itemElement(list, item)
    const known = index.get(element)
    if (known instanceof Duplicates) known.items.push(item)
    else index.set(element, index.has(element) ? new Duplicates([known, item]) : item)
  }
  return index
}

function compareLists(before: readonly unknown[], after: readonly unknown[], list: ListAtom, out: Difference): void {
  const left = indexItems(before, list)
  const right = indexItems(after, list)
  for (const [element, item] of left) {
    const other = right.get(element)
    if (item instanceof Duplicates || other instanceof Duplicates) {
      compareDuplicates(element, item, other, list, out)
    } else if (item !== other) compareItem(element, item, other, list.element, out)
  }
  for (const [element, item] of right) {
    if (left.has(element)) continue
    if (item instanceof Duplicates) out.changed.add(element, FieldSet.leaf)
    else compareItem(element, undefined, item, list.element, out)
  }
}

/** Items that are there several times are one piece. */
function compareDuplicates(
  element: PathElement,
  before: unknown,
  after: unknown,
  list: ListAtom,
  out: Difference,
): void {
  if (before instanceof Duplicates && after instanceof Duplicates) {
    if (!equalValues(before.items, after.items)) out.changed.add(element, FieldSet.leaf)
  } else if (before instanceof Duplicates) {
    if (after !== undefined) compareItem(element, undefined, after, list.element, out)
    out.removed.add(element, FieldSet.leaf)
  } else {
    compareItem(element, before, undefined, list.element, out)
    out.changed.add(element, FieldSet.leaf)
  }
}
