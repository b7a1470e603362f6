export type { EtcdTlsOptions } from './storage/etcd/connection.ts'
export { EtcdKV, type EtcdKVOptions } from './storage/etcd/etcd-kv.ts'
