import { deepEqual } from '../correlated-object.ts'
import { isDate, isDateTime, parseDuration } from '../formats.ts'
import { goTypeName } from '../../../go/text.ts'
import { additionalSchema, isObject, propertySchema, type JsonObject, type JsonSchemaProps } from '../types.ts'
import { withTypeAndObjectMeta } from './decl-type.ts'
import { escapeIdent, unescapeIdent } from './escaping.ts'
import { parseTimestamp } from './time.ts'
import { CelError, CelList, CelMap, Duration, equal, noSuchOverload, ValueList, type Value } from './values.ts'

/** JSON as expressions see it, by its schema (`apiserver: pkg/cel/common: UnstructuredToVal`). Converted as far as it is looked at. */
export function jsonValue(json: unknown, schema: JsonSchemaProps): Value {
  if (json === null || json === undefined) {
    return schema.nullable === true ? null : new CelError('invalid data, got null for schema with nullable=false')
  }
  if (schema['x-kubernetes-int-or-string'] === true) {
    if (typeof json === 'string') return json
    if (typeof json === 'number' && Number.isInteger(json)) return BigInt(json)
    return new CelError('invalid data, expected XIntOrString value to be either a string or integer')
  }
  switch (schema.type) {
    case 'object':
      if (!isObject(json)) return new CelError('invalid data, expected a map for the provided schema with type=object')
      return new JsonMap(
        json,
        schema['x-kubernetes-embedded-resource'] === true ? withTypeAndObjectMeta(schema) : schema,
      )
    case 'array':
      if (!Array.isArray(json)) {
        return new CelError('invalid data, expected an array for the provided schema with type=array')
      }
      if (schema.items === undefined) {
        return new CelError('invalid array type, expected Items with a non-empty Schema')
      }
      return listOf(json, schema, schema.items)
    case 'string':
      return typeof json === 'string' ? stringValue(json, schema.format) : wrong('string', json)
    case 'number':
      return typeof json === 'number' ? json : wrong('float', json)
    case 'integer':
      return typeof json === 'number' && Number.isInteger(json) ? BigInt(json) : wrong('int', json)
    case 'boolean':
      return typeof json === 'boolean' ? json : wrong('bool', json)
    default:
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return new UnknownMap(json)
  return new CelError(
    `invalid type, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got ${schema.type ?? ''}`,
  )
}

function wrong(expected: string, json: unknown): CelError {
  return new CelError(`invalid data, expected ${expected}, got ${goTypeName(json)}`)
}

function stringValue(text: string, format: string | undefined): Value {
  switch (format) {
    case 'duration': {
      const nanos = parseDuration(text)
      return nanos === undefined
        ? new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`)
        : new Duration(nanos)
    }
    case 'date':
      if (!isDate(text)) return new CelError(`Invalid date formatted string ${text}: cannot be parsed`)
      return parseTimestamp(`${text}T00:00:00Z`)!
    case 'date-time': {
      const time = isDateTime(text) ? parseTimestamp(text) : undefined
      return time ?? new CelError(`Invalid date-time formatted string ${text}: cannot be parsed`)
    }
    case 'byte':
      try {
        return Uint8Array.from(atob(text), (c) => c.charCodeAt(0))
      } catch {
        return new CelError(`Invalid byte formatted string ${text}: illegal base64 data`)
      }
    default:
      return text
  }
}

/** An object or a map. Fields are asked for by their escaped names; null fields of objects are not there. */
class JsonMap extends CelMap {
  readonly json: JsonObject
  readonly #schema: JsonSchemaProps
  readonly #isObject: boolean
  readonly #found = new Map<string, Value>()
  #size: number | undefined

  constructor(json: JsonObject, schema: JsonSchemaProps) {
    super()
    this.json = json
    this.#schema = schema
    this.#isObject = schema.properties !== undefined
  }

  override get size(): number {
    return (this.#size ??= Object.keys(this.json).length)
  }

  #property(name: string): JsonSchemaProps | undefined {
    return this.#isObject ? propertySchema(this.#schema, name) : additionalSchema(this.#schema)
  }

  override find(key: Value): Value | undefined {
    if (typeof key !== 'string') return noSuchOverload
    const name = this.#isObject ? unescapeIdent(key) : key
    return name === undefined ? undefined : this.#get(name)
  }

  #get(name: string): Value | undefined {
    const known = this.#found.get(name)
    if (known !== undefined) return known
    if (!Object.hasOwn(this.json, name)) return undefined
    const json = this.json[name]
    if (this.#isObject && json === null) return undefined
    const schema = this.#property(name)
    if (schema === undefined) return undefined
    const value = jsonValue(json, schema)
    this.#found.set(name, value)
    return value
  }

  override *keys(): Generator<Value> {
    for (const name of Object.keys(this.json)) {
      if (this.#property(name) === undefined) continue
      yield this.#isObject ? (escapeIdent(name) ?? name) : name
    }
  }

  override equals(other: Value): boolean | CelError {
    if (!(other instanceof CelMap)) return noSuchOverload
    if (other.size !== this.size) return false
    for (const [name, json] of Object.entries(this.json)) {
      if (this.#property(name) !== undefined) {
        const mine = this.#get(name)
        const theirs = other.find(name)
        if ((mine === undefined) !== (theirs === undefined)) return false
        if (mine === undefined || theirs === undefined) continue
        const same = equal(mine, theirs)
        if (same !== true) return same
      } else {
        // A field that the schema does not know is compared as it is.
        if (!(other instanceof JsonMap)) return noSuchOverload
        if (!Object.hasOwn(other.json, name) || !deepEqual(json, other.json[name])) return false
      }
    }
    return true
  }
}

/** What is kept without a schema: expressions can only compare it. */
class UnknownMap extends CelMap {
  readonly json: unknown

  constructor(json: unknown) {
    super()
    this.json = json
  }

  override get size(): number {
    return 1
  }

  override find(): undefined {
    return undefined
  }

  override keys(): Iterable<Value> {
    return []
  }

  override equals(other: Value): boolean {
    return other instanceof UnknownMap && deepEqual(this.json, other.json)
  }
}

function listOf(json: readonly unknown[], schema: JsonSchemaProps, items: JsonSchemaProps): CelList {
  switch (schema['x-kubernetes-list-type']) {
    case 'map':
      return new JsonMapList(json, items, schema['x-kubernetes-list-map-keys'] ?? [])
    case 'set':
      return new JsonSetList(json, items)
    default:
      return new JsonList(json, items)
  }
}

class JsonList extends CelList {
  readonly json: readonly unknown[]
  readonly #items: JsonSchemaProps
  readonly #values: Value[] = []

  constructor(json: readonly unknown[], items: JsonSchemaProps) {
    super()
    this.json = json
    this.#items = items
  }

  override get size(): number {
    return this.json.length
  }

  override at(index: number): Value {
    return (this.#values[index] ??= jsonValue(this.json[index], this.#items))
  }

  override equals(other: Value): boolean | CelError {
    return other instanceof CelList ? super.equals(other) : noSuchOverload
  }
}

/** A key for elements of a list with `x-kubernetes-list-type`: elements of one identity share it. */
function identityOf(value: Value, names: readonly string[] | undefined): string {
  const text = (part: Value | undefined): string =>
    typeof part === 'bigint' || typeof part === 'number'
      ? `n${part}`
      : part === undefined
        ? '-'
        : `${typeof part} ${JSON.stringify(part)}`
  if (names === undefined) return text(value)
  return names.map((name) => text(value instanceof CelMap ? value.find(name) : undefined)).join('\u0000')
}

/** Compared without order, and added as a union. */
abstract class UnorderedList extends JsonList {
  #index: Map<string, Value> | undefined

  protected abstract identity(value: Value): string

  #byIdentity(): Map<string, Value> {
    return (this.#index ??= new Map([...this].map((value) => [this.identity(value), value])))
  }

  override equals(other: Value): boolean | CelError {
    if (!(other instanceof CelList)) return noSuchOverload
    if (other.size !== this.size) return false
    const own = this.#byIdentity()
    const seen = new Set<string>()
    for (const value of other) {
      const identity = this.identity(value)
      const mine = own.get(identity)
      if (mine === undefined) return false
      const same = equal(mine, value)
      if (same !== true) return same
      seen.add(identity)
    }
    return seen.size === own.size
  }

  override concat(other: CelList): CelList {
    const values = [...this]
    const at = new Map(values.map((value, i) => [this.identity(value), i]))
    for (const value of other) {
      const identity = this.identity(value)
      const index = at.get(identity)
      if (index === undefined) {
        at.set(identity, values.length)
        values.push(value)
      } else values[index] = value
    }
    return new ValueList(values)
  }
}

class JsonMapList extends UnorderedList {
  readonly #names: readonly string[]

  constructor(json: readonly unknown[], items: JsonSchemaProps, names: readonly string[]) {
    super(json, items)
    this.#names = names.map((name) => escapeIdent(name) ?? name)
  }

  protected override identity(value: Value): string {
    return identityOf(value, this.#names)
  }
}

class JsonSetList extends UnorderedList {
  protected override identity(value: Value): string {
    return identityOf(value, undefined)
  }
}
