import type { KeyValue, KVEvent } from '../kv.ts'
import { StoredValue } from '../value.ts'
import type { ProtoEvent, ProtoKeyValue } from './proto.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** A key as etcd has it. */
export function keyBytes(key: string): Uint8Array {
  return encoder.encode(key)
}

/** The end of the range of all keys that start so: the last byte that can be is incremented. */
export function prefixEndBytes(prefix: string): Uint8Array {
  const bytes = encoder.encode(prefix)
  for (let last = bytes.length - 1; last >= 0; last--) {
    if (bytes[last] === 0xff) continue
    bytes[last]!++
    return bytes.slice(0, last + 1)
  }
  // All keys there are.
  return Uint8Array.of(0)
}

export function toKeyValue(kv: ProtoKeyValue): KeyValue {
  return {
    key: decoder.decode(kv.key),
    value: kv.value.length === 0 ? StoredValue.empty : StoredValue.fromBytes(kv.value),
    createRevision: revisionOf(kv.create_revision),
    modRevision: revisionOf(kv.mod_revision),
    version: kv.version,
    lease: kv.lease,
  }
}

export function toEvent(event: ProtoEvent): KVEvent {
  return {
    type: event.type === 'PUT' ? 'put' : 'delete',
    kv: toKeyValue(event.kv),
    previous: event.prev_kv === null ? undefined : toKeyValue(event.prev_kv),
  }
}

/** Revisions are numbers here: one that a number cannot hold exactly must not pass unnoticed. */
export function revisionOf(revision: number): number {
  if (!Number.isSafeInteger(revision)) throw new RangeError(`etcd's revision ${revision} is not a safe integer`)
  return revision
}
