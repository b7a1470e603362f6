import { type Clock, systemClock } from './clock.ts'

/** How a request may differ from its session's options. */
export interface RequestOptions {
  /** `false` sends this read without the session's pin. Default true. */
  readonly pin?: boolean
  /** What to do when the pinned tries are used up: read unpinned, or surface. Default: the session's. */
  readonly fallback?: 'unpin' | 'error'
  /** Milliseconds from the call within which a wait may end. Default: the session's. */
  readonly deadlineMs?: number
}

/** Options of a session. */
export interface SessionOptions {
  /** A caller's `resourceVersion=0`: raised to the pin, or left alone. Default `pin`. */
  readonly rv0?: 'pin' | 'leave'
  /** A read of what the session has not written: as the caller wrote it, or with `resourceVersion=0`. Default `consistent`. */
  readonly unpinned?: 'consistent' | 'any'
  /** What to do when the pinned tries are used up: read unpinned, or surface the "not yet". Default `unpin`. */
  readonly fallback?: 'unpin' | 'error'
  /** Milliseconds from a call within which its waits must end. Default 30 000. */
  readonly deadlineMs?: number
  /** How many written objects are remembered to tell a restored backup by. Default 1000, least recently used out. */
  readonly maxOwnObjects?: number
  /** Default: the machine's clock. */
  readonly clock?: Clock
  /** A random number in [0, 1), for jitter. Default `Math.random`. */
  readonly random?: () => number
  /** Told once about a set-up that cannot work. Default `console.warn`. */
  readonly warn?: (message: string) => void
}

const DEFAULTS: Required<SessionOptions> = {
  rv0: 'pin',
  unpinned: 'consistent',
  fallback: 'unpin',
  deadlineMs: 30_000,
  maxOwnObjects: 1000,
  clock: systemClock,
  random: () => Math.random(),
  warn: (message) => console.warn(message),
}

/** The other value of those that have two. */
const OTHERS: Readonly<Record<string, string>> = { rv0: 'leave', unpinned: 'any', fallback: 'error' }

/** Fills in the defaults. Throws a TypeError naming the option that is wrong or unknown. */
export function resolveOptions(options: SessionOptions): Required<SessionOptions> {
  if (!options) throw new TypeError('FreshReadSession: bad options')
  const resolved: Record<string, unknown> = { ...DEFAULTS }
  for (const [name, value] of Object.entries(options) as [keyof SessionOptions, unknown][]) {
    const standard: unknown = DEFAULTS[name]
    if (standard === undefined) throw new TypeError(`FreshReadSession: unknown option ${name}`)
    if (value === undefined) continue
    const good =
      typeof standard === 'string'
        ? value === standard || value === OTHERS[name]
        : typeof value === typeof standard &&
          (typeof standard !== 'number' || (value as number) >= 0) &&
          (name !== 'clock' || !!(value as Clock | null)?.setTimeout)
    if (!good) throw new TypeError(`FreshReadSession: bad option ${name}: ${String(value)}`)
    resolved[name] = value
  }
  return resolved as unknown as Required<SessionOptions>
}
