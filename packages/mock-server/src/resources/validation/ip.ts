import { invalid, type FieldError } from '@freshread/core'

/** An IP address, parsed. */
export interface IPAddress {
  readonly family: 'IPv4' | 'IPv6'
  readonly value: bigint
  /** An IPv6 text that holds an IPv4 address: `::ffff:1.2.3.4`. */
  readonly mapped: boolean
}

/**
 * Parses an IP address as Kubernetes always has (`ParseIPSloppy`): zeros may lead the parts of an IPv4 address. Gives
 * `undefined` for what is none.
 */
export function parseIP(text: string): IPAddress | undefined {
  if (!text.includes(':')) {
    const value = parseV4(text)
    return value === undefined ? undefined : { family: 'IPv4', value, mapped: false }
  }
  const value = parseV6(text)
  if (value === undefined) return undefined
  const mapped = value >> 32n === 0xffffn
  return mapped ? { family: 'IPv4', value: value & 0xffffffffn, mapped } : { family: 'IPv6', value, mapped }
}

function parseV4(text: string): bigint | undefined {
  const parts = text.split('.')
  if (parts.length !== 4) return undefined
  let value = 0n
  for (const part of parts) {
    if (!/^\d+$/.test(part) || Number(part) > 255) return undefined
    value = (value << 8n) | BigInt(Number(part))
  }
  return value
}

function parseV6(text: string): bigint | undefined {
  const lastColon = text.lastIndexOf(':')
  if (text.includes('.')) {
    const tail = parseV4(text.slice(lastColon + 1))
    if (tail === undefined) return undefined
    text = `${text.slice(0, lastColon + 1)}${(tail >> 16n).toString(16)}:${(tail & 0xffffn).toString(16)}`
  }
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const groups = (half: string): string[] => (half === '' ? [] : half.split(':'))
  const head = groups(halves[0]!)
  const tail = halves.length === 2 ? groups(halves[1]!) : []
  const missing = 8 - head.length - tail.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined
  const all = [...head, ...Array.from({ length: missing }, () => '0'), ...tail]
  let value = 0n
  for (const group of all) {
    if (!/^[0-9a-fA-F]{1,4}$/.test(group)) return undefined
    value = (value << 16n) | BigInt(`0x${group}`)
  }
  return value
}

function hasLeadingZeros(text: string): boolean {
  return /(^|[.:])0\d+(\.|$)/.test(text.includes('.') ? text.slice(text.lastIndexOf(':') + 1) : '')
}

/** Prints an address in its canonical form (RFC 5952). */
export function formatIP(address: IPAddress): string {
  if (address.family === 'IPv4') {
    return [24n, 16n, 8n, 0n].map((shift) => String((address.value >> shift) & 255n)).join('.')
  }
  const groups = Array.from({ length: 8 }, (_, i) => ((address.value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16))
  let best = { start: -1, length: 1 }
  for (let i = 0; i < 8; i++) {
    let end = i
    while (end < 8 && groups[end] === '0') end++
    if (end - i > best.length) best = { start: i, length: end - i }
  }
  if (best.start < 0) return groups.join(':')
  return `${groups.slice(0, best.start).join(':')}::${groups.slice(best.start + best.length).join(':')}`
}

export function isIPv6(text: string): boolean {
  return parseIP(text)?.family === 'IPv6'
}

/** Whether the addresses are of both families (`IsDualStackIPStrings`). */
export function isDualStack(addresses: readonly string[]): boolean {
  const families = new Set(addresses.map((text) => parseIP(text)?.family))
  return families.has('IPv4') && families.has('IPv6')
}

/** An address in a field that predates strict forms (`IsValidIPForLegacyField`); those it already had are not looked at. */
export function validateIP(path: string, text: string, existing: readonly string[] = []): FieldError[] {
  if (existing.includes(text)) return []
  const address = parseIP(text)
  if (address === undefined)
    return [invalid(path, text, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')]
  if (hasLeadingZeros(text)) return [invalid(path, text, 'must not have leading 0s')]
  return address.mapped ? [invalid(path, text, 'must not be an IPv4-mapped IPv6 address')] : []
}

/** An address that must be in its canonical form (`IsValidIP`). */
export function validateCanonicalIP(path: string, text: string): FieldError[] {
  const errors = validateIP(path, text)
  if (errors.length > 0) return errors
  const canonical = formatIP(parseIP(text)!)
  return canonical === text ? [] : [invalid(path, text, `must be in canonical form ("${canonical}")`)]
}

/** A network in CIDR form (`IsValidCIDRForLegacyField`). */
export function validateCIDR(path: string, text: string, existing: readonly string[] = []): FieldError[] {
  if (existing.includes(text)) return []
  const network = parseCIDR(text)
  if (network === undefined) {
    return [invalid(path, text, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)')]
  }
  const [address, length] = text.split('/') as [string, string]
  if (hasLeadingZeros(address) || /^0\d/.test(length))
    return [invalid(path, text, 'must not have leading 0s in IP or prefix length')]
  if (network.address.mapped) return [invalid(path, text, 'must not have an IPv4-mapped IPv6 address')]
  if (network.address.value !== maskOf(network))
    return [invalid(path, text, 'must not have bits set beyond the prefix length')]
  return []
}

/** A network: an address within it and the length of its prefix. */
export interface Network {
  readonly address: IPAddress
  readonly length: number
}

export function parseCIDR(text: string): Network | undefined {
  const match = /^([^/]+)\/(\d+)$/.exec(text)
  if (match === null) return undefined
  const address = parseIP(match[1]!)
  if (address === undefined) return undefined
  let length = Number(match[2])
  if (length > (address.family === 'IPv4' && !address.mapped ? 32 : 128)) return undefined
  if (address.mapped) length = Math.max(0, length - 96)
  return { address, length }
}

function bitsOf(address: IPAddress): number {
  return address.family === 'IPv4' ? 32 : 128
}

/** The first address of a network. */
function maskOf(network: Network): bigint {
  const rest = BigInt(bitsOf(network.address) - network.length)
  return (network.address.value >> rest) << rest
}

/** Whether `inner` lies within `outer` and is smaller. */
export function isStrictSubnet(inner: Network, outer: Network): boolean {
  if (inner.address.family !== outer.address.family || inner.length <= outer.length) return false
  const rest = BigInt(bitsOf(outer.address) - outer.length)
  return inner.address.value >> rest === outer.address.value >> rest
}

/** An address that can be reached from elsewhere (`ValidateEndpointIP`). */
export function validateEndpointIP(path: string, text: string): FieldError[] {
  const address = parseIP(text)
  if (address === undefined) return [invalid(path, text, 'must be a valid IP address')]
  const { value } = address
  const v4 = address.family === 'IPv4'
  const errors: FieldError[] = []
  if (value === 0n) errors.push(invalid(path, text, `may not be unspecified (${text})`))
  if (v4 ? value >> 24n === 127n : value === 1n) {
    errors.push(invalid(path, text, 'may not be in the loopback range (127.0.0.0/8, ::1/128)'))
  }
  if (v4 ? value >> 16n === 0xa9fen : value >> 118n === 0x3fan) {
    errors.push(invalid(path, text, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'))
  }
  if (v4 ? value >> 8n === 0xe00000n : ((value >> 112n) & 0xff0fn) === 0xff02n) {
    errors.push(invalid(path, text, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'))
  }
  return errors
}
