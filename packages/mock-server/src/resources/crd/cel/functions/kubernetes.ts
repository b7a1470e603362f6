import { isLabelKey, isLabelValue } from '@freshread/core'
import { Quantity } from '../../../quantity.ts'
import { isDNS1035Label, isDNSLabel, isDNSSubdomain, maskTrailingDash, type Check } from '../../../validation/names.ts'
import { matchesFormat } from '../../formats.ts'
import {
  isIpv4Mapped,
  parseAddr,
  parsePrefix,
  prefixContains,
  printIp,
  type IpBytes,
  type Prefix,
} from '../../../../go/net.ts'
import { compileRegexp } from '../../../../go/regexp.ts'
import { hostname, parseRequestUri, port, queryValues } from '../../../../go/url.ts'
import { CidrValue, FormatValue, IpValue, QuantityValue, SemverValue, UrlValue } from '../library-values.ts'
import {
  CelError,
  CelList,
  compare,
  equal,
  isError,
  noSuchOverload,
  Optional,
  ValueList,
  ValueMap,
  type Value,
} from '../values.ts'
import { declare, type FunctionDecl, type Implementation } from './declare.ts'
import { standardFunctions } from './standard.ts'

/** Functions that Kubernetes adds to CEL (`apiserver: pkg/cel/library`). */

const text = (value: Value | undefined): string => value as string
const list = (value: Value | undefined): CelList => value as CelList
const quoted = (value: string): string => JSON.stringify(value)

const comparable = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes']
const summable = ['int', 'uint', 'double', 'duration']
const plus = standardFunctions.find(({ name }) => name === '_+_')!.run

const isSorted: Implementation = ([values]) => {
  let previous: Value | undefined
  for (const value of list(values)) {
    if (previous !== undefined) {
      const order = compare(previous, value)
      if (typeof order !== 'number') return order
      if (order > 0) return false
    }
    previous = value
  }
  return true
}

/** An empty list has the sum zero, of the type that was asked for, which nobody remembers: an int is as equal. */
const sum: Implementation = ([values]) => {
  let total: Value | undefined
  for (const value of list(values)) {
    total = total === undefined ? value : plus([total, value])
    if (isError(total)) return total
  }
  return total ?? 0n
}

function extreme(name: string, wanted: number): Implementation {
  return ([values]) => {
    let best: Value | undefined
    for (const value of list(values)) {
      if (best === undefined) {
        best = value
        continue
      }
      const order = compare(value, best)
      if (typeof order !== 'number') return order
      if (Math.sign(order) === wanted) best = value
    }
    return best ?? new CelError(`${name} called on empty list`)
  }
}

const templated = (
  name: string,
  id: string,
  types: readonly string[],
  result: (type: string) => string,
  run: Implementation,
): FunctionDecl =>
  declare(
    name,
    types.map((type) => `list_${type}_${id.replace('%', type)} list(${type}).() ${result(type)}`).join('\n'),
    run,
  )

const listFunctions: readonly FunctionDecl[] = [
  templated('isSorted', 'is_sorted_bool', comparable, () => 'bool', isSorted),
  templated('sum', 'sum_%', summable, (type) => type, sum),
  templated('max', 'max_%', comparable, (type) => type, extreme('max', 1)),
  templated('min', 'min_%', comparable, (type) => type, extreme('min', -1)),
]

const find: Implementation = ([value, pattern]) => {
  const compiled = compileRegexp(text(pattern))
  if ('error' in compiled) return new CelError(`Illegal regex: ${compiled.error}`)
  const matcher = compiled.pattern.matcher(text(value))
  return matcher.find() ? (matcher.group() ?? '') : ''
}

const findAll: Implementation = ([value, pattern, limit = -1n]) => {
  const compiled = compileRegexp(text(pattern))
  if ('error' in compiled) return new CelError(`Illegal regex: ${compiled.error}`)
  const matcher = compiled.pattern.matcher(text(value))
  const found: string[] = []
  const most = (limit as bigint) < 0n ? Infinity : Number(limit as bigint)
  while (found.length < most && matcher.find()) {
    found.push(matcher.group() ?? '')
  }
  return new ValueList(found)
}

const url = (value: Value | undefined): UrlValue => value as UrlValue
const urlPart = (id: string, name: string, part: (url: UrlValue) => string): FunctionDecl =>
  declare(name, `url_${id} url.() string`, ([value]) => part(url(value)))

const urlFunctions: readonly FunctionDecl[] = [
  declare('url', 'string_to_url (string) url', ([value]) => {
    const parsed = parseRequestUri(text(value))
    return 'error' in parsed
      ? new CelError(`URL parse error during conversion from string: ${parsed.error}`)
      : new UrlValue(parsed, text(value))
  }),
  urlPart('get_scheme', 'getScheme', ({ url }) => url.scheme),
  urlPart('get_host', 'getHost', ({ url }) => url.host),
  urlPart('get_hostname', 'getHostname', ({ url }) => hostname(url)),
  urlPart('get_port', 'getPort', ({ url }) => port(url)),
  urlPart('get_escaped_path', 'getEscapedPath', ({ url }) => url.escapedPath),
  declare('getQuery', 'url_get_query url.() map(string, list(string))', ([value]) => {
    const entries = new Map<string, readonly [Value, Value]>()
    for (const [name, values] of queryValues(url(value).url)) entries.set(`s${name}`, [name, new ValueList(values)])
    return new ValueMap(entries)
  }),
  declare('isURL', 'is_url_string (string) bool', ([value]) => !('error' in parseRequestUri(text(value)))),
]

const quantity = (value: Value | undefined): Quantity => (value as QuantityValue).quantity
const maxInt = (1n << 63n) - 1n
/** An amount that was cut to the largest there is has no integer. */
const fitsInt = (value: Quantity): boolean => value.isInteger && value.value < maxInt && value.value > -maxInt

const ordering = (
  name: string,
  id: string,
  type: string,
  test: (order: number) => Value,
  result: string,
  of: (a: Value, b: Value) => number,
): FunctionDecl => declare(name, `${type}_${id} ${type}.(${type}) ${result}`, ([a, b]) => test(of(a!, b!)))

const compareValues = (a: Value, b: Value): number =>
  a instanceof SemverValue ? a.compare(b as SemverValue) : quantity(a).compare(quantity(b))

function orderings(type: string): readonly FunctionDecl[] {
  return [
    ordering('isGreaterThan', 'is_greater_than', type, (order) => order > 0, 'bool', compareValues),
    ordering('isLessThan', 'is_less_than', type, (order) => order < 0, 'bool', compareValues),
    ordering('compareTo', 'compare_to', type, (order) => BigInt(order), 'int', compareValues),
  ]
}

const plusQuantity =
  (sign: 1 | -1): Implementation =>
  ([a, b]) => {
    const other = typeof b === 'bigint' ? new Quantity(b * 1_000_000_000n, 'DecimalSI') : quantity(b)
    return new QuantityValue(sign === 1 ? quantity(a).add(other) : quantity(a).subtract(other))
  }

const quantityFunctions: readonly FunctionDecl[] = [
  declare('quantity', 'string_to_quantity (string) quantity', ([value]) => {
    try {
      return new QuantityValue(Quantity.parse(text(value)))
    } catch (error) {
      return new CelError((error as Error).message)
    }
  }),
  declare('isQuantity', 'is_quantity_string (string) bool', ([value]) => Quantity.tryParse(text(value)) !== undefined),
  declare('sign', 'quantity_sign (quantity) int', ([value]) => {
    const { nano } = quantity(value)
    return nano > 0n ? 1n : nano < 0n ? -1n : 0n
  }),
  ...orderings('quantity'),
  declare('asApproximateFloat', 'quantity_get_float quantity.() double', ([value]) => {
    const { nano } = quantity(value)
    return Number(nano / 1_000_000_000n) + Number(nano % 1_000_000_000n) / 1e9
  }),
  declare('asInteger', 'quantity_get_int quantity.() int', ([value]) =>
    fitsInt(quantity(value)) ? quantity(value).value : new CelError('cannot convert value to integer'),
  ),
  declare('isInteger', 'quantity_is_integer quantity.() bool', ([value]) => fitsInt(quantity(value))),
  declare(
    'add',
    'quantity_add quantity.(quantity) quantity\nquantity_add_int quantity.(int) quantity',
    plusQuantity(1),
  ),
  declare(
    'sub',
    'quantity_sub quantity.(quantity) quantity\nquantity_sub_int quantity.(int) quantity',
    plusQuantity(-1),
  ),
]

function readIp(raw: string): IpBytes | CelError {
  const parsed = parseAddr(raw)
  if ('error' in parsed) {
    return new CelError(`IP Address ${quoted(raw)} parse error during conversion from string: ${parsed.error}`)
  }
  if (parsed.zone !== '') return new CelError(`IP address ${quoted(raw)} with zone value is not allowed`)
  return isIpv4Mapped(parsed.bytes)
    ? new CelError(`IPv4-mapped IPv6 address ${quoted(raw)} is not allowed`)
    : parsed.bytes
}

function readCidr(raw: string): Prefix | CelError {
  const parsed = parsePrefix(raw)
  if ('error' in parsed) {
    return new CelError(`network address parse error during conversion from string: ${parsed.error}`)
  }
  return isIpv4Mapped(parsed.bytes) ? new CelError(`IPv4-mapped IPv6 address ${quoted(raw)} is not allowed`) : parsed
}

const isCelError = (value: unknown): value is CelError => value instanceof CelError
const ip = (value: Value | undefined): IpBytes => (value as IpValue).bytes
const cidr = (value: Value | undefined): CidrValue => value as CidrValue
const ipTest = (name: string, id: string, test: (bytes: IpBytes) => boolean): FunctionDecl =>
  declare(name, `ip_${id} ip.() bool`, ([value]) => test(ip(value)))

const isZeroIp = (bytes: IpBytes): boolean => bytes.every((byte) => byte === 0)
const isLoopback = (bytes: IpBytes): boolean =>
  bytes.length === 4 ? bytes[0] === 127 : bytes.slice(0, 15).every((byte) => byte === 0) && bytes[15] === 1
const isLinkLocalMulticast = (bytes: IpBytes): boolean =>
  bytes.length === 4
    ? bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0
    : bytes[0] === 0xff && (bytes[1]! & 0x0f) === 2
const isLinkLocalUnicast = (bytes: IpBytes): boolean =>
  bytes.length === 4 ? bytes[0] === 169 && bytes[1] === 254 : bytes[0] === 0xfe && (bytes[1]! & 0xc0) === 0x80
const isMulticast = (bytes: IpBytes): boolean => (bytes.length === 4 ? (bytes[0]! & 0xf0) === 0xe0 : bytes[0] === 0xff)
const isGlobalUnicast = (bytes: IpBytes): boolean =>
  !(bytes.length === 4 && (isZeroIp(bytes) || bytes.every((byte) => byte === 255))) &&
  !isZeroIp(bytes) &&
  !isLoopback(bytes) &&
  !isMulticast(bytes) &&
  !isLinkLocalUnicast(bytes)

const containsIp: Implementation = ([network, address]) => {
  const bytes = typeof address === 'string' ? readIp(address) : ip(address)
  return isCelError(bytes) ? noSuchOverload : prefixContains(cidr(network).prefix, bytes)
}

const containsCidr: Implementation = ([network, other]) => {
  const inner = typeof other === 'string' ? readCidr(other) : cidr(other).prefix
  if (isCelError(inner)) return noSuchOverload
  const { prefix } = cidr(network)
  if (prefix.bytes.length !== inner.bytes.length || prefix.bits > inner.bits) return false
  return prefixContains(prefix, inner.bytes)
}

const networkFunctions: readonly FunctionDecl[] = [
  declare('ip', 'string_to_ip (string) ip\ncidr_ip cidr.() ip', ([value]) => {
    if (value instanceof CidrValue) return new IpValue(value.prefix.bytes)
    const bytes = readIp(text(value))
    return isCelError(bytes) ? bytes : new IpValue(bytes)
  }),
  declare('family', 'ip_family ip.() int', ([value]) => (ip(value).length === 4 ? 4n : 6n)),
  declare('ip.isCanonical', 'ip_is_canonical (string) bool', ([value]) => {
    const bytes = readIp(text(value))
    return isCelError(bytes) ? bytes : printIp(bytes) === value
  }),
  ipTest('isUnspecified', 'is_unspecified', isZeroIp),
  ipTest('isLoopback', 'is_loopback', isLoopback),
  ipTest('isLinkLocalMulticast', 'is_link_local_multicast', isLinkLocalMulticast),
  ipTest('isLinkLocalUnicast', 'is_link_local_unicast', isLinkLocalUnicast),
  ipTest('isGlobalUnicast', 'is_global_unicast', isGlobalUnicast),
  declare('isIP', 'is_ip (string) bool', ([value]) => !isCelError(readIp(text(value)))),
  declare('string', 'ip_to_string (ip) string\ncidr_to_string (cidr) string', ([value]) =>
    value instanceof CidrValue ? value.text : printIp(ip(value)),
  ),
  declare('cidr', 'string_to_cidr (string) cidr', ([value]) => {
    const prefix = readCidr(text(value))
    if (!isCelError(prefix)) return new CidrValue(prefix)
    return new CelError(`network address parse error during conversion from string: ${prefix.message}`)
  }),
  declare('containsIP', 'cidr_contains_ip_string cidr.(string) bool\ncidr_contains_ip_ip cidr.(ip) bool', containsIp),
  declare(
    'containsCIDR',
    'cidr_contains_cidr_string cidr.(string) bool\ncidr_contains_cidr cidr.(cidr) bool',
    containsCidr,
  ),
  declare('prefixLength', 'cidr_prefix_length cidr.() int', ([value]) => BigInt(cidr(value).prefix.bits)),
  declare('masked', 'cidr_masked cidr.() cidr', ([value]) => cidr(value).masked),
  declare('isCIDR', 'is_cidr (string) bool', ([value]) => !isCelError(readCidr(text(value)))),
]

const masked =
  (check: Check): Check =>
  (value) =>
    check(maskTrailingDash(value))
const matching =
  (format: string, message: string): Check =>
  (value) =>
    matchesFormat(format, value) === true ? [] : [message]

const formats: Readonly<Record<string, FormatValue>> = {
  dns1123Label: new FormatValue('DNS1123Label', 30, isDNSLabel),
  dns1123Subdomain: new FormatValue('DNS1123Subdomain', 60, isDNSSubdomain),
  dns1035Label: new FormatValue('DNS1035Label', 30, isDNS1035Label),
  qualifiedName: new FormatValue('QualifiedName', 60, isLabelKey),
  dns1123LabelPrefix: new FormatValue('DNS1123LabelPrefix', 30, masked(isDNSLabel)),
  dns1123SubdomainPrefix: new FormatValue('DNS1123SubdomainPrefix', 60, masked(isDNSSubdomain)),
  dns1035LabelPrefix: new FormatValue('DNS1035LabelPrefix', 30, masked(isDNS1035Label)),
  labelValue: new FormatValue('LabelValue', 40, isLabelValue),
  uri: new FormatValue('URI', 1103, (value) => {
    const parsed = parseRequestUri(value)
    return 'error' in parsed ? [parsed.error] : []
  }),
  uuid: new FormatValue('uuid', 70, matching('uuid', 'does not match the UUID format')),
  byte: new FormatValue('byte', 84, matching('byte', 'invalid base64')),
  date: new FormatValue('date', 71, matching('date', 'invalid date')),
  datetime: new FormatValue('datetime', 71, matching('datetime', 'invalid datetime')),
}

const formatFunctions: readonly FunctionDecl[] = [
  declare('validate', 'format-validate format.(string) optional(list(string))', ([format, value]) => {
    const problems = (format as FormatValue).check(text(value))
    return problems.length === 0 ? Optional.none : new Optional(new ValueList(problems))
  }),
  declare('format.named', 'format-named (string) optional(format)', ([name]) =>
    Object.hasOwn(formats, text(name)) ? new Optional(formats[text(name)]!) : Optional.none,
  ),
  ...Object.entries(formats).map(([name, format]) =>
    declare(`format.${name}`, `format-${name} () format`, () => format),
  ),
]

const semverPattern =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$/

function readSemver(raw: string, normalize: boolean): SemverValue | undefined {
  const match = semverPattern.exec(normalize ? normalized(raw) : raw)
  if (match === null) return undefined
  const [, major, minor, patch, prerelease] = match as unknown as [string, string, string, string, string | undefined]
  const numbers = [BigInt(major), BigInt(minor), BigInt(patch)] as const
  if (numbers.some((part) => BigInt.asUintN(64, part) !== part)) return undefined
  return new SemverValue(numbers, prerelease?.split('.') ?? [])
}

/** Without `v` and leading zeros, and with all three numbers. */
function normalized(raw: string): string {
  const [major = '', minor, ...rest] = raw.replace(/^v/, '').split('.')
  const parts = [major, ...(minor === undefined ? [] : [minor]), ...(rest.length > 0 ? [rest.join('.')] : [])].map(
    (part) => {
      if (part.length < 2) return part
      const trimmed = part.replace(/^0+/, '')
      return /^\d/.test(trimmed) ? trimmed : `0${trimmed}`
    },
  )
  if (parts.length < 3) {
    const last = parts.length - 1
    // What follows the last number of a shorter version belongs behind the third.
    const cut = parts[last]!.search(/[-+]/)
    const suffix = cut < 0 ? '' : parts[last]!.slice(cut)
    if (cut >= 0) return parts.join('.')
    while (parts.length < 3) parts.push('0')
    return parts.join('.') + suffix
  }
  return parts.join('.')
}

function semverError(raw: string): CelError {
  if (raw === '') return new CelError('Version string empty')
  const parts = raw.split('.')
  if (parts.length < 3) return new CelError('No Major.Minor.Patch elements found')
  for (const [i, name] of ['major', 'minor'].entries()) {
    if (!/^\d*$/.test(parts[i]!))
      return new CelError(`Invalid character(s) found in ${name} number ${quoted(parts[i]!)}`)
    if (/^0\d/.test(parts[i]!)) {
      const what = name === 'major' ? 'Major' : 'Minor'
      return new CelError(`${what} number must not contain leading zeroes ${quoted(parts[i]!)}`)
    }
  }
  const patch = parts[2]!.replace(/[-+].*$/s, '')
  if (/^0\d/.test(patch)) return new CelError(`Patch number must not contain leading zeroes ${quoted(patch)}`)
  return new CelError(`Invalid character(s) found in patch number ${quoted(patch)}`)
}

const semver = (value: Value | undefined): SemverValue => value as SemverValue

const semverFunctions: readonly FunctionDecl[] = [
  declare(
    'semver',
    'string_to_semver (string) semver\nstring_bool_to_semver (string, bool) semver',
    ([value, normalize]) =>
      readSemver(text(value), normalize === true) ??
      semverError(normalize === true ? normalized(text(value)) : text(value)),
  ),
  declare(
    'isSemver',
    'is_semver_string (string) bool\nis_semver_string_bool (string, bool) bool',
    ([value, normalize]) => readSemver(text(value), normalize === true) !== undefined,
  ),
  ...orderings('semver'),
  declare('major', 'semver_major semver.() int', ([value]) => semver(value).numbers[0]),
  declare('minor', 'semver_minor semver.() int', ([value]) => semver(value).numbers[1]),
  declare('patch', 'semver_patch semver.() int', ([value]) => semver(value).numbers[2]),
]

export const kubernetesFunctions: readonly FunctionDecl[] = [
  ...listFunctions,
  declare('find', 'string_find_string string.(string) string', find),
  declare(
    'findAll',
    `string_find_all_string string.(string) list(string)
     string_find_all_string_int string.(string, int) list(string)`,
    findAll,
  ),
  ...urlFunctions,
  ...quantityFunctions,
  ...networkFunctions,
  ...formatFunctions,
  ...semverFunctions,
]

/** Functions that only expressions which have been stored already may use: older servers do not know them. */
export const newestFunctions: readonly FunctionDecl[] = [
  declare('includes', 'list_includes_dyn_dyn dyn.(dyn) bool', ([values, wanted]) => {
    if (!(values instanceof CelList)) return noSuchOverload
    for (const value of values) if (equal(value, wanted!) === true) return true
    return false
  }),
]
