import { systemClock, type Clock } from '../../clock.ts'
import {
  KVError,
  type GetResult,
  type KV,
  type KVWatch,
  type KVWatchOptions,
  type RangeOptions,
  type RangeResult,
  type TxnRequest,
  type TxnResult,
} from '../kv.ts'
import { checkRequestSize } from '../request-size.ts'
import { EtcdConnection, type EtcdTlsOptions } from './connection.ts'
import { keyBytes, revisionOf, toKeyValue } from './key-values.ts'
import type { LeaseGrantResponse, RangeResponse, StatusResponse, TxnResponse } from './proto.ts'
import { WatchStream } from './watch-stream.ts'

/** Options of an {@link EtcdKV}. */
export interface EtcdKVOptions {
  /** `http://127.0.0.1:2379`; several endpoints of one cluster are tried in turn. */
  readonly endpoints: string | readonly string[]
  readonly tls?: EtcdTlsOptions
  /** Milliseconds for one request, the time to connect included. Default 30 s. */
  readonly timeout?: number
  /** Times reconnection. Default: the machine's clock. */
  readonly clock?: Clock
}

/** A real etcd, version 3.4 or later. Runs in Node only. */
export class EtcdKV implements KV {
  readonly supportsProgress: boolean
  /** etcd's version: `3.7.3`. */
  readonly version: string
  readonly #connection: EtcdConnection
  readonly #watches: WatchStream
  #closed = false

  private constructor(connection: EtcdConnection, clock: Clock, version: string) {
    this.#connection = connection
    this.#watches = new WatchStream(connection, clock)
    this.version = version
    this.supportsProgress = supportsProgress(version)
  }

  /** Connects and asks for the version. Throws a KVError when no etcd answers. */
  static async connect(options: EtcdKVOptions): Promise<EtcdKV> {
    const { endpoints, tls = {}, timeout = 30_000, clock = systemClock } = options
    const list = typeof endpoints === 'string' ? endpoints.split(',') : endpoints
    const connection = new EtcdConnection(list, timeout, tls)
    try {
      const { version } = await connection.read<StatusResponse>('Maintenance', 'Status', {}, undefined)
      return new EtcdKV(connection, clock, version)
    } catch (cause) {
      connection.close()
      const { message, code } = cause as KVError
      throw new KVError(code, `no etcd answers at ${list.join(', ')}: ${message}`, { cause })
    }
  }

  async get(
    key: string,
    options: { readonly revision?: number; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<GetResult> {
    const { revision = 0, signal } = options
    const found = await this.#range({ key: keyBytes(key), revision }, signal)
    const [kv] = found.kvs
    return { revision: revisionOf(found.header.revision), kv: kv === undefined ? undefined : toKeyValue(kv) }
  }

  async range(options: RangeOptions): Promise<RangeResult> {
    const { start, end, revision = 0, limit = 0, countOnly = false, signal } = options
    const request = { key: keyBytes(start), range_end: keyBytes(end), revision, limit, count_only: countOnly }
    const found = await this.#range(request, signal)
    return {
      revision: revisionOf(found.header.revision),
      kvs: found.kvs.map(toKeyValue),
      count: found.count,
      more: found.more,
    }
  }

  #range(request: object, signal: AbortSignal | undefined): Promise<RangeResponse> {
    return this.#connection.read('KV', 'Range', request, signal)
  }

  async txn(request: TxnRequest): Promise<TxnResult> {
    const { expectedRevision, put, lease = 0, signal } = request
    // How much arrives is etcd's own to judge, by its flags.
    checkRequestSize(request, Infinity)
    const key = keyBytes(request.key)
    const change =
      put === undefined ? { request_delete_range: { key } } : { request_put: { key, value: put.bytes, lease } }
    const response = await this.#connection.write<TxnResponse>(
      'KV',
      'Txn',
      {
        compare: [{ result: 'EQUAL', target: 'MOD', key, mod_revision: expectedRevision }],
        success: [change],
        failure: [{ request_range: { key } }],
      },
      signal,
    )
    const revision = revisionOf(response.header.revision)
    if (response.succeeded) return { succeeded: true, revision, current: undefined }
    const kv = response.responses[0]?.response_range?.kvs[0]
    return { succeeded: false, revision, current: kv === undefined ? undefined : toKeyValue(kv) }
  }

  watch(options: KVWatchOptions): KVWatch {
    return { cancel: this.#watches.watch(options) }
  }

  async requestProgress(): Promise<void> {
    this.#watches.requestProgress()
  }

  async compact(revision: number): Promise<void> {
    await this.#connection.write('KV', 'Compact', { revision }, undefined)
  }

  async grantLease(ttlSeconds: number): Promise<number> {
    for (;;) {
      // etcd's own numbers have 63 bits; ours must fit a number.
      const id = 1 + Math.floor(Math.random() * (Number.MAX_SAFE_INTEGER - 1))
      try {
        const request = { TTL: ttlSeconds, ID: id }
        return (await this.#connection.write<LeaseGrantResponse>('Lease', 'LeaseGrant', request, undefined)).ID
      } catch (error) {
        if (!(error instanceof KVError && error.message === 'etcdserver: lease already exists')) throw error
      }
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#watches.close()
    this.#connection.close()
  }
}

/** Earlier ones answer too early, before all is delivered (`pkg/storage/feature: feature_support_checker.go`). */
function supportsProgress(version: string): boolean {
  const parts = /^(\d+)\.(\d+)\.(\d+)/.exec(version)
  if (parts === null) return false
  const [major, minor, patch] = parts.slice(1).map(Number) as [number, number, number]
  if (major !== 3) return major > 3
  return minor > 5 || (minor === 5 && patch >= 13) || (minor === 4 && patch >= 31)
}
