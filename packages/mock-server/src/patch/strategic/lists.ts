import { goKind, goValue } from '../../go/text.ts'
import { isJsonObject } from '../patch-type.ts'
import { plainError } from '../plain-error.ts'
import { badArgType, directiveMarker, noListOfLists, noMergeKey } from './directives.ts'

/** What the items of a list are. */
export type ElementKind = 'map' | 'scalar'

/** What the items of all lists are. Throws unless that is one type, and for lists of lists (`sliceElementType`). */
export function elementKind(...lists: readonly (readonly unknown[])[]): ElementKind {
  let type: ReturnType<typeof goKind> | undefined
  for (const list of lists) {
    for (const item of list) {
      const current = goKind(item)
      if (type === undefined) {
        if (current === 'slice') throw noListOfLists()
        type = current
      } else if (type !== current) {
        throw plainError(`list element types are not identical: ${goValue(lists)}`)
      }
    }
  }
  if (type === undefined) throw plainError('no elements in any of the given slices')
  return type === 'map' ? 'map' : 'scalar'
}

/** The first item whose merge key has the value; -1 when there is none. Throws for items that are no maps. */
export function findByKey(list: readonly unknown[], mergeKey: string, value: unknown): number {
  for (let i = 0; i < list.length; i++) {
    const item = list[i]
    if (!isJsonObject(item)) throw plainError(`value for key ${i} is not a map`)
    if (Object.hasOwn(item, mergeKey) && item[mergeKey] === value) return i
  }
  return -1
}

/** Splits a list into the items that the other has too, and those that it has not. */
export function partition(
  list: readonly unknown[],
  by: readonly unknown[],
  mergeKey: string,
): [present: unknown[], others: unknown[]] {
  const present: unknown[] = []
  const others: unknown[] = []
  for (const item of list) {
    let found: boolean
    if (mergeKey === '') found = by.includes(item)
    else {
      if (!isJsonObject(item)) throw badArgType({}, item)
      if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey)
      found = findByKey(by, mergeKey, item[mergeKey]) >= 0
    }
    ;(found ? present : others).push(item)
  }
  return [present, others]
}

/** Drops scalars that are there twice; the last takes the place of the one dropped (`deduplicateScalars`). */
export function deduplicate(list: readonly unknown[]): unknown[] {
  const out = [...list]
  for (let i = 0; i < out.length - 1; i++) {
    for (let j = i + 1; j < out.length; j++) {
      if (out[i] !== out[j]) continue
      const last = out.pop()
      if (j < out.length) out[j] = last
      j--
    }
  }
  return out
}

/**
 * Puts items of the patch and items of the server's only into one list: each kind keeps the order it should
 * have, and they are interleaved as they were in the live list, as far as that is possible.
 */
export function normalizeElementOrder(
  patch: readonly unknown[],
  serverOnly: readonly unknown[],
  patchOrder: readonly unknown[],
  serverOrder: readonly unknown[],
  mergeKey: string,
  kind: ElementKind,
): unknown[] {
  const right = sortByOrder(patch, patchOrder, mergeKey, kind)
  const left = sortByOrder(serverOnly, serverOrder, mergeKey, kind)
  const out: unknown[] = []
  let i = 0
  let j = 0
  while (i < left.length || j < right.length) {
    if (i >= left.length) out.push(right[j++])
    else if (j >= right.length) out.push(left[i++])
    else {
      const l = indexOf(serverOrder, left[i], mergeKey, kind)
      const r = indexOf(serverOrder, right[j], mergeKey, kind)
      out.push(l >= 0 && r >= 0 && l < r ? left[i++] : right[j++])
    }
  }
  return out
}

function sortByOrder(
  list: readonly unknown[],
  order: readonly unknown[],
  mergeKey: string,
  kind: ElementKind,
): unknown[] {
  let sorted = [...list]
  let deleted: unknown[] = []
  if (kind === 'map') {
    requireMergeKey(sorted, mergeKey)
    requireMergeKey(order, mergeKey)
    ;[sorted, deleted] = splitDeletions(sorted)
  }
  const positions = new Map(sorted.map((item) => [item, indexOf(order, item, mergeKey, kind)]))
  // An insertion sort, as what is not in the order comes before what it is compared with.
  for (let i = 1; i < sorted.length; i++) {
    for (let j = i; j > 0; j--) {
      const a = positions.get(sorted[j])!
      const b = positions.get(sorted[j - 1])!
      if (a >= 0 && b >= 0 && a >= b) break
      ;[sorted[j], sorted[j - 1]] = [sorted[j - 1], sorted[j]]
    }
  }
  return [...sorted, ...deleted]
}

function requireMergeKey(list: readonly unknown[], mergeKey: string): void {
  for (const item of list) {
    if (!isJsonObject(item)) throw badArgType({}, item)
    if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey)
  }
}

/** Splits a list of maps into those to keep and those that say `$patch: delete`. */
export function splitDeletions(list: readonly unknown[]): [kept: unknown[], deleted: unknown[]] {
  const kept: unknown[] = []
  const deleted: unknown[] = []
  for (const item of list) {
    if (!isJsonObject(item)) throw badArgType({}, item)
    ;(item[directiveMarker] === 'delete' ? deleted : kept).push(item)
  }
  return [kept, deleted]
}

function indexOf(list: readonly unknown[], item: unknown, mergeKey: string, kind: ElementKind): number {
  if (kind === 'scalar') return list.indexOf(item)
  const valueOf = (one: unknown): unknown => (isJsonObject(one) ? (one[mergeKey] ?? null) : null)
  const value = valueOf(item)
  return list.findIndex((one) => valueOf(one) === value)
}
