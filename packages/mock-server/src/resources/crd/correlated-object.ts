import { makeMapList, type MapList } from './list-type.ts'
import { additionalSchema, isObject, propertySchema, type JsonSchemaProps } from './types.ts'

/** `reflect.DeepEqual` of two JSON values. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  if (Array.isArray(a))
    return a.length === (b as unknown[]).length && a.every((x, i) => deepEqual(x, (b as unknown[])[i]))
  const names = Object.keys(a)
  if (names.length !== Object.keys(b).length) return false
  return names.every(
    (name) =>
      Object.hasOwn(b, name) && deepEqual((a as Record<string, unknown>)[name], (b as Record<string, unknown>)[name]),
  )
}

/**
 * A value together with the one it replaces, followed down the schema: lets errors about unchanged parts of an
 * object pass (`apiserver/pkg/cel/common: CorrelatedObject`). `undefined` is a node that has no counterpart.
 */
export class CorrelatedObject {
  readonly value: unknown
  readonly oldValue: unknown
  readonly #schema: JsonSchemaProps | undefined
  readonly #children = new Map<string | number, CorrelatedObject>()
  #mapList: MapList | undefined
  #equal: boolean | undefined

  constructor(value: unknown, oldValue: unknown, schema: JsonSchemaProps | undefined) {
    this.value = value
    this.oldValue = oldValue
    this.#schema = schema
  }

  /** Whether nothing changed from here on down. Lists of type `map` are compared by key. */
  unchanged(): boolean {
    return (this.#equal ??= this.#compare())
  }

  #compare(): boolean {
    const { value, oldValue } = this
    if (Array.isArray(value) && Array.isArray(oldValue)) {
      if (value.length !== oldValue.length) return false
      for (let i = 0; i < value.length; i++) {
        const item = this.index(i)
        if (item === undefined) return this.#mapList === undefined && deepEqual(oldValue, value)
        if (!item.unchanged()) return false
      }
      return true
    }
    if (isObject(value) && isObject(oldValue)) {
      const names = Object.keys(value)
      if (names.length !== Object.keys(oldValue).length) return false
      return names.every((name) => this.key(name)?.unchanged() === true)
    }
    return deepEqual(oldValue, value)
  }

  key(name: string): CorrelatedObject | undefined {
    const known = this.#children.get(name)
    if (known !== undefined) return known
    const { value, oldValue } = this
    if (!isObject(value) || !isObject(oldValue)) return undefined
    if (!Object.hasOwn(value, name) || !Object.hasOwn(oldValue, name)) return undefined
    const schema = propertySchema(this.#schema, name) ?? additionalSchema(this.#schema)
    if (schema === undefined) return undefined
    const node = new CorrelatedObject(value[name], oldValue[name], schema)
    this.#children.set(name, node)
    return node
  }

  index(i: number): CorrelatedObject | undefined {
    const known = this.#children.get(i)
    if (known !== undefined) return known
    const { value, oldValue } = this
    const schema = this.#schema
    if (!Array.isArray(value) || value.length <= i || !Array.isArray(oldValue)) return undefined
    if (schema?.items === undefined || schema['x-kubernetes-list-type'] !== 'map') return undefined
    this.#mapList ??= makeMapList(schema, oldValue)
    const oldItem = this.#mapList.get(value[i])
    if (oldItem === undefined) return undefined
    const node = new CorrelatedObject(value[i], oldItem, schema.items)
    this.#children.set(i, node)
    return node
  }
}
