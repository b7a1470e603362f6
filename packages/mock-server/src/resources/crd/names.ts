import { maxLengthError, regexError, utf8Length } from '@freshread/core'

const label1035 = '[a-z]([-a-z0-9]*[a-z0-9])?'
const label1035Pattern = new RegExp(`^${label1035}$`)

/** What is wrong with a name of a kind, resource or version (`apimachinery: pkg/util/validation: IsDNS1035Label`). */
export function isDNS1035Label(value: string): string[] {
  const problems: string[] = []
  if (utf8Length(value) > 63) problems.push(maxLengthError(63))
  if (!label1035Pattern.test(value)) {
    const message =
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character"
    problems.push(regexError(message, label1035, 'my-name', 'abc-123'))
  }
  return problems
}

/** What is wrong with a name that becomes one segment of a path (`pkg/api/validate/content: IsPathSegmentName`). */
export function isPathSegmentName(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`]
  return isPathSegmentPrefix(name)
}

export function isPathSegmentPrefix(name: string): string[] {
  return ['/', '%'].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`)
}
