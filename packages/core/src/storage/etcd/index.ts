export type { EtcdTlsOptions } from './connection.ts'
export { EtcdKV, type EtcdKVOptions } from './etcd-kv.ts'
