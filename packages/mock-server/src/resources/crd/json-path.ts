import { compareUtf8, goJson, goValue } from '../../go/text.ts'
import { isObject } from './types.ts'

/*
 * JSONPath as printer columns and selectable fields use it (`client-go: util/jsonpath`): one action, whose results
 * are read from the first block only.
 */

/** A path that has been parsed. */
export interface JsonPath {
  /** What the path finds; throws an Error where it does not fit the data. Missing keys are no error. */
  find(data: unknown): readonly unknown[]
}

type Node =
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'wildcard' }
  | { readonly type: 'recursive' }
  | {
      readonly type: 'slice'
      readonly from?: number
      readonly to?: number
      readonly step?: number
      readonly derived: boolean
    }
  | { readonly type: 'union'; readonly paths: readonly (readonly Node[])[] }
  | { readonly type: 'literal'; readonly value: string | number | boolean }
  | { readonly type: 'identifier'; readonly name: string }
  | {
      readonly type: 'filter'
      readonly left: readonly Node[]
      readonly right: readonly Node[]
      readonly operator: string
    }

const dictKey = /^'([^']*)'$/
const sliceOperator = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/
const filterOperator = /^([^!<>=]+)([!<>=]+)(.+?)$/
const alphanumeric = /[\p{L}\p{Nd}_]/u
const maxDepth = 100

/** Parses what stands between the braces of a template; throws an Error for what is no path. */
export function parseJsonPath(path: string): JsonPath {
  const nodes = new Parser(`${path}}`, 0).parse()
  return { find: (data) => evaluate(nodes, [data]) }
}

class Parser {
  readonly #input: string
  readonly #depth: number
  #at = 0
  readonly #nodes: Node[] = []

  constructor(input: string, depth: number) {
    if (depth > maxDepth) throw new Error('expression is nested too deeply')
    this.#input = input
    this.#depth = depth
  }

  parse(): readonly Node[] {
    for (;;) {
      if (this.#input.startsWith('[?(', this.#at)) {
        this.#filter()
        continue
      }
      if (this.#input.startsWith('..', this.#at)) {
        if (this.#nodes.at(-1)?.type === 'recursive') throw new Error('invalid multiple recursive descent')
        this.#at += 2
        this.#nodes.push({ type: 'recursive' })
        if (alphanumeric.test(this.#peek())) this.#field()
        continue
      }
      const c = this.#next()
      if (c === '}') return this.#nodes
      if (c === '' || c === '\r' || c === '\n') throw new Error('unclosed action')
      if (c === ' ' || c === '@' || c === '$') continue
      if (c === '[') this.#array()
      else if (c === '"' || c === "'") this.#quote(c)
      else if (c === '.') this.#field()
      else if (c === '+' || c === '-' || /\p{Nd}/u.test(c)) this.#number(c)
      else if (alphanumeric.test(c)) this.#identifier(c)
      else throw new Error(`unrecognized character in action: ${c}`)
    }
  }

  #peek(): string {
    const code = this.#input.codePointAt(this.#at)
    return code === undefined ? '' : String.fromCodePoint(code)
  }

  #next(): string {
    const c = this.#peek()
    this.#at += c.length
    return c
  }

  #within(text: string): readonly Node[] {
    return new Parser(`${text}}`, this.#depth + 1).parse()
  }

  #untilTerminator(): string {
    let text = ''
    for (;;) {
      const c = this.#peek()
      if (c === '' || ' \t\r\n.,[]$@{}'.includes(c)) return text
      text += this.#next()
      if (c === '\\') text += this.#next()
    }
  }

  #field(): void {
    const name = this.#untilTerminator()
    this.#nodes.push(name === '*' ? { type: 'wildcard' } : { type: 'field', name: name.replaceAll('\\', '') })
  }

  #identifier(first: string): void {
    let name = first
    while (this.#peek() !== '' && !' \t\r\n.,[]$@{}'.includes(this.#peek())) name += this.#next()
    const value = name === 'true' || name === 'false'
    this.#nodes.push(value ? { type: 'literal', value: name === 'true' } : { type: 'identifier', name })
  }

  #number(first: string): void {
    let text = first
    while (/^[\d.]$/.test(this.#peek())) text += this.#next()
    const value = Number(text)
    if (!/\d/.test(text) || Number.isNaN(value)) throw new Error(`cannot parse number ${text}`)
    this.#nodes.push({ type: 'literal', value })
  }

  #quote(end: string): void {
    let text = ''
    for (;;) {
      const c = this.#next()
      if (c === '' || c === '\n') throw new Error('unterminated quoted string')
      if (c === end) break
      text += c
      if (c === '\\') text += this.#next()
    }
    this.#nodes.push({ type: 'literal', value: unescape(text) })
  }

  #array(): void {
    const end = this.#input.indexOf(']', this.#at)
    const newline = this.#input.indexOf('\n', this.#at)
    if (end < 0 || (newline >= 0 && newline < end)) throw new Error('unterminated array')
    let text = this.#input.slice(this.#at, end)
    this.#at = end + 1
    if (text === '*') text = ':'
    const parts = text.split(',')
    if (parts.length > 1) {
      this.#nodes.push({ type: 'union', paths: parts.map((part) => this.#within(`[${part.trim()}]`)) })
      return
    }
    const name = dictKey.exec(text)
    if (name !== null) {
      this.#nodes.push(...this.#within(`.${name[1]!}`))
      return
    }
    const match = sliceOperator.exec(text)
    if (match === null) throw new Error(`invalid array index ${text}`)
    const number = (part: string | undefined): number | undefined => {
      if (part === undefined || part === '') return undefined
      if (part === '-') throw new Error(`array index ${part} is not a number`)
      return Number(part)
    }
    const from = number(match[1])
    const derived = match[2] === undefined
    const to = derived ? (from ?? 0) + 1 : number(match[2]!.slice(1))
    const step = number(match[3]?.slice(1))
    this.#nodes.push({
      type: 'slice',
      derived,
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      ...(step !== undefined && { step }),
    })
  }

  #filter(): void {
    const start = (this.#at += '[?('.length)
    let quote = ''
    let closed = false
    for (;;) {
      const c = this.#next()
      if (c === '' || c === '\n') throw new Error('unterminated filter')
      if (c === '"' || c === "'") {
        if (quote === '') quote = c
        else if (this.#input[this.#at - 2] !== '\\' && c === quote) closed = true
      } else if (c === ')' && (quote !== '') === closed) break
    }
    if (this.#next() !== ']') throw new Error('unclosed array expect ]')
    const text = this.#input.slice(start, this.#at - 2)
    const match = filterOperator.exec(text)
    if (match === null) this.#nodes.push({ type: 'filter', left: this.#within(text), right: [], operator: 'exists' })
    else {
      const [, left = '', operator = '', right = ''] = match
      this.#nodes.push({ type: 'filter', left: this.#within(left), right: this.#within(right), operator })
    }
  }
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v' }

function unescape(text: string): string {
  return text.replace(/\\(.)/gs, (_, c: string) => escapes[c] ?? c)
}

function evaluate(nodes: readonly Node[], data: readonly unknown[]): readonly unknown[] {
  let values = data
  for (const node of nodes) values = step(node, values)
  return values
}

function step(node: Node, input: readonly unknown[]): readonly unknown[] {
  switch (node.type) {
    case 'field':
      return input.flatMap((value) => (isObject(value) && Object.hasOwn(value, node.name) ? [value[node.name]] : []))
    case 'wildcard':
      return input.flatMap(contents)
    case 'recursive':
      return input.flatMap((value) => descend(value))
    case 'slice':
      return input.flatMap((value) => slice(node, value))
    case 'union':
      return node.paths.flatMap((path) => evaluate(path, input))
    case 'literal':
      return input.map(() => node.value)
    case 'filter':
      return input.flatMap((value) => filter(node, value))
    case 'identifier':
      throw new Error(`unrecognized identifier ${node.name}`)
  }
}

function contents(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  // Go's order is none; a stable one is as good.
  return isObject(value)
    ? Object.keys(value)
        .sort(compareUtf8)
        .map((name) => value[name])
    : []
}

function descend(value: unknown): unknown[] {
  const below = contents(value)
  return below.length === 0 ? [] : [value, ...below.flatMap(descend)]
}

function slice(node: Extract<Node, { type: 'slice' }>, value: unknown): readonly unknown[] {
  if (value === null || value === undefined) return []
  if (!Array.isArray(value)) throw new Error('value is not array or slice')
  const { length } = value
  let from = node.from ?? 0
  if (from < 0) from += length
  let to = node.to ?? length
  if (to < 0 || (to === 0 && node.derived)) to += length
  if (to === from) return []
  if (from >= length || from < 0) throw new Error(`array index out of bounds: index ${from}, length ${length}`)
  if (to > length || to < 0) throw new Error(`array index out of bounds: index ${to - 1}, length ${length}`)
  if (from > to) throw new Error(`starting index ${from} is greater than ending index ${to}`)
  const by = node.step ?? 1
  if (by <= 0) throw new Error('step must be > 0')
  return value.slice(from, to).filter((_, i) => i % by === 0)
}

function filter(node: Extract<Node, { type: 'filter' }>, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error('value is not array or slice and cannot be filtered')
  return value.filter((item: unknown) => {
    const left = evaluate(node.left, [item])
    if (node.operator === 'exists') return left.length > 0
    if (left.length === 0) return false
    const right = left.length > 1 ? [] : evaluate(node.right, [item])
    if (left.length > 1 || right.length > 1) throw new Error('can only compare one element at a time')
    return right.length === 1 && compare(node.operator, left[0], right[0])
  })
}

function compare(operator: string, left: unknown, right: unknown): boolean {
  const type = typeof left
  if (type !== typeof right) throw new Error('incompatible types for comparison')
  if (operator === '==' || operator === '!=') {
    if (type === 'object') throw new Error('invalid type for comparison')
    return (left === right) === (operator === '==')
  }
  if (type !== 'string' && type !== 'number') throw new Error('invalid type for comparison')
  const order = type === 'string' ? compareUtf8(left as string, right as string) : (left as number) - (right as number)
  if (operator === '<') return order < 0
  if (operator === '>') return order > 0
  if (operator === '<=') return order <= 0
  if (operator === '>=') return order >= 0
  throw new Error(`unrecognized filter operator ${operator}`)
}

/** A result as text: JSON for objects and lists. */
export function printResult(value: unknown): string {
  if (value === null) return '<nil>'
  return typeof value === 'object' ? goJson(value) : goValue(value)
}
