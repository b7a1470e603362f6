import type { Source } from './source.ts'

/** Token types in the order of CEL's grammar, which is the order error messages list them in. */
export const tokenTypes = [
  '==',
  '!=',
  'in',
  '<',
  '<=',
  '>=',
  '>',
  '&&',
  '||',
  '[',
  ']',
  '{',
  '}',
  '(',
  ')',
  '.',
  ',',
  '-',
  '!',
  '?',
  ':',
  '+',
  '*',
  '/',
  '%',
  'true',
  'false',
  'null',
  'NUM_FLOAT',
  'NUM_INT',
  'NUM_UINT',
  'STRING',
  'BYTES',
  'IDENTIFIER',
  'ESC_IDENTIFIER',
] as const

export type TokenType = (typeof tokenTypes)[number] | '<EOF>'

export interface Token {
  readonly type: TokenType
  readonly text: string
  readonly offset: number
}

const escape = String.raw`\\[abfnrtv"'\\?${'`'}]|\\[0-3][0-7]{2}|\\[xX][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}`
const stringPattern = [
  String.raw`[rR]"""[^]*?"""`,
  String.raw`[rR]'''[^]*?'''`,
  String.raw`"""(?:${escape}|[^\\])*?"""`,
  String.raw`'''(?:${escape}|[^\\])*?'''`,
  String.raw`[rR]"[^"\n\r]*"`,
  String.raw`[rR]'[^'\n\r]*'`,
  String.raw`"(?:${escape}|[^\\"\n\r])*"`,
  String.raw`'(?:${escape}|[^\\'\n\r])*'`,
].join('|')

const rules: readonly (readonly [type: TokenType | 'skip' | 'word', pattern: RegExp])[] = [
  ['skip', /[\t \r\n\f]+/y],
  ['skip', /\/\/[^\n]*/y],
  ['BYTES', new RegExp(`[bB](?:${stringPattern})`, 'y')],
  ['STRING', new RegExp(stringPattern, 'y')],
  ['NUM_UINT', /(?:0x[0-9a-fA-F]+|[0-9]+)[uU]/y],
  ['NUM_FLOAT', /[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?/y],
  ['NUM_INT', /0x[0-9a-fA-F]+|[0-9]+/y],
  ['word', /[A-Za-z_][A-Za-z0-9_]*/y],
  ['ESC_IDENTIFIER', /`[A-Za-z0-9_.\-/ ]+`/y],
]
const isOperator = /^[^A-Za-z]+$/
/** The longer ones first, so that `<` does not take the start of `<=`. */
const operators: readonly TokenType[] = tokenTypes
  .filter((type) => isOperator.test(type))
  .sort((a, b) => b.length - a.length)
const words: ReadonlySet<string> = new Set(['in', 'true', 'false', 'null'])

/** Splits a source into tokens; what is no token is reported and left out. */
export function tokenize(source: Source): Token[] {
  const { text } = source
  const tokens: Token[] = []
  let at = 0
  next: while (at < text.length) {
    for (const [type, pattern] of rules) {
      pattern.lastIndex = at
      const match = pattern.exec(text)
      if (match === null) continue
      const word = match[0]
      if (type === 'word') {
        tokens.push({ type: words.has(word) ? (word as TokenType) : 'IDENTIFIER', text: word, offset: at })
      } else if (type !== 'skip') tokens.push({ type, text: word, offset: at })
      at += word.length
      continue next
    }
    const operator = operators.find((candidate) => text.startsWith(candidate, at))
    if (operator !== undefined) {
      tokens.push({ type: operator, text: operator, offset: at })
      at += operator.length
      continue
    }
    const bad = unrecognized(text, at)
    source.report(at, `Syntax error: token recognition error at: '${escapeWhitespace(bad)}'`)
    at += bad.length
  }
  tokens.push({ type: '<EOF>', text: '<EOF>', offset: text.length })
  return tokens
}

/** What a lexer reads before it finds that it cannot go on: the character, or all that could have become a token. */
function unrecognized(text: string, at: number): string {
  const first = String.fromCodePoint(text.codePointAt(at)!)
  const oneMore = (): string => first + (at + 1 < text.length ? String.fromCodePoint(text.codePointAt(at + 1)!) : '')
  if (first === '=' || first === '&' || first === '|') return oneMore()
  if (first === '"' || first === "'") {
    const body = new RegExp(`(?:${escape}|[^\\\\${first}\\n\\r])*`, 'y')
    body.lastIndex = at + 1
    const read = first + (body.exec(text)?.[0] ?? '')
    const stop = text[at + read.length]
    if (stop === undefined) return read
    const wrong = stop === '\\' ? text.slice(at + read.length, at + read.length + 2) : stop
    return read + wrong
  }
  return first
}

/** `antlr: EscapeWhitespace`. */
export function escapeWhitespace(text: string): string {
  return text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')
}
