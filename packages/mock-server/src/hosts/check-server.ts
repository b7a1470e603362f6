import type { KubeServer } from '../server.ts'

/** @throws TypeError when `options` is no object */
export function checkHostOptions(caller: string, options: unknown): void {
  if (typeof options === 'object' && options !== null) return
  throw new TypeError(`${caller}: options must be an object, got ${String(options)}`)
}

/** @throws TypeError when `server` is no Kubernetes API server */
export function checkServer(where: string, server: unknown): asserts server is KubeServer {
  if (typeof (server as Partial<KubeServer> | undefined | null)?.handle === 'function') return
  throw new TypeError(`${where} must be a server made by createKubeServer, got ${String(server)}`)
}

/**
 * Checks a server given to a host in place of a new one.
 *
 * @param rest options for a new server, which a given one would never hear of
 * @throws TypeError when it is no server, or comes with such options
 */
export function checkGivenServer(caller: string, server: unknown, rest: object): void {
  if (server === undefined) return
  checkServer(`${caller}: option server`, server)
  const [unheard] = Object.entries(rest).find(([, value]) => value !== undefined) ?? []
  if (unheard !== undefined) {
    throw new TypeError(`${caller}: option ${unheard} has no effect on a given server; give it to createKubeServer`)
  }
}
