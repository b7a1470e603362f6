import type { Atom, ListAtom, MapAtom } from './atom.ts'
import { FieldSet } from './field-set.ts'
import { fieldElement, type PathElement } from './path-element.ts'
import { deduceShape, handleAs, isMap, itemElement, type JsonMap } from './typed-value.ts'

/**
 * Every leaf and list item that a value mentions (`structured-merge-diff: typed/tofieldset.go`). Structs and
 * declared maps are not members themselves; fields of free maps, empty maps, nulls and keyed items are.
 */
export function toFieldSet(value: unknown, atom: Atom): FieldSet {
  return visit(value, atom) ?? FieldSet.empty
}

/** The node of a value; it says with `member` whether the value's own path belongs to the set. */
function visit(value: unknown, atom: Atom): FieldSet | undefined {
  switch (handleAs(atom, deduceShape(atom, value))) {
    case 'scalar':
      return FieldSet.leaf
    case 'map':
      if (atom.map!.atomic) return FieldSet.leaf
      return isMap(value) ? visitMap(value, atom.map!) : undefined
    case 'list':
      if (!atom.list!.associative) return FieldSet.leaf
      return Array.isArray(value) ? visitList(value, atom.list!) : undefined
    default:
      return undefined
  }
}

function visitMap(value: JsonMap, map: MapAtom): FieldSet | undefined {
  let children: Map<PathElement, FieldSet> | undefined
  for (const name in value) {
    const inner = value[name]
    if (inner === undefined) continue
    const declared = map.field(name)
    const atom = declared ?? map.element
    let node = atom === undefined ? undefined : visit(inner, atom)
    if (declared === undefined || inner === null || isEmptyMap(inner)) node = asMember(node)
    if (node !== undefined) (children ??= new Map()).set(fieldElement(name), node)
  }
  return FieldSet.node(false, children)
}

function isEmptyMap(value: unknown): boolean {
  if (!isMap(value)) return false
  for (const name in value) if (value[name] !== undefined) return false
  return true
}

function visitList(items: readonly unknown[], list: ListAtom): FieldSet | undefined {
  const children = new Map<PathElement, FieldSet>()
  for (const item of items) {
    const element = itemElement(list, item)
    // Items that are there twice are one piece.
    children.set(element, children.has(element) ? FieldSet.leaf : asMember(visit(item, list.element)))
  }
  return FieldSet.node(false, children)
}

function asMember(node: FieldSet | undefined): FieldSet {
  if (node === undefined) return FieldSet.leaf
  return node.member ? node : new FieldSet(true, node.children)
}
