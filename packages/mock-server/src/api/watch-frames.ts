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

type ChangeType = keyof typeof HEADS

/** One version of an object as a change in one format, kept with the object. */
interface Frame {
  /** The second it was made in, where that makes a difference; else 0. */
  readonly second: number
  readonly bytes: Uint8Array
}

/** Encodes a watch's events in one format. Frames are shared by all watches of that format. */
export class WatchEncoder {
  readonly #resource: Resource
  readonly #format: OutputFormat
  readonly #now: () => number
  #headersSent = false
  /** Under what an object keeps its frames of this format. */
  #keys: Readonly<Record<ChangeType, string>>

  constructor(resource: Resource, format: OutputFormat, now: () => number) {
    this.#resource = resource
    this.#format = format
    this.#now = now
    this.#keys = this.#identify()
  }

  /** Names the format among all others (`pkg/endpoints/handlers/response.go: watchEmbeddedEncoder.Identifier`). */
  #identify(): Readonly<Record<ChangeType, string>> {
    const { convert, includeObject } = this.#format
    const version = `${groupVersion(this.#resource)}${this.#protobuf ? ' protobuf' : ''}`
    const table = convert?.kind === 'Table' ? ` ${includeObject} ${this.#headersSent}` : ''
    const identifier = convert ? `${version} ${convert.kind} ${convert.version}${table}` : version
    const key = (type: ChangeType): string => `${type} ${identifier}`
    return { ADDED: key('ADDED'), MODIFIED: key('MODIFIED'), DELETED: key('DELETED') }
  }

  /** The bytes of an event, with their newline; the same array for every watch of the format. */
  frame(event: WatchEvent): Uint8Array {
    if (event.type === 'ERROR') return this.#assemble('ERROR', { kind: 'Status', apiVersion: 'v1', ...event.status })
    if (event.type === 'BOOKMARK') return this.#bookmark(event.resourceVersion, event.initialEventsEnd)
    const { forms } = event.object
    // Ages in a Table go on growing, so its frames are shared within one second only.
    const second = this.#format.convert?.kind === 'Table' ? Math.floor(this.#now() / 1000) : 0
    const key = this.#keys[event.type]
    let frame = forms.get(key) as Frame | undefined
    if (frame?.second !== second) {
      frame = { second, bytes: this.#changed(event.type, event.object) }
      forms.set(key, frame)
    }
    this.#sent()
    return frame.bytes
  }

  get #protobuf(): boolean {
    return this.#format.mediaType === 'application/vnd.kubernetes.protobuf'
  }

  /** JSON without a transformation goes by the bytes that the object was encoded to once. */
  #changed(type: ChangeType, stored: StoredObject): Uint8Array {
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
    this.#keys = this.#identify()
  }

  #bookmark(resourceVersion: number, initialEventsEnd: boolean): Uint8Array {
    const { kind } = this.#resource
    const annotations = {
      ...this.#resource.strategy.emptyAnnotations,
      ...(initialEventsEnd && { 'k8s.io/initial-events-end': 'true' }),
    }
    const metadata = {
      resourceVersion: String(resourceVersion),
      ...(Object.keys(annotations).length > 0 && { annotations }),
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
