import type { Atom, ListAtom, MapAtom } from './atom.ts'
import { elementText, type PathElement } from './path-element.ts'
import {
  deduceShape,
  errorLine,
  fieldAtom,
  handleAs,
  isMap,
  itemElement,
  scalarError,
  TypedErrors,
  type JsonMap,
} from './typed-value.ts'

/**
 * Lays a partial object over a whole one (`structured-merge-diff: typed/merge.go`). Nothing is removed; where
 * both have a leaf, the partial one's counts; items that the partial one names come in its order. What does
 * not change is shared with the inputs. Throws {@link TypedErrors}.
 */
export function mergeTyped(whole: unknown, partial: unknown, atom: Atom): unknown {
  const errors: string[] = []
  const merged = new Merger(errors).merge(whole, partial, atom, '')
  if (errors.length > 0) throw new TypedErrors(errors)
  return merged
}

class Merger {
  readonly #errors: string[]

  constructor(errors: string[]) {
    this.#errors = errors
  }

  /** The merged value; `undefined` for none. */
  merge(left: unknown, right: unknown, atom: Atom, path: string): unknown {
    // What the partial object does not mention stays as it is, and the reverse.
    if (right === undefined || left === right) return left
    if (left === undefined) return right
    switch (handleAs(atom, deduceShape(atom, right))) {
      case 'scalar': {
        const leftError = scalarError(atom, left, 'lhs: ')
        const rightError = scalarError(atom, right, 'rhs: ')
        if (leftError !== undefined && rightError !== undefined) {
          this.#errors.push(errorLine(path, leftError), errorLine(path, rightError))
        }
        return right
      }
      case 'list': {
        const before = Array.isArray(left) ? left : []
        const after = Array.isArray(right) ? right : []
        if (!atom.list!.associative || (before.length === 0 && after.length === 0)) return right
        return this.#lists(before, after, atom.list!, path)
      }
      case 'map': {
        const before = isMap(left) ? left : undefined
        const after = isMap(right) ? right : undefined
        if (atom.map!.atomic || (isEmpty(before) && isEmpty(after))) return right
        return this.#maps(before, after, atom.map!, path)
      }
      default:
        this.#errors.push(errorLine(path, 'schema error: invalid atom: inlined'))
        return undefined
    }
  }

  /** A null map changes nothing. */
  #maps(left: JsonMap | undefined, right: JsonMap | undefined, map: MapAtom, path: string): unknown {
    const out: Record<string, unknown> = { ...left }
    for (const name in right) {
      const after = right[name]
      if (after === undefined) continue
      const before = left !== undefined && Object.hasOwn(left, name) ? left[name] : undefined
      const atom = fieldAtom(map, name)
      if (atom === undefined) {
        this.#errors.push(errorLine(`${path}.${name}`, 'schema error: invalid atom: inlined'))
        continue
      }
      const merged = this.merge(before, after, atom, `${path}.${name}`)
      if (merged === undefined) delete out[name]
      else out[name] = merged
    }
    return isEmpty(out) ? undefined : out
  }

  #lists(left: readonly unknown[], right: readonly unknown[], list: ListAtom, path: string): unknown {
    const before = this.#index(left, list, path, true)
    const after = this.#index(right, list, path, false)
    if (before === undefined || after === undefined) return undefined
    const out: unknown[] = []
    const take = (element: PathElement, one: unknown, other: unknown): void => {
      const merged = this.merge(one, other, list.element, path + elementText(element))
      if (merged !== undefined) out.push(merged)
    }
    // Elements that both have, in the order of the partial list.
    const shared = after.elements.filter((element) => before.items.has(element))
    let next = 0
    const done = new Set<PathElement>()
    let i = 0
    let j = 0
    while (i < before.elements.length || j < after.elements.length) {
      const ours = before.elements[i]
      const theirs = after.elements[j]
      if (ours !== undefined && theirs !== undefined) {
        if (ours === theirs) {
          done.add(ours)
          take(ours, before.items.get(ours), after.items.get(ours))
          i++
          j++
          next++
          continue
        }
        if (after.items.has(ours) && next < shared.length && shared[next] !== ours) {
          // Shared, but not the one whose turn it is.
          i++
          continue
        }
      }
      if (ours !== undefined) {
        if (!after.items.has(ours)) {
          take(ours, left[i], undefined)
          i++
          continue
        }
        if (done.has(ours)) i++
      }
      if (theirs !== undefined) {
        done.add(theirs)
        take(theirs, before.items.get(theirs), after.items.get(theirs))
        j++
        if (shared[next] === theirs) next++
      }
    }
    return out.length === 0 ? undefined : out
  }

  #index(
    items: readonly unknown[],
    list: ListAtom,
    path: string,
    allowDuplicates: boolean,
  ): { elements: PathElement[]; items: Map<PathElement, unknown> } | undefined {
    const elements: PathElement[] = []
    const index = new Map<PathElement, unknown>()
    const before = this.#errors.length
    for (let i = 0; i < items.length; i++) {
      let element: PathElement
      try {
        element = itemElement(list, items[i])
      } catch (error) {
        this.#errors.push(errorLine(path, `element ${i}: ${(error as Error).message}`))
        continue
      }
      if (!index.has(element)) index.set(element, items[i])
      else if (allowDuplicates) {
        // Duplicates are not merged with what comes over them.
        index.set(element, null)
      } else {
        this.#errors.push(errorLine(path, `duplicate entries for key ${elementText(element)}`))
        continue
      }
      elements.push(element)
    }
    return this.#errors.length > before ? undefined : { elements, items: index }
  }
}

function isEmpty(map: JsonMap | undefined): boolean {
  for (const name in map) if (map[name] !== undefined) return false
  return true
}
