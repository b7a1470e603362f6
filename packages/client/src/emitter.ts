/** Listeners by event. */
type Listeners<Events> = { readonly [E in keyof Events]: (...args: never[]) => void }

/**
 * Typed events. A few lines of our own: the usual emitters are a fifth of what a session and an adapter may weigh.
 * A listener that throws is reported as an uncaught error and keeps neither the others nor what happened from going on.
 */
export class Emitter<Events extends Listeners<Events>> {
  readonly #listeners = new Map<keyof Events, Set<Events[keyof Events]>>()

  /** Calls `listener` at each `event`; the same one only once. */
  on<E extends keyof Events>(event: E, listener: Events[E]): this {
    let listeners = this.#listeners.get(event)
    if (!listeners) this.#listeners.set(event, (listeners = new Set()))
    listeners.add(listener)
    return this
  }

  /** Takes a listener off again; one that is not there is no error. */
  off<E extends keyof Events>(event: E, listener: Events[E]): this {
    this.#listeners.get(event)?.delete(listener)
    return this
  }

  /** Tells all who listen at this moment. */
  protected emit<E extends keyof Events>(event: E, ...args: Parameters<Events[E]>): void {
    for (const listener of Array.from(this.#listeners.get(event) ?? [])) {
      try {
        listener(...(args as never[]))
      } catch (error) {
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }
}
