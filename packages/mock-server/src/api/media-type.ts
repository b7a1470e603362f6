/** One clause of an Accept header. */
export interface AcceptClause {
  readonly type: string
  readonly subType: string
  readonly q: number
  readonly params: Readonly<Record<string, string>>
}

const trimSpaces = (text: string): string => text.replace(/^ +| +$/g, '')

function less(a: AcceptClause, b: AcceptClause): boolean {
  return a.q > b.q || (a.type !== '*' && b.type === '*') || (a.subType !== '*' && b.subType === '*')
}

/**
 * Reads an Accept header into clauses, best first (`github.com/munnerz/goautoneg: ParseAccept`). The order
 * is not a total one there: a clause without wildcards beats one with, whatever their q-values, so the same
 * sort (by insertion) is used.
 */
export function parseAccept(header: string): readonly AcceptClause[] {
  const clauses: AcceptClause[] = []
  for (const raw of header.split(',')) {
    const [media = '', ...rest] = trimSpaces(raw).split(';')
    const slash = media.split('/')
    const type = trimSpaces(slash[0]!)
    let subType = trimSpaces(slash[1] ?? '')
    if (slash.length === 1 || slash[1] === '') {
      if (type !== '*') continue
      subType = '*'
    } else if (slash.length > 2 && slash.slice(2).join('/') !== '') continue
    let q = 1
    const params: Record<string, string> = {}
    for (const param of rest) {
      const [name = '', value = '', ...more] = param.split('=')
      if (value === '' || more.join('=') !== '') continue
      if (trimSpaces(name) === 'q') q = Number.isNaN(Number(value)) ? 0 : Number(value)
      else params[trimSpaces(name)] = trimSpaces(value)
    }
    const clause = { type, subType, q, params }
    let at = clauses.length
    while (at > 0 && less(clause, clauses[at - 1]!)) at--
    clauses.splice(at, 0, clause)
  }
  return clauses
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/**
 * The media type of a Content-Type header, in lower case and without parameters (Go's
 * `mime.ParseMediaType`); `undefined` when the header is malformed.
 */
export function parseMediaType(header: string): string | undefined {
  const [base = '', ...params] = header.split(';')
  const mediaType = base.trim().toLowerCase()
  const [type = '', subType, ...more] = mediaType.split('/')
  if (!TOKEN.test(type) || more.length > 0 || (subType !== undefined && !TOKEN.test(subType))) return undefined
  const seen = new Set<string>()
  for (const [index, param] of params.entries()) {
    // One trailing semicolon is let pass, as Go does.
    if (param.trim() === '' && index === params.length - 1) continue
    const match = /^\s*([^=\s]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^"\s]+)\s*$/.exec(param)
    if (!match || !TOKEN.test(match[1]!)) return undefined
    const name = match[1]!.toLowerCase()
    if (seen.has(name)) return undefined
    seen.add(name)
  }
  return mediaType
}

/** The router's check (`go-restful: Route.matchesAccept`): parameters and q-values play no role, `a/*` matches nothing. */
export function routeAccepts(header: string, produces: readonly string[]): boolean {
  for (const clause of (header === '' ? '*/*' : header).split(',')) {
    const mediaType = trimSpaces(clause.split(';')[0]!)
    if (mediaType === '*/*' || produces.includes(mediaType) || produces.includes('*/*')) return true
  }
  return false
}

/** The router's check of a Content-Type (`go-restful: Route.matchesContentType`); a missing one counts as octet-stream. */
export function routeConsumes(header: string, consumes: readonly string[]): boolean {
  for (const part of (header === '' ? 'application/octet-stream' : header).split(',')) {
    const mediaType = trimSpaces(part.split(';')[0]!)
    if (consumes.includes(mediaType)) return true
  }
  return false
}
