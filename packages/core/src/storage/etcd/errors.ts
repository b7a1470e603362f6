import { status, type ServiceError } from '@grpc/grpc-js'
import { KVError, type KVErrorCode } from '../kv.ts'

/** What etcd's texts mean, where the gRPC code alone does not say it. */
const byText: Readonly<Record<string, KVErrorCode>> = {
  'etcdserver: mvcc: required revision has been compacted': 'compacted',
  'etcdserver: mvcc: required revision is a future revision': 'future-revision',
  'etcdserver: request is too large': 'too-large',
  'etcdserver: request timed out': 'timeout',
}

const byCode: Readonly<Partial<Record<status, KVErrorCode>>> = {
  [status.UNAVAILABLE]: 'unavailable',
  [status.DEADLINE_EXCEEDED]: 'timeout',
}

/** The KV's error for what gRPC reports, with etcd's text. */
export function toKVError(error: Pick<ServiceError, 'code' | 'details'>): KVError {
  const { code, details } = error
  return new KVError(byText[details] ?? byCode[code] ?? 'other', details, { cause: error })
}

export function closedError(): KVError {
  return new KVError('closed', 'the store is closed')
}
