import type { Atom, ListAtom, MapAtom } from './atom.ts'
import { FieldSet } from './field-set.ts'
import { fieldElement, fieldName, isKeyElement, type PathElement } from './path-element.ts'
import { deduceShape, fieldAtom, handleAs, isMap, itemElement, type JsonMap } from './typed-value.ts'

/**
 * A value without the fields and items of a set (`structured-merge-diff: typed/remove.go`). Containers that
 * lose all they had become null. What does not change is shared with the input.
 */
export function removeItems(value: unknown, items: FieldSet, atom: Atom): unknown {
  switch (handleAs(atom, deduceShape(atom, value))) {
    case 'scalar':
      return value
    case 'map':
      return isMap(value) ? removeFromMap(value, items, atom.map!) : null
    case 'list':
      return Array.isArray(value) ? removeFromList(value, items, atom.list!) : null
    default:
      return null
  }
}

function removeFromMap(value: JsonMap, items: FieldSet, map: MapAtom): unknown {
  if (map.atomic) return null
  const out: Record<string, unknown> = {}
  let left = false
  for (const name in value) {
    if (value[name] === undefined) continue
    const node = items.children?.get(fieldElement(name))
    if (node?.member) continue
    const atom = fieldAtom(map, name)
    out[name] = node === undefined || atom === undefined ? value[name] : removeItems(value[name], node, atom)
    left = true
  }
  return left ? out : null
}

function removeFromList(value: readonly unknown[], items: FieldSet, list: ListAtom): unknown {
  if (!list.associative) return null
  const out: unknown[] = []
  for (const item of value) {
    const node = items.children?.get(itemElement(list, item))
    if (node?.member) continue
    out.push(node === undefined ? item : removeItems(item, node, list.element))
  }
  return out.length === 0 ? null : out
}

/**
 * A set with the declared fields on the way to its members as members too
 * (`fieldpath.Set.EnsureNamedFieldsAreMembers`): `a.b.c` brings `a` and `a.b`, unless they are keys of a free map.
 */
export function ensureNamedFieldsAreMembers(set: FieldSet, atom: Atom | undefined): FieldSet {
  if (set.children === undefined) return set
  const children = new Map<PathElement, FieldSet>()
  for (const [element, child] of set.children) {
    const name = fieldName(element)
    const declared = name === undefined ? undefined : atom?.map?.field(name)
    const inner =
      name !== undefined ? (declared ?? atom?.map?.element) : isKeyElement(element) ? atom?.list?.element : undefined
    const grown = ensureNamedFieldsAreMembers(child, inner)
    children.set(element, declared === undefined || grown.member ? grown : new FieldSet(true, grown.children))
  }
  return new FieldSet(set.member, children)
}

/**
 * A set as it must be after the schema made something one piece that was not
 * (`typed/reconcile_schema.go`): who owned a part of it owns all of it.
 */
export function reconcileWithSchema(set: FieldSet, atom: Atom): FieldSet {
  if (set.children === undefined) return set
  let children: Map<PathElement, FieldSet> | undefined
  for (const [element, child] of set.children) {
    if (child.children === undefined) continue
    const name = fieldName(element)
    const inner =
      atom.map !== undefined ? (name === undefined ? atom.map.element : fieldAtom(atom.map, name)) : atom.list?.element
    if (inner === undefined) continue
    const reconciled = isOnePiece(inner) ? FieldSet.leaf : reconcileWithSchema(child, inner)
    if (reconciled !== child) (children ??= new Map(set.children)).set(element, reconciled)
  }
  return children === undefined ? set : new FieldSet(set.member, children)
}

function isOnePiece(atom: Atom): boolean {
  if (atom.map !== undefined) return atom.map.atomic
  return atom.scalar === undefined && atom.list !== undefined && !atom.list.associative
}
