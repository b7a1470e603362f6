import type { Json } from './json.ts'

const encoder = new TextEncoder()

/** Writes one protobuf message; nested messages and strings are length-prefixed. */
class MessageWriter {
  readonly #parts: Uint8Array[] = []
  length = 0

  #push(bytes: Uint8Array): void {
    this.#parts.push(bytes)
    this.length += bytes.length
  }

  #head(field: number, wire: number, value: number): void {
    this.#push(Uint8Array.from([...varint(field * 8 + wire), ...varint(value)]))
  }

  string(field: number, value: unknown): this {
    if (typeof value !== 'string' || value === '') return this
    return this.bytes(field, encoder.encode(value))
  }

  bytes(field: number, bytes: Uint8Array): this {
    this.#head(field, 2, bytes.length)
    this.#push(bytes)
    return this
  }

  strings(field: number, values: unknown): this {
    for (const value of (values as readonly unknown[] | undefined) ?? [])
      this.bytes(field, encoder.encode(String(value)))
    return this
  }

  bool(field: number, value: unknown): this {
    if (value === true) this.#head(field, 0, 1)
    return this
  }

  message(field: number, message: MessageWriter | undefined): this {
    if (!message) return this
    this.#head(field, 2, message.length)
    for (const part of message.#parts) this.#push(part)
    return this
  }

  messages(field: number, messages: Iterable<MessageWriter>): this {
    for (const message of messages) this.message(field, message)
    return this
  }

  finish(): Uint8Array {
    const whole = new Uint8Array(this.length)
    let at = 0
    for (const part of this.#parts) {
      whole.set(part, at)
      at += part.length
    }
    return whole
  }
}

function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80)
    rest = Math.floor(rest / 128)
  }
  bytes.push(rest)
  return bytes
}

const message = (): MessageWriter => new MessageWriter()

const named = (name: string, value: MessageWriter): MessageWriter => message().string(1, name).message(2, value)

/** `Any`: the value as YAML, of which JSON is a part. */
const any = (value: unknown): MessageWriter => message().string(2, `${JSON.stringify(value)}\n`)

function extensions(object: Json): MessageWriter[] {
  return Object.entries(object)
    .filter(([name]) => name.startsWith('x-'))
    .map(([name, value]) => named(name, any(value)))
}

function schema(value: Json): MessageWriter {
  const { items, properties, additionalProperties, type } = value
  const out = message()
    .string(1, value['$ref'])
    .string(2, value['format'])
    .string(4, value['description'])
    .bool(16, value['uniqueItems'])
    .strings(19, value['required'])
    .messages(20, ((value['enum'] ?? []) as readonly unknown[]).map(any))
  if (typeof additionalProperties === 'object')
    out.message(21, message().message(1, schema(additionalProperties as Json)))
  else if (additionalProperties === true) out.message(21, message().bool(2, true))
  if (type !== undefined) out.message(22, message().strings(1, [type]))
  if (items) out.message(23, message().message(1, schema(items as Json)))
  if (properties) {
    const list = Object.entries(properties as Record<string, Json>).map(([name, property]) =>
      named(name, schema(property)),
    )
    out.message(25, message().messages(1, list))
  }
  return out.messages(31, extensions(value))
}

/** `ParametersItem`, around what kind of parameter it is. */
function parameter(value: Json): MessageWriter {
  const { in: place } = value
  if (place === 'body') {
    const body = message()
      .string(1, value['description'])
      .string(2, value['name'])
      .string(3, 'body')
      .bool(4, value['required'])
      .message(5, schema((value['schema'] ?? {}) as Json))
    return message().message(1, message().message(1, body))
  }
  const query = place === 'query'
  const sub = message()
    .bool(1, value['required'])
    .string(2, place)
    .string(3, value['description'])
    .string(4, value['name'])
    .string(query ? 6 : 5, value['type'])
    .bool(query ? 20 : 19, value['uniqueItems'])
  return message().message(1, message().message(2, message().message(query ? 3 : 4, sub)))
}

function responses(value: Record<string, Json>): MessageWriter {
  return message().messages(
    1,
    Object.entries(value).map(([code, answer]) => {
      const response = message().string(1, answer['description'])
      if (answer['schema']) response.message(2, message().message(1, schema(answer['schema'] as Json)))
      return named(code, message().message(1, response))
    }),
  )
}

function operation(value: Json | undefined): MessageWriter | undefined {
  if (!value) return undefined
  return message()
    .strings(1, value['tags'])
    .string(3, value['description'])
    .string(5, value['operationId'])
    .strings(6, value['produces'])
    .strings(7, value['consumes'])
    .messages(8, ((value['parameters'] ?? []) as readonly Json[]).map(parameter))
    .message(9, responses((value['responses'] ?? {}) as Record<string, Json>))
    .strings(10, value['schemes'])
    .messages(13, extensions(value))
}

function pathItem(value: Json): MessageWriter {
  const of = (method: string): MessageWriter | undefined => operation(value[method] as Json | undefined)
  return message()
    .message(2, of('get'))
    .message(3, of('put'))
    .message(4, of('post'))
    .message(5, of('delete'))
    .message(6, of('options'))
    .message(7, of('head'))
    .message(8, of('patch'))
    .messages(9, ((value['parameters'] ?? []) as readonly Json[]).map(parameter))
}

/** Encodes an OpenAPI v2 document as the protobuf that client-go asks for (`gnostic-models: openapiv2/OpenAPIv2.proto`). */
export function encodeOpenApiV2(document: Json): Uint8Array {
  const info = document['info'] as Json
  const paths = Object.entries(document['paths'] as Record<string, Json>).map(([name, item]) =>
    named(name, pathItem(item)),
  )
  const definitions = Object.entries(document['definitions'] as Record<string, Json>).map(([name, item]) =>
    named(name, schema(item)),
  )
  return message()
    .string(1, document['swagger'])
    .message(2, message().string(1, info['title']).string(2, info['version']))
    .message(8, message().messages(2, paths))
    .message(9, message().messages(1, definitions))
    .finish()
}
