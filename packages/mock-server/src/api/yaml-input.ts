import {
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  type Alias,
  type Document,
  type ParsedNode,
  type YAMLMap,
  type YAMLParseError,
} from 'yaml'

/** A text that is not YAML, told in the words of Go's YAML library: `yaml: line 3: …`. */
export class YAMLSyntaxError extends Error {
  override readonly name: string = 'YAMLSyntaxError'
}

/** What a YAML text came to. */
export interface ParsedYAML {
  /** As JSON has it: keys are strings, times too. */
  readonly value: unknown
  /** `line 7: key "a" already set in map`, in order. */
  readonly duplicates: readonly string[]
}

/** Readings of YAML 1.1 that Go's library does not know: `12:30` and `2001-01-01` stay strings. */
const NOT_IN_GO = /timestamp|time/i

/**
 * Reads the first document of a YAML text as `sigs.k8s.io/yaml` does: YAML 1.1 booleans (`on`, `y`), octal
 * numbers, merge keys. Of a key that is there twice the last value counts. Throws a {@link YAMLSyntaxError}.
 */
export function parseYAML(text: string): ParsedYAML {
  try {
    return readDocument(text)
  } catch (error) {
    if (error instanceof YAMLSyntaxError) throw error
    // Brackets by the thousand overflow the parser's stack.
    if (error instanceof TooDeepError && error.line > 1) {
      throw new YAMLSyntaxError(`yaml: line ${error.line}: exceeded max depth of ${MAX_DEPTH}`)
    }
    if (error instanceof RangeError || error instanceof TooDeepError) throw new YAMLSyntaxError(TOO_DEEP)
    throw new YAMLSyntaxError(`yaml: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const TOO_DEEP = 'yaml: exceeded max depth of 10000'

class TooDeepError extends Error {
  readonly line: number

  constructor(line: number) {
    super(TOO_DEEP)
    this.line = line
  }
}

const MAX_DEPTH = 10_000

/** Reads text that must be UTF-8. Throws a {@link YAMLSyntaxError} in libyaml's words. */
export function readUTF8(bytes: Uint8Array): string {
  try {
    return strictDecoder.decode(bytes)
  } catch {
    throw new YAMLSyntaxError(`yaml: ${utf8Error(bytes)}`)
  }
}

const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** What is wrong with bytes that are known not to be UTF-8 (`readerc.go: yaml_parser_update_buffer`). */
function utf8Error(bytes: Uint8Array): string {
  for (let i = 0; i < bytes.length;) {
    const first = bytes[i]!
    const width = first < 0x80 ? 1 : first >= 0xc0 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : 4
    if ((first >= 0x80 && first < 0xc0) || first >= 0xf8) return 'invalid leading UTF-8 octet'
    if (i + width > bytes.length) return 'incomplete UTF-8 octet sequence'
    for (let k = 1; k < width; k++) if ((bytes[i + k]! & 0xc0) !== 0x80) return 'invalid trailing UTF-8 octet'
    i += width
  }
  return 'invalid Unicode character'
}

/** Brackets that are open at once; those in quotes count too, which no sane text has so many of. */
function assertShallow(text: string): void {
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x5b || code === 0x7b) {
      if (++depth > MAX_DEPTH) throw new TooDeepError(text.slice(0, i).split('\n').length)
    } else if ((code === 0x5d || code === 0x7d) && depth > 0) depth--
  }
}

// oxlint-disable-next-line no-control-regex
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ufffe\uffff]/

function readDocument(text: string): ParsedYAML {
  if (CONTROL.test(text)) throw new YAMLSyntaxError('yaml: control characters are not allowed')
  assertShallow(text)
  const lines = new LineCounter()
  const documents = parseAllDocuments(text, {
    schema: 'yaml-1.1',
    merge: true,
    uniqueKeys: false,
    lineCounter: lines,
    customTags: (tags) =>
      tags.filter((tag) => typeof tag === 'string' || !NOT_IN_GO.test(`${tag.tag} ${String(tag.format ?? '')}`)),
  })
  if (!Array.isArray(documents) || documents.length === 0) return { value: null, duplicates: [] }
  const document = documents[0] as Document.Parsed
  const error = document.errors[0]
  if (error?.code === 'RESOURCE_EXHAUSTION') throw new TooDeepError(1)
  if (error && /^Flow (sequence|map)/.test(error.message)) {
    const at = error.pos[0]
    const close = error.message.startsWith('Flow map') ? '}' : ']'
    const isEnd = at >= text.trimEnd().length
    throw new YAMLSyntaxError(unendedFlow(isEnd ? text : text.slice(0, at), close, isEnd))
  }
  if (error) throw new YAMLSyntaxError(goError(error, errorLine(error, document.errors[1])))
  const reader = new Reader(document, lines)
  return { value: reader.value(document.contents), duplicates: reader.duplicates }
}

/** Turns nodes into JSON values, with an eye on aliases: a small text must not become a large object. */
class Reader {
  readonly duplicates: string[] = []
  readonly #document: Document.Parsed
  readonly #lines: LineCounter
  readonly #open = new Set<ParsedNode>()
  #nodes = 0
  /** Of them, those that aliases brought in. */
  #aliased = 0

  constructor(document: Document.Parsed, lines: LineCounter) {
    this.#document = document
    this.#lines = lines
  }

  value(node: ParsedNode | null): unknown {
    this.#count()
    if (node === null) return null
    if (isAlias(node)) return this.#alias(node)
    if (isSeq(node)) return node.items.map((item) => this.value(item as ParsedNode))
    if (isMap(node)) return this.#map(node)
    return isScalar(node) ? scalarValue(node.value, node.source) : null
  }

  #alias(node: Alias.Parsed): unknown {
    const target = node.resolve(this.#document) as ParsedNode | undefined
    if (!target) throw new YAMLSyntaxError(`yaml: unknown anchor '${node.source}' referenced`)
    if (this.#open.has(target)) throw new YAMLSyntaxError(`yaml: anchor '${node.source}' value contains itself`)
    this.#open.add(target)
    const value = this.value(target)
    this.#open.delete(target)
    return value
  }

  /** The larger a document becomes, the less of it may come from aliases (`decode.go: allowedAliasRatio`). */
  #count(): void {
    this.#nodes++
    if (this.#open.size > 0) this.#aliased++
    if (this.#aliased <= 100 || this.#nodes <= 1000) return
    const [low, high] = [400_000, 4_000_000]
    const over = Math.min(1, Math.max(0, (this.#nodes - low) / (high - low)))
    if (this.#aliased / this.#nodes > 0.99 - 0.89 * over) {
      throw new YAMLSyntaxError('yaml: document contains excessive aliasing')
    }
  }

  #map(node: YAMLMap.Parsed): unknown {
    const merged: Record<string, unknown> = {}
    const own: Record<string, unknown> = {}
    const seen = new Set<string>()
    for (const pair of node.items) {
      if (!isPair(pair)) continue
      const key = this.value(pair.key as ParsedNode)
      const value = this.value(pair.value as ParsedNode | null)
      if (typeof key === 'symbol') {
        for (const source of Array.isArray(value) ? value : [value]) {
          Object.assign(merged, { ...(source as object), ...merged })
        }
        continue
      }
      const name = keyText(key)
      if (seen.has(name)) {
        const { line } = this.#lines.linePos((pair.key as ParsedNode).range?.[0] ?? 0)
        this.duplicates.push(`line ${line}: key ${JSON.stringify(key)} already set in map`)
      }
      seen.add(name)
      Object.defineProperty(own, name, { value, enumerable: true, configurable: true, writable: true })
    }
    return Object.keys(merged).length === 0 ? own : { ...merged, ...own }
  }
}

function scalarValue(value: unknown, source: string | undefined): unknown {
  // A lone dot is no number to Go.
  if (typeof value === 'number' && Number.isNaN(value) && source !== undefined && !/nan/i.test(source)) return source
  if (value instanceof Uint8Array) return new TextDecoder().decode(value)
  return typeof value === 'bigint' ? Number(value) : value
}

function keyText(key: unknown): string {
  if (key === null) return 'null'
  if (typeof key === 'object') throw new YAMLSyntaxError(`yaml: invalid map key: ${JSON.stringify(key)}`)
  return String(key)
}

/**
 * Where libyaml notices: its scanner at the end of a key that goes on over several lines, or on the line after a key
 * without a colon; its parser counts lines from zero.
 */
function errorLine(error: YAMLParseError, next: YAMLParseError | undefined): number {
  const [start, end] = error.linePos ?? []
  const line = start?.line ?? 1
  if (error.code === 'BLOCK_AS_IMPLICIT_KEY') {
    const whole = next?.code === 'MULTILINE_IMPLICIT_KEY' ? next.linePos?.[1]?.line : undefined
    return whole ?? end?.line ?? line
  }
  if (isMissingColon(error)) return line + 1
  return PARSER_ERRORS.has(error.code) ? line - 1 : line
}

const PARSER_ERRORS: ReadonlySet<string> = new Set(['BAD_INDENT', 'UNEXPECTED_TOKEN'])

function isMissingColon({ code, message }: YAMLParseError): boolean {
  return code === 'MISSING_CHAR' && message.startsWith('Implicit map keys')
}

/** Brackets that are not closed; libyaml counts the end of a text as the beginning of another line. */
function unendedFlow(before: string, close: string, isEnd: boolean): string {
  const missing = /[[{,:]\s*$/.test(before) ? 'node content' : `',' or '${close}'`
  const line = (isEnd ? before.replace(/\n$/, '') : before).split('\n').length - (isEnd ? 0 : 1)
  return `yaml: ${line < 1 ? '' : `line ${line}: `}did not find expected ${missing}`
}

/** Texts of libyaml for what the parser calls otherwise. */
const GO_TEXTS: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'mapping values are not allowed in this context',
  BAD_DQ_ESCAPE: 'found unknown escape character',
  BAD_SCALAR_START: 'found character that cannot start any token',
  BLOCK_IN_FLOW: 'did not find expected node content',
  MISSING_CHAR: 'found unexpected end of stream',
  TAB_AS_INDENT: 'found character that cannot start any token',
  UNEXPECTED_TOKEN: 'did not find expected key',
  BAD_INDENT: 'did not find expected key',
  BAD_ALIAS: 'did not find expected alphabetic or numeric character',
}

function goError(error: YAMLParseError, line: number): string {
  const { code, message } = error
  let text = GO_TEXTS[code] ?? message.split(' at line ')[0]!
  if (isMissingColon(error)) text = "could not find expected ':'"
  else if (/flow-(seq|map)-end/.test(message)) text = 'did not find expected node content'
  else if (/^(All sequence items|Unexpected \S+ at node end)/.test(message))
    text = "did not find expected '-' indicator"
  // Neither a scanner's first line nor a parser's line zero is told.
  const untold = PARSER_ERRORS.has(code) ? line < 1 : line <= 1
  return untold ? `yaml: ${text}` : `yaml: line ${line}: ${text}`
}
