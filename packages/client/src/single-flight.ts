interface Joiner<A> {
  resolve(shared: { readonly answer: A } | undefined): void
  reject(error: unknown): void
}

/** A call that leads: others with the same key join it instead of asking themselves. */
export interface LeadingCall<A> {
  readonly signal?: AbortSignal | undefined
  run(): Promise<A>
  /** Makes `count` answers of one. */
  share(answer: A, count: number): Promise<A[]> | A[]
}

/** Makes one of identical calls that are on their way at the same time. */
export class SingleFlight {
  readonly #flights = new Map<string, Joiner<unknown>[]>()

  /** Runs the call, or joins one with the same key; `onShared` tells of the latter. */
  async do<A>(key: string, call: LeadingCall<A>, onShared: () => void): Promise<A> {
    for (;;) {
      const joiners = this.#flights.get(key) as Joiner<A>[] | undefined
      if (!joiners) break
      onShared()
      const shared = await join(joiners, call.signal)
      if (shared) return shared.answer
      // The one that led it went away: this call asks for itself.
    }
    const joiners: Joiner<A>[] = []
    this.#flights.set(key, joiners as Joiner<unknown>[])
    try {
      const answer = await call.run().finally(() => this.#flights.delete(key))
      const [mine, ...others] = joiners.length ? await call.share(answer, joiners.length + 1) : [answer]
      // It may have broken off the body they were to share.
      if (joiners.length) call.signal?.throwIfAborted()
      for (const joiner of joiners) joiner.resolve({ answer: others.pop()! })
      return mine!
    } catch (error) {
      for (const joiner of joiners) {
        if (call.signal?.aborted) joiner.resolve(undefined)
        else joiner.reject(error)
      }
      throw error
    }
  }
}

/** Waits for a flight's answer; `undefined` when its leader was aborted. */
function join<A>(joiners: Joiner<A>[], signal: AbortSignal | undefined): Promise<{ readonly answer: A } | undefined> {
  let onAbort: () => void
  return new Promise<{ readonly answer: A } | undefined>((resolve, reject) => {
    signal?.throwIfAborted()
    onAbort = () => reject(signal!.reason as Error)
    signal?.addEventListener('abort', onAbort)
    joiners.push({ resolve, reject })
  }).finally(() => signal?.removeEventListener('abort', onAbort))
}
