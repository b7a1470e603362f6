/** Which requests go to a server: those under a URL, those whose URL a pattern matches, or what a function says. */
export type ServerAddress = string | RegExp | ((url: URL) => boolean)

/** Decides on one URL: the path within the cluster (still encoded), or undefined when the request is not for it. */
export type UrlMatcher = (url: URL) => string | undefined

/** Paths that only a Kubernetes API has, on whatever host. */
const KUBERNETES =
  /^\/(?:api(?:\/v1(?:\/.*)?)?|apis(?:\/.*)?|openapi\/v[23](?:\/.*)?|version|(?:healthz|livez|readyz)(?:\/.*)?)\/?$/

/**
 * Makes the matcher of an address. A URL takes everything below it, and a path it has is cut off, as for
 * clusters behind a prefix (`https://rancher.example/k8s/clusters/c1`). Without an address every request
 * whose path is a Kubernetes API's is taken, on any host.
 *
 * @throws TypeError when `address` is of no such form
 */
export function urlMatcher(address: ServerAddress | undefined): UrlMatcher {
  if (address === undefined) return (url) => (KUBERNETES.test(url.pathname) ? url.pathname : undefined)
  if (address instanceof RegExp) return (url) => (address.test(url.href) ? url.pathname : undefined)
  if (typeof address === 'function') return (url) => (address(url) ? url.pathname : undefined)
  if (typeof address !== 'string' || !URL.canParse(address)) {
    throw new TypeError(`option baseUrl must be a URL, a RegExp or a function, got ${String(address)}`)
  }
  const base = new URL(address)
  const prefix = base.pathname.replace(/\/+$/, '')
  return (url) => {
    if (url.origin !== base.origin) return undefined
    if (prefix === '') return url.pathname
    if (url.pathname !== prefix && !url.pathname.startsWith(`${prefix}/`)) return undefined
    return url.pathname.slice(prefix.length) || '/'
  }
}
