import type { KubeObject, StoredObject, WatchEvent } from '@freshread/core'
import type { Resource } from '../resources/resource.ts'
import { concatBytes } from './body-stream.ts'
import { transformObject, type OutputFormat } from './encode.ts'
import { groupVersion, objectBytes, versionedObject } from './object-bytes.ts'
import { encodeProtobuf, encodeProtobufFrame } from './protobuf/envelope.ts'

const encoder = new TextEncoder()
const HEADS = {
  ADDED: encoder.encode('{"type":"ADDED","object":'),
  MODIFIED: encoder.encode('{"type":"MODIFIED","object":'),
  DELETED: encoder.encode('{"type":"DELETED","object":'),
}
const TAIL = encoder.encode('}\n')

/** Frames of one version of an object by format; they live as long as it does. */
const frames = new WeakMap<StoredObject, Map<string, Uint8Array>>()

/** Encodes a watch's events in one format. Frames are shared by all watches of that format. */
export class WatchEncoder {
  readonly #resource: Resource
  readonly #format: OutputFormat
  readonly #now: () => number
  #headersSent = false
  #identifier: string

  constructor(resource: Resource, format: OutputFormat, now: () => number) {
    this.#resource = resource
    this.#format = format
    this.#now = now
    this.#identifier = this.#identify()
  }

  /** Names the format among all others (`pkg/endpoints/handlers/response.go: watchEmbeddedEncoder.Identifier`). */
  #identify(): string {
    const { convert, includeObject } = this.#format
    const version = `${groupVersion(this.#resource)}${this.#protobuf ? ' protobuf' : ''}`
    if (!convert) return version
    const table = convert.kind === 'Table' ? ` ${includeObject} ${this.#headersSent}` : ''
    return `${version} ${convert.kind} ${convert.version}${table}`
  }

  /** The bytes of an event, with their newline; the same array for every watch of the format. */
  frame(event: WatchEvent): Uint8Array {
    if (event.type === 'ERROR') return this.#assemble('ERROR', { kind: 'Status', apiVersion: 'v1', ...event.status })
    if (event.type === 'BOOKMARK') return this.#bookmark(event.resourceVersion, event.initialEventsEnd)
    // Ages in a Table go on growing, so its frames are shared within one second only.
    const second = this.#format.convert?.kind === 'Table' ? ` ${Math.floor(this.#now() / 1000)}` : ''
    const key = `${event.type} ${this.#identifier}${second}`
    let byKey = frames.get(event.object)
    if (!byKey) frames.set(event.object, (byKey = new Map()))
    let bytes = byKey.get(key)
    if (!bytes) {
      bytes = this.#changed(event.type, event.object)
      // One Table frame per format is enough to keep: the newest.
      if (second !== '')
        for (const old of byKey.keys()) if (old.startsWith(`${event.type} ${this.#identifier} `)) byKey.delete(old)
      byKey.set(key, bytes)
    }
    this.#sent()
    return bytes
  }

  get #protobuf(): boolean {
    return this.#format.mediaType === 'application/vnd.kubernetes.protobuf'
  }

  /** JSON without a transformation goes by the bytes that the object was encoded to once. */
  #changed(type: 'ADDED' | 'MODIFIED' | 'DELETED', stored: StoredObject): Uint8Array {
    if (!this.#format.convert && !this.#protobuf) {
      return concatBytes([HEADS[type], objectBytes(stored, this.#resource), TAIL])
    }
    return this.#assemble(type, this.#transform(versionedObject(stored, this.#resource), stored.object))
  }

  #assemble(type: string, object: unknown): Uint8Array {
    if (this.#protobuf) return encodeProtobufFrame(type, encodeProtobuf(object as Readonly<Record<string, unknown>>))
    return encoder.encode(`${JSON.stringify({ type, object })}\n`)
  }

  #transform(object: KubeObject, stored: KubeObject = object): unknown {
    const internal = this.#resource.builtIn ? stored : object
    return transformObject({ object, internal }, this.#resource, this.#format, this.#now(), this.#headersSent)
  }

  #sent(): void {
    if (this.#headersSent || this.#format.convert?.kind !== 'Table') return
    this.#headersSent = true
    this.#identifier = this.#identify()
  }

  #bookmark(resourceVersion: number, initialEventsEnd: boolean): Uint8Array {
    const { kind } = this.#resource
    const metadata = {
      resourceVersion: String(resourceVersion),
      ...(initialEventsEnd && { annotations: { 'k8s.io/initial-events-end': 'true' } }),
    }
    const object = {
      kind,
      apiVersion: groupVersion(this.#resource),
      metadata,
      ...this.#resource.strategy.emptyObject?.(),
    }
    const bytes = this.#assemble('BOOKMARK', this.#transform(object))
    this.#sent()
    return bytes
  }
}
