import { invalid, isLabelKey, regexError, required, utf8Length, type FieldError } from '@freshread/core'

/*
 * Forms of names and numbers (`apimachinery: pkg/util/validation/validation.go`). Checks give texts of what is wrong, none
 * when all is right. Limits count bytes and say "characters", unlike those of labels.
 */

/** Checks a value; the texts say what is wrong. */
export type Check = (value: string) => readonly string[]

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`
const LABEL_UNDERSCORE = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?'
const SUBDOMAIN_UNDERSCORE = `${LABEL_UNDERSCORE}(\\.${LABEL_UNDERSCORE})*`
const DNS1035 = '[a-z]([-a-z0-9]*[a-z0-9])?'
const SUBDOMAIN_END = 'and must start and end with an alphanumeric character'

const labelPattern = whole(LABEL)
const subdomainPattern = whole(SUBDOMAIN)
const subdomainUnderscorePattern = whole(SUBDOMAIN_UNDERSCORE)
const dns1035Pattern = whole(DNS1035)
const wildcardPattern = whole(`\\*\\.${SUBDOMAIN}`)

function whole(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`)
}

function atMost(value: string, limit: number): string[] {
  return utf8Length(value) > limit ? [`must be no more than ${limit} characters`] : []
}

export function isDNSLabel(value: string): string[] {
  const errors = atMost(value, 63)
  if (labelPattern.test(value)) return errors
  if (subdomainPattern.test(value)) return [...errors, 'must not contain dots']
  const text = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ${SUBDOMAIN_END}`
  return [...errors, regexError(text, LABEL, 'my-name', '123-abc')]
}

export function isDNSSubdomain(value: string): string[] {
  const errors = atMost(value, 253)
  if (subdomainPattern.test(value)) return errors
  const text = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', ${SUBDOMAIN_END}`
  return [...errors, regexError(text, SUBDOMAIN, 'example.com')]
}

export function isDNSSubdomainWithUnderscore(value: string): string[] {
  const errors = atMost(value, 253)
  if (subdomainUnderscorePattern.test(value)) return errors
  const text = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', ${SUBDOMAIN_END}`
  return [...errors, regexError(text, SUBDOMAIN_UNDERSCORE, 'example.com')]
}

export function isWildcardSubdomain(value: string): string[] {
  const errors = atMost(value, 253)
  if (wildcardPattern.test(value)) return errors
  const text =
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character"
  return [...errors, regexError(text, `\\*\\.${SUBDOMAIN}`, '*.example.com')]
}

export function isDNS1035Label(value: string): string[] {
  const errors = atMost(value, 63)
  if (dns1035Pattern.test(value)) return errors
  const text =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character"
  return [...errors, regexError(text, DNS1035, 'my-name', 'abc-123')]
}

/** A name that becomes one segment of a path, as every name does (`apimachinery: pkg/api/validation/path`). */
export function isPathSegmentName(value: string): string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`]
  return isPathSegmentPrefix(value)
}

/** The start of such a name. */
export function isPathSegmentPrefix(value: string): string[] {
  return [...'/%'].filter((char) => value.includes(char)).map((char) => `may not contain '${char}'`)
}

/** A name that something is still added to may end in a dash (`apimachinery: pkg/api/validation: maskTrailingDash`). */
export function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name
}

export function isPortName(value: string): string[] {
  const errors = atMost(value, 15)
  if (!/^[-a-z0-9]+$/.test(value)) errors.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)')
  if (!/[a-z]/.test(value)) errors.push('must contain at least one letter (a-z)')
  if (value.includes('--')) errors.push('must not contain consecutive hyphens')
  if (value.startsWith('-') || value.endsWith('-')) errors.push('must not begin or end with a hyphen')
  return errors
}

export function inclusiveRange(low: number, high: number): string {
  return `must be between ${low} and ${high}, inclusive`
}

export function isInRange(value: number, low: number, high: number): string[] {
  return value >= low && value <= high ? [] : [inclusiveRange(low, high)]
}

export function isPortNumber(value: number): string[] {
  return isInRange(value, 1, 65535)
}

/** Users and groups of processes. */
export function isUnixId(value: number): string[] {
  return isInRange(value, 0, 2 ** 31 - 1)
}

export function isPercent(value: string): string[] {
  if (/^[0-9]+%$/.test(value)) return []
  return [
    regexError("a valid percent string must be a numeric string followed by an ending '%'", '[0-9]+%', '1%', '93%'),
  ]
}

export function isHTTPHeaderName(value: string): string[] {
  if (/^[-A-Za-z0-9]+$/.test(value)) return []
  return [
    regexError("a valid HTTP header must consist of alphanumeric characters or '-'", '[-A-Za-z0-9]+', 'X-Header-Name'),
  ]
}

export function isEnvVarName(value: string): string[] {
  const errors = value === '' ? ['environment variable name must be non-empty'] : []
  if (!/^[ -<>-~]*$/.test(value)) {
    errors.push("a valid environment variable name must consist only of printable ASCII characters other than '='")
  }
  return errors
}

export function isConfigMapKey(value: string): string[] {
  const errors = atMost(value, 253)
  if (!/^[-._a-zA-Z0-9]+$/.test(value)) {
    const text = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
    errors.push(regexError(text, '[-._a-zA-Z0-9]+', 'key.name', 'KEY_NAME', 'key-name'))
  }
  if (value === '.') errors.push("must not be '.'")
  else if (value === '..') errors.push("must not be '..'")
  else if (value.startsWith('..')) errors.push("must not start with '..'")
  return errors
}

/** One error for each text that `check` has about the value. */
export function checked(path: string, value: string, check: Check): FieldError[] {
  return check(value).map((text) => invalid(path, value, text))
}

/** A qualified name, such as a label's key: `example.com/name`. */
export function qualifiedName(path: string, value: string): FieldError[] {
  return checked(path, value, isLabelKey)
}

/** `acme.io/foo`: a domain and an HTTP path (`IsDomainPrefixedPath`). */
export function domainPrefixedPath(path: string, value: string): FieldError[] {
  if (value === '') return [required(path, '')]
  const slash = value.indexOf('/')
  if (slash <= 0 || slash === value.length - 1) {
    return [invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")')]
  }
  const errors = checked(path, value.slice(0, slash), isDNSSubdomain)
  const rest = value.slice(slash + 1)
  const pattern = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+"
  if (!whole(pattern).test(rest)) errors.push(invalid(path, rest, regexError('Invalid path', pattern)))
  return errors
}
