import { newBadRequest, newGenericServerResponse, newRequestEntityTooLarge } from '@freshread/core'
import type { FieldValidation } from '../resources/decode/decode-object.ts'
import { isJsonObject, jsonKind } from './patch-type.ts'

/** More operations than this are refused with 413 (`pkg/endpoints/handlers/patch.go: maxJSONPatchOperations`). */
export const MAX_JSON_PATCH_OPERATIONS = 10_000

/** An operation; which fields it needs is only known when it is done. */
interface Operation {
  readonly [field: string]: unknown
}

const knownFields: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value'])

/**
 * Applies an RFC 6902 patch as the API's own library does, which is more lenient than the RFC: `replace` sets
 * what is not there, `copy` of nothing sets null, negative indices count from the end, and `test` takes a
 * missing value for null. The object is not changed. Throws the 400, 413 or 422 that a wrong patch gets.
 */
export function applyJsonPatch(object: unknown, patch: unknown, validation: FieldValidation): unknown {
  const operations = checkOperations(patch, validation)
  if (operations.length > MAX_JSON_PATCH_OPERATIONS) {
    throw newRequestEntityTooLarge(
      `The allowed maximum operations in a JSON patch is ${MAX_JSON_PATCH_OPERATIONS}, got ${operations.length}`,
    )
  }
  const document = new Document(object)
  try {
    for (const operation of operations) document.run(operation)
  } catch (error) {
    if (error instanceof DoesNotApply) throw newGenericServerResponse(422)
    throw error
  }
  return document.finish()
}

/** Fields that operations do not have, as strict decoding tells them: `json patch unknown field "[0].foo"`. */
export function unknownOperationFields(patch: unknown): string[] {
  if (!Array.isArray(patch)) return []
  return patch.flatMap((operation: unknown, i) =>
    isJsonObject(operation)
      ? Object.keys(operation)
          .filter((field) => !knownFields.has(field))
          .map((field) => `unknown field "[${i}].${field}"`)
      : [],
  )
}

function checkOperations(patch: unknown, validation: FieldValidation): readonly Operation[] {
  // With validation the patch is decoded strictly first, into another type.
  const [prefix, list, item] =
    validation === 'Ignore'
      ? ['', 'jsonpatch.Patch', 'jsonpatch.Operation']
      : ['error decoding patch: ', '[]handlers.jsonPatchOp', 'handlers.jsonPatchOp']
  const mismatch = (value: unknown, where: string): never => {
    throw newBadRequest(`${prefix}json: cannot unmarshal ${jsonKind(value)} into Go ${where}`)
  }
  if (patch === null) return []
  if (!Array.isArray(patch)) return mismatch(patch, `value of type ${list}`)
  for (const operation of patch as unknown[]) {
    if (operation === null) continue
    if (!isJsonObject(operation)) return mismatch(operation, `value of type ${item}`)
    if (validation === 'Ignore') continue
    for (const field of ['op', 'path', 'from']) {
      const value = operation[field]
      if (value !== undefined && value !== null && typeof value !== 'string') {
        mismatch(value, `struct field jsonPatchOp.${field} of type string`)
      }
    }
  }
  return (patch as (Operation | null)[]).map((operation) => operation ?? {})
}

/** The operation is impossible here. */
class DoesNotApply extends Error {}

type Container = Record<string, unknown> | unknown[]

/** A document that is changed bit by bit: containers are copied when an operation first goes through them. */
class Document {
  #root: unknown
  readonly #copies = new Set<unknown>()

  constructor(root: unknown) {
    this.#root = root
  }

  run(operation: Operation): void {
    switch (operation['op']) {
      case 'add':
        return this.#add(pointer(operation['path']), operation['value'] ?? null)
      case 'remove':
        return this.#remove(pointer(operation['path']))
      case 'replace':
        return this.#replace(pointer(operation['path']), operation['value'] ?? null)
      case 'move': {
        const from = pointer(operation['from'])
        const value = this.#get(from)
        this.#remove(from)
        return this.#add(pointer(operation['path']), value)
      }
      case 'copy':
        return this.#copy(pointer(operation['from']), pointer(operation['path']))
      case 'test':
        return this.#test(pointer(operation['path']), operation['value'] ?? null)
      default:
        throw new DoesNotApply()
    }
  }

  /** Objects that operations went through have their keys in order, as when Go writes a map. */
  finish(): unknown {
    return this.#sorted(this.#own(this.#root))
  }

  #sorted(value: unknown): unknown {
    if (!this.#copies.has(value)) return value
    if (Array.isArray(value)) return value.map((item) => this.#sorted(item))
    const out: Record<string, unknown> = {}
    for (const key of Object.keys(value as object).sort())
      out[key] = this.#sorted((value as Record<string, unknown>)[key])
    return out
  }

  /** A copy that may be changed; scalars are themselves. */
  #own(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || this.#copies.has(value)) return value
    const copy: unknown = Array.isArray(value) ? [...(value as unknown[])] : { ...value }
    this.#copies.add(copy)
    return copy
  }

  /** Where a path's last part is to be found. */
  #container(path: readonly string[]): [container: Container, key: string] {
    if (path.length === 0) throw new DoesNotApply()
    let here = (this.#root = this.#own(this.#root)) as Container
    for (const part of path.slice(0, -1)) {
      const key = Array.isArray(here) ? index(here, part) : part
      const next = this.#own(read(here, key))
      if (typeof next !== 'object' || next === null) throw new DoesNotApply()
      ;(here as Record<string | number, unknown>)[key] = next
      here = next as Container
    }
    return [here, path.at(-1)!]
  }

  #get(path: readonly string[]): unknown {
    const [container, key] = this.#container(path)
    return read(container, Array.isArray(container) ? index(container, key) : key)
  }

  #add(path: readonly string[], value: unknown): void {
    const [container, key] = this.#container(path)
    if (!Array.isArray(container)) define(container, key, value)
    else if (key === '-') container.push(value)
    else container.splice(index(container, key, container.length + 1), 0, value)
  }

  #copy(from: readonly string[], path: readonly string[]): void {
    // The way to the copy may lead through what is copied, which then counts as gone through.
    this.#container(path)
    this.#add(path, this.#sorted(this.#get(from)) ?? null)
  }

  #remove(path: readonly string[]): void {
    const [container, key] = this.#container(path)
    if (Array.isArray(container)) container.splice(index(container, key), 1)
    else if (Object.hasOwn(container, key)) delete container[key]
    else throw new DoesNotApply()
  }

  #replace(path: readonly string[], value: unknown): void {
    if (path.length === 0) {
      if (typeof value !== 'object' || value === null) throw new DoesNotApply()
      this.#root = value
      return
    }
    const [container, key] = this.#container(path)
    if (Array.isArray(container)) container[index(container, key)] = value
    else define(container, key, value)
  }

  #test(path: readonly string[], expected: unknown): void {
    const actual = path.length === 0 ? this.#root : (this.#get(path) ?? null)
    if (!equal(actual, expected)) throw new DoesNotApply()
  }
}

function read(container: Container, key: string | number): unknown {
  return Object.hasOwn(container, key) ? (container as Record<string | number, unknown>)[key] : undefined
}

/** Also for keys such as `__proto__`. */
function define(container: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(container, key, { value, enumerable: true, configurable: true, writable: true })
}

/** Splits a JSON pointer; the whole document is `[]`. */
function pointer(path: unknown): string[] {
  if (typeof path !== 'string') throw new DoesNotApply()
  // What is before the first slash does not matter.
  return path
    .split('/')
    .slice(1)
    .map((part) => part.replace(/~[01]/g, (escaped) => (escaped === '~1' ? '/' : '~')))
}

function index(list: readonly unknown[], part: string, length: number = list.length): number {
  if (!/^[+-]?\d+$/.test(part)) throw new DoesNotApply()
  let at = Number(part)
  if (at < 0) at += length
  if (at < 0 || at >= length) throw new DoesNotApply()
  return at
}

function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    return a.every((item, i) => equal(item, b[i]))
  }
  const names = Object.keys(a)
  if (names.length !== Object.keys(b).length) return false
  return names.every(
    (name) =>
      Object.hasOwn(b, name) && equal((a as Record<string, unknown>)[name], (b as Record<string, unknown>)[name]),
  )
}
