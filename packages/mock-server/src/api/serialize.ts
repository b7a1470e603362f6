import type { Negotiated } from './negotiation.ts'
import { encodeProtobuf } from './protobuf/envelope.ts'
import { toYAML } from './yaml.ts'

const encoder = new TextEncoder()

/** Bytes of a value in a negotiated format; compact JSON ends with a newline, as Go's encoder writes it. */
export function encodeValue(value: unknown, format: Pick<Negotiated, 'mediaType' | 'pretty'>): Uint8Array {
  if (format.mediaType === 'application/vnd.kubernetes.protobuf')
    return encodeProtobuf(value as Readonly<Record<string, unknown>>)
  if (format.mediaType === 'application/yaml') return encoder.encode(toYAML(value))
  return encoder.encode(format.pretty ? JSON.stringify(value, null, 2) : `${JSON.stringify(value)}\n`)
}
