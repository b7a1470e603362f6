import type { defineNetwork } from 'msw/experimental'

type OnUnhandledFrame = NonNullable<Parameters<typeof defineNetwork>[0]['onUnhandledFrame']>

/** What to do with a request that no handler takes. A function returns `error` to fail it, anything else lets it out. */
export type UnhandledRequest = 'bypass' | 'error' | ((request: Request) => 'bypass' | 'error' | void)

/** @throws TypeError when `value` is none of the forms */
export function checkUnhandled(caller: string, value: unknown): void {
  if (value === 'bypass' || value === 'error' || typeof value === 'function') return
  throw new TypeError(
    `${caller}: option onUnhandledRequest must be 'bypass', 'error' or a function, got ${String(value)}`,
  )
}

/** The callback form: the named strategies of MSW let requests out whose path looks like a file, such as a ConfigMap `a.json`. */
export function onUnhandledFrame(unhandled: UnhandledRequest): OnUnhandledFrame {
  return ({ frame }) => {
    const data = frame.data as { request?: Request }
    if (data.request === undefined) return
    const verdict = typeof unhandled === 'function' ? unhandled(data.request) : unhandled
    if (verdict === 'error') (frame as unknown as { errorWith(reason: Response): void }).errorWith(Response.error())
  }
}
