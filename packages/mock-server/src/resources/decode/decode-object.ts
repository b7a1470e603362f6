import type { KubeObject } from '@freshread/core'
import { compareUtf8 } from '../../go/text.ts'
import type { SchemaNode } from '../schema.ts'
import { Quantity } from '../quantity.ts'
import { decodeBase64, encodeBase64 } from './base64.ts'
import { goType, goTypeOfSchema, type GoField, type GoType } from './go-type.ts'
import { canonicalTime } from './time.ts'

/** What to do with fields a kind does not have: drop them silently, or tell of them. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict'

/** What decoding made of an object. */
export interface Decoded<T = KubeObject> {
  /** Typed, in Go's field order, without what Go leaves out; of no use when there is an {@link Decoded.error}. */
  readonly object: T
  /** `unknown field "spec.foo"`, in the order met; empty with `Ignore`. */
  readonly unknown: readonly string[]
  /** Go's text for a value of the wrong type. */
  readonly error?: string
}

/** Go stops counting here (`sigs.k8s.io/json: saveStrictError`). */
const MAX_UNKNOWN = 100

/**
 * Decodes an object of a built-in kind as Go's typed decoder does: unknown fields are dropped, values of the wrong type
 * are errors, quantities and times take their canonical form, zero values are left out or printed as their
 * `omitempty` says. Kinds without Go type (custom resources) are given back with only their metadata decoded.
 * The input is not changed.
 */
export function decodeObject(
  object: unknown,
  schema: SchemaNode | undefined,
  options: { readonly mode: FieldValidation },
): Decoded {
  const type = goTypeOfSchema(schema) ?? partial
  const decoded = decodeAs<KubeObject>(object, type, options)
  if (type !== partial) return decoded
  return { ...decoded, object: { ...(object as KubeObject), metadata: decoded.object.metadata } }
}

/** Decodes a value as the Go type of that name, such as `apimachinery.pkg.apis.meta.v1.DeleteOptions`. */
export function decodeGoType<T = Record<string, unknown>>(
  value: unknown,
  typeName: string,
  options: { readonly mode: FieldValidation },
): Decoded<T> {
  const type = goType(typeName)
  if (type === undefined) throw new TypeError(`no such type: ${typeName}`)
  return decodeAs<T>(value, type, options)
}

function decodeAs<T>(value: unknown, type: GoType, options: { readonly mode: FieldValidation }): Decoded<T> {
  const decoder = new Decoder(type === partial ? false : options.mode !== 'Ignore')
  let object: unknown
  try {
    object = decoder.value(value, type)
  } catch (error) {
    if (!(error instanceof Fatal)) throw error
    return { object: {} as T, unknown: [], error: error.message }
  }
  const result = { object: object as T, unknown: decoder.unknown }
  return decoder.error === undefined ? result : { ...result, error: decoder.error }
}

/** Stands for all kinds without a Go type: they share their metadata. */
const partial: GoType = goType('apimachinery.pkg.apis.meta.v1.PartialObjectMetadata') ?? {
  kind: 'struct',
  id: '',
  name: 'v1.PartialObjectMetadata',
  bits: 0,
  element: undefined,
  fields: new Map([
    [
      'metadata',
      {
        name: 'metadata',
        type: goType('apimachinery.pkg.apis.meta.v1.ObjectMeta')!,
        omitEmpty: true,
        omitZero: false,
        errorPath: 'metadata',
      },
    ],
  ]),
}

/** A custom unmarshaler's error ends decoding at once; type errors are kept until the end, and the first one told. */
class Fatal extends Error {}

class Decoder {
  readonly unknown: string[] = []
  error: string | undefined
  readonly #strict: boolean
  readonly #seen = new Set<string>()
  /** Name of the innermost struct and fields down to here, as Go's errors tell them. */
  #struct = ''
  #fields: string[] = []
  /** Path down to here with indexes and keys, as strict decoding tells it. */
  #path = ''

  constructor(strict: boolean) {
    this.#strict = strict
  }

  /** The canonical JSON of `value` as `type`; `null` for nil. */
  value(value: unknown, type: GoType): unknown {
    switch (type.kind) {
      case 'pointer':
        return value === null || value === undefined ? null : this.value(value, type.element!)
      case 'struct':
        return this.#decodeStruct(value, type)
      case 'list':
        return this.#list(value, type)
      case 'map':
        return this.#map(value, type)
      case 'custom':
        return this.#custom(value, type.name)
      case 'any':
        return value
      default:
        return this.#scalar(value, type)
    }
  }

  #scalar(value: unknown, type: GoType): unknown {
    if (value === null) return zeroValue(type)
    switch (type.kind) {
      case 'string':
        return typeof value === 'string' ? value : this.#mismatch(value, type)
      case 'bool':
        return typeof value === 'boolean' ? value : this.#mismatch(value, type)
      case 'float':
        return typeof value === 'number' ? value : this.#mismatch(value, type)
      case 'int':
        if (typeof value !== 'number') return this.#mismatch(value, type)
        if (!Number.isInteger(value) || !inRange(value, type.bits))
          return this.#mismatch(value, type, `number ${value}`)
        return value
      case 'bytes': {
        if (typeof value !== 'string') return this.#mismatch(value, type)
        try {
          return encodeBase64(decodeBase64(value))
        } catch (error) {
          this.error ??= (error as Error).message
          return ''
        }
      }
      default:
        return value
    }
  }

  #decodeStruct(value: unknown, type: GoType): unknown {
    if (value === null || value === undefined) return zeroValue(type)
    if (typeof value !== 'object' || Array.isArray(value)) return this.#mismatch(value, type)
    const input = value as Readonly<Record<string, unknown>>
    const decoded: Record<string, unknown> = {}
    const outer = this.#struct
    const path = this.#path
    const structName = type.name.slice(type.name.lastIndexOf('.') + 1)
    for (const key in input) {
      const field = type.fields.get(key)
      if (field === undefined) {
        if (this.#strict) this.#unknownField(path === '' ? key : `${path}.${key}`)
        continue
      }
      this.#struct = structName
      this.#fields.push(field.errorPath)
      this.#path = path === '' ? key : `${path}.${key}`
      decoded[key] = this.value(input[key], field.type)
      this.#fields.pop()
    }
    this.#struct = outer
    this.#path = path
    return emit(decoded, type)
  }

  #list(value: unknown, type: GoType): unknown {
    if (value === null) return null
    if (!Array.isArray(value)) return this.#mismatch(value, type)
    const path = this.#path
    const out = value.map((item, index) => {
      this.#path = `${path}[${index}]`
      return this.value(item, type.element!)
    })
    this.#path = path
    return out
  }

  #map(value: unknown, type: GoType): unknown {
    if (value === null) return null
    if (typeof value !== 'object' || Array.isArray(value)) return this.#mismatch(value, type)
    const keys = Object.keys(value as object)
    if (keys.length === 0) return null
    const path = this.#path
    const decoded = new Map<string, unknown>()
    for (const key of keys) {
      this.#path = path === '' ? key : `${path}.${key}`
      decoded.set(key, this.value((value as Record<string, unknown>)[key], type.element!))
    }
    this.#path = path
    const out: Record<string, unknown> = {}
    for (const key of keys.sort(compareUtf8)) setOwn(out, key, decoded.get(key))
    return out
  }

  #custom(value: unknown, name: string): unknown {
    switch (name) {
      case 'resource.Quantity': {
        if (value === null) return '0'
        const text = typeof value === 'string' ? value : JSON.stringify(value)
        try {
          return Quantity.parse(text.trim()).toString()
        } catch (error) {
          throw new Fatal((error as Error).message)
        }
      }
      case 'v1.Time':
      case 'v1.MicroTime': {
        if (value === null) return null
        if (typeof value !== 'string') throw new Fatal(this.#mismatchText(jsonKind(value), 'string'))
        try {
          return canonicalTime(value, name === 'v1.MicroTime')
        } catch (error) {
          throw new Fatal((error as Error).message)
        }
      }
      case 'intstr.IntOrString': {
        if (typeof value === 'string') return value
        if (value === null) return 0
        if (typeof value !== 'number') throw new Fatal(this.#mismatchText(jsonKind(value), 'int32'))
        if (!Number.isInteger(value) || !inRange(value, 32))
          throw new Fatal(this.#mismatchText(`number ${value}`, 'int32'))
        return value
      }
      case 'v1.JSONSchemaPropsOrArray':
        return Array.isArray(value) ? value.map((item) => this.#schema(item)) : this.#schema(value)
      case 'v1.JSONSchemaPropsOrBool':
      case 'v1.JSONSchemaPropsOrStringArray':
        return typeof value === 'boolean' || Array.isArray(value) ? value : this.#schema(value)
      default:
        return value
    }
  }

  /** Such a schema is decoded by a decoder of its own, which does not look for unknown fields. */
  #schema(value: unknown): unknown {
    if (value === null) return null
    const inner = new Decoder(false)
    const out = inner.value(value, goType('apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps')!)
    if (inner.error !== undefined) throw new Fatal(inner.error)
    return out
  }

  #mismatch(value: unknown, type: GoType, kind: string = jsonKind(value)): unknown {
    this.error ??= this.#mismatchText(kind, type.name)
    return zeroValue(type)
  }

  #mismatchText(kind: string, goName: string): string {
    if (this.#fields.length === 0) return `json: cannot unmarshal ${kind} into Go value of type ${goName}`
    return `json: cannot unmarshal ${kind} into Go struct field ${this.#struct}.${this.#fields.join('.')} of type ${goName}`
  }

  #unknownField(path: string): void {
    if (this.unknown.length >= MAX_UNKNOWN || this.#seen.has(path)) return
    this.#seen.add(path)
    this.unknown.push(`unknown field ${JSON.stringify(path)}`)
  }
}

/** The fields of a struct in Go's order, without those that Go does not print. */
function emit(decoded: Readonly<Record<string, unknown>>, type: GoType): Record<string, unknown> {
  const out: Record<string, unknown> = {}
  for (const field of type.fields.values()) {
    const value = Object.hasOwn(decoded, field.name) ? decoded[field.name] : zeroValue(field.type)
    if (!isLeftOut(value, field)) out[field.name] = value
  }
  return out
}

function isLeftOut(value: unknown, field: GoField): boolean {
  if (field.omitZero && isZero(value, field.type)) return true
  if (!field.omitEmpty) return false
  if (Array.isArray(value)) return value.length === 0
  if (value === undefined || value === null)
    return field.type.kind !== 'struct' && field.type.name !== 'v1.Time' && field.type.name !== 'v1.MicroTime'
  // Pointers to zero values are printed.
  if (field.type.kind === 'string' || field.type.kind === 'bytes') return value === ''
  if (field.type.kind === 'int' || field.type.kind === 'float') return value === 0
  return field.type.kind === 'bool' && value === false
}

/** Whether Go's `omitzero` takes a decoded value for zero. */
function isZero(value: unknown, type: GoType): boolean {
  if (value === undefined || value === null) return true
  switch (type.kind) {
    case 'struct':
      for (const field of type.fields.values()) {
        if (!isZero((value as Record<string, unknown>)[field.name], field.type)) return false
      }
      return true
    case 'string':
    case 'bytes':
      return value === ''
    case 'int':
    case 'float':
      return value === 0
    case 'bool':
      return value === false
    case 'custom':
      return type.name === 'resource.Quantity' ? value === '0' : type.name === 'intstr.IntOrString' && value === 0
    default:
      return false
  }
}

/** What Go prints for a value that was never set. */
function zeroValue(type: GoType): unknown {
  switch (type.kind) {
    case 'struct':
      return emit({}, type)
    case 'string':
      return ''
    case 'int':
    case 'float':
      return 0
    case 'bool':
      return false
    case 'custom':
      return type.name === 'resource.Quantity' ? '0' : type.name === 'intstr.IntOrString' ? 0 : null
    default:
      return null
  }
}

/** The zero value of a kind as JSON, as a watch bookmark prints it. */
export function emptyObjectOf(schema: SchemaNode | undefined): Record<string, unknown> | undefined {
  const type = goTypeOfSchema(schema)
  return type === undefined ? undefined : emit({}, type)
}

/** The zero value of the Go struct of that name as JSON: what a status looks like before anything has set it. */
export function emptyGoType(typeName: string): Record<string, unknown> {
  const type = goType(typeName)
  if (type === undefined) throw new TypeError(`no such type: ${typeName}`)
  return emit({}, type)
}

function inRange(value: number, bits: number): boolean {
  if (bits === 8) return value >= 0 && value <= 255
  if (bits === 32) return value >= -(2 ** 31) && value < 2 ** 31
  return value >= -(2 ** 63) && value < 2 ** 63
}

function jsonKind(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value
}

/** Sets a key even when it is called `__proto__`. */
function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  else target[key] = value
}
