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
  wrapped,
  type JsonMap,
} from './typed-value.ts'

/**
 * Checks that a value has its type (`structured-merge-diff: typed/validate.go`). Throws {@link TypedErrors}.
 * `allowDuplicates` lets items of sets and keyed lists be there more than once.
 */
export function validateTyped(value: unknown, atom: Atom, allowDuplicates: boolean): void {
  const validate = (explain: boolean): string[] => {
    const lines: string[] = []
    new Validator(lines, allowDuplicates, explain).visit(value, atom, '')
    return lines
  }
  // Only when something is wrong is it worth knowing where. Errors come in the order of the fields' names.
  if (validate(false).length > 0) throw new TypedErrors(validate(true))
}

class Validator {
  readonly #lines: string[]
  readonly #allowDuplicates: boolean

  /** Keep track of paths, and take fields in order. */
  readonly #explain: boolean

  constructor(lines: string[], allowDuplicates: boolean, explain: boolean) {
    this.#explain = explain
    this.#lines = lines
    this.#allowDuplicates = allowDuplicates
  }

  visit(value: unknown, atom: Atom, path: string): void {
    switch (handleAs(atom, deduceShape(atom, value))) {
      case 'scalar': {
        const error = scalarError(atom, value, '')
        if (error !== undefined) this.#lines.push(errorLine(path, error))
        return
      }
      case 'map':
        if (value === null) return
        if (isMap(value)) this.#map(value, atom.map!, path)
        else this.#lines.push(errorLine(path, `expected map, got ${wrapped(value)}`))
        return
      case 'list':
        if (value === null) return
        if (Array.isArray(value)) this.#list(value, atom.list!, path)
        else this.#lines.push(errorLine(path, `expected list, got ${wrapped(value)}`))
        return
      default:
        this.#lines.push(errorLine(path, 'schema error: invalid atom: inlined'))
    }
  }

  #map(value: JsonMap, map: MapAtom, path: string): void {
    // Nothing can be wrong below a map of anything.
    if (map.untyped) return
    for (const name of this.#explain ? Object.keys(value).sort() : Object.keys(value)) {
      if (value[name] === undefined) continue
      const atom = fieldAtom(map, name)
      if (atom === undefined) {
        // The first unknown field ends the map.
        this.#lines.push(errorLine(`${path}.${name}`, 'field not declared in schema'))
        return
      }
      this.visit(value[name], atom, this.#explain ? `${path}.${name}` : '')
    }
  }

  #list(value: readonly unknown[], list: ListAtom, path: string): void {
    const seen = new Set<PathElement>()
    for (let i = 0; i < value.length; i++) {
      let text = this.#explain ? `[${i}]` : ''
      if (list.associative) {
        let element: PathElement
        try {
          element = itemElement(list, value[i])
        } catch (error) {
          this.#lines.push(errorLine(path, `element ${i}: ${(error as Error).message}`))
          return
        }
        if (this.#explain) text = elementText(element)
        if (seen.has(element) && !this.#allowDuplicates) {
          this.#lines.push(errorLine(path, `duplicate entries for key ${text}`))
        }
        seen.add(element)
      }
      this.visit(value[i], list.element, path + text)
    }
  }
}
