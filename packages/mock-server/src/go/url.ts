import { goQuote } from '@freshread/core'
import { parseIpv6 } from './net.ts'

/** A URL as Go's `net/url` takes one apart. */
export interface GoUrl {
  readonly scheme: string
  readonly host: string
  readonly escapedPath: string
  readonly rawQuery: string
  readonly fragment: string
}

type Outcome = GoUrl | { readonly error: string }

/** `url.ParseRequestURI`: an absolute URI or path; a fragment is part of what comes before it. */
export function parseRequestUri(text: string): Outcome {
  return wrap(text, parse(text, true))
}

/** `url.Parse`. */
export function parseUrl(text: string): Outcome {
  const hash = text.indexOf('#')
  const parsed = parse(hash < 0 ? text : text.slice(0, hash), false)
  if ('error' in parsed) return wrap(text, parsed)
  return { ...parsed, fragment: hash < 0 ? '' : text.slice(hash + 1) }
}

function wrap(text: string, outcome: Outcome): Outcome {
  return 'error' in outcome ? { error: `parse ${goQuote(text)}: ${outcome.error}` } : outcome
}

function parse(text: string, viaRequest: boolean): Outcome {
  // oxlint-disable-next-line no-control-regex
  if (/[\x00-\x1f\x7f]/.test(text)) return { error: 'net/url: invalid control character in URL' }
  if (text === '' && viaRequest) return { error: 'empty url' }
  if (text === '*') return { scheme: '', host: '', escapedPath: '*', rawQuery: '', fragment: '' }
  let scheme = ''
  let rest = text
  const colon = /^([A-Za-z][A-Za-z0-9+\-.]*):/.exec(text)
  if (colon !== null) {
    scheme = colon[1]!.toLowerCase()
    rest = text.slice(colon[0].length)
  } else if (text.startsWith(':')) return { error: 'missing protocol scheme' }
  let rawQuery = ''
  const question = rest.indexOf('?')
  if (question >= 0) {
    rawQuery = rest.slice(question + 1)
    rest = rest.slice(0, question)
  }
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { scheme, host: '', escapedPath: '', rawQuery, fragment: '' }
    if (viaRequest) return { error: 'invalid URI for request' }
    if (rest.split('/')[0]!.includes(':')) return { error: 'first path segment in URL cannot contain colon' }
  }
  let host = ''
  if ((scheme !== '' || (!viaRequest && !rest.startsWith('///'))) && rest.startsWith('//')) {
    const end = rest.indexOf('/', 2)
    const authority = end < 0 ? rest.slice(2) : rest.slice(2, end)
    rest = end < 0 ? '' : rest.slice(end)
    const parsed = parseAuthority(authority)
    if ('error' in parsed) return parsed
    host = parsed.host
  }
  const badEscape = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(rest)
  if (badEscape !== null) return { error: `invalid URL escape ${goQuote(badEscape[0])}` }
  return { scheme, host, escapedPath: escapePath(rest), rawQuery, fragment: '' }
}

function parseAuthority(authority: string): { readonly host: string } | { readonly error: string } {
  const at = authority.lastIndexOf('@')
  if (at >= 0 && !/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(authority.slice(0, at))) {
    return { error: 'net/url: invalid userinfo' }
  }
  const host = authority.slice(at + 1)
  if (host.startsWith('[')) {
    const close = host.lastIndexOf(']')
    if (close < 0) return { error: "missing ']' in host" }
    const port = host.slice(close + 1)
    if (!/^(:\d*)?$/.test(port)) return { error: `invalid port ${goQuote(port)} after host` }
    const address = host.slice(1, close).replace(/%25.*$/, '')
    if (parseIpv6(address) === undefined)
      return { error: 'invalid host: ParseAddr(' + goQuote(address) + '): unable to parse IP' }
    return { host }
  }
  const colon = host.lastIndexOf(':')
  if (colon >= 0 && !/^:\d*$/.test(host.slice(colon))) {
    return { error: `invalid port ${goQuote(host.slice(colon))} after host` }
  }
  const badEscape = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(host)
  if (badEscape !== null) return { error: `invalid URL escape ${goQuote(badEscape[0])}` }
  const bad = /[\s"<>\\^`{}|]/.exec(host)
  if (bad !== null) return { error: `invalid character ${goQuote(bad[0])} in host name` }
  return { host: decodePercent(host) }
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** `URL.EscapedPath`: kept as written where that is a valid encoding. */
function escapePath(path: string): string {
  if (/^[A-Za-z0-9\-._~!$&'()*+,;=:@/%[\]]*$/.test(path)) return path
  return encodeURI(decodePercent(path)).replace(/[!'()*]/g, (c) =>
    c === '*' ? c : `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** The host without its port, brackets removed. */
export function hostname(url: GoUrl): string {
  if (url.host.startsWith('[')) return url.host.slice(1, url.host.lastIndexOf(']'))
  const colon = url.host.lastIndexOf(':')
  return colon < 0 ? url.host : url.host.slice(0, colon)
}

export function port(url: GoUrl): string {
  const afterBracket = url.host.slice(url.host.lastIndexOf(']') + 1)
  const colon = afterBracket.lastIndexOf(':')
  return colon < 0 ? '' : afterBracket.slice(colon + 1)
}

/** `URL.Query`: pairs with bad escapes or a semicolon are left out. */
export function queryValues(url: GoUrl): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>()
  for (const pair of url.rawQuery.split('&')) {
    if (pair === '' || pair.includes(';')) continue
    const equals = pair.indexOf('=')
    try {
      const decode = (part: string): string => decodeURIComponent(part.replaceAll('+', ' '))
      const name = decode(equals < 0 ? pair : pair.slice(0, equals))
      const value = equals < 0 ? '' : decode(pair.slice(equals + 1))
      const list = values.get(name)
      if (list === undefined) values.set(name, [value])
      else list.push(value)
    } catch {
      continue
    }
  }
  return values
}
