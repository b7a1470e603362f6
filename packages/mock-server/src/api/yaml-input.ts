import {
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  type Document,
  type ParsedNode,
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
  if (error) throw new YAMLSyntaxError(goError(error.code, error.message, errorLine(error)))
  const duplicates: string[] = []
  try {
    return { value: toJSON(document.contents, document, lines, duplicates), duplicates }
  } catch (cause) {
    if (cause instanceof YAMLSyntaxError) throw cause
    throw new YAMLSyntaxError(`yaml: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}

function toJSON(
  node: ParsedNode | null,
  document: Document.Parsed,
  lines: LineCounter,
  duplicates: string[],
  depth = 0,
): unknown {
  if (depth > 1000) throw new YAMLSyntaxError('yaml: exceeded max depth of 10000')
  if (node === null) return null
  if (isAlias(node)) {
    const target = node.resolve(document)
    if (!target) throw new YAMLSyntaxError(`yaml: unknown anchor '${node.source}' referenced`)
    return toJSON(target as ParsedNode, document, lines, duplicates, depth + 1)
  }
  if (isSeq(node)) return node.items.map((item) => toJSON(item as ParsedNode, document, lines, duplicates, depth + 1))
  if (isScalar(node)) {
    const { value, source } = node
    // A lone dot is no number to Go.
    if (typeof value === 'number' && Number.isNaN(value) && source !== undefined && !/nan/i.test(source)) return source
    if (value instanceof Uint8Array) return new TextDecoder().decode(value)
    return typeof value === 'bigint' ? Number(value) : value
  }
  if (!isMap(node)) return null
  const merged: Record<string, unknown> = {}
  const own: Record<string, unknown> = {}
  const seen = new Set<string>()
  for (const pair of node.items) {
    if (!isPair(pair)) continue
    const key = toJSON(pair.key as ParsedNode, document, lines, duplicates, depth + 1)
    const value = toJSON(pair.value as ParsedNode | null, document, lines, duplicates, depth + 1)
    if (typeof key === 'symbol') {
      for (const source of Array.isArray(value) ? value : [value])
        Object.assign(merged, { ...(source as object), ...merged })
      continue
    }
    const name = keyText(key)
    if (seen.has(name)) {
      const { line } = lines.linePos((pair.key as ParsedNode).range?.[0] ?? 0)
      duplicates.push(`line ${line}: key ${JSON.stringify(key)} already set in map`)
    }
    seen.add(name)
    Object.defineProperty(own, name, { value, enumerable: true, configurable: true, writable: true })
  }
  return Object.keys(merged).length === 0 ? own : { ...merged, ...own }
}

function keyText(key: unknown): string {
  if (key === null) return 'null'
  if (typeof key === 'object') throw new YAMLSyntaxError(`yaml: invalid map key: ${JSON.stringify(key)}`)
  return String(key)
}

/** Where libyaml notices: at the end of a key that goes on over several lines. */
function errorLine(error: YAMLParseError): number {
  const [start, end] = error.linePos ?? []
  return (error.code === 'BLOCK_AS_IMPLICIT_KEY' ? end?.line : undefined) ?? start?.line ?? 1
}

/** Texts of libyaml for what the parser calls otherwise. */
const GO_TEXTS: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'mapping values are not allowed in this context',
  BLOCK_IN_FLOW: 'did not find expected node content',
  MISSING_CHAR: 'found unexpected end of stream',
  TAB_AS_INDENT: 'found character that cannot start any token',
  UNEXPECTED_TOKEN: 'did not find expected key',
  BAD_INDENT: 'did not find expected key',
  BAD_ALIAS: 'did not find expected alphabetic or numeric character',
}

function goError(code: string, message: string, line: number): string {
  const text = GO_TEXTS[code] ?? message.split(' at line ')[0]!
  // The first line is not told.
  return line <= 1 ? `yaml: ${text}` : `yaml: line ${line}: ${text}`
}
