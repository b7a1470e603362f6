import { KVError, type TxnRequest } from './kv.ts'

/** Most bytes that a request may have once it has arrived (etcd: `--max-request-bytes`). */
export const defaultMaxRequestBytes: number = 1.5 * 1024 * 1024

/** Most bytes that the client of etcd sends at all (etcd: `client/v3/options.go: defaultMaxCallSendMsgSize`). */
const maxSendBytes = 2 * 1024 * 1024

/** What etcd adds to a request when it hands it on to its peers. */
const raftOverhead = 14

const encoder = new TextEncoder()

/**
 * Throws what etcd and its client say of a write that is too large. Sizes are those of the JSON; the real API
 * server stores its own kinds as protobuf, which is somewhat smaller.
 * @param maxRequestBytes what etcd takes; Infinity looks only at what its client sends
 */
export function checkRequestSize(request: TxnRequest, maxRequestBytes: number): void {
  const { key, put, expectedRevision } = request
  // Most keys have no more than three bytes per unit, and the frame around them and the value is small.
  const room = Math.min(maxRequestBytes, maxSendBytes) - 9 * key.length - 128
  const length = put?.byteLengthAbove(room)
  if (length === undefined) return
  const keyLength = encoder.encode(key).length
  // The key is compared and written, and read where there is something to compare with; Go ends JSON with a newline.
  const keys = expectedRevision === 0 ? 2 * keyLength : 3 * keyLength + 6
  const size = length + 1 + keys + 25
  if (size > maxSendBytes) {
    const text = `trying to send message larger than max (${size} vs. ${maxSendBytes})`
    throw new KVError('too-large', `rpc error: code = ResourceExhausted desc = ${text}`)
  }
  if (size + raftOverhead > maxRequestBytes) throw new KVError('too-large', 'etcdserver: request is too large')
}
