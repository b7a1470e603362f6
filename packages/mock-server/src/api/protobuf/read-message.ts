import type { BinaryReader } from '@bufbuild/protobuf/wire'
import { customTypes, readFields, unions } from './custom-types.ts'
import { messageFields, type MessageField } from './message-types.ts'

/** Reads the message `type` as the JSON object that Go would print of it. Fields not known are skipped. */
export function readMessage(type: string, bytes: Uint8Array): Record<string, unknown> {
  const byNumber = new Map((messageFields(type) ?? []).map((field) => [field.number, field]))
  const object: Record<string, unknown> = {}
  readFields(bytes, (number, reader) => {
    const field = byNumber.get(number)
    if (field === undefined) return false
    if (field.map) readEntry(object, field, reader.bytes())
    else if (field.list) ((object[field.name] ??= []) as unknown[]).push(readValue(reader, field.type))
    else if (field.inline) Object.assign(object, readMessage(field.type, reader.bytes()))
    else readSingle(object, field, reader)
    return true
  })
  return object
}

/** Generated code writes every field that is no pointer, zero or not; JSON leaves such zeros out. */
function readSingle(object: Record<string, unknown>, field: MessageField, reader: BinaryReader): void {
  const value = readValue(reader, field.type)
  const zero = value === '' || value === 0 || value === false || value === null
  if (zero && field.omitEmpty && !field.pointer) return
  object[field.name] = value
}

function readEntry(object: Record<string, unknown>, field: MessageField, entry: Uint8Array): void {
  let key = ''
  let value: unknown
  readFields(entry, (number, reader) => {
    if (number === 1) key = reader.string()
    else if (number === 2) value = readValue(reader, field.type)
    else return false
    return true
  })
  const map = (object[field.name] ??= {}) as Record<string, unknown>
  // A plain assignment of `__proto__` would set the prototype.
  Object.defineProperty(map, key, {
    value: value ?? emptyValue(field.type),
    enumerable: true,
    writable: true,
    configurable: true,
  })
}

function emptyValue(type: string): unknown {
  if (type === 'bool') return false
  if (type === 'int32' || type === 'int64' || type === 'float64') return 0
  const custom = customTypes.get(type)
  if (custom !== undefined) return custom.read(new Uint8Array(0))
  return messageFields(type) === undefined ? '' : {}
}

function readValue(reader: BinaryReader, type: string): unknown {
  switch (type) {
    case 'bool':
      return reader.bool()
    case 'int32':
      return reader.int32()
    case 'int64':
      return Number(reader.int64())
    case 'float64':
      return reader.double()
    case 'bytes':
      return toBase64(reader.bytes())
    default:
  }
  const custom = customTypes.get(type)
  if (custom !== undefined) return custom.read(reader.bytes())
  if (messageFields(type) === undefined) return reader.string()
  const message = readMessage(type, reader.bytes())
  const union = unions.get(type)
  return union === undefined ? message : union.toJson(message)
}

function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}
