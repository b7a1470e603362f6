import type { KubeObject, ListResult, ReadTrace, StoredObject } from '@freshread/core'
import type { Resource } from '../resources/resource.ts'
import { scalePrinter } from '../resources/tables/scale.ts'
import { CHUNK_BYTES, ChunkedBody } from './body-stream.ts'
import { GZIP_THRESHOLD_BYTES, GzipBody } from './compression.ts'
import { newNotAcceptableTransform } from './errors.ts'
import { listBody } from './list-body.ts'
import type { BodyStream, KubeResponse } from './message.ts'
import {
  allCodecs,
  allowsMetadataOnly,
  allowsTransform,
  negotiateOutput,
  type ConvertTarget,
  type Negotiated,
  type TransformRestriction,
} from './negotiation.ts'
import { groupVersion, objectLine, versionedObject } from './object-bytes.ts'
import { acceptsGzip, answerHeaders, type ResponseContext } from './response-context.ts'
import { hasProtobuf } from './protobuf/envelope.ts'
import { encodeValue } from './serialize.ts'
import { serverTiming } from './server-timing.ts'
import { includeObjectOption, partialObjectMetadata, tableOf, type ListMeta, type ShownObject } from './table.ts'

/** How the answers to one request are written: negotiated once, before anything is read or changed. */
export interface OutputFormat extends Negotiated {
  readonly includeObject: ReturnType<typeof includeObjectOption>
}

/** Negotiates how a resource request is answered; throws the 406 Status. */
export function negotiateFormat(context: ResponseContext, resource: Resource): OutputFormat {
  const { accept, 'user-agent': userAgent } = context.requestHeaders
  const transforms = resource.verbs.includes('list') ? allowsTransform : allowsMetadataOnly
  // The metadata of any object has a message, custom resources have none.
  const allows: TransformRestriction = hasProtobuf(groupVersion(resource), resource.kind)
    ? transforms
    : (mediaType, convert) =>
        (mediaType !== 'application/vnd.kubernetes.protobuf' || convert !== undefined) && transforms(mediaType, convert)
  const options = { allows, codecs: allCodecs }
  const negotiated = negotiateOutput({ accept, 'user-agent': userAgent }, context.query, options)
  return { ...negotiated, includeObject: 'Metadata' }
}

/** Options that the answer's transformation takes from the query; a bad one is refused only when it is needed. */
function withTransformOptions(context: ResponseContext, format: OutputFormat): OutputFormat {
  return format.convert?.kind === 'Table' ? { ...format, includeObject: includeObjectOption(context.query) } : format
}

function ok(
  context: ResponseContext,
  status: number,
  format: Negotiated,
  body: Uint8Array | BodyStream,
  options: { readonly bytes: number; readonly trace?: ReadTrace | undefined },
): KubeResponse {
  const timing = options.trace && serverTiming(options.trace)
  const headers = { 'content-type': format.mediaType, ...(timing !== undefined && { 'server-timing': timing }) }
  if (options.bytes <= GZIP_THRESHOLD_BYTES || !acceptsGzip(context)) {
    return { status, headers: answerHeaders(context, headers), body }
  }
  return {
    status,
    headers: answerHeaders(context, { ...headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' }),
    body: new GzipBody(body instanceof Uint8Array ? new ChunkedBody([body]) : body),
  }
}

/** Answers with one stored object, in the version of the resource. */
export function respondObject(
  context: ResponseContext,
  status: number,
  stored: StoredObject,
  resource: Resource,
  options: { readonly format: OutputFormat; readonly trace?: ReadTrace | undefined },
): KubeResponse {
  const { format, trace } = options
  if (format.convert === undefined && format.mediaType === 'application/json' && !format.pretty) {
    const body = objectLine(stored, resource)
    return ok(context, status, format, body, { bytes: body.length, trace })
  }
  const object = versionedObject(stored, resource)
  return respondValue(context, status, object, resource, { ...options, internal: internalObject(stored, resource) })
}

/** The object whose metadata and columns are shown, whichever version is asked for. */
function internalObject(stored: StoredObject, resource: Resource): KubeObject {
  return resource.builtIn ? stored.object : versionedObject(stored, resource)
}

/** Answers with an object that is not stored as it is: a dry run's, a subresource's, a review's. */
export function respondValue(
  context: ResponseContext,
  status: number,
  object: KubeObject,
  resource: Resource,
  options: {
    readonly format: OutputFormat
    readonly trace?: ReadTrace | undefined
    /** The object as it is stored, where that is known. */
    readonly internal?: KubeObject
  },
): KubeResponse {
  const format = withTransformOptions(context, options.format)
  const { internal = storedForm(object, resource) } = options
  const body = encodeValue(transformObject({ object, internal }, resource, format, context.clock.now()), format)
  return ok(context, status, format, body, { bytes: body.length, trace: options.trace })
}

/** The stored form of an object of the resource's kind; others have none. */
function storedForm(object: KubeObject, resource: Resource): KubeObject {
  return resource.builtIn && object.kind === resource.kind ? resource.toStorage(object) : object
}

/** What an object becomes on its way out (`pkg/endpoints/handlers/response.go: doTransformObject`). */
export function transformObject(
  shown: ShownObject,
  resource: Resource,
  format: OutputFormat,
  now: number,
  noHeaders = false,
): unknown {
  const { convert, includeObject } = format
  const { object } = shown
  if (convert === undefined) return object
  if (convert.kind === 'PartialObjectMetadata') return partialObjectMetadata(shown.internal, convert.version)
  if (convert.kind === 'Table') {
    const { resourceVersion } = object.metadata
    const metadata = resourceVersion === undefined ? {} : { resourceVersion }
    const printer = object.kind === 'Scale' && resource.kind !== 'Scale' ? scalePrinter(resource.builtIn) : undefined
    return tableOf([shown], metadata, { resource, target: convert, includeObject, noHeaders, now, printer })
  }
  throw newNotAcceptableTransform(
    `you requested ${convert.kind}, but the requested object is not a list (${goType(resource, '')})`,
  )
}

/** The type that upstream's texts name: an internal one for the built-in kinds. */
function goType(resource: Resource, suffix: string): string {
  return resource.builtIn
    ? `*${internalPackage(resource.group)}.${resource.kind}${suffix}`
    : `*unstructured.Unstructured${suffix}`
}

function internalPackage(group: string): string {
  return group === '' ? 'core' : group.split('.')[0]!
}

function listMeta(list: ListResult): ListMeta {
  return {
    ...(list.resourceVersion !== '' && { resourceVersion: list.resourceVersion }),
    ...(list.continue !== '' && { continue: list.continue }),
    ...(list.remainingItemCount !== undefined && { remainingItemCount: list.remainingItemCount }),
  }
}

/** Lists without a Go type always say where they continue. */
function customListMeta(list: ListResult): ListMeta {
  const { continue: token, remainingItemCount, resourceVersion } = list
  return { continue: token, ...(remainingItemCount !== undefined && { remainingItemCount }), resourceVersion }
}

/**
 * Answers with a list: its head, then the bytes that each item was encoded to once, in large chunks.
 */
export function respondList(
  context: ResponseContext,
  list: ListResult,
  resource: Resource,
  options: { readonly format: OutputFormat; readonly trace?: ReadTrace | undefined },
): KubeResponse {
  const format = withTransformOptions(context, options.format)
  const { trace } = options
  const { convert } = format
  if (convert === undefined && format.mediaType === 'application/json' && !format.pretty) {
    const metadata = resource.builtIn ? listMeta(list) : customListMeta(list)
    // Who keeps the body in memory anyway gets it as one piece.
    const most = context.local === true ? Infinity : CHUNK_BYTES
    const { body, bytes } = listBody(list.items, resource, metadata, most)
    return ok(context, 200, format, body, { bytes, trace })
  }
  const body = encodeValue(transformList(list, resource, convert, format, context.clock.now()), format)
  return ok(context, 200, format, body, { bytes: body.length, trace })
}

function transformList(
  list: ListResult,
  resource: Resource,
  convert: ConvertTarget | undefined,
  format: OutputFormat,
  now: number,
): unknown {
  const metadata = listMeta(list)
  const shown = list.items.map((stored) => ({
    object: versionedObject(stored, resource),
    internal: internalObject(stored, resource),
  }))
  if (convert?.kind === 'PartialObjectMetadata') {
    throw newNotAcceptableTransform(
      `you requested PartialObjectMetadata, but the requested object is a list (${goType(resource, 'List')})`,
    )
  }
  if (convert?.kind === 'PartialObjectMetadataList') {
    const items = shown.map(({ internal }) => partialObjectMetadata(internal, convert.version))
    return {
      kind: 'PartialObjectMetadataList',
      apiVersion: `meta.k8s.io/${convert.version}`,
      metadata,
      items: items.length === 0 ? null : items,
    }
  }
  if (convert)
    return tableOf(shown, metadata, {
      resource,
      target: convert,
      includeObject: format.includeObject,
      list: true,
      now,
    })
  const objects = shown.map(({ object }) => object)
  const head = { kind: resource.listKind, apiVersion: groupVersion(resource), metadata }
  if (!resource.builtIn)
    return { apiVersion: head.apiVersion, items: objects, kind: head.kind, metadata: customListMeta(list) }
  return { ...head, items: objects.map(({ kind: _kind, apiVersion: _apiVersion, ...rest }) => rest) }
}
