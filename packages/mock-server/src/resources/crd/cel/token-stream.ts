import { escapeWhitespace, tokenize, tokenTypes, type Token, type TokenType } from './lexer.ts'
import type { Source } from './source.ts'

/** Types of tokens that are looked for. */
export type Types = ReadonlySet<TokenType>

export const relationOperators: Types = new Set<TokenType>(['==', '!=', '<', '<=', '>', '>=', 'in'])

/** What may follow any operand. */
const afterOperand: Types = new Set<TokenType>([
  ...relationOperators,
  '&&',
  '||',
  '.',
  '[',
  '-',
  '+',
  '*',
  '/',
  '%',
  '?',
])

/** Thrown where the tokens cannot be repaired; a rule further out goes on after {@link TokenStream.recover}. */
export class SyntaxFailure extends Error {}

/**
 * Tokens as the ANTLR parser that Kubernetes has takes them (`antlr4: DefaultErrorStrategy`): it repairs what it can. A
 * token too many is left out, one too few is thought to be there, and else all are skipped up to one that may come next.
 */
export class TokenStream {
  readonly #source: Source
  readonly #tokens: Token[]
  /** Tokens that enclosing rules wait for; they stop the skipping. */
  readonly #awaited: TokenType[] = ['<EOF>']
  #at = 0
  #recovering = false

  constructor(source: Source) {
    this.#source = source
    this.#tokens = tokenize(source)
  }

  /** The one to be read next. */
  get token(): Token {
    return this.#tokens[this.#at]!
  }

  /** One that comes later; the last where there are no more. */
  ahead(count: number): Token {
    return this.#tokens[this.#at + count] ?? this.#tokens.at(-1)!
  }

  /** The type of one that comes later. */
  peek(count: number): TokenType {
    return this.ahead(count).type
  }

  /** Leaves some out, which is no sign that the input is right again. */
  skip(count: number): void {
    this.#at = Math.min(this.#at + count, this.#tokens.length - 1)
  }

  /** Undoes the last {@link consume}. */
  putBack(): void {
    this.#at--
  }

  /** Takes the current token. */
  consume(): Token {
    const token = this.token
    if (token.type !== '<EOF>') this.#at++
    this.#recovering = false
    return token
  }

  /** Reports what is wrong, unless it comes of what is reported already. */
  report(message: string, offset: number = this.token.offset): void {
    if (!this.#recovering) this.#source.report(offset, `Syntax error: ${message}`)
    this.#recovering = true
  }

  /** Takes a token of the given type; repairs the input where it is another. */
  match(type: TokenType): Token {
    if (this.token.type === type) return this.consume()
    const expecting = shown([type])
    if (this.peek(1) === type && this.token.type !== '<EOF>') {
      this.report(`extraneous input ${this.quoted()} expecting ${expecting}`)
      this.#at++
      return this.consume()
    }
    if (type !== '<EOF>' && type !== ':' && this.#mayFollow(this.token.type)) {
      this.report(`missing ${expecting} at ${this.quoted()}`)
      return { type, text: '', offset: this.token.offset }
    }
    this.report(`mismatched input ${this.quoted()} expecting ${expecting}`)
    throw new SyntaxFailure()
  }

  /** Whether a token can come after a closed bracket here. */
  #mayFollow(type: TokenType): boolean {
    return afterOperand.has(type) || this.#awaited.includes(type)
  }

  /** Asks for one of several tokens, leaving out one that is too many. */
  sync(types: Types): void {
    if (types.has(this.token.type)) return
    const expecting = shown([...types])
    if (this.token.type !== '<EOF>' && types.has(this.peek(1))) {
      this.report(`extraneous input ${this.quoted()} expecting ${expecting}`)
      this.#at++
      return
    }
    this.report(`mismatched input ${this.quoted()} expecting ${expecting}`)
    throw new SyntaxFailure()
  }

  /** The current token as errors show it. */
  quoted(): string {
    return `'${escapeWhitespace(this.token.text)}'`
  }

  /** Skips to a token that may follow an operand, or that somebody waits for. */
  recover(): void {
    while (this.token.type !== '<EOF>' && !this.#mayFollow(this.token.type)) this.#at++
  }

  /** Runs a rule while the enclosing one waits for some tokens. */
  within<T>(awaited: readonly TokenType[], rule: () => T): T {
    this.#awaited.push(...awaited)
    try {
      return rule()
    } finally {
      this.#awaited.length -= awaited.length
    }
  }
}

/** A set of tokens as ANTLR prints it. */
export function shown(types: readonly TokenType[]): string {
  const print = (type: TokenType): string => (type === '<EOF>' || /^[A-Z]/.test(type) ? type : `'${type}'`)
  if (types.length === 1) return print(types[0]!)
  const sorted = [...types].sort((a, b) => tokenTypes.indexOf(a as never) - tokenTypes.indexOf(b as never))
  return `{${sorted.map(print).join(', ')}}`
}
