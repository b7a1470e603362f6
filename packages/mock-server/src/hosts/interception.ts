import type { RequestHandler } from 'msw'
import * as experimental from 'msw/experimental'
import type { KubeServer } from '../server.ts'
import { onUnhandledFrame, type UnhandledRequest } from './unhandled.ts'

/** A running interception: the server, and what takes it down again. */
export interface InterceptedServer extends KubeServer {
  /** Adds handlers before all others, until {@link InterceptedServer.resetHandlers}. */
  use(...handlers: RequestHandler[]): void
  resetHandlers(): void
  /** Ends open watches, stops intercepting and closes the server. Idempotent. */
  close(): Promise<void>
}

/** What intercepts, however it does. */
export interface Interception {
  use(...handlers: RequestHandler[]): void
  resetHandlers(): void
  stop(): void | Promise<void>
}

type Interceptors = ConstructorParameters<typeof experimental.InterceptorSource>[0]['interceptors']

/** Whether the installed msw has what {@link interceptWith} needs. */
export function hasNetworkApi(): boolean {
  return typeof experimental.defineNetwork === 'function' && typeof experimental.InterceptorSource === 'function'
}

/** Intercepts by MSW's network API. It is experimental: this is the one file that knows it. */
export async function interceptWith(
  interceptors: Interceptors,
  handlers: RequestHandler[],
  unhandled: UnhandledRequest,
): Promise<Interception> {
  const network = experimental.defineNetwork({
    sources: [new experimental.InterceptorSource({ interceptors })],
    handlers,
    // MSW's log clones the response, and that clone would keep an abandoned watch from being cancelled.
    context: { quiet: true },
    onUnhandledFrame: onUnhandledFrame(unhandled),
  })
  await network.enable()
  return {
    use: (...added) => network.use(...added),
    resetHandlers: () => network.resetHandlers(),
    stop: () => network.disable() as void | Promise<void>,
  }
}

/**
 * The server as its interception shows it.
 *
 * @param kept servers that go on when the interception ends; `server` itself is closed unless it is among them
 */
export function interceptedServer(
  server: KubeServer,
  interception: Interception,
  kept: readonly KubeServer[],
): InterceptedServer {
  let closing: Promise<void> | undefined
  const close = async (): Promise<void> => {
    // Streams outlive the network: they end first.
    if (!kept.includes(server)) await server.close()
    for (const other of kept) other.control.dropWatches()
    await interception.stop()
  }
  return Object.assign(Object.create(server) as KubeServer, {
    use: interception.use,
    resetHandlers: interception.resetHandlers,
    close: () => (closing ??= close()),
  })
}
