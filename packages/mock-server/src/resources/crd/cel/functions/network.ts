import {
  isIpv4Mapped,
  parseAddr,
  parsePrefix,
  prefixContains,
  printIp,
  type IpBytes,
  type Prefix,
} from '../../../../go/net.ts'
import { CidrValue, IpValue } from '../library-values.ts'
import { CelError, noSuchOverload, type Value } from '../values.ts'
import { declare, type FunctionDecl, type Implementation } from './declare.ts'

/* IP addresses and networks (`apiserver: pkg/cel/library/ip.go, cidr.go`). */

const text = (value: Value | undefined): string => value as string

const quoted = (value: string): string => JSON.stringify(value)

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

export const networkFunctions: readonly FunctionDecl[] = [
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
