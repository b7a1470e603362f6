/**
 * Writes a JSON value as YAML, byte for byte as `sigs.k8s.io/yaml` does (`go.yaml.in/yaml/v2: emitterc.go`):
 * keys in their natural order, sequences not indented, long texts folded after 80 columns.
 */
export function toYAML(value: unknown): string {
  const emitter = new Emitter()
  emitter.node(value, 0)
  return emitter.finish()
}

const BEST_WIDTH = 80
const INDENT = 2

class Emitter {
  #out = ''
  #column = 0

  finish(): string {
    return this.#column === 0 ? this.#out : `${this.#out}\n`
  }

  #put(text: string): void {
    this.#out += text
    this.#column += Array.from(text).length
  }

  #newline(indent: number): void {
    if (this.#column > 0) this.#out += '\n'
    this.#out += ' '.repeat(indent)
    this.#column = indent
  }

  /** A whole document, or what follows `- ` on its line. */
  node(value: unknown, indent: number): void {
    if (isEmpty(value)) this.#put(Array.isArray(value) ? '[]' : '{}')
    else if (Array.isArray(value)) this.#sequence(value, indent)
    else if (typeof value === 'object' && value !== null) this.#mapping(value as Record<string, unknown>, indent)
    else this.#scalar(value, indent + INDENT, false)
  }

  #mapping(map: Readonly<Record<string, unknown>>, indent: number): void {
    for (const key of Object.keys(map)
      .filter((name) => map[name] !== undefined)
      .sort(compareKeys)) {
      if (this.#column !== indent) this.#newline(indent)
      // A key that is too long or of several lines gets a form of its own.
      const simple = !key.includes('\n') && Array.from(key).length <= 128
      if (!simple) this.#put('? ')
      this.#scalar(key, indent + INDENT, simple)
      if (!simple) this.#newline(indent)
      this.#put(':')
      this.#valueOf(map[key], indent)
    }
  }

  #valueOf(value: unknown, indent: number): void {
    if (typeof value !== 'object' || value === null || isEmpty(value)) {
      this.#put(' ')
      this.node(value, indent)
      return
    }
    if (Array.isArray(value)) {
      this.#newline(indent)
      this.#sequence(value, indent)
      return
    }
    this.#newline(indent + INDENT)
    this.#mapping(value as Record<string, unknown>, indent + INDENT)
  }

  #sequence(list: readonly unknown[], indent: number): void {
    for (const item of list) {
      if (this.#column !== indent) this.#newline(indent)
      this.#put('- ')
      const nested = typeof item === 'object' && item !== null
      this.node(item, nested ? indent + INDENT : indent)
    }
  }

  #scalar(value: unknown, indent: number, isKey: boolean): void {
    if (typeof value !== 'string') {
      this.#put(typeof value === 'number' ? numberText(value) : String(value ?? null))
      return
    }
    const analysis = analyse(value)
    let style = value.includes('\n') ? 'literal' : resolvesToString(value) ? 'plain' : 'double'
    if (isKey && value.includes('\n')) style = 'double'
    if (style === 'plain' && !analysis.plain) style = 'single'
    if (style === 'single' && !analysis.single) style = 'double'
    if (style === 'literal' && (!analysis.block || isKey)) style = 'double'
    if (style === 'literal') this.#literal(value, indent)
    else if (style === 'double') this.#double(value, indent, !isKey)
    else this.#folded(value, indent, !isKey, style === 'single')
  }

  /** Plain and single-quoted text: broken at the first space after the width is passed. */
  #folded(text: string, indent: number, allowBreaks: boolean, quoted: boolean): void {
    const chars = Array.from(text)
    if (quoted) this.#put("'")
    let spaces = false
    for (const [i, char] of chars.entries()) {
      if (char === ' ') {
        const inside = !quoted || (i > 0 && i < chars.length - 1)
        const breakable = allowBreaks && !spaces && this.#column > BEST_WIDTH && inside && chars[i + 1] !== ' '
        if (breakable) this.#newline(indent)
        else this.#put(' ')
        spaces = true
      } else {
        this.#put(quoted && char === "'" ? "''" : char)
        spaces = false
      }
    }
    if (quoted) this.#put("'")
  }

  #double(text: string, indent: number, allowBreaks: boolean): void {
    const chars = Array.from(text)
    this.#put('"')
    let spaces = false
    for (const [i, char] of chars.entries()) {
      if (char === ' ') {
        if (allowBreaks && !spaces && this.#column > BEST_WIDTH && i > 0 && i < chars.length - 1) {
          this.#newline(indent)
          if (chars[i + 1] === ' ') this.#put('\\')
        } else this.#put(' ')
        spaces = true
      } else {
        this.#put(isPrintable(char) && char !== '"' && char !== '\\' && !isBreak(char) ? char : escape(char))
        spaces = false
      }
    }
    this.#put('"')
  }

  #literal(text: string, indent: number): void {
    const hint = /^[ \n]/.test(text) ? String(INDENT) : ''
    const chomp = !text.endsWith('\n') ? '-' : text === '\n' || text.endsWith('\n\n') ? '+' : ''
    this.#put(`|${hint}${chomp}`)
    const lines = text.split('\n')
    if (lines.at(-1) === '') lines.pop()
    for (const line of lines) {
      if (line === '') {
        this.#out += '\n'
        // An empty line carries no indentation; the next one begins after it.
        this.#column = 1
        continue
      }
      this.#newline(indent)
      this.#put(line)
    }
  }
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

/** As Go prints a float64 that JSON carried; integers in full. */
function numberText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return String(value)
  const [mantissa, exponent] = value.toExponential().split('e') as [string, string]
  const power = Number(exponent)
  if (power >= -4 && power < 21) return String(value)
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
}

const isLetter = (char: string): boolean => /\p{L}/u.test(char)
const isDigit = (char: string | undefined): boolean => char !== undefined && /\p{Nd}/u.test(char)

/** Natural order of keys: numbers inside them by value, letters after other characters (`sorter.go: keyList.Less`). */
function compareKeys(a: string, b: string): number {
  const [ar, br] = [Array.from(a), Array.from(b)]
  for (let i = 0; i < ar.length && i < br.length; i++) {
    const [ac, bc] = [ar[i]!, br[i]!]
    if (ac === bc) continue
    const [al, bl] = [isLetter(ac), isLetter(bc)]
    if (al && bl) return ac < bc ? -1 : 1
    if (al || bl) return bl ? -1 : 1
    let [an, bn] = [0, 0]
    if (ac === '0' || bc === '0') {
      for (let j = i - 1; j >= 0 && isDigit(ar[j]); j--) {
        if (ar[j] !== '0') {
          an = bn = 1
          break
        }
      }
    }
    let [ai, bi] = [i, i]
    for (; isDigit(ar[ai]); ai++) an = an * 10 + Number(ar[ai])
    for (; isDigit(br[bi]); bi++) bn = bn * 10 + Number(br[bi])
    if (an !== bn) return an < bn ? -1 : 1
    if (ai !== bi) return ai < bi ? -1 : 1
    return ac < bc ? -1 : 1
  }
  return ar.length - br.length
}

const isBreak = (char: string): boolean => /[\r\n\u0085\u2028\u2029]/.test(char)
const isBlank = (char: string | undefined): boolean =>
  char === undefined || char === ' ' || char === '\t' || isBreak(char)

function isPrintable(char: string): boolean {
  const code = char.codePointAt(0)!
  return (
    code === 0x0a ||
    (code >= 0x20 && code <= 0x7e) ||
    (code >= 0xa0 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd && code !== 0xfeff)
  )
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\0': '0',
  '\x07': 'a',
  '\b': 'b',
  '\t': 't',
  '\n': 'n',
  '\v': 'v',
  '\f': 'f',
  '\r': 'r',
  '\x1b': 'e',
  '"': '"',
  '\\': '\\',
  '\u0085': 'N',
  '\u00a0': '_',
  '\u2028': 'L',
  '\u2029': 'P',
}

function escape(char: string): string {
  const short = ESCAPES[char]
  if (short !== undefined) return `\\${short}`
  const code = char.codePointAt(0)!
  const hex = code.toString(16).toUpperCase()
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}

interface Analysis {
  readonly plain: boolean
  readonly single: boolean
  readonly block: boolean
}

/** Which styles can carry a text (`emitterc.go: yaml_emitter_analyze_scalar`), outside of flow collections. */
function analyse(text: string): Analysis {
  if (text === '') return { plain: true, single: true, block: false }
  const chars = Array.from(text)
  let indicators = text.startsWith('---') || text.startsWith('...')
  let special = false
  let lineBreaks = false
  let [spaceBreak, breakSpace] = [false, false]
  let [previousSpace, previousBreak] = [false, false]
  let precededByBlank = true
  for (const [i, char] of chars.entries()) {
    const followedByBlank = isBlank(chars[i + 1])
    if (i === 0) {
      if (`#,[]{}&*!|>'"%@\``.includes(char) || ('?:-'.includes(char) && followedByBlank)) indicators = true
    } else if ((char === ':' && followedByBlank) || (char === '#' && precededByBlank)) indicators = true
    if (!isPrintable(char)) special = true
    if (isBreak(char)) {
      lineBreaks = true
      if (previousSpace) spaceBreak = true
    } else if (char === ' ' && previousBreak) breakSpace = true
    previousSpace = char === ' '
    previousBreak = isBreak(char)
    precededByBlank = isBlank(char)
  }
  const [first, last] = [chars[0]!, chars.at(-1)!]
  const edges = first === ' ' || isBreak(first) || last === ' ' || isBreak(last)
  return {
    plain: !(edges || breakSpace || spaceBreak || special || lineBreaks || indicators),
    single: !(breakSpace || spaceBreak || special),
    block: !(last === ' ' || spaceBreak || special),
  }
}

const WORDS = new Set(
  [
    'y Y yes Yes YES true True TRUE on On ON',
    'n N no No NO false False FALSE off Off OFF',
    '~ null Null NULL <<',
    '.nan .NaN .NAN .inf .Inf .INF +.inf +.Inf +.INF -.inf -.Inf -.INF',
  ].flatMap((words) => words.split(' ')),
)
const INTEGER = /^[-+]?(0[xX][0-9a-fA-F]+|0[oO]?[0-7]+|0[bB][01]+|0|[1-9][0-9]*)$/
const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/
const BASE_60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/
const TIMESTAMP =
  /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ][0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(\.[0-9]+)?(Z|[-+][0-9]{2}:[0-9]{2})?)?$/

/** Whether a text without quotes would still be read as one (`resolve.go: resolve`). */
function resolvesToString(text: string): boolean {
  if (text === '' || WORDS.has(text)) return false
  if (!/^[-+.0-9]/.test(text)) return true
  const plain = text.startsWith('.') ? text : text.replaceAll('_', '')
  return !(INTEGER.test(plain) || FLOAT.test(plain) || BASE_60.test(text) || TIMESTAMP.test(text))
}
