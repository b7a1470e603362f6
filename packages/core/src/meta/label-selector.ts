import { aggregateMessage, invalid, notSupported, type FieldError } from '../errors/field-error.ts'
import { compareKeys } from './key.ts'
import { isLabelKey, isLabelValue } from './names.ts'
import { tryParseInt64 } from './parse-int.ts'

/** Labels, or anything that labels are selected like. */
export type LabelSet = Readonly<Record<string, string>>

/** How a requirement's values relate to a label's (`apimachinery: pkg/selection`). */
export type LabelOperator = 'in' | 'notin' | '=' | '==' | '!=' | 'gt' | 'lt' | 'exists' | '!'

const binaryOperators: readonly LabelOperator[] = ['in', 'notin', '=', '==', '!=', 'gt', 'lt']
const validOperators: readonly string[] = [...binaryOperators, 'exists', '!']

/** One condition of a label selector. */
export class LabelRequirement {
  readonly key: string
  readonly operator: LabelOperator
  readonly values: readonly string[]
  readonly #bound: bigint | undefined

  private constructor(key: string, operator: LabelOperator, values: readonly string[]) {
    this.key = key
    this.operator = operator
    this.values = values
    this.#bound = operator === 'gt' || operator === 'lt' ? tryParseInt64(values[0] ?? '') : undefined
  }

  /** Throws a SyntaxError that names all that is wrong (`labels.NewRequirement`). */
  static of(key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement {
    const errors = validateRequirement(key, operator, values)
    if (errors.length > 0) throw new SyntaxError(aggregateMessage(errors.map((error) => error.message)))
    return new LabelRequirement(key, operator, values)
  }

  /** Without any check, for keys and values that come from stored objects. */
  static unchecked(key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement {
    return new LabelRequirement(key, operator, values)
  }

  matches(labels: LabelSet | undefined): boolean {
    const value = labels !== undefined && Object.hasOwn(labels, this.key) ? labels[this.key] : undefined
    switch (this.operator) {
      case '=':
      case '==':
      case 'in':
        return value !== undefined && this.values.includes(value)
      case '!=':
      case 'notin':
        return value === undefined || !this.values.includes(value)
      case 'exists':
        return value !== undefined
      case '!':
        return value === undefined
      case 'gt':
      case 'lt': {
        const number = value === undefined ? undefined : tryParseInt64(value)
        if (number === undefined || this.#bound === undefined) return false
        return this.operator === 'gt' ? number > this.#bound : number < this.#bound
      }
    }
  }

  toString(): string {
    const values = [...this.values].sort(compareKeys).join(',')
    switch (this.operator) {
      case 'exists':
        return this.key
      case '!':
        return `!${this.key}`
      case 'in':
      case 'notin':
        return `${this.key} ${this.operator} (${values})`
      case 'gt':
        return `${this.key}>${values}`
      case 'lt':
        return `${this.key}<${values}`
      default:
        return `${this.key}${this.operator}${values}`
    }
  }
}

function validateRequirement(key: string, operator: LabelOperator, values: readonly string[]): FieldError[] {
  const errors: FieldError[] = []
  const keyError = labelKeyError(key, 'key')
  if (keyError !== undefined) errors.push(keyError)
  switch (operator) {
    case 'in':
    case 'notin':
      if (values.length === 0) {
        errors.push(invalid('values', values, "for 'in', 'notin' operators, values set can't be empty"))
      }
      break
    case '=':
    case '==':
    case '!=':
      if (values.length !== 1) {
        errors.push(invalid('values', values, 'exact-match compatibility requires one single value'))
      }
      break
    case 'exists':
    case '!':
      if (values.length !== 0) {
        errors.push(invalid('values', values, 'values set must be empty for exists and does not exist'))
      }
      break
    case 'gt':
    case 'lt':
      if (values.length !== 1) {
        errors.push(invalid('values', values, "for 'Gt', 'Lt' operators, exactly one value is required"))
      }
      for (const [i, value] of values.entries()) {
        if (tryParseInt64(value) === undefined) {
          errors.push(invalid(`values[${i}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer"))
        }
      }
      break
    default:
      errors.push(notSupported('operator', operator, validOperators))
  }
  for (const [i, value] of values.entries()) {
    const problems = isLabelValue(value)
    if (problems.length > 0) errors.push(invalid(`values[${i}][${key}]`, value, problems.join('; ')))
  }
  return errors
}

function labelKeyError(key: string, path: string): FieldError | undefined {
  const problems = isLabelKey(key)
  return problems.length > 0 ? invalid(path, key, problems.join('; ')) : undefined
}

/**
 * Selects objects by their labels (`apimachinery: pkg/labels: Selector`): all requirements must hold, none
 * at all selects everything.
 */
export class LabelSelector {
  /** In order of their keys. */
  readonly requirements: readonly LabelRequirement[]

  constructor(requirements: readonly LabelRequirement[]) {
    this.requirements = [...requirements].sort((a, b) => compareKeys(a.key, b.key))
  }

  static readonly everything: LabelSelector = new LabelSelector([])

  /** Parses `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1`. Throws a SyntaxError with upstream's text. */
  static parse(text: string): LabelSelector {
    if (text === '') return LabelSelector.everything
    return new LabelSelector(new Parser(text).parse())
  }

  /** Requires each label to have exactly that value; nothing is checked. */
  static fromSet(labels: LabelSet): LabelSelector {
    return new LabelSelector(
      Object.entries(labels).map(([key, value]) => LabelRequirement.unchecked(key, '=', [value])),
    )
  }

  /** Selects everything. */
  get empty(): boolean {
    return this.requirements.length === 0
  }

  matches(labels: LabelSet | undefined): boolean {
    for (const requirement of this.requirements) {
      if (!requirement.matches(labels)) return false
    }
    return true
  }

  /** The one value that the label must have, `undefined` if there is no such value. */
  requiresExactMatch(label: string): string | undefined {
    const requirement = this.requirements.find((requirement) => requirement.key === label)
    if (requirement === undefined || requirement.values.length !== 1) return undefined
    const { operator } = requirement
    return operator === '=' || operator === '==' || operator === 'in' ? requirement.values[0] : undefined
  }

  /** A text that {@link LabelSelector.parse} makes the same selector of. */
  toString(): string {
    return this.requirements.join(',')
  }
}

type TokenKind = 'end' | 'identifier' | ')' | '(' | ',' | '!' | '==' | '=' | '>' | '<' | '!=' | 'in' | 'notin'

interface Token {
  readonly kind: TokenKind
  readonly literal: string
}

/**
 * Splits a selector into tokens. `in` and `notin` are keywords here; the parser takes them for identifiers
 * where an identifier can stand. A NUL ends an identifier and, standing alone, the text.
 */
function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  const pattern = /[ \t\r\n]*(?:(==|!=|[=!(),<>])|([^=!(),<> \t\r\n\0]+)\0?|\0|$)/y
  for (;;) {
    const [, symbol, word] = pattern.exec(text)!
    if (symbol !== undefined) tokens.push({ kind: symbol as TokenKind, literal: symbol })
    else if (word === undefined) return [...tokens, { kind: 'end', literal: '' }]
    else tokens.push({ kind: word === 'in' || word === 'notin' ? word : 'identifier', literal: word })
  }
}

/** `apimachinery: pkg/labels/selector.go: Parser`, with its error texts. */
class Parser {
  readonly #tokens: readonly Token[]
  #position = 0

  constructor(text: string) {
    this.#tokens = tokenize(text)
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = []
    for (;;) {
      const { kind, literal } = this.#look()
      if (kind === 'end') return requirements
      if (kind !== 'identifier' && kind !== '!') {
        throw new SyntaxError(`found '${literal}', expected: !, identifier, or 'end of string'`)
      }
      requirements.push(this.#parseRequirement())
      const next = this.#take()
      if (next.kind === 'end') return requirements
      if (next.kind !== ',') throw new SyntaxError(`found '${next.literal}', expected: ',' or 'end of string'`)
      const after = this.#look()
      if (after.kind !== 'identifier' && after.kind !== '!') {
        throw new SyntaxError(`found '${after.literal}', expected: identifier after ','`)
      }
    }
  }

  #parseRequirement(): LabelRequirement {
    try {
      const [key, unary] = this.#parseKey()
      if (unary !== undefined) return LabelRequirement.of(key, unary, [])
      const operator = this.#parseOperator()
      const values = operator === 'in' || operator === 'notin' ? this.#parseValues() : this.#parseExactValue()
      return LabelRequirement.of(key, operator, [...new Set(values)].sort(compareKeys))
    } catch (error) {
      throw new SyntaxError(`unable to parse requirement: ${(error as Error).message}`, { cause: error })
    }
  }

  #parseKey(): [key: string, unary: 'exists' | '!' | undefined] {
    let token = this.#take()
    const negated = token.kind === '!'
    if (negated) token = this.#take()
    if (token.kind !== 'identifier') throw new SyntaxError(`found '${token.literal}', expected: identifier`)
    // Upstream has no path to name here, and prints that.
    const error = labelKeyError(token.literal, '<nil>')
    if (error !== undefined) throw new SyntaxError(error.message)
    const { kind } = this.#look()
    return [token.literal, negated ? '!' : kind === 'end' || kind === ',' ? 'exists' : undefined]
  }

  #parseOperator(): LabelOperator {
    const { kind, literal } = this.#tokens[this.#position++]!
    switch (kind) {
      case 'in':
      case 'notin':
      case '=':
      case '==':
      case '!=':
        return kind
      case '>':
        return 'gt'
      case '<':
        return 'lt'
      default:
        throw new SyntaxError(`found '${literal}', expected: ${binaryOperators.join(', ')}`)
    }
  }

  #parseValues(): string[] {
    const open = this.#take()
    if (open.kind !== '(') throw new SyntaxError(`found '${open.literal}' expected: '('`)
    const first = this.#look()
    switch (first.kind) {
      case 'identifier':
      case ',': {
        const values = this.#parseIdentifiers()
        if (this.#take().kind !== ')') throw new SyntaxError(`found '${first.literal}', expected: ')'`)
        return values
      }
      case ')':
        this.#take()
        return ['']
      default:
        throw new SyntaxError(`found '${first.literal}', expected: ',', ')' or identifier`)
    }
  }

  /** Identifiers between commas, each of which may be missing: that is the empty value. */
  #parseIdentifiers(): string[] {
    const values: string[] = []
    for (;;) {
      const { kind, literal } = this.#take()
      if (kind === 'identifier') {
        values.push(literal)
        const next = this.#look()
        if (next.kind === ')') return values
        if (next.kind !== ',') throw new SyntaxError(`found '${next.literal}', expected: ',' or ')'`)
      } else if (kind === ',') {
        if (values.length === 0) values.push('')
        const next = this.#look()
        if (next.kind === ',' || next.kind === ')') values.push('')
        if (next.kind === ')') return values
      } else {
        throw new SyntaxError(`found '${literal}', expected: ',', or identifier`)
      }
    }
  }

  #parseExactValue(): string[] {
    const { kind } = this.#look()
    if (kind === 'end' || kind === ',') return ['']
    const token = this.#take()
    if (token.kind === 'identifier') return [token.literal]
    throw new SyntaxError(`found '${token.literal}', expected: identifier`)
  }

  #look(): Token {
    const token = this.#tokens[this.#position]!
    return token.kind === 'in' || token.kind === 'notin' ? { kind: 'identifier', literal: token.literal } : token
  }

  #take(): Token {
    const token = this.#look()
    this.#position++
    return token
  }
}
