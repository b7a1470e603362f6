import type { KubeObject, Status, StoredObject, WatchEvent } from '@freshread/core'
import type { Resource } from '../resources/resource.ts'
import { concatBytes } from './body-stream.ts'
import { transformObject, type OutputFormat } from './encode.ts'
import { groupVersion, objectBytes, versionedObject } from './object-bytes.ts'

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
    const version = groupVersion(this.#resource)
    if (!convert) return version
    const table = convert.kind === 'Table' ? ` ${includeObject} ${this.#headersSent}` : ''
    return `${version} ${convert.kind} ${convert.version}${table}`
  }

  /** The bytes of an event, with their newline; the same array for every watch of the format. */
  frame(event: WatchEvent): Uint8Array {
    if (event.type === 'ERROR') return encodeErrorFrame(event.status)
    if (event.type === 'BOOKMARK') return this.#bookmark(event.resourceVersion, event.initialEventsEnd)
    // Ages in a Table go on growing, so its frames are shared within one second only.
    const second = this.#format.convert?.kind === 'Table' ? ` ${Math.floor(this.#now() / 1000)}` : ''
    const key = `${event.type} ${this.#identifier}${second}`
    let byKey = frames.get(event.object)
    if (!byKey) frames.set(event.object, (byKey = new Map()))
    let bytes = byKey.get(key)
    if (!bytes) {
      bytes = concatBytes([HEADS[event.type], this.#object(event.object), TAIL])
      // One Table frame per format is enough to keep: the newest.
      if (second !== '')
        for (const old of byKey.keys()) if (old.startsWith(`${event.type} ${this.#identifier} `)) byKey.delete(old)
      byKey.set(key, bytes)
    }
    this.#sent()
    return bytes
  }

  #object(stored: StoredObject): Uint8Array {
    if (!this.#format.convert) return objectBytes(stored, this.#resource)
    return encoder.encode(JSON.stringify(this.#transform(versionedObject(stored, this.#resource))))
  }

  #transform(object: KubeObject): unknown {
    return transformObject(object, this.#resource, this.#format, this.#now(), this.#headersSent)
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
    const bytes = encoder.encode(`${JSON.stringify({ type: 'BOOKMARK', object: this.#transform(object) })}\n`)
    this.#sent()
    return bytes
  }
}

/** An ERROR event; errors are never transformed. */
export function encodeErrorFrame(status: Status): Uint8Array {
  const object = { kind: 'Status', apiVersion: 'v1', ...status }
  return encoder.encode(`${JSON.stringify({ type: 'ERROR', object })}\n`)
}
