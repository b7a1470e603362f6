/** An error at a place of the source. */
export interface SourceError {
  readonly message: string
  /** UTF-16 offset; `undefined` for none. */
  readonly offset: number | undefined
}

/** A source with the errors found in it, and the places of its expressions. */
export class Source {
  readonly text: string
  readonly errors: SourceError[] = []
  readonly offsets: Map<number, number> = new Map()
  readonly #lineStarts: number[] = [0]

  constructor(text: string) {
    this.text = text
    for (let i = 0; i < text.length; i++) if (text[i] === '\n') this.#lineStarts.push(i + 1)
  }

  report(offset: number | undefined, message: string): void {
    if (this.errors.length < 100) this.errors.push({ message, offset })
  }

  reportAt(id: number, message: string): void {
    this.report(this.offsets.get(id), message)
  }

  /** All errors as `cel-go: common.Errors.ToDisplayString` prints them, by place. */
  display(): string {
    const placed = this.errors.map((error) => ({ error, ...this.#place(error.offset) }))
    placed.sort((a, b) => a.line - b.line || a.column - b.column)
    return placed.map(({ error, line, column }) => this.#displayOne(error.message, line, column)).join('\n')
  }

  /** Line from 1, column from 0 in code points; -1 for no place. */
  #place(offset: number | undefined): { readonly line: number; readonly column: number } {
    if (offset === undefined) return { line: -1, column: -1 }
    let line = 0
    while (line + 1 < this.#lineStarts.length && this.#lineStarts[line + 1]! <= offset) line++
    return { line: line + 1, column: this.text.slice(this.#lineStarts[line], offset).length }
  }

  #displayOne(message: string, line: number, column: number): string {
    let result = `ERROR: <input>:${line}:${column + 1}: ${message}`
    if (line < 1) return result
    const start = this.#lineStarts[line - 1]!
    const end = this.#lineStarts[line]
    const snippet = (end === undefined ? this.text.slice(start) : this.text.slice(start, end - 1)).replaceAll('\t', ' ')
    if (snippet.length > 16384) return result
    const chars = [...snippet]
    const wide = (ch: string | undefined): boolean => ch !== undefined && ch.codePointAt(0)! > 0x7f
    let indicator = ''
    for (let i = 0; i < column && i < chars.length; i++) indicator += wide(chars[i]) ? '\uff0e' : '.'
    indicator += wide(chars[column]) ? '\uff3e' : '^'
    result += `\n | ${snippet}\n | ${indicator}`
    return result
  }
}
