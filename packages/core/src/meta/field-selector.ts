import { compareKeys } from './key.ts'

/** Fields that a selector can ask for, by their label; a missing one counts as `''`. */
export type FieldSet = Readonly<Record<string, string>>

/** One condition of a field selector. */
export interface FieldRequirement {
  readonly field: string
  readonly operator: '=' | '!='
  readonly value: string
}

/**
 * Selects objects by fields of theirs (`apimachinery: pkg/fields: Selector`): all requirements must hold,
 * none at all selects everything.
 */
export class FieldSelector {
  readonly requirements: readonly FieldRequirement[]

  constructor(requirements: readonly FieldRequirement[]) {
    this.requirements = requirements
  }

  static readonly everything: FieldSelector = new FieldSelector([])

  /** Selects the objects whose field has that value. */
  static oneTermEqual(field: string, value: string): FieldSelector {
    return new FieldSelector([{ field, operator: '=', value }])
  }

  /** Parses `a=b,c==d,e!=f`, with `\,` `\=` and `\\` in values. Throws a SyntaxError with upstream's text. */
  static parse(text: string): FieldSelector {
    if (text === '') return FieldSelector.everything
    const requirements: FieldRequirement[] = []
    for (const term of splitTerms(text).sort(compareKeys)) {
      if (term === '') continue
      const match = /^(.*?)(!=|==|=)(.*)$/s.exec(term)
      if (match === null) throw new SyntaxError(`invalid selector: '${text}'; can't understand '${term}'`)
      const operator = match[2] === '!=' ? '!=' : '='
      requirements.push({ field: match[1]!, operator, value: unescapeValue(match[3]!) })
    }
    return new FieldSelector(requirements.filter(({ field, value }) => field !== '' || value !== ''))
  }

  /** Selects everything. */
  get empty(): boolean {
    return this.requirements.length === 0
  }

  matches(fields: FieldSet): boolean {
    for (const { field, operator, value } of this.requirements) {
      const actual = Object.hasOwn(fields, field) ? fields[field] : ''
      if ((actual === value) !== (operator === '=')) return false
    }
    return true
  }

  /** The one value that the field must have, `undefined` if there is no such value. */
  requiresExactMatch(field: string): string | undefined {
    return this.requirements.find((requirement) => requirement.operator === '=' && requirement.field === field)?.value
  }

  /** Each requirement with another field and value; one that becomes empty altogether is left out. */
  transform(convert: (field: string, value: string) => readonly [field: string, value: string]): FieldSelector {
    const requirements: FieldRequirement[] = []
    for (const requirement of this.requirements) {
      const [field, value] = convert(requirement.field, requirement.value)
      if (field !== '' || value !== '') requirements.push({ field, operator: requirement.operator, value })
    }
    return new FieldSelector(requirements)
  }

  /** A text that {@link FieldSelector.parse} makes the same selector of. */
  toString(): string {
    return this.requirements.map(({ field, operator, value }) => field + operator + escapeValue(value)).join(',')
  }
}

/** Marks the characters of a value that would end it. */
export function escapeValue(value: string): string {
  return value.replace(/[\\,=]/g, (char) => '\\' + char)
}

function unescapeValue(text: string): string {
  let value = ''
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!
    if (char === '\\') {
      const escaped = i + 1 < text.length ? String.fromCodePoint(text.codePointAt(i + 1)!) : ''
      if (escaped === '' || !'\\,='.includes(escaped)) {
        throw new SyntaxError(`invalid field selector: invalid escape sequence: \\${escaped}`)
      }
      value += escaped
      i++
    } else if (char === ',' || char === '=') {
      throw new SyntaxError(`invalid field selector: unescaped character in value: ${char.charCodeAt(0)}`)
    } else {
      value += char
    }
  }
  return value
}

/** Splits at the commas that no backslash precedes; the backslashes stay. */
function splitTerms(text: string): string[] {
  const terms: string[] = []
  let start = 0
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === ',') {
      terms.push(text.slice(start, i))
      start = i + 1
    }
  }
  terms.push(text.slice(start))
  return terms
}
