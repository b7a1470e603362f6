import type { StoredObject } from '@freshread/core'
import type { Resource } from '../resources/resource.ts'
import { CHUNK_BYTES, ChunkedBody } from './body-stream.ts'
import type { BodyStream } from './message.ts'
import { groupVersion, ITEM_OPEN, listItemBytes } from './object-bytes.ts'
import type { ListMeta } from './table.ts'

const encoder = new TextEncoder()
const COMMA = 0x2c

/**
 * A list's JSON: its head, then the bytes that each item was encoded to once.
 *
 * @param most a list of more bytes is streamed
 */
export function listBody(
  list: readonly StoredObject[],
  resource: Resource,
  metadata: ListMeta,
  most: number = CHUNK_BYTES,
): { readonly body: Uint8Array | BodyStream; readonly bytes: number } {
  const apiVersion = JSON.stringify(groupVersion(resource))
  const kind = JSON.stringify(resource.listKind)
  const meta = JSON.stringify(metadata)
  const head = encoder.encode(
    resource.builtIn
      ? `{"kind":${kind},"apiVersion":${apiVersion},"metadata":${meta},"items":[`
      : `{"apiVersion":${apiVersion},"items":[`,
  )
  const tail = encoder.encode(resource.builtIn ? ']}\n' : `],"kind":${kind},"metadata":${meta}}\n`)
  const items: Uint8Array[] = []
  let bytes = head.length + tail.length + Math.max(0, list.length - 1)
  for (const stored of list) {
    const item = listItemBytes(stored, resource)
    items.push(item)
    bytes += item.length + 1
  }
  if (bytes > most) return { body: new ChunkedBody(chunks(head, items, tail, bytes), giveBack), bytes }
  const whole = new Uint8Array(bytes)
  whole.set(head)
  whole.set(tail, fill(whole, head.length, items, 0).length)
  return { body: whole, bytes }
}

/** Writes items from `from` on, as many as there is room for. */
function fill(
  target: Uint8Array,
  start: number,
  items: readonly Uint8Array[],
  from: number,
): { readonly next: number; readonly length: number } {
  let at = start
  let next = from
  for (; next < items.length; next++) {
    const item = items[next]!
    if (at > 0 && at + item.length + 2 > target.length) break
    if (next > 0) target[at++] = COMMA
    target[at++] = ITEM_OPEN
    target.set(item, at)
    at += item.length
  }
  return { next, length: at }
}

function* chunks(
  head: Uint8Array,
  items: readonly Uint8Array[],
  tail: Uint8Array,
  bytes: number,
): Generator<Uint8Array, void> {
  yield head
  let left = bytes - head.length - tail.length
  for (let next = 0; next < items.length;) {
    // An item that is larger than a chunk gets one of its own size.
    const needed = items[next]!.length + 2
    const usual = Math.min(left, CHUNK_BYTES)
    const chunk = needed > usual ? new Uint8Array(needed) : (spare.pop() ?? new Uint8Array(usual))
    const filled = fill(chunk, 0, items, next)
    next = filled.next
    left -= filled.length
    yield chunk.subarray(0, filled.length)
  }
  yield tail
}

/** Chunks that were sent. To fill one of them again costs a fraction of what fresh memory does. */
const spare: Uint8Array[] = []
const MOST_SPARE = 16

function giveBack({ buffer }: Uint8Array): void {
  // Others than those of the usual size are no chunks of ours to keep.
  if (buffer.byteLength === CHUNK_BYTES && spare.length < MOST_SPARE) spare.push(new Uint8Array(buffer))
}
