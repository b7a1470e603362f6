import { hostname, parseRequestUri, port, queryValues } from '../../../../go/url.ts'
import { UrlValue } from '../library-values.ts'
import { CelError, ValueList, ValueMap, type Value } from '../values.ts'
import { declare, type FunctionDecl } from './declare.ts'

/* URLs (`apiserver: pkg/cel/library/urls.go`). */

const text = (value: Value | undefined): string => value as string

const url = (value: Value | undefined): UrlValue => value as UrlValue
const urlPart = (id: string, name: string, part: (url: UrlValue) => string): FunctionDecl =>
  declare(name, `url_${id} url.() string`, ([value]) => part(url(value)))

export const urlFunctions: readonly FunctionDecl[] = [
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
