/*
 * The part of etcd's API that is used here, as protobufjs reads it. Names and numbers are those of etcd's
 * published `rpc.proto` and `kv.proto`; fields that nobody here sends or reads are left out.
 */

interface Field {
  readonly type: string
  readonly id: number
  readonly rule?: 'repeated'
}

interface Message {
  readonly fields: Readonly<Record<string, Field>>
  readonly oneofs?: Readonly<Record<string, { readonly oneof: readonly string[] }>>
}

function message(fields: Readonly<Record<string, readonly [type: string, id: number]>>, union?: string): Message {
  const entries = Object.entries(fields).map(([name, [type, id]]): [string, Field] => {
    return type.endsWith('[]') ? [name, { rule: 'repeated', type: type.slice(0, -2), id }] : [name, { type, id }]
  })
  const oneofs = union === undefined ? undefined : { [union]: { oneof: Object.keys(fields).filter(isUnionMember) } }
  return { fields: Object.fromEntries(entries), ...(oneofs !== undefined && { oneofs }) }
}

function isUnionMember(name: string): boolean {
  return name !== 'result' && name !== 'target' && name !== 'key'
}

function method(name: string, streams = false): Record<string, unknown> {
  return {
    requestType: `${name}Request`,
    responseType: `${name}Response`,
    ...(streams && { requestStream: true, responseStream: true }),
  }
}

const mvccpb = {
  KeyValue: message({
    key: ['bytes', 1],
    create_revision: ['int64', 2],
    mod_revision: ['int64', 3],
    version: ['int64', 4],
    value: ['bytes', 5],
    lease: ['int64', 6],
  }),
  EventType: { values: { PUT: 0, DELETE: 1 } },
  Event: message({ type: ['EventType', 1], kv: ['KeyValue', 2], prev_kv: ['KeyValue', 3] }),
}

const etcdserverpb = {
  ResponseHeader: message({ revision: ['int64', 3] }),

  RangeRequest: message({
    key: ['bytes', 1],
    range_end: ['bytes', 2],
    limit: ['int64', 3],
    revision: ['int64', 4],
    count_only: ['bool', 9],
  }),
  RangeResponse: message({
    header: ['ResponseHeader', 1],
    kvs: ['mvccpb.KeyValue[]', 2],
    more: ['bool', 3],
    count: ['int64', 4],
  }),
  PutRequest: message({ key: ['bytes', 1], value: ['bytes', 2], lease: ['int64', 3] }),
  DeleteRangeRequest: message({ key: ['bytes', 1] }),
  RequestOp: message(
    {
      request_range: ['RangeRequest', 1],
      request_put: ['PutRequest', 2],
      request_delete_range: ['DeleteRangeRequest', 3],
    },
    'request',
  ),
  ResponseOp: message({ response_range: ['RangeResponse', 1] }),
  CompareResult: { values: { EQUAL: 0, GREATER: 1, LESS: 2, NOT_EQUAL: 3 } },
  CompareTarget: { values: { VERSION: 0, CREATE: 1, MOD: 2, VALUE: 3, LEASE: 4 } },
  Compare: message(
    { result: ['CompareResult', 1], target: ['CompareTarget', 2], key: ['bytes', 3], mod_revision: ['int64', 6] },
    'target_union',
  ),
  TxnRequest: message({ compare: ['Compare[]', 1], success: ['RequestOp[]', 2], failure: ['RequestOp[]', 3] }),
  TxnResponse: message({ header: ['ResponseHeader', 1], succeeded: ['bool', 2], responses: ['ResponseOp[]', 3] }),
  CompactionRequest: message({ revision: ['int64', 1] }),
  CompactionResponse: message({ header: ['ResponseHeader', 1] }),

  WatchRequest: message(
    {
      create_request: ['WatchCreateRequest', 1],
      cancel_request: ['WatchCancelRequest', 2],
      progress_request: ['WatchProgressRequest', 3],
    },
    'request_union',
  ),
  WatchCreateRequest: message({
    key: ['bytes', 1],
    range_end: ['bytes', 2],
    start_revision: ['int64', 3],
    progress_notify: ['bool', 4],
    prev_kv: ['bool', 6],
    watch_id: ['int64', 7],
  }),
  WatchCancelRequest: message({ watch_id: ['int64', 1] }),
  WatchProgressRequest: message({}),
  WatchResponse: message({
    header: ['ResponseHeader', 1],
    watch_id: ['int64', 2],
    created: ['bool', 3],
    canceled: ['bool', 4],
    compact_revision: ['int64', 5],
    cancel_reason: ['string', 6],
    events: ['mvccpb.Event[]', 11],
  }),

  LeaseGrantRequest: message({ TTL: ['int64', 1], ID: ['int64', 2] }),
  LeaseGrantResponse: message({ header: ['ResponseHeader', 1], ID: ['int64', 2], TTL: ['int64', 3] }),
  StatusRequest: message({}),
  StatusResponse: message({ header: ['ResponseHeader', 1], version: ['string', 2] }),

  KV: {
    methods: {
      Range: method('Range'),
      Txn: method('Txn'),
      Compact: method('Compaction'),
    },
  },
  Watch: { methods: { Watch: method('Watch', true) } },
  Lease: { methods: { LeaseGrant: method('LeaseGrant') } },
  Maintenance: { methods: { Status: method('Status') } },
}

/** The descriptor, in protobufjs' JSON form. */
export const etcdProto: { nested: Record<string, unknown> } = {
  nested: { mvccpb: { nested: mvccpb }, etcdserverpb: { nested: etcdserverpb } },
}

/* What the messages look like once decoded; 64-bit numbers come as numbers. */

export interface ProtoKeyValue {
  readonly key: Uint8Array
  readonly create_revision: number
  readonly mod_revision: number
  readonly version: number
  readonly value: Uint8Array
  readonly lease: number
}

interface ResponseHeader {
  readonly revision: number
}

export interface RangeResponse {
  readonly header: ResponseHeader
  readonly kvs: readonly ProtoKeyValue[]
  readonly more: boolean
  readonly count: number
}

export interface TxnResponse {
  readonly header: ResponseHeader
  readonly succeeded: boolean
  readonly responses: readonly { readonly response_range?: RangeResponse | null }[]
}

export interface ProtoEvent {
  readonly type: 'PUT' | 'DELETE'
  readonly kv: ProtoKeyValue
  readonly prev_kv: ProtoKeyValue | null
}

export interface WatchResponse {
  readonly header: ResponseHeader
  readonly watch_id: number
  readonly created: boolean
  readonly canceled: boolean
  readonly compact_revision: number
  readonly cancel_reason: string
  readonly events: readonly ProtoEvent[]
}

export interface LeaseGrantResponse {
  readonly ID: number
}

export interface StatusResponse {
  readonly version: string
}

/** What is sent on a watch stream. */
export type WatchRequest =
  | { readonly create_request: Readonly<Record<string, unknown>> }
  | { readonly cancel_request: { readonly watch_id: number } }
  | { readonly progress_request: Record<string, never> }
