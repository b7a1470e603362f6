import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { readFields } from './custom-types.ts'
import { messageTypeOf } from './message-types.ts'
import { readMessage } from './read-message.ts'
import { writeMessage } from './write-message.ts'

/** `k8s` and a zero byte, before every message (`apimachinery: pkg/runtime/serializer/protobuf`). */
const PREFIX = Uint8Array.of(0x6b, 0x38, 0x73, 0x00)

type JsonObject = Readonly<Record<string, unknown>>

/** What an envelope holds that is not JSON or a message of a known kind. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError'
}

/** Whether a kind can be written in protobuf: all built-in ones can, custom resources cannot. */
export function hasProtobuf(apiVersion: string, kind: string): boolean {
  return messageTypeOf(apiVersion, kind) !== undefined
}

/**
 * Writes an object as `runtime.Unknown {1 TypeMeta, 2 raw, 3 contentEncoding, 4 contentType}` behind its prefix.
 *
 * @throws ProtobufError when there is no message for the object's kind
 */
export function encodeProtobuf(object: JsonObject): Uint8Array {
  const apiVersion = String(object['apiVersion'] ?? '')
  const kind = String(object['kind'] ?? '')
  const type = messageTypeOf(apiVersion, kind)
  if (type === undefined) throw new ProtobufError(`no protobuf message for ${apiVersion} ${kind}`)
  const writer = new BinaryWriter()
  writer.tag(1, WireType.LengthDelimited).fork()
  writer.tag(1, WireType.LengthDelimited).string(apiVersion)
  writer.tag(2, WireType.LengthDelimited).string(kind)
  writer.join()
  writer.tag(2, WireType.LengthDelimited).fork()
  writeMessage(writer, type, object)
  writer.join()
  writer.tag(3, WireType.LengthDelimited).string('')
  writer.tag(4, WireType.LengthDelimited).string('')
  return concat(PREFIX, writer.finish())
}

/**
 * Reads what {@link encodeProtobuf} or Go wrote. `fallback` names the kind where the envelope does not, as in the
 * options of a delete.
 *
 * @throws ProtobufError when the prefix is missing, the message is cut off, or its kind is unknown
 */
export function decodeProtobuf(
  bytes: Uint8Array,
  fallback?: { readonly apiVersion: string; readonly kind: string },
): Record<string, unknown> {
  if (bytes.length === 0) throw new ProtobufError('empty data')
  if (!PREFIX.every((byte, i) => bytes[i] === byte))
    throw new ProtobufError(
      `provided data does not appear to be a protobuf message, expected prefix [${PREFIX.join(' ')}]`,
    )
  let apiVersion = ''
  let kind = ''
  let raw = new Uint8Array(0)
  try {
    readFields(bytes.subarray(PREFIX.length), (number, reader) => {
      if (number === 1) {
        readFields(reader.bytes(), (field, inner) => {
          if (field === 1) apiVersion = inner.string()
          else if (field === 2) kind = inner.string()
          else return false
          return true
        })
      } else if (number === 2) raw = reader.bytes() as Uint8Array<ArrayBuffer>
      else return false
      return true
    })
    apiVersion ||= fallback?.apiVersion ?? ''
    kind ||= fallback?.kind ?? ''
    const type = messageTypeOf(apiVersion, kind)
    if (type === undefined) throw new ProtobufError(`no kind "${kind}" is registered for version "${apiVersion}"`)
    return { apiVersion, kind, ...readMessage(type, raw) }
  } catch (error) {
    if (error instanceof ProtobufError) throw error
    throw new ProtobufError(error instanceof Error ? error.message : String(error))
  }
}

/** One watch event: a length of four bytes, then `WatchEvent {1 type, 2 RawExtension {1 raw}}`, the object in its own envelope. */
export function encodeProtobufFrame(type: string, object: Uint8Array): Uint8Array {
  const writer = new BinaryWriter()
  writer.tag(1, WireType.LengthDelimited).string(type)
  writer.tag(2, WireType.LengthDelimited).fork()
  writer.tag(1, WireType.LengthDelimited).bytes(object)
  writer.join()
  const event = writer.finish()
  const length = new Uint8Array(4)
  new DataView(length.buffer).setUint32(0, event.length)
  return concat(length, event)
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const whole = new Uint8Array(first.length + second.length)
  whole.set(first)
  whole.set(second, first.length)
  return whole
}
