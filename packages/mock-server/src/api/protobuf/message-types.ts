import data from '../../../data/protobuf.json' with { type: 'json' }

/** One field of a message, by its JSON name. */
export interface MessageField {
  readonly number: number
  readonly name: string
  /** `string`, `bool`, `int32`, `int64`, `float64`, `bytes`, or the name of a message or string type. */
  readonly type: string
  readonly pointer: boolean
  /** Left out of JSON when it has its zero value. */
  readonly omitEmpty: boolean
  readonly list: boolean
  /** A map from strings. */
  readonly map: boolean
  /** A message of its own whose fields stand beside the others' in JSON. */
  readonly inline: boolean
}

const kinds = data.kinds as Readonly<Record<string, string>>
const types = data.types as Readonly<Record<string, readonly string[]>>
const cache = new Map<string, readonly MessageField[]>()

/** Name of the message of a kind, undefined for kinds without one, such as custom resources. */
export function messageTypeOf(apiVersion: string, kind: string): string | undefined {
  const name = `${apiVersion} ${kind}`
  return Object.hasOwn(kinds, name) ? kinds[name] : undefined
}

/** Fields of a message in the order of their numbers, undefined when `type` is no message. */
export function messageFields(type: string): readonly MessageField[] | undefined {
  const known = cache.get(type)
  if (known !== undefined) return known
  if (!Object.hasOwn(types, type)) return undefined
  const fields = types[type]!.map(parseField)
  cache.set(type, fields)
  return fields
}

/** `12 annotations om string`: number, JSON name, flags, type. */
function parseField(line: string): MessageField {
  const [number, name, flags, type] = line.split(' ') as [string, string, string, string]
  return {
    number: Number(number),
    name,
    type,
    pointer: flags.includes('*'),
    omitEmpty: flags.includes('o'),
    list: flags.includes('l'),
    map: flags.includes('m'),
    inline: flags.includes('i'),
  }
}
