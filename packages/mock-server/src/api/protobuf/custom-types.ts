import { BinaryReader, WireType, type BinaryWriter } from '@bufbuild/protobuf/wire'

/** A type whose JSON form is not that of its message. */
export interface CustomType {
  write(writer: BinaryWriter, value: unknown): void
  read(bytes: Uint8Array): unknown
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Calls `onField` for each field of a message; what it does not read is skipped. */
export function readFields(
  bytes: Uint8Array,
  onField: (number: number, reader: BinaryReader, wire: WireType) => boolean,
): void {
  const reader = new BinaryReader(bytes)
  while (reader.pos < reader.len) {
    const [number, wire] = reader.tag()
    if (!onField(number, reader, wire)) reader.skip(wire, number)
  }
}

/** `Time` and `MicroTime`: seconds and nanoseconds; an empty message is no time. */
function time(fraction: number): CustomType {
  return {
    write(writer, value) {
      if (typeof value !== 'string') return
      const ms = Date.parse(value)
      if (Number.isNaN(ms)) throw new TypeError(`not a time: ${JSON.stringify(value)}`)
      const digits = /\.(\d+)/.exec(value)?.[1] ?? ''
      const nanos = Number(digits.padEnd(9, '0').slice(0, 9))
      writer.tag(1, WireType.Varint).int64(Math.floor(ms / 1000))
      writer.tag(2, WireType.Varint).int32(fraction === 0 ? 0 : nanos)
    },
    read(bytes) {
      let seconds: number | undefined
      let nanos = 0
      readFields(bytes, (number, reader) => {
        if (number === 1) seconds = Number(reader.int64())
        else if (number === 2) nanos = reader.int32()
        else return false
        return true
      })
      if (seconds === undefined) return null
      const whole = new Date(seconds * 1000).toISOString().slice(0, 19)
      return fraction === 0 ? `${whole}Z` : `${whole}.${String(nanos).padStart(9, '0').slice(0, fraction)}Z`
    },
  }
}

/** `{1 raw}`: JSON within the message. */
const rawJson: CustomType = {
  write(writer, value) {
    writer.tag(1, WireType.LengthDelimited).bytes(encoder.encode(JSON.stringify(value)))
  },
  read(bytes) {
    let value: unknown = null
    readFields(bytes, (number, reader) => {
      if (number !== 1) return false
      const text = decoder.decode(reader.bytes())
      value = text === '' ? null : (JSON.parse(text) as unknown)
      return true
    })
    return value
  },
}

const quantity: CustomType = {
  write(writer, value) {
    writer.tag(1, WireType.LengthDelimited).string(String(value))
  },
  read(bytes) {
    let value = '0'
    readFields(bytes, (number, reader) => {
      if (number !== 1) return false
      value = reader.string()
      return true
    })
    return value
  },
}

const intOrString: CustomType = {
  write(writer, value) {
    const isText = typeof value === 'string'
    writer.tag(1, WireType.Varint).int32(isText ? 1 : 0)
    writer.tag(2, WireType.Varint).int32(isText ? 0 : Number(value))
    writer.tag(3, WireType.LengthDelimited).string(isText ? value : '')
  },
  read(bytes) {
    let isText = false
    let number = 0
    let text = ''
    readFields(bytes, (field, reader) => {
      if (field === 1) isText = reader.int32() === 1
      else if (field === 2) number = reader.int32()
      else if (field === 3) text = reader.string()
      else return false
      return true
    })
    return isText ? text : number
  },
}

/** Lists that are messages of their own: `{1 items}`. */
const stringList: CustomType = {
  write(writer, value) {
    for (const item of value as readonly string[]) writer.tag(1, WireType.LengthDelimited).string(item)
  },
  read(bytes) {
    const items: string[] = []
    readFields(bytes, (number, reader) => {
      if (number !== 1) return false
      items.push(reader.string())
      return true
    })
    return items
  },
}

const META = 'apimachinery.pkg.apis.meta.v1'
const EXTENSIONS = 'apiextensions-apiserver.pkg.apis.apiextensions.v1'

/** By type name. */
export const customTypes: ReadonlyMap<string, CustomType> = new Map([
  [`${META}.Time`, time(0)],
  [`${META}.MicroTime`, time(6)],
  [`${META}.FieldsV1`, rawJson],
  [`${META}.Verbs`, stringList],
  ['apimachinery.pkg.runtime.RawExtension', rawJson],
  [`${EXTENSIONS}.JSON`, rawJson],
  ['apimachinery.pkg.api.resource.Quantity', quantity],
  ['apimachinery.pkg.util.intstr.IntOrString', intOrString],
  ['api.authentication.v1.ExtraValue', stringList],
  ['api.authentication.v1.AttestationValue', stringList],
  ['api.authorization.v1.ExtraValue', stringList],
  ['api.certificates.v1.ExtraValue', stringList],
])

type Shape = Readonly<Record<string, unknown>>

/** Types whose JSON is one of several shapes: between that and the message's own fields. */
export const unions: ReadonlyMap<string, { toMessage(value: unknown): Shape; toJson(message: Shape): unknown }> =
  new Map([
    [
      `${EXTENSIONS}.JSONSchemaPropsOrArray`,
      {
        toMessage: (value) => (Array.isArray(value) ? { JSONSchemas: value } : { Schema: value }),
        toJson: (message) => message['JSONSchemas'] ?? message['Schema'] ?? null,
      },
    ],
    [
      `${EXTENSIONS}.JSONSchemaPropsOrBool`,
      {
        toMessage: (value) => (typeof value === 'boolean' ? { Allows: value } : { Allows: true, Schema: value }),
        toJson: (message) => message['Schema'] ?? message['Allows'] === true,
      },
    ],
    [
      `${EXTENSIONS}.JSONSchemaPropsOrStringArray`,
      {
        toMessage: (value) => (Array.isArray(value) ? { Property: value } : { Schema: value }),
        toJson: (message) => message['Property'] ?? message['Schema'] ?? null,
      },
    ],
  ])
