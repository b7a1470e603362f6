/** Who may use the control paths over HTTP. */
export type ControlAccess = 'loopback' | 'anyone' | 'off'

/**
 * Decides on one control request. `loopback` wants the connection and the Host header to be this machine's
 * and an Origin, if there is one, to be this server's own: a web page must not freeze the server, neither
 * directly nor by a host name that resolves to the loopback address.
 */
export function mayControl(
  access: ControlAccess,
  remoteAddress: string,
  headers: { readonly host?: string | undefined; readonly origin?: string | undefined },
): boolean {
  if (access !== 'loopback') return access === 'anyone'
  if (!isLoopbackAddress(remoteAddress)) return false
  const host = headers.host ?? ''
  if (!isLoopbackHost(host)) return false
  return headers.origin === undefined || headers.origin === `http://${host}`
}

function isLoopbackAddress(address: string): boolean {
  const plain = address.startsWith('::ffff:') ? address.slice(7) : address
  return plain === '::1' || /^127(\.\d{1,3}){3}$/.test(plain)
}

function isLoopbackHost(host: string): boolean {
  const name = host.replace(/:\d+$/, '').toLowerCase()
  return name === 'localhost' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name)
}
