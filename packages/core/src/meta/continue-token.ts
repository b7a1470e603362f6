import { goQuote } from '../errors/go-text.ts'

/*
 * Continue tokens (`pkg/storage/continue.go`): base64url of {"v","rv","start"}. They are opaque to clients,
 * and come back from them, so nothing in one is believed.
 */

const version = 'meta.k8s.io/v1'
const invalidKey = 'continue key is not valid'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** What a continue token says. */
export interface ContinuePosition {
  /** The full key to go on from, itself included. */
  readonly startKey: string
  /** The list's resource version; negative to go on in whatever is there now. Never 0. */
  readonly resourceVersion: bigint
}

/**
 * Makes a token that starts at `key`, which must lie under `keyPrefix`; throws an Error if it does not.
 * @param resourceVersion the list's; negative for the latest state
 */
export function encodeContinue(key: string, keyPrefix: string, resourceVersion: bigint | number): string {
  if (keyPrefix === '' || !key.startsWith(keyPrefix)) {
    throw new Error('unable to encode next field: the key and key prefix do not match')
  }
  const start = goJSONString(key.slice(keyPrefix.length))
  return encodeBase64Url(encoder.encode(`{"v":"${version}","rv":${resourceVersion},"start":${start}}`))
}

/** JSON as Go writes it. */
function goJSONString(text: string): string {
  return JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    (char) => '\\u' + char.charCodeAt(0).toString(16).padStart(4, '0'),
  )
}

/**
 * Reads a token for a list under `keyPrefix`, which ends in a slash. Throws a SyntaxError that says what is
 * wrong; a start that climbs out of the prefix is.
 */
export function decodeContinue(token: string, keyPrefix: string): ContinuePosition {
  const { v, rv, start } = parseToken(token)
  if (v !== version) throw new SyntaxError(`${invalidKey}: server does not recognize this encoded version ${v}`)
  if (rv === 0n) throw new SyntaxError(`${invalidKey}: incorrect encoded start resourceVersion (version ${version})`)
  if (start === '') throw new SyntaxError(`${invalidKey}: encoded start key empty (version ${version})`)
  const path = start.startsWith('/') ? start : `/${start}`
  // Not a clean path: empty, dot or dot-dot segments, or a slash at the end.
  if (path !== '/' && /\/(\.{0,2})(\/|$)/.test(path)) throw new SyntaxError(`${invalidKey}: ${start}`)
  return { startKey: keyPrefix + path.slice(1), resourceVersion: rv }
}

/** A list's end, as it goes into the list's metadata. */
export interface ListContinuation {
  readonly continue: string
  readonly remainingItemCount: number | undefined
}

/**
 * The token after a page (`PrepareContinueToken`), and how many items remain where that can be told.
 * @param itemCount items from this page's start on, this page included
 * @param predicate the list's: with a selector nobody knows how many of the rest match
 */
export function prepareContinueToken(
  lastKey: string,
  keyPrefix: string,
  resourceVersion: bigint | number,
  itemCount: number,
  hasMore: boolean,
  predicate: { readonly empty: boolean; readonly limit: number },
): ListContinuation {
  if (!hasMore) return { continue: '', remainingItemCount: undefined }
  return {
    continue: encodeContinue(lastKey + '\0', keyPrefix, resourceVersion),
    remainingItemCount: predicate.empty ? itemCount - predicate.limit : undefined,
  }
}

interface RawToken {
  readonly v: string
  readonly rv: bigint
  readonly start: string
}

function parseToken(token: string): RawToken {
  const bytes = decodeBase64Url(token)
  let value: unknown
  try {
    value = parseJson(decoder.decode(bytes))
  } catch {
    throw new SyntaxError(`${invalidKey}: ${goJsonError(bytes)}`)
  }
  if (value === null) return { v: '', rv: 0n, start: '' }
  if (typeof value !== 'object' || Array.isArray(value) || value instanceof FractionalNumber) {
    throw new SyntaxError(
      `${invalidKey}: json: cannot unmarshal ${goKind(value)} into Go value of type storage.continueToken`,
    )
  }
  const fields = value as Record<string, unknown>
  return { v: stringField(fields, 'v'), rv: integerField(fields, 'rv'), start: stringField(fields, 'start') }
}

function stringField(fields: Record<string, unknown>, name: string): string {
  const value = fields[name] ?? ''
  if (typeof value !== 'string') throw fieldError(goKind(value), name, 'string')
  return value
}

function integerField(fields: Record<string, unknown>, name: string): bigint {
  const value = fields[name] ?? 0n
  if (typeof value === 'bigint' && BigInt.asIntN(64, value) === value) return value
  const number = typeof value === 'bigint' || value instanceof FractionalNumber
  const shown = number ? `number ${value}` : goKind(value)
  throw fieldError(shown, name, 'int64')
}

function fieldError(got: string, name: string, wanted: string): SyntaxError {
  return new SyntaxError(
    `${invalidKey}: json: cannot unmarshal ${got} into Go struct field continueToken.${name} of type ${wanted}`,
  )
}

/** A number with a point or an exponent, as it was written. */
class FractionalNumber {
  readonly #source: string

  constructor(source: string) {
    this.#source = source
  }

  toString(): string {
    return this.#source
  }
}

/** JSON.parse with whole numbers as bigint: a revision can be larger than a number holds exactly. */
function parseJson(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
    if (typeof value !== 'number') return value
    const source = context?.source ?? String(value)
    return /^-?[0-9]+$/.test(source) ? BigInt(source) : new FractionalNumber(source)
  })
}

function goKind(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'bigint' || value instanceof FractionalNumber ? 'number' : typeof value
}

/** What Go's decoder says of broken JSON, for the ways in which a token usually is broken. */
function goJsonError(bytes: Uint8Array): string {
  const first = bytes.find((byte) => !' \t\r\n'.includes(String.fromCharCode(byte)))
  const char = first === undefined ? '' : String.fromCharCode(first)
  if (char === '' || '[{"-0123456789tfn'.includes(char)) return 'unexpected end of JSON input'
  // Go shows the byte as the character of that number.
  const shown = char === "'" ? "\\'" : goQuote(char).slice(1, -1)
  return `invalid character '${shown}' looking for beginning of value`
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

function encodeBase64Url(bytes: Uint8Array): string {
  let out = ''
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i
    const bits = (bytes[i]! << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0)
    out += alphabet[bits >> 18]! + alphabet[(bits >> 12) & 63]!
    if (left > 1) out += alphabet[(bits >> 6) & 63]!
    if (left > 2) out += alphabet[bits & 63]!
  }
  return out
}

/** Without padding, line breaks left out, and with Go's error, which names the byte where it stopped. */
function decodeBase64Url(text: string): Uint8Array {
  const bytes = encoder.encode(text)
  const out: number[] = []
  let bits = 0
  let digits = 0
  for (const [i, byte] of bytes.entries()) {
    if (byte === 10 || byte === 13) continue
    const digit = alphabet.indexOf(String.fromCharCode(byte))
    if (digit < 0) throw illegalBase64(i)
    bits = (bits << 6) | digit
    if (++digits === 4) {
      out.push(bits >> 16, (bits >> 8) & 255, bits & 255)
      bits = digits = 0
    }
  }
  if (digits === 1) throw illegalBase64(bytes.length - 1)
  if (digits === 2) out.push(bits >> 4)
  if (digits === 3) out.push(bits >> 10, (bits >> 2) & 255)
  return Uint8Array.from(out)
}

function illegalBase64(at: number): SyntaxError {
  return new SyntaxError(`${invalidKey}: illegal base64 data at input byte ${at}`)
}
