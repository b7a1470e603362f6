import { newBadRequest, newRequestEntityTooLarge } from '@freshread/core'
import { duplicateFields, parseGoJson } from '../go/json.ts'
import { parseMergingDuplicates } from './merge-duplicates.ts'
import { MAX_BODY_BYTES, type KubeRequest } from './message.ts'
import { allCodecs, negotiateInput, type MediaType } from './negotiation.ts'
import { decodeProtobuf, ProtobufError } from './protobuf/envelope.ts'
import { parseYAML, readUTF8, YAMLSyntaxError } from './yaml-input.ts'

/** Group, version and kind that a body names; empty where it does not. */
export interface BodyKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** A body that could be read. */
export interface ParsedBody {
  readonly mediaType: MediaType
  readonly value: unknown
  readonly gvk: BodyKind
  /**
   * What strict decoding has against the text itself, in order: `duplicate field "data"` for JSON, one text
   * with a line for each key for YAML. Empty when it was not asked for.
   */
  readonly strictErrors: readonly string[]
}

/** A body that could not be decoded; `message` is Go's text, without the sentence that a 400 puts before it. */
export class DecodeError extends Error {
  override readonly name: string = 'DecodeError'
  /** The kind that the body names, if it could be told. */
  readonly gvk: BodyKind | undefined

  constructor(message: string, gvk?: BodyKind) {
    super(message)
    this.gvk = gvk
  }
}

// A byte order mark is no JSON.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** The body's bytes; throws the 413 Status when there are more than a server takes. */
export function limitedBody(request: Pick<KubeRequest, 'body'>, limit: number = MAX_BODY_BYTES): Uint8Array {
  const body = request.body ?? new Uint8Array()
  if (body.length > limit) throw newRequestEntityTooLarge(`limit is ${limit}`)
  return body
}

/**
 * Reads a request's body as JSON or YAML by its Content-Type. Throws the Statuses for a body that is too
 * large (413) or of another type (415), and a {@link DecodeError} for one that cannot be read.
 *
 * @param strict looks for fields that are there twice
 * @param typed the body is for a Go type, which takes both of two objects under one name
 */
export function parseBody(request: Pick<KubeRequest, 'body' | 'headers'>, strict: boolean, typed = false): ParsedBody {
  const bytes = limitedBody(request)
  const mediaType = negotiateInput(request.headers['content-type'], allCodecs)
  if (mediaType === 'application/vnd.kubernetes.protobuf') {
    const value = readProtobuf(bytes)
    return { mediaType, value, gvk: interpret(value), strictErrors: [] }
  }
  if (mediaType === 'application/yaml') {
    const { value, duplicates } = readYAML(bytes)
    const strictErrors =
      strict && duplicates.length > 0 ? [`${YAML_PREFIX}${duplicates.map((line) => `\n  ${line}`).join('')}`] : []
    return { mediaType, value, gvk: interpret(value), strictErrors }
  }
  const text = decoder.decode(bytes)
  let value: unknown
  try {
    value = parseGoJson(text)
  } catch (error) {
    throw new DecodeError(`${PARSE_PREFIX}${(error as Error).message}`)
  }
  const strictErrors = strict ? duplicateFields(text) : []
  if (typed && strictErrors.length > 0) value = parseMergingDuplicates(text)
  return { mediaType, value, gvk: interpret(value), strictErrors }
}

function readProtobuf(bytes: Uint8Array): unknown {
  try {
    return decodeProtobuf(bytes)
  } catch (error) {
    if (error instanceof ProtobufError) throw new DecodeError(error.message)
    throw error
  }
}

function readYAML(bytes: Uint8Array): ReturnType<typeof parseYAML> {
  try {
    return parseYAML(readUTF8(bytes))
  } catch (error) {
    if (error instanceof YAMLSyntaxError) throw new DecodeError(error.message)
    throw error
  }
}

const PARSE_PREFIX = "couldn't get version/kind; json parse error: "
const YAML_PREFIX = 'yaml: unmarshal errors:'
const GO_TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

/** JSON's name for a value, as Go's type errors have it. */
function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

/** Finds out what a value says it is (`apimachinery: serializer/json/meta.go: Interpret`). */
export function interpret(value: unknown): BodyKind {
  if (value === null || value === undefined) return { group: '', version: '', kind: '' }
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new DecodeError(
      `${PARSE_PREFIX}json: cannot unmarshal ${jsonType(value)} into Go value of type ${GO_TYPE_META}`,
    )
  }
  const { apiVersion, kind } = value as Record<string, unknown>
  for (const [field, part] of [
    ['apiVersion', apiVersion],
    ['kind', kind],
  ] as const) {
    if (part === undefined || part === null || typeof part === 'string') continue
    throw new DecodeError(
      `${PARSE_PREFIX}json: cannot unmarshal ${jsonType(part)} into Go struct field .${field} of type string`,
    )
  }
  return { ...parseGroupVersion((apiVersion as string | undefined) ?? ''), kind: (kind as string | undefined) ?? '' }
}

/** Splits an apiVersion (`apimachinery: schema.ParseGroupVersion`); throws a {@link DecodeError} for more than one slash. */
export function parseGroupVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  if (apiVersion === '' || apiVersion === '/') return { group: '', version: '' }
  const parts = apiVersion.split('/')
  if (parts.length > 2) throw new DecodeError(`unexpected GroupVersion string: ${apiVersion}`)
  return parts.length === 1 ? { group: '', version: parts[0]! } : { group: parts[0]!, version: parts[1]! }
}

/** Fills in what a body does not say of its kind (`serializer/json: gvkWithDefaults`). */
export function kindWithDefaults(actual: BodyKind, defaults: BodyKind): BodyKind {
  const kind = actual.kind === '' ? defaults.kind : actual.kind
  if (actual.version !== '') return { ...actual, kind }
  if (actual.group === '') return { group: defaults.group, version: defaults.version, kind }
  return { group: actual.group, version: actual.group === defaults.group ? defaults.version : '', kind }
}

/**
 * The 400 for a body that could not be decoded (`pkg/endpoints/handlers/rest.go: transformDecodeError`).
 *
 * @param kind the kind that belongs there
 */
export function newDecodeError(
  error: { readonly message: string },
  gvk: BodyKind | undefined,
  kind: string,
  body: Uint8Array,
): Error {
  if (gvk && gvk.kind !== '') {
    const version = JSON.stringify(gvk.version)
    return newBadRequest(`${gvk.kind} in version ${version} cannot be handled as a ${kind}: ${error.message}`)
  }
  return newBadRequest(
    `the object provided is unrecognized (must be of type ${kind}): ${error.message} (${summarizeData(body, 30)})`,
  )
}

function summarizeData(data: Uint8Array, maxLength: number): string {
  if (data.length === 0) return '<empty>'
  const cut = data.subarray(0, maxLength)
  const more = data.length > maxLength ? ' ...' : ''
  if (data[0] === 0x7b) return `${decoder.decode(cut)}${more}`
  return `${Array.from(cut, (byte) => byte.toString(16).padStart(2, '0')).join('')}${more}`
}

/** The text of a strict decoding error (`apimachinery: runtime.NewStrictDecodingError`). */
export function strictDecodingMessage(errors: readonly string[]): string {
  return `strict decoding error: ${errors.join(', ')}`
}

/** What a strict error becomes as warnings: YAML's tells each line by itself (`handlers/rest.go: parseYAMLWarnings`). */
export function strictWarnings(errors: readonly string[]): readonly string[] {
  return errors.flatMap((error) => {
    if (!error.startsWith(YAML_PREFIX)) return [error]
    return error
      .slice(YAML_PREFIX.length)
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
  })
}
