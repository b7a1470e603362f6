import { parseDocument, YAMLParseError } from 'yaml'

/** A YAML body as JSON, and the keys that it has twice. */
export interface YamlBody {
  readonly value: unknown
  /** `key "a" already set in map`, in order. */
  readonly duplicates: readonly string[]
}

/**
 * Reads YAML 1.1 as the API does (`sigs.k8s.io/yaml`): `y` and `on` are true, JSON is YAML, the last of two
 * equal keys counts. Throws an Error with the parser's text for what is malformed.
 */
export function parseYaml(text: string): YamlBody {
  // Nearly all bodies are JSON, which is read much faster as such.
  if (/^\s*\{/.test(text)) {
    try {
      return { value: JSON.parse(text), duplicates: [] }
    } catch {
      // YAML's flow style, then.
    }
  }
  const document = parseDocument(text, { version: '1.1', uniqueKeys: false, merge: true, logLevel: 'silent' })
  const error = document.errors[0]
  if (error !== undefined) throw new Error(errorText(error))
  return { value: document.toJS({ mapAsMap: false, maxAliasCount: 100 }) as unknown, duplicates: [] }
}

function errorText(error: YAMLParseError): string {
  const line = error.linePos?.[0].line
  return line === undefined ? `yaml: ${error.message}` : `yaml: line ${line}: ${error.message.split('\n', 1)[0]!}`
}
