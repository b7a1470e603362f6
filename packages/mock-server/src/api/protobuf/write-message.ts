import { WireType, type BinaryWriter } from '@bufbuild/protobuf/wire'
import { customTypes, unions } from './custom-types.ts'
import { messageFields, type MessageField } from './message-types.ts'

type JsonObject = Readonly<Record<string, unknown>>

/** Writes a JSON object as the message `type`; fields that the message lacks are left out. */
export function writeMessage(writer: BinaryWriter, type: string, value: JsonObject): void {
  for (const field of messageFields(type) ?? []) {
    const member = field.inline ? inlined(field.type, value) : value[field.name]
    if (member === undefined || member === null) continue
    if (field.list) {
      for (const item of member as readonly unknown[]) writeField(writer, field.number, field.type, item)
    } else if (field.map) {
      writeMap(writer, field, member as JsonObject)
    } else {
      writeField(writer, field.number, field.type, member)
    }
  }
}

/** What of `value` belongs to the message inlined in it; undefined when nothing does. */
function inlined(type: string, value: JsonObject): JsonObject | undefined {
  const present = (messageFields(type) ?? []).some((f) =>
    f.inline ? inlined(f.type, value) !== undefined : value[f.name] !== undefined,
  )
  return present ? value : undefined
}

/** Keys in order, as Go's generated code writes them. */
function writeMap(writer: BinaryWriter, field: MessageField, map: JsonObject): void {
  for (const key of Object.keys(map).sort()) {
    writer.tag(field.number, WireType.LengthDelimited).fork()
    writer.tag(1, WireType.LengthDelimited).string(key)
    writeField(writer, 2, field.type, map[key])
    writer.join()
  }
}

function writeField(writer: BinaryWriter, number: number, type: string, value: unknown): void {
  switch (type) {
    case 'bool':
      writer.tag(number, WireType.Varint).bool(value === true)
      return
    case 'int32':
      writer.tag(number, WireType.Varint).int32(Number(value))
      return
    case 'int64':
      writer
        .tag(number, WireType.Varint)
        .int64(Number.isSafeInteger(value) ? (value as number) : BigInt(Math.trunc(Number(value))))
      return
    case 'float64':
      writer.tag(number, WireType.Bit64).double(Number(value))
      return
    case 'bytes':
      writer.tag(number, WireType.LengthDelimited).bytes(fromBase64(String(value)))
      return
    default:
  }
  const custom = customTypes.get(type)
  const union = unions.get(type)
  if (custom === undefined && messageFields(type) === undefined) {
    writer.tag(number, WireType.LengthDelimited).string(String(value))
    return
  }
  writer.tag(number, WireType.LengthDelimited).fork()
  if (custom !== undefined) custom.write(writer, value)
  else writeMessage(writer, type, union === undefined ? (value as JsonObject) : union.toMessage(value))
  writer.join()
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0))
}
