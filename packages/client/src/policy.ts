import type { Outcome } from './classify.ts'

/** How often a pinned GET is tried before it is read unpinned. */
const GET_TRIES = 2
/** How often the first page of a pinned LIST is tried before it is read unpinned. */
const LIST_TRIES = 5
/** How many "slow down" answers are waited out. */
const THROTTLED_TRIES = 10
/** How many times a read is sent again after a broken connection or a proxy's error. */
const BROKEN_TRIES = 3
/** The last, unpinned LISTs of a herd are spread over this many milliseconds. */
const UNPIN_SPREAD_MS = 1000

/** Where a request stands when an outcome arrives. */
export interface PolicyState {
  /** A watch counts as a list. */
  readonly verb: 'get' | 'list' | 'write'
  /** The body, if any, can be sent again. */
  readonly replayable: boolean
  /** The session put its pin on this try. */
  readonly pinned: boolean
  /** The pin was given up: this was the last, unpinned try. */
  readonly last: boolean
  /** What `unpin` does when the pinned tries are used up: read unpinned, or surface. */
  readonly fallback: 'unpin' | 'error'
  /** Earlier outcomes of each kind. */
  readonly behind: number
  readonly throttled: number
  readonly broken: number
  /** Milliseconds until the caller's deadline. */
  readonly remainingMs: number
  /** A fresh random number in [0, 1). */
  readonly random: number
}

/** Why a wait is waited, or an answer handed to the caller. */
export type Reason = 'behind' | 'storage-behind' | 'throttled' | 'unavailable' | 'broken'

/** What to do next. */
export type Decision =
  /** Wait, then send the same again. */
  | { readonly action: 'wait'; readonly ms: number; readonly reason: Reason }
  /** Wait (0 for not at all), then read with no resource version, once. */
  | { readonly action: 'unpin'; readonly ms: number; readonly reason: Reason }
  /** Hand the answer to the caller. `gaveUp`: it is a "not yet" that was not waited out any further. */
  | { readonly action: 'surface'; readonly ms: 0; readonly gaveUp: boolean }

/** Decides what to do about an outcome. Pure: time and chance come in with the state. */
export function decide(state: PolicyState, outcome: Outcome): Decision {
  const read = state.verb !== 'write'
  switch (outcome.kind) {
    case 'behind': {
      if (state.last || !read) return GIVE_UP
      if (outcome.hintMs === undefined) return unpin(state, 0, 'storage-behind')
      if (state.behind + 1 < (state.verb === 'get' ? GET_TRIES : LIST_TRIES)) {
        return wait(state, outcome.hintMs, 'behind')
      }
      // The hint was about the cache; this read does not ask the cache.
      return unpin(state, state.verb === 'get' ? 0 : state.random * UNPIN_SPREAD_MS, 'behind')
    }
    case 'future-revision':
      return unpin(state, 0, 'storage-behind')
    case 'throttled': {
      if (outcome.disruptionBudget) return SURFACE
      if (state.last || !state.replayable || state.throttled >= THROTTLED_TRIES) return GIVE_UP
      if (outcome.hintMs === undefined && !read) return GIVE_UP
      return wait(state, outcome.hintMs || backoff(500, state.throttled), outcome.behind ? 'behind' : 'throttled')
    }
    case 'unavailable':
    case 'broken': {
      // A write may have happened: only its author can tell whether to send it again.
      if (state.last || !read || state.broken >= BROKEN_TRIES) return GIVE_UP
      const hintMs = outcome.kind === 'unavailable' ? (outcome.hintMs ?? 0) : 0
      return wait(state, Math.max(hintMs, backoff(250, state.broken)), outcome.kind)
    }
    default:
      return SURFACE
  }
}

const SURFACE: Decision = { action: 'surface', ms: 0, gaveUp: false }
const GIVE_UP: Decision = { action: 'surface', ms: 0, gaveUp: true }

/** Waits at least `ms`, up to half as long again; surfaces when `ms` itself goes beyond the deadline. */
function wait(state: PolicyState, ms: number, reason: Reason): Decision {
  if (ms > state.remainingMs) return GIVE_UP
  return { action: 'wait', ms: Math.min(state.remainingMs, withJitter(ms, state.random)), reason }
}

function unpin(state: PolicyState, ms: number, reason: Reason): Decision {
  if (!state.pinned || state.last || state.fallback === 'error' || state.remainingMs < 0) return GIVE_UP
  return { action: 'unpin', ms: Math.min(ms, state.remainingMs), reason }
}

/** Doubles from `first` milliseconds, up to 8 seconds. */
export function backoff(first: number, earlier: number): number {
  return Math.min(8000, first * 2 ** earlier)
}

/** Spreads a wait upwards only: no one comes before the hint has passed. */
export function withJitter(ms: number, random: number): number {
  return Math.ceil(ms * (1 + random / 2))
}
