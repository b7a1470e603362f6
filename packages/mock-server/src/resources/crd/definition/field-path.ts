import type { FieldError } from '@freshread/core'
import { child, invalid, key, nilPath, type FieldPath } from '../field-errors.ts'
import { additionalSchema, propertySchema, type JsonSchemaProps } from '../types.ts'

/** A JSON path found in a schema, or why it is not there. */
export type FoundPath =
  | { readonly path: FieldPath; readonly root: string; readonly schema: JsonSchemaProps | undefined }
  | { readonly error: string }

/**
 * Follows `.spec.x['y']` down a schema, fields and map keys only (`pkg/apiserver/schema/cel: ValidFieldPath`).
 */
export function validFieldPath(jsonPath: string, root: JsonSchemaProps, allowArrayNotation = true): FoundPath {
  const tokens = tokenize(jsonPath)
  let path: FieldPath = nilPath
  let first = ''
  let schema: JsonSchemaProps | undefined = root
  let at = 0
  const step = (name: string): string | undefined => {
    if (schema === undefined) return 'does not refer to a valid field'
    if (schema.properties !== undefined && Object.keys(schema.properties).length > 0) {
      path = child(path, name)
      const property = propertySchema(schema, name)
      if (property === undefined) return 'does not refer to a valid field'
      schema = property
    } else if (schema.additionalProperties !== undefined) {
      path = key(path, name)
      schema = additionalSchema(schema)
    } else return 'does not refer to a valid field'
    if (first === '') first = name
    return undefined
  }
  while (at < tokens.length) {
    const token = tokens[at++]!
    if (token === '[') {
      if (!allowArrayNotation) return { error: 'array notation is not allowed' }
      const quoted = tokens[at++]
      if (quoted === undefined) return { error: 'unexpected end of JSON path' }
      if (quoted.length < 2 || !quoted.startsWith("'") || !quoted.endsWith("'")) {
        return { error: `expected single quoted string but got ${quoted}` }
      }
      const name = unescapeSingleQuote(quoted.slice(1, -1))
      if (typeof name !== 'string') return { error: `invalid string literal: ${name.error}` }
      const error = step(name)
      if (error !== undefined) return { error }
      const close = tokens[at++]
      if (close === undefined) return { error: 'unexpected end of JSON path' }
      if (close !== ']') return { error: `expected ] but got ${close}` }
    } else if (token === '.') {
      const name = tokens[at++]
      if (name === undefined) return { error: 'unexpected end of JSON path' }
      const error = step(name)
      if (error !== undefined) return { error }
    } else return { error: `expected [ or . but got: ${token}` }
  }
  return { path, root: first, schema }
}

/** Delimiters stand alone; a single-quoted string is one token. */
function tokenize(jsonPath: string): string[] {
  const tokens: string[] = []
  let rest = jsonPath
  while (rest !== '') {
    let end = rest.length
    if (rest.startsWith("'")) {
      const close = /[^\\]'/.exec(rest)
      if (close !== null) end = close.index + 2
    } else {
      const delimiter = rest.search(/[.[\]]/)
      if (delimiter === 0) end = 1
      else if (delimiter > 0) end = delimiter
    }
    tokens.push(rest.slice(0, end))
    rest = rest.slice(end)
  }
  return tokens
}

const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
}

function unescapeSingleQuote(text: string): string | { readonly error: string } {
  let error: string | undefined
  const result = text.replace(/\\./g, (match) => {
    const plain = escapes[match[1]!]
    if (plain === undefined) error = `invalid escape char ${match}`
    return plain ?? ''
  })
  return error === undefined ? result : { error }
}

/** The paths of columns and of the `scale` subresource are simple ones. */
export function validateSimpleJsonPath(text: string, path: FieldPath): FieldError[] {
  if (text === '') return [invalid(path, text, 'must not be empty')]
  if (!text.startsWith('.')) return [invalid(path, text, 'must be a simple json path starting with .')]
  return []
}
