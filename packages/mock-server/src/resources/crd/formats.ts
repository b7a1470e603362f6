import { utf8Length } from '@freshread/core'
import { isCidrSloppy, isMac, parseIp, parseIpv6 } from '../../go/net.ts'
import { parseRequestUri } from '../../go/url.ts'
import type { JsonSchemaProps } from './types.ts'

/**
 * String formats that schemas may ask for (`kube-openapi: pkg/validation/strfmt`,
 * `apiextensions-apiserver: pkg/apiserver/validation/formats.go`).
 */

const uuid = (version: string, variant: string): RegExp =>
  new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`, 'i')
const uuidAny = uuid('[0-9a-f]', '[0-9a-f]')
const uuid3 = uuid('3', '[0-9a-f]')
const uuid4 = uuid('4', '[89ab]')
const uuid5 = uuid('5', '[89ab]')
const hostnamePattern =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$/u
const shortName = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const shortNamePattern = new RegExp(`^${shortName}$`)
const longNamePattern = new RegExp(`^${shortName}(\\.${shortName})*$`)
const rgbPart = '(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])'
const rgbPattern = new RegExp(`^rgb\\(\\s*${rgbPart}\\s*,\\s*${rgbPart}\\s*,\\s*${rgbPart}\\s*\\)$`)
const base64Pattern = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/

/** `2006-01-02`, a day that exists. */
export function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)
  if (match === null) return false
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  if (month < 1 || month > 12 || day < 1) return false
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  return day <= days[month - 1]!
}

/** `strfmt.IsDateTime`. */
export function isDateTime(text: string): boolean {
  if (utf8Length(text) < 4) return false
  const parts = text.toLowerCase().split('t')
  if (parts.length < 2 || !isDate(parts[0]!)) return false
  const match = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/.exec(parts[1]!)
  return match !== null && match[1]! <= '23' && match[2]! <= '59' && match[3]! <= '59'
}

const unitNanoseconds: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 6e10,
  h: 3.6e12,
}

/** `time.ParseDuration`, in nanoseconds; undefined where it refuses. */
export function parseGoDuration(text: string): bigint | undefined {
  const match = /^([-+]?)(.*)$/s.exec(text)!
  const body = match[2]!
  if (body === '0') return 0n
  if (!/^((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/.test(body)) return undefined
  let total = 0n
  for (const part of body.matchAll(/(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g)) {
    const unit = BigInt(unitNanoseconds[part[3]!]!)
    total += BigInt(part[1] || '0') * unit
    const fraction = part[2] ?? ''
    if (fraction !== '') total += BigInt(Math.trunc(Number(`0.${fraction}`) * Number(unit)))
  }
  if (total > 9223372036854775808n || (total === 9223372036854775808n && match[1] !== '-')) return undefined
  return match[1] === '-' ? -total : total
}

const looseUnits: readonly (readonly [number, string, ...string[]])[] = [
  [1, 'ns', 'nano'],
  [1e3, 'us', 'µs', 'micro'],
  [1e6, 'ms', 'milli'],
  [1e9, 's', 'sec'],
  [6e10, 'm', 'min'],
  [3.6e12, 'h', 'hr', 'hour'],
  [8.64e13, 'd', 'day'],
  [6.048e14, 'w', 'wk', 'week'],
]

/** `strfmt.ParseDuration`: Go's syntax, or `3 days` and the like. In nanoseconds. */
export function parseDuration(text: string): bigint | undefined {
  const exact = parseGoDuration(text)
  if (exact !== undefined) return exact
  let found = false
  let total = 0n
  for (const match of text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)) {
    const unit = match[2]!.toLowerCase()
    for (const [nanoseconds, ...variants] of looseUnits) {
      const last = variants.length - 1
      variants.forEach((variant, i) => {
        if ((i === last && unit.startsWith(variant)) || unit === variant.toLowerCase()) {
          found = true
          total += BigInt(match[1]!) * BigInt(nanoseconds)
        }
      })
    }
  }
  return found ? BigInt.asIntN(64, total) : undefined
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '')
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false
  let sum = 0
  for (let i = 0; i < 9; i++) sum += (i + 1) * Number(digits[i])
  sum += digits[9] === 'X' ? 100 : 10 * Number(digits[9])
  return sum % 11 === 0
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '')
  if (!/^[0-9]{13}$/.test(digits)) return false
  let sum = 0
  for (let i = 0; i < 12; i++) sum += (i % 2 === 0 ? 1 : 3) * Number(digits[i])
  return Number(digits[12]) === (10 - (sum % 10)) % 10
}

const creditCardPattern =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/

function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '')
  if (!creditCardPattern.test(digits)) return false
  let sum = 0
  for (let i = digits.length - 1, double = false; i >= 0; i--, double = !double) {
    const value = Number(digits[i]) * (double ? 2 : 1)
    sum += value >= 10 ? (value % 10) + 1 : value
  }
  return sum % 10 === 0
}

function isHostname(text: string): boolean {
  // A long label makes the pattern backtrack for ever, and no hostname has one.
  if (utf8Length(text) > 255 || text.split('.').some((label) => utf8Length(label) > 63)) return false
  return hostnamePattern.test(text)
}

/** `net/mail.ParseAddress`, for addresses without comments: `a@b`, `"Name" <a@b>`. */
function isEmail(text: string): boolean {
  const angle = /^\s*(?:"(?:[^"\\]|\\.)*"|[^<>"@,]*)?\s*<([^<>]+)>\s*$/.exec(text)
  const address = (angle === null ? text : angle[1]!).trim()
  const at = address.lastIndexOf('@')
  if (at <= 0) return false
  const atom = /^[^\s()<>[\]:;@\\,."]+(\.[^\s()<>[\]:;@\\,."]+)*$/
  const local = address.slice(0, at)
  const domain = address.slice(at + 1)
  return (atom.test(local) || /^"(?:[^"\\]|\\.)*"$/.test(local)) && (atom.test(domain) || /^\[[^[\]]*\]$/.test(domain))
}

const checks: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: (text) => /^[0-9a-fA-F]{24}$/.test(text),
  uri: (text) => !('error' in parseRequestUri(text)),
  email: isEmail,
  hostname: isHostname,
  ipv4: (text) => text.includes('.') && parseIp(text, true) !== undefined,
  ipv6: (text) => parseIpv6(text) !== undefined,
  cidr: isCidrSloppy,
  mac: isMac,
  uuid: (text) => uuidAny.test(text),
  uuid3: (text) => uuid3.test(text),
  uuid4: (text) => uuid4.test(text),
  uuid5: (text) => uuid5.test(text),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  hexcolor: (text) => /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text),
  rgbcolor: (text) => rgbPattern.test(text),
  byte: (text) => base64Pattern.test(text),
  password: () => true,
  date: isDate,
  duration: (text) => parseDuration(text) !== undefined,
  datetime: isDateTime,
  k8sshortname: (text) => utf8Length(text) <= 63 && shortNamePattern.test(text),
  k8slongname: (text) => utf8Length(text) <= 253 && longNamePattern.test(text),
}

/** Whether `text` has the format; undefined for a format nobody knows. */
export function matchesFormat(format: string, text: string): boolean | undefined {
  const check = checks[format.replaceAll('-', '')]
  return check?.(text)
}

/** The format that is enforced for a schema: `''` for one that its type does not know. */
export function supportedFormat(schema: JsonSchemaProps): string {
  const format = schema.format ?? ''
  if (format === '') return ''
  const type = schema['x-kubernetes-int-or-string'] === true ? '' : (schema.type ?? '')
  switch (type) {
    case '':
    case 'string':
      return Object.hasOwn(checks, format.replaceAll('-', '')) ? format : ''
    case 'integer':
      return format === 'int32' || format === 'int64' ? format : ''
    case 'number':
      return format === 'float' || format === 'double' ? format : ''
    default:
      return ''
  }
}
