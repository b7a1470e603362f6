import {
  Client,
  credentials,
  Metadata,
  status,
  type ChannelCredentials,
  type ClientDuplexStream,
  type ServiceError,
} from '@grpc/grpc-js'
import { fromJSON, type MethodDefinition, type ServiceDefinition } from '@grpc/proto-loader'
import { delay, systemClock } from '../../clock.ts'
import { KVError } from '../kv.ts'
import { closedError, toKVError } from './errors.ts'
import { etcdProto, type WatchRequest, type WatchResponse } from './proto.ts'

/** TLS to etcd, all PEM. */
export interface EtcdTlsOptions {
  /** Whom to trust; default: the machine's authorities. */
  readonly ca?: Uint8Array
  readonly cert?: Uint8Array
  readonly key?: Uint8Array
}

const services = fromJSON(etcdProto as Parameters<typeof fromJSON>[0], {
  keepCase: true,
  longs: Number,
  enums: String,
  defaults: true,
})

function methodOf(service: string, name: string): MethodDefinition<object, object> {
  return (services[`etcdserverpb.${service}`] as ServiceDefinition)[name] as MethodDefinition<object, object>
}

/** Milliseconds before a read is tried again, as etcd's own client waits. */
const retryWait = 25

const watchMethod = methodOf('Watch', 'Watch')

/** A gRPC connection to one of several equal endpoints. */
export class EtcdConnection {
  readonly #clients: readonly Client[]
  readonly #timeout: number
  #current = 0
  #closed = false

  /**
   * @param endpoints `http://host:port` or `https://host:port`
   * @param timeout milliseconds for one request
   */
  constructor(endpoints: readonly string[], timeout: number, tls: EtcdTlsOptions) {
    if (endpoints.length === 0) throw new TypeError('etcd needs at least one endpoint')
    this.#timeout = timeout
    this.#clients = endpoints.map((endpoint) => connect(endpoint, tls))
  }

  /** Calls a method that only reads: one that the connection broke for is called again, until its time is up. */
  async read<R>(service: string, name: string, request: object, signal: AbortSignal | undefined): Promise<R> {
    const deadline = Date.now() + this.#timeout
    for (;;) {
      try {
        return await this.#call<R>(service, name, request, signal, deadline)
      } catch (error) {
        const unavailable = error instanceof KVError && error.code === 'unavailable'
        if (!unavailable || Date.now() >= deadline) throw error
        await delay(systemClock, retryWait, signal)
      }
    }
  }

  /** Calls a method that changes something, once: nobody can tell whether a broken call has done its work. */
  write<R>(service: string, name: string, request: object, signal: AbortSignal | undefined): Promise<R> {
    return this.#call(service, name, request, signal, Date.now() + this.#timeout)
  }

  /** An abort rejects with its reason, all else with a KVError. */
  #call<R>(
    service: string,
    name: string,
    request: object,
    signal: AbortSignal | undefined,
    deadline: number,
  ): Promise<R> {
    const method = methodOf(service, name)
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(closedError())
      if (signal?.aborted) return reject(signal.reason as Error)
      const answered = (error: ServiceError | null, response?: object): void => {
        signal?.removeEventListener('abort', abort)
        if (error === null) return resolve(response as R)
        if (error.code === status.UNAVAILABLE) this.#rotate()
        reject(signal?.aborted ? (signal.reason as Error) : this.#closed ? closedError() : toKVError(error))
      }
      const call = this.#clients[this.#current]!.makeUnaryRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        request,
        // Nothing is sent, and so nothing can be half done, before there is a connection.
        new Metadata({ waitForReady: true }),
        { deadline: new Date(deadline) },
        answered,
      )
      const abort = (): void => call.cancel()
      signal?.addEventListener('abort', abort)
    })
  }

  /** Opens a watch stream. It breaks, rather than falls behind, when its server loses the cluster's leader. */
  watchStream(): ClientDuplexStream<WatchRequest, WatchResponse> {
    const metadata = new Metadata({ waitForReady: true })
    metadata.set('hasleader', 'true')
    return this.#clients[this.#current]!.makeBidiStreamRequest(
      watchMethod.path,
      watchMethod.requestSerialize,
      watchMethod.responseDeserialize as (bytes: Uint8Array) => WatchResponse,
      metadata,
    )
  }

  /** Tries the next endpoint from now on. */
  #rotate(): void {
    this.#current = (this.#current + 1) % this.#clients.length
  }

  close(): void {
    this.#closed = true
    for (const client of this.#clients) client.close()
  }
}

function connect(endpoint: string, tls: EtcdTlsOptions): Client {
  let url: URL
  try {
    url = new URL(endpoint)
  } catch (cause) {
    throw new TypeError(`not an etcd endpoint: ${JSON.stringify(endpoint)}`, { cause })
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TypeError(`an etcd endpoint starts with http:// or https://, not ${JSON.stringify(endpoint)}`)
  }
  const address = `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`
  return new Client(address, url.protocol === 'https:' ? secure(tls) : credentials.createInsecure(), {
    // etcd answers what it holds; there is no limit of ours.
    'grpc.max_receive_message_length': -1,
    'grpc.max_send_message_length': -1,
    'grpc.keepalive_time_ms': 30_000,
    'grpc.keepalive_timeout_ms': 10_000,
  })
}

function secure({ ca, cert, key }: EtcdTlsOptions): ChannelCredentials {
  const buffer = (bytes: Uint8Array | undefined): Buffer | null => (bytes === undefined ? null : Buffer.from(bytes))
  return credentials.createSsl(buffer(ca), buffer(key), buffer(cert))
}
