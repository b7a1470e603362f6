/** IP addresses and prefixes as Go's `net` and `net/netip` read and print them. */

/** An address: 4 or 16 bytes. */
export type IpBytes = readonly number[]

/** Reads `1.2.3.4`. Leading zeros only where `sloppy` (`k8s.io/utils/net: ParseIPSloppy`). */
function parseIpv4(text: string, sloppy = false): number[] | undefined {
  const parts = text.split('.')
  if (parts.length !== 4) return undefined
  const bytes: number[] = []
  for (const part of parts) {
    if (!/^\d+$/.test(part) || (part.length > 3 && !sloppy)) return undefined
    if (!sloppy && part.length > 1 && part.startsWith('0')) return undefined
    const value = Number(part)
    if (value > 255) return undefined
    bytes.push(value)
  }
  return bytes
}

/** Reads an IPv6 address, without a zone. An IPv4 address may stand for its last four bytes. */
export function parseIpv6(text: string, sloppy = false): number[] | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const read = (half: string, last: boolean): number[] | undefined => {
    if (half === '') return []
    const bytes: number[] = []
    const groups = half.split(':')
    for (const [i, group] of groups.entries()) {
      if (group.includes('.')) {
        const v4 = last && i === groups.length - 1 ? parseIpv4(group, sloppy) : undefined
        if (v4 === undefined) return undefined
        bytes.push(...v4)
      } else {
        if (!/^[0-9a-fA-F]{1,4}$/.test(group)) return undefined
        const value = Number.parseInt(group, 16)
        bytes.push(value >> 8, value & 255)
      }
    }
    return bytes
  }
  const head = read(halves[0]!, halves.length === 1)
  if (head === undefined) return undefined
  if (halves.length === 1) return text !== '' && head.length === 16 ? head : undefined
  const tail = read(halves[1]!, true)
  if (tail === undefined || head.length + tail.length > 14) return undefined
  return [...head, ...Array.from({ length: 16 - head.length - tail.length }, () => 0), ...tail]
}

/** `net.ParseIP`. */
export function parseIp(text: string, sloppy = false): IpBytes | undefined {
  return text.includes(':') ? parseIpv6(text, sloppy) : parseIpv4(text, sloppy)
}

/** `netip.Addr.String`: lower case, the longest run of zeros shortened, IPv4-mapped with dots. */
export function printIp(bytes: IpBytes): string {
  if (bytes.length === 4) return bytes.join('.')
  if (isIpv4Mapped(bytes)) return `::ffff:${bytes.slice(12).join('.')}`
  const groups: number[] = []
  for (let i = 0; i < 16; i += 2) groups.push(bytes[i]! * 256 + bytes[i + 1]!)
  let start = -1
  let length = 0
  for (let i = 0; i < 8; i++) {
    let j = i
    while (j < 8 && groups[j] === 0) j++
    if (j - i > length && j - i >= 2) {
      start = i
      length = j - i
    }
    if (j > i) i = j
  }
  const hex = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':')
  if (start < 0) return hex(groups)
  return `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`
}

export function isIpv4Mapped(bytes: IpBytes): boolean {
  return bytes.length === 16 && bytes.slice(0, 10).every((b) => b === 0) && bytes[10] === 255 && bytes[11] === 255
}

/** Why `netip.ParseAddr` refuses a text, in its words; the address where it does not. */
export function parseAddr(
  text: string,
): { readonly bytes: IpBytes; readonly zone: string } | { readonly error: string } {
  const zoneAt = text.indexOf('%')
  const address = zoneAt < 0 ? text : text.slice(0, zoneAt)
  const quoted = JSON.stringify(text)
  const kind = /[.:%]/.exec(text)?.[0]
  if (kind === undefined) return { error: `ParseAddr(${quoted}): unable to parse IP` }
  if (kind === '%') return { error: `ParseAddr(${quoted}): missing IPv6 address` }
  if (kind === '.') {
    const bytes = parseIpv4(text)
    if (bytes !== undefined) return { bytes, zone: '' }
    return { error: `ParseAddr(${quoted}): ${ipv4Problem(text)}` }
  }
  const bytes = parseIpv6(address)
  if (zoneAt >= 0 && zoneAt === text.length - 1) {
    return { error: `ParseAddr(${quoted}): zone must be a non-empty string` }
  }
  if (bytes !== undefined) return { bytes, zone: zoneAt < 0 ? '' : text.slice(zoneAt + 1) }
  return { error: `ParseAddr(${quoted}): ${ipv6Problem(address)}` }
}

function ipv4Problem(text: string): string {
  let value = 0
  let fields = 0
  let digits = 0
  for (let i = 0; i < text.length; i++) {
    const ch = text[i]!
    if (ch >= '0' && ch <= '9') {
      if (digits === 1 && value === 0) return 'IPv4 field has octet with leading zero'
      value = value * 10 + Number(ch)
      digits++
      if (value > 255) return 'IPv4 field has value >255'
    } else if (ch === '.') {
      if (i === 0 || i === text.length - 1 || text[i - 1] === '.') {
        return `IPv4 field must have at least one digit (at ${JSON.stringify(text.slice(i))})`
      }
      if (fields === 3) return 'IPv4 address too long'
      fields++
      value = 0
      digits = 0
    } else return `unexpected character (at ${JSON.stringify(text.slice(i))})`
  }
  return 'IPv4 address too short'
}

function ipv6Problem(text: string): string {
  const bad = /[^0-9a-fA-F:.]/.exec(text)
  if (bad !== null) return `unexpected character, want colon (at ${JSON.stringify(text.slice(bad.index))})`
  const long = /[0-9a-fA-F]{5,}/.exec(text)
  if (long !== null) return `each group must have 4 or less digits (at ${JSON.stringify(text.slice(long.index))})`
  if (text.split('::').length > 2)
    return `multiple :: in address (at ${JSON.stringify(text.slice(text.lastIndexOf('::') + 1))})`
  return 'address string too short'
}

/** An address with a prefix length. */
export interface Prefix {
  readonly bytes: IpBytes
  readonly bits: number
}

/** `netip.ParsePrefix`. */
export function parsePrefix(text: string): Prefix | { readonly error: string } {
  const quoted = JSON.stringify(text)
  const slash = text.lastIndexOf('/')
  if (slash < 0) return { error: `netip.ParsePrefix(${quoted}): no '/'` }
  const address = parseAddr(text.slice(0, slash))
  if ('error' in address) return { error: `netip.ParsePrefix(${quoted}): ${address.error}` }
  if (address.zone !== '') return { error: `netip.ParsePrefix(${quoted}): IPv6 zones cannot be present in a prefix` }
  const length = text.slice(slash + 1)
  const quotedLength = JSON.stringify(length)
  if (length.length > 1 && !/^[1-9]/.test(length)) {
    return { error: `netip.ParsePrefix(${quoted}): bad bits after slash: ${quotedLength}` }
  }
  if (!/^\d+$/.test(length)) return { error: `netip.ParsePrefix(${quoted}): bad bits after slash: ${quotedLength}` }
  const bits = Number(length)
  if (bits > address.bytes.length * 8) return { error: `netip.ParsePrefix(${quoted}): prefix length out of range` }
  return { bytes: address.bytes, bits }
}

/** The prefix with the bits after its length cleared. */
export function maskPrefix(prefix: Prefix): Prefix {
  const bytes = prefix.bytes.map((byte, i) => {
    const kept = Math.max(0, Math.min(8, prefix.bits - i * 8))
    return byte & (0xff00 >> kept) & 0xff
  })
  return { bytes, bits: prefix.bits }
}

/** `netip.Prefix.Contains`: never across address families, IPv4-mapped addresses being IPv6. */
export function prefixContains(prefix: Prefix, bytes: IpBytes): boolean {
  if (prefix.bytes.length !== bytes.length) return false
  const own = maskPrefix(prefix).bytes
  const other = maskPrefix({ bytes, bits: prefix.bits }).bytes
  return own.every((byte, i) => byte === other[i])
}

/** `net.ParseCIDR`, leading zeros allowed. */
export function isCidrSloppy(text: string): boolean {
  const slash = text.indexOf('/')
  if (slash < 0) return false
  const bytes = parseIp(text.slice(0, slash), true)
  const length = text.slice(slash + 1)
  return bytes !== undefined && /^\d{1,3}$/.test(length) && Number(length) <= bytes.length * 8
}

/** `net.ParseMAC`: 6, 8 or 20 bytes with colons, dashes or dots. */
export function isMac(text: string): boolean {
  if (/^[0-9a-fA-F]{2}([:-][0-9a-fA-F]{2})+$/.test(text)) {
    const separators = new Set(text.replace(/[0-9a-fA-F]/g, ''))
    const bytes = (text.length + 1) / 3
    return separators.size === 1 && (bytes === 6 || bytes === 8 || bytes === 20)
  }
  if (/^[0-9a-fA-F]{4}(\.[0-9a-fA-F]{4})+$/.test(text)) {
    const bytes = ((text.length + 1) / 5) * 2
    return bytes === 6 || bytes === 8 || bytes === 20
  }
  return false
}
