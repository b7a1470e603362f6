import types from '../../../data/go-types.json' with { type: 'json' }
import { builtInSchemas } from '../catalogue.ts'
import type { SchemaNode } from '../schema.ts'

/** How Go's JSON sees a type: what it accepts, what it leaves out, and what it calls the type in its errors. */
export interface GoType {
  readonly kind:
    | 'struct'
    | 'pointer'
    | 'list'
    | 'map'
    | 'string'
    | 'int'
    | 'float'
    | 'bool'
    | 'bytes'
    | 'any'
    | 'custom'
  /** Which named type it is: `api.core.v1.Container`; `''` for unnamed ones. */
  readonly id: string
  /** As Go's errors print it: `v1.ObjectMeta`, `[]v1.Container`, `map[string]string`. */
  readonly name: string
  /** Bits of an integer; unsigned ones are bytes only. */
  readonly bits: number
  /** Of pointers, lists and maps. */
  readonly element: GoType | undefined
  /** Of structs, in Go's order. */
  readonly fields: ReadonlyMap<string, GoField>
}

/** One field of a Go struct. */
export interface GoField {
  readonly name: string
  readonly type: GoType
  readonly omitEmpty: boolean
  readonly omitZero: boolean
  /** Path of it in Go's errors, with the embedded structs that JSON does not show. */
  readonly errorPath: string
}

const data = types as unknown as Readonly<Record<string, string | readonly string[]>>
const cache = new Map<string, GoType>()
const noFields: ReadonlyMap<string, GoField> = new Map()

const PREFIX = 'io.k8s.'
let componentNames: WeakMap<object, string> | undefined

/** The Go type behind a built-in schema component (`io.k8s.api.core.v1.Pod`), `undefined` for those of custom resources. */
export function goTypeOfSchema(schema: SchemaNode | undefined): GoType | undefined {
  if (schema === undefined) return undefined
  componentNames ??= new WeakMap(Object.entries(builtInSchemas).map(([name, raw]) => [raw, name]))
  const name = schema.ref ?? componentNames.get(schema.raw)
  return name?.startsWith(PREFIX) ? goType(name.slice(PREFIX.length)) : undefined
}

/** The Go type of that name (`apimachinery.pkg.apis.meta.v1.ObjectMeta`), `undefined` for unknown ones. */
export function goType(id: string): GoType | undefined {
  return Object.hasOwn(data, id) ? resolve(id) : undefined
}

/** `v1.Pod` of `api.core.v1.Pod`: package and name. */
function displayName(id: string): string {
  return id.split('.').slice(-2).join('.')
}

function resolve(text: string): GoType {
  let type = cache.get(text)
  if (type === undefined) {
    type = parse(text)
    cache.set(text, type)
  }
  return type
}

function parse(text: string): GoType {
  if (text.startsWith('*')) return wrap('pointer', text.slice(1), (name) => `*${name}`)
  if (text === '[]uint8') return leaf('bytes', text)
  if (text.startsWith('[]')) return wrap('list', text.slice(2), (name) => `[]${name}`)
  const map = /^map\[([\w.-]+)\](.*)$/.exec(text)
  if (map !== null) return wrap('map', map[2]!, (name) => `map[${displayName(map[1]!)}]${name}`)
  const scalar = scalars[text]
  if (scalar !== undefined) return leaf(scalar[0], text, scalar[1])
  const definition = data[text]
  if (definition === undefined) return leaf('any', 'interface {}')
  const name = displayName(text)
  if (definition === 'custom') return { ...leaf('custom', name), id: text }
  if (typeof definition === 'string') return rename(resolve(definition), name, text)
  return new Struct(text, name, definition)
}

const scalars: Readonly<Record<string, readonly [GoType['kind'], number]>> = {
  string: ['string', 0],
  bool: ['bool', 0],
  int: ['int', 64],
  int32: ['int', 32],
  int64: ['int', 64],
  uint8: ['int', 8],
  float64: ['float', 64],
}

function leaf(kind: GoType['kind'], name: string, bits = 0): GoType {
  return { kind, id: '', name, bits, element: undefined, fields: noFields }
}

function rename(type: GoType, name: string, id: string): GoType {
  const { kind, bits, fields } = type
  return {
    kind,
    id,
    name,
    bits,
    fields,
    get element(): GoType | undefined {
      return type.element
    },
  }
}

function wrap(kind: 'pointer' | 'list' | 'map', of: string, name: (element: string) => string): GoType {
  // Elements of a struct may contain the struct again: nothing but the name is needed now.
  let element: GoType | undefined
  let shown: string | undefined
  return {
    kind,
    id: '',
    bits: 0,
    fields: noFields,
    get element(): GoType {
      return (element ??= resolve(of))
    },
    get name(): string {
      return (shown ??= name(resolve(of).name))
    },
  }
}

class Struct implements GoType {
  readonly kind = 'struct'
  readonly bits = 0
  readonly element: undefined
  readonly id: string
  readonly name: string
  readonly #lines: readonly string[]
  #fields: ReadonlyMap<string, GoField> | undefined

  constructor(id: string, name: string, lines: readonly string[]) {
    this.id = id
    this.name = name
    this.#lines = lines
  }

  get fields(): ReadonlyMap<string, GoField> {
    return (this.#fields ??= new Map(
      this.#lines.map((line) => {
        const [name, flags, type, within] = line.split(' ') as [string, string, string, string?]
        const errorPath = within === undefined ? name : `${within}.${name}`
        const field: GoField = {
          name,
          type: resolve(type),
          omitEmpty: flags.includes('o'),
          omitZero: flags.includes('z'),
          errorPath,
        }
        return [name, field]
      }),
    ))
  }
}
