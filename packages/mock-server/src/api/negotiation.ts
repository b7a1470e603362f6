import { newNotAcceptable, newUnsupportedMediaType } from '@freshread/core'
import { parseAccept, parseMediaType } from './media-type.ts'
import { firstValue, type Query } from './query.ts'

/** Media types of objects, in the order that errors tell them. */
export const MEDIA_TYPES: readonly string[] = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
]

/** Media types of watches. */
export const STREAM_MEDIA_TYPES: readonly string[] = [
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf;stream=watch',
]

/** How objects are written. */
export type MediaType = 'application/json' | 'application/yaml' | 'application/vnd.kubernetes.protobuf'

/** What `as=…;g=…;v=…` asks an answer to be turned into. */
export interface ConvertTarget {
  readonly kind: string
  readonly group: string
  readonly version: string
}

/** What an Accept header came to. */
export interface Negotiated {
  readonly mediaType: MediaType
  /** Indented for people. */
  readonly pretty: boolean
  readonly convert: ConvertTarget | undefined
}

/** Says whether a transformation is possible where the request goes; `undefined` asks for none. */
export type TransformRestriction = (mediaType: MediaType, convert: ConvertTarget | undefined) => boolean

/** Transformations that every resource offers (`pkg/endpoints/handlers/rest.go: AllowsMediaTypeTransform`). */
export const allowsTransform: TransformRestriction = (mediaType, convert) => {
  if (!convert) return true
  if (convert.group !== 'meta.k8s.io' || (convert.version !== 'v1' && convert.version !== 'v1beta1')) return false
  if (convert.kind === 'Table') return mediaType !== 'application/vnd.kubernetes.protobuf'
  return convert.kind === 'PartialObjectMetadata' || convert.kind === 'PartialObjectMetadataList'
}

/** Reviews and other kinds that are only ever created have no Table. */
export const allowsMetadataOnly: TransformRestriction = (mediaType, convert) =>
  convert?.kind !== 'Table' && allowsTransform(mediaType, convert)

/** No transformation: errors and Statuses. */
export const noTransform: TransformRestriction = (_mediaType, convert) => convert === undefined

/** What negotiation looks at. */
export interface NegotiationInput {
  readonly accept?: string | undefined
  readonly 'user-agent'?: string | undefined
}

const parseBool = (text: string): boolean => ['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)

/** Whether people read the answer (`negotiation.isPrettyPrint`): `?pretty`, else by the user agent. */
export function isPrettyPrint(query: Query, userAgent: string | undefined): boolean {
  const pretty = firstValue(query, 'pretty') ?? ''
  if (pretty !== '') return parseBool(pretty)
  return userAgent !== undefined && /^(?:curl|Wget|Mozilla\/5\.0)/.test(userAgent)
}

interface Options {
  readonly allows: TransformRestriction
  /** Media types that there is a codec for; protobuf is only chosen when it is among them. */
  readonly codecs: ReadonlySet<string>
}

/**
 * Chooses how to answer (`negotiation.NegotiateMediaTypeOptions`). Throws the 406 Status when nothing
 * accepted can be served.
 */
export function negotiateOutput(input: NegotiationInput, query: Query, options: Partial<Options> = {}): Negotiated {
  const { allows = allowsTransform, codecs = defaultCodecs } = options
  const header = input.accept ?? ''
  const human = isPrettyPrint(query, input['user-agent'])
  if (header === '') return { mediaType: 'application/json', pretty: human, convert: undefined }
  for (const clause of parseAccept(header)) {
    for (const mediaType of MEDIA_TYPES as readonly MediaType[]) {
      const [type, subType] = mediaType.split('/')
      const matches =
        (clause.type === type && (clause.subType === subType || clause.subType === '*')) ||
        (clause.type === '*' && clause.subType === '*')
      if (!matches || !codecs.has(mediaType)) continue
      const accepted = acceptParams(clause.params, mediaType, allows)
      if (accepted) return { ...accepted, pretty: accepted.pretty || human }
    }
  }
  throw newNotAcceptable(MEDIA_TYPES)
}

/** Throws the 406 Status for what a watch cannot be written in, though another answer could (`NegotiateOutputMediaTypeStream`). */
export function assertStreams(format: Pick<Negotiated, 'mediaType'>): void {
  if (format.mediaType === 'application/yaml') throw newNotAcceptable(STREAM_MEDIA_TYPES)
}

const defaultCodecs: ReadonlySet<string> = new Set(['application/json', 'application/yaml'])

/** For what protobuf has messages of: the built-in kinds and Statuses. */
export const allCodecs: ReadonlySet<string> = new Set(MEDIA_TYPES)

function acceptParams(
  params: Readonly<Record<string, string>>,
  mediaType: MediaType,
  allows: TransformRestriction,
): Negotiated | undefined {
  const { as, g, v, stream, sv, pretty } = params
  if (stream !== undefined && stream !== '' && (stream !== 'watch' || mediaType === 'application/yaml'))
    return undefined
  // Resources are served in the version of their meta types; answers without a resource have none.
  if (sv !== undefined && sv !== '' && (sv !== 'v1' || allows === noTransform)) return undefined
  const convert =
    as === undefined && g === undefined && v === undefined
      ? undefined
      : { kind: as ?? '', group: g ?? '', version: v ?? '' }
  if (!allows(mediaType, convert)) return undefined
  return { mediaType, pretty: pretty === '1', convert }
}

/**
 * Chooses how to read a body by its Content-Type (`negotiation.NegotiateInputSerializer`); none counts as
 * JSON. Throws the 415 Status for what cannot be read.
 */
export function negotiateInput(
  contentType: string | undefined,
  codecs: ReadonlySet<string> = defaultCodecs,
): MediaType {
  if (contentType === undefined || contentType === '') return 'application/json'
  const mediaType = parseMediaType(contentType)
  if (mediaType !== undefined && MEDIA_TYPES.includes(mediaType) && codecs.has(mediaType)) return mediaType as MediaType
  throw newUnsupportedMediaType(MEDIA_TYPES)
}
