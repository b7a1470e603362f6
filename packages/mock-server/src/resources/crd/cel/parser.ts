import type { CallExpr, Expr, MapEntry, StructExpr } from './ast.ts'
import { escapeWhitespace, type Token, type TokenType } from './lexer.ts'
import { expandReceiverMacro, type MacroHelper } from './macros.ts'
import { reservedSymbols } from './escaping.ts'
import type { Source } from './source.ts'
import { unquote } from './string-literal.ts'
import { relationOperators, shown, SyntaxFailure, TokenStream, type Types } from './token-stream.ts'
import { Uint } from './values.ts'

/**
 * Parses CEL by its grammar (`cel-go: parser/gen/CEL.g4`). What is wrong is told and repaired as {@link TokenStream} does.
 */

const maxDepth = 250
const maxCodePoints = 100_000

const expressionStart: readonly TokenType[] = [
  '[',
  '{',
  '(',
  '.',
  '-',
  '!',
  'true',
  'false',
  'null',
  'NUM_FLOAT',
  'NUM_INT',
  'NUM_UINT',
  'STRING',
  'BYTES',
  'IDENTIFIER',
]
const startSet: Types = new Set(expressionStart)
const optionalStartSet: Types = new Set<TokenType>([...expressionStart, '?'])

class DepthFailure extends Error {}

/** Parses a source, its macros expanded. Errors are in the source afterwards. */
export function parse(source: Source): Expr {
  const size = [...source.text].length
  if (size > maxCodePoints) {
    source.report(undefined, `expression code point size exceeds limit: size: ${size}, limit ${maxCodePoints}`)
    return { kind: 'unspecified', id: 1 }
  }
  try {
    return new Parser(source).parseStart()
  } catch (error) {
    if (!(error instanceof DepthFailure)) throw error
    source.report(undefined, error.message)
    return { kind: 'unspecified', id: 1 }
  }
}

class Parser {
  readonly #source: Source
  readonly #tokens: TokenStream
  #nextId = 1
  #depth = 0

  constructor(source: Source) {
    this.#source = source
    this.#tokens = new TokenStream(source)
  }

  parseStart(): Expr {
    const expr = this.#expr()
    try {
      this.#tokens.match('<EOF>')
    } catch (error) {
      if (!(error instanceof SyntaxFailure)) throw error
    }
    return expr
  }

  #newId(offset: number): number {
    const id = this.#nextId++
    this.#source.offsets.set(id, offset)
    return id
  }

  /** Runs a rule; after a syntax error skips ahead and goes on without its result. */
  #guarded(rule: () => Expr): Expr {
    try {
      return rule()
    } catch (error) {
      if (!(error instanceof SyntaxFailure)) throw error
      this.#tokens.recover()
      return { kind: 'unspecified', id: this.#newId(this.#tokens.token.offset) }
    }
  }

  #expr(): Expr {
    if (++this.#depth > maxDepth) throw new DepthFailure(`expression recursion limit exceeded: ${maxDepth}`)
    try {
      const condition = this.#conditionalOr()
      if (this.#tokens.token.type !== '?') return condition
      const op = this.#tokens.consume()
      const id = this.#newId(op.offset)
      const ifTrue = this.#tokens.within([':'], () => this.#conditionalOr())
      try {
        this.#tokens.match(':')
      } catch (error) {
        if (!(error instanceof SyntaxFailure)) throw error
        this.#tokens.recover()
        return { kind: 'unspecified', id }
      }
      return this.#call(id, '_?_:_', undefined, [condition, ifTrue, this.#expr()])
    } finally {
      this.#depth--
    }
  }

  #conditionalOr(): Expr {
    return this.#logical('||', '_||_', () => this.#logical('&&', '_&&_', () => this.#relation()))
  }

  /** Chains of one logical operator become a balanced tree. */
  #logical(operator: TokenType, fn: string, operand: () => Expr): Expr {
    const terms = [operand()]
    const ids: number[] = []
    while (this.#tokens.token.type === operator) {
      const op = this.#tokens.consume()
      terms.push(operand())
      ids.push(this.#newId(op.offset))
    }
    const balanced = (low: number, high: number): Expr => {
      const middle = Math.trunc((low + high + 1) / 2)
      const left = middle === low ? terms[middle]! : balanced(low, middle - 1)
      const right = middle === high ? terms[middle + 1]! : balanced(middle + 1, high)
      return this.#call(ids[middle]!, fn, undefined, [left, right])
    }
    return terms.length === 1 ? terms[0]! : balanced(0, ids.length - 1)
  }

  #binary(operators: Types, operand: () => Expr): Expr {
    let left = operand()
    let count = 0
    while (operators.has(this.#tokens.token.type)) {
      if (++count > maxDepth) throw new DepthFailure(`expression recursion limit exceeded: ${maxDepth}`)
      const op = this.#tokens.consume()
      const id = this.#newId(op.offset)
      left = this.#call(id, op.type === 'in' ? '@in' : `_${op.text}_`, undefined, [left, operand()])
    }
    return left
  }

  #relation(): Expr {
    return this.#binary(relationOperators, () =>
      this.#binary(additive, () => this.#binary(multiplicative, () => this.#guarded(() => this.#unary()))),
    )
  }

  #unary(): Expr {
    this.#tokens.sync(startSet)
    const first = this.#tokens.token
    if (first.type !== '!' && first.type !== '-') return this.#member()
    const isLiteral = first.type === '-' && (this.#tokens.peek(1) === 'NUM_INT' || this.#tokens.peek(1) === 'NUM_FLOAT')
    if (isLiteral) return this.#member()
    let count = 0
    while (this.#tokens.token.type === first.type) {
      this.#tokens.consume()
      count++
    }
    const id = count % 2 === 0 ? 0 : this.#newId(first.offset)
    const operand = this.#member()
    return count % 2 === 0 ? operand : this.#call(id, first.type === '!' ? '!_' : '-_', undefined, [operand])
  }

  #member(): Expr {
    let operand = this.#primary()
    let count = 0
    for (;;) {
      const op = this.#tokens.token
      if (op.type !== '.' && op.type !== '[') return operand
      if (++count > maxDepth) throw new DepthFailure(`expression recursion limit exceeded: ${maxDepth}`)
      operand = op.type === '.' ? this.#selection(operand, op) : this.#index(operand, op)
    }
  }

  #selection(operand: Expr, op: Token): Expr {
    const optional = this.#tokens.peek(1) === '?'
    const distance = optional ? 2 : 1
    const name = this.#tokens.ahead(distance)
    this.#tokens.skip(distance)
    if (name.type !== 'IDENTIFIER' && name.type !== 'ESC_IDENTIFIER') {
      if (name.type === 'true' || name.type === 'false' || name.type === 'null') {
        this.#tokens.report(`mismatched input '${name.text}' expecting IDENTIFIER`)
      } else {
        const end = name.type === '<EOF>' ? this.#source.text.trimEnd().length : name.offset + name.text.length
        this.#tokens.report(
          `no viable alternative at input '${escapeWhitespace(this.#source.text.slice(op.offset, end))}'`,
        )
      }
      throw new SyntaxFailure()
    }
    this.#tokens.consume()
    const field = name.type === 'ESC_IDENTIFIER' ? name.text.slice(1, -1) : name.text
    if (optional) {
      const id = this.#newId(op.offset)
      const literal: Expr = { kind: 'literal', id: this.#newId(name.offset), value: field }
      return { kind: 'call', id, fn: '_?._', target: undefined, args: [operand, literal] }
    }
    if (this.#tokens.token.type === '(' && name.type === 'IDENTIFIER') {
      const open = this.#tokens.consume()
      const id = this.#newId(open.offset)
      return this.#call(id, field, operand, this.#arguments())
    }
    return { kind: 'select', id: this.#newId(op.offset), operand, field, testOnly: false }
  }

  #index(operand: Expr, op: Token): Expr {
    this.#tokens.consume()
    const id = this.#newId(op.offset)
    if (this.#tokens.token.type !== '?') this.#tokens.sync(optionalStartSet)
    const optional = this.#tokens.token.type === '?'
    if (optional) this.#tokens.consume()
    const index = this.#tokens.within([']'], () => this.#expr())
    this.#tokens.match(']')
    return this.#call(id, optional ? '_[?_]' : '_[_]', undefined, [operand, index])
  }

  /** Arguments up to and with the closing parenthesis. */
  #arguments(): Expr[] {
    const args: Expr[] = []
    this.#tokens.sync(argumentsStartSet)
    if (this.#tokens.token.type !== ')') {
      this.#tokens.within([')', ','], () => {
        args.push(this.#expr())
        while (this.#tokens.token.type === ',') {
          this.#tokens.consume()
          args.push(this.#expr())
        }
      })
    }
    this.#tokens.match(')')
    return args
  }

  #primary(): Expr {
    const token = this.#tokens.token
    switch (token.type) {
      case '(': {
        this.#tokens.consume()
        const inner = this.#tokens.within([')'], () => this.#expr())
        this.#tokens.match(')')
        return inner
      }
      case '[':
        return this.#list()
      case '{':
        return this.#mapLiteral()
      case '.':
      case 'IDENTIFIER':
        return this.#identifier()
      default:
        return this.#literal()
    }
  }

  #identifier(): Expr {
    const start = this.#tokens.token
    const leadingDot = start.type === '.'
    if (leadingDot) this.#tokens.consume()
    const prefix = leadingDot ? '.' : ''
    const message = this.#messageLength()
    if (message > 0) return this.#struct(prefix, message)
    const name = this.#tokens.match('IDENTIFIER')
    if (reservedSymbols.has(name.text)) {
      if (this.#tokens.token.type === '(') {
        this.#tokens.consume()
        this.#arguments()
      }
      this.#source.report(start.offset, `reserved identifier: ${name.text}`)
      return { kind: 'unspecified', id: this.#newId(start.offset) }
    }
    if (this.#tokens.token.type === '(') {
      const open = this.#tokens.consume()
      const id = this.#newId(open.offset)
      return this.#call(id, prefix + name.text, undefined, this.#arguments())
    }
    return { kind: 'ident', id: this.#newId(name.offset), name: prefix + name.text }
  }

  /** How many tokens the name of a message takes, if a brace comes after it; else 0. */
  #messageLength(): number {
    let ahead = 0
    for (;;) {
      if (this.#tokens.peek(ahead) !== 'IDENTIFIER') return 0
      ahead++
      if (this.#tokens.peek(ahead) === '{') return ahead
      if (this.#tokens.peek(ahead) !== '.') return 0
      ahead++
    }
  }

  #struct(prefix: string, length: number): Expr {
    let typeName = prefix
    for (let i = 0; i < length; i++) typeName += this.#tokens.consume().text
    const open = this.#tokens.consume()
    const id = this.#newId(open.offset)
    const fields: StructExpr['fields'][number][] = []
    this.#tokens.within(['}', ','], () => {
      while (
        this.#tokens.token.type === 'IDENTIFIER' ||
        this.#tokens.token.type === 'ESC_IDENTIFIER' ||
        this.#tokens.token.type === '?'
      ) {
        const optional = this.#tokens.token.type === '?'
        if (optional) this.#tokens.consume()
        const name = this.#tokens.consume()
        const colon = this.#tokens.match(':')
        const field = name.type === 'ESC_IDENTIFIER' ? name.text.slice(1, -1) : name.text
        fields.push({ id: this.#newId(colon.offset), name: field, value: this.#expr(), optional })
        if ((this.#tokens.token.type as TokenType) !== ',') break
        this.#tokens.consume()
      }
    })
    this.#tokens.match('}')
    return { kind: 'struct', id, typeName, fields }
  }

  #list(): Expr {
    const open = this.#tokens.consume()
    const id = this.#newId(open.offset)
    const elements: Expr[] = []
    const optionals = new Set<number>()
    this.#tokens.sync(listStartSet)
    this.#tokens.within([']', ','], () => {
      if (!optionalStartSet.has(this.#tokens.token.type)) return
      for (;;) {
        if (this.#tokens.token.type === '?') {
          this.#tokens.consume()
          optionals.add(elements.length)
        }
        elements.push(this.#expr())
        if (this.#tokens.token.type !== ',' || !optionalStartSet.has(this.#tokens.peek(1))) return
        this.#tokens.consume()
      }
    })
    this.#tokens.sync(listEndSet)
    if (this.#tokens.token.type === ',') this.#tokens.consume()
    this.#tokens.match(']')
    return { kind: 'list', id, elements, optionals }
  }

  #mapLiteral(): Expr {
    const open = this.#tokens.consume()
    const id = this.#newId(open.offset)
    const entries: MapEntry[] = []
    this.#tokens.sync(mapStartSet)
    this.#tokens.within(['}', ','], () => {
      if (!optionalStartSet.has(this.#tokens.token.type)) return
      for (;;) {
        const optional = this.#tokens.token.type === '?'
        if (optional) this.#tokens.consume()
        const key = this.#tokens.within([':'], () => this.#expr())
        const colon = this.#tokens.match(':')
        const entryId = this.#newId(colon.offset)
        entries.push({ id: entryId, key, value: this.#expr(), optional })
        if (this.#tokens.token.type !== ',' || !optionalStartSet.has(this.#tokens.peek(1))) return
        this.#tokens.consume()
      }
    })
    this.#tokens.sync(mapEndSet)
    if (this.#tokens.token.type === ',') this.#tokens.consume()
    this.#tokens.match('}')
    return { kind: 'map', id, entries }
  }

  #literal(): Expr {
    const start = this.#tokens.token
    const negative = start.type === '-'
    if (negative) this.#tokens.consume()
    const token = this.#tokens.consume()
    const literal = (value: Extract<Expr, { kind: 'literal' }>['value']): Expr => ({
      kind: 'literal',
      id: this.#newId(start.offset),
      value,
    })
    const fail = (message: string): Expr => {
      this.#source.report(start.offset, message)
      return { kind: 'unspecified', id: this.#newId(start.offset) }
    }
    switch (token.type) {
      case 'true':
        return literal(true)
      case 'false':
        return literal(false)
      case 'null':
        return literal(null)
      case 'NUM_INT': {
        const size = BigInt(token.text)
        const value = negative ? -size : size
        return BigInt.asIntN(64, value) === value ? literal(value) : fail('invalid int literal')
      }
      case 'NUM_UINT': {
        const value = BigInt(token.text.slice(0, -1))
        return BigInt.asUintN(64, value) === value ? literal(new Uint(value)) : fail('invalid uint literal')
      }
      case 'NUM_FLOAT': {
        const value = Number(token.text) * (negative ? -1 : 1)
        return Number.isFinite(value) ? literal(value) : fail('invalid double literal')
      }
      case 'STRING':
      case 'BYTES': {
        const text = unquote(token.text, token.type === 'BYTES')
        return 'error' in text ? fail(text.error) : literal(text.value)
      }
      default:
        this.#tokens.putBack()
        this.#tokens.report(`mismatched input ${this.#tokens.quoted()} expecting ${shown(expressionStart)}`)
        throw new SyntaxFailure()
    }
  }

  /** A call, or what a macro of its name makes of it. */
  #call(id: number, fn: string, target: Expr | undefined, args: readonly Expr[]): Expr {
    const call: CallExpr = { kind: 'call', id, fn, target, args }
    const place = this.#source.offsets.get(id) ?? 0
    if (target === undefined) {
      if (fn !== 'has' || args.length !== 1) return call
      const [operand] = args
      if (operand!.kind !== 'select') return this.#macroError('invalid argument to has() macro', operand!.id)
      return { ...operand!, id: this.#newId(place), testOnly: true }
    }
    const helper: MacroHelper = { newId: () => this.#newId(place), copy: (expr) => this.#copy(expr) }
    const expanded = expandReceiverMacro(helper, fn, target, args)
    if (expanded === undefined) return call
    return 'error' in expanded ? this.#macroError(expanded.error, expanded.id) : expanded
  }

  #macroError(message: string, id: number): Expr {
    this.#source.reportAt(id, message)
    return { kind: 'unspecified', id }
  }

  #copy(expr: Expr): Expr {
    const id = this.#newId(this.#source.offsets.get(expr.id) ?? 0)
    const copy = (inner: Expr): Expr => this.#copy(inner)
    switch (expr.kind) {
      case 'select':
        return { ...expr, id, operand: copy(expr.operand) }
      case 'call':
        return {
          ...expr,
          id,
          target: expr.target === undefined ? undefined : copy(expr.target),
          args: expr.args.map(copy),
        }
      case 'list':
        return { ...expr, id, elements: expr.elements.map(copy) }
      case 'map':
        return { ...expr, id, entries: expr.entries.map((e) => ({ ...e, key: copy(e.key), value: copy(e.value) })) }
      case 'struct':
        return { ...expr, id, fields: expr.fields.map((f) => ({ ...f, value: copy(f.value) })) }
      case 'comprehension':
        return {
          ...expr,
          id,
          range: copy(expr.range),
          accuInit: copy(expr.accuInit),
          condition: copy(expr.condition),
          step: copy(expr.step),
          result: copy(expr.result),
        }
      default:
        return { ...expr, id }
    }
  }
}

const additive: Types = new Set<TokenType>(['+', '-'])
const multiplicative: Types = new Set<TokenType>(['*', '/', '%'])
const argumentsStartSet: Types = new Set<TokenType>([...expressionStart, ')'])
const listStartSet: Types = new Set<TokenType>([...optionalStartSet, ']', ','])
const listEndSet: Types = new Set<TokenType>([']', ','])
const mapStartSet: Types = new Set<TokenType>([...optionalStartSet, '}', ','])
const mapEndSet: Types = new Set<TokenType>(['}', ','])
