import { FakeClock } from '@freshread/core/testing'
import { createKubeServer } from '@freshread/mock-server'
import type { Scenario, Target } from './scenarios.ts'

/** How far time moves at once while an answer is awaited: well below anything the recordings measure. */
const STEP_MS = 20

/**
 * A fresh server of its own for one scenario, on a stepped clock: time stands still except while the scenario
 * sleeps or an answer is awaited, so that three seconds of waiting cost none.
 */
export async function inProcessTarget(scenario: Pick<Scenario, 'gates'>): Promise<Target & AsyncDisposable> {
  const clock = new FakeClock(Date.now())
  const server = createKubeServer({ clock, ...(scenario.gates ? { featureGates: scenario.gates } : {}) })
  const stepped = <T>(promise: Promise<T>): Promise<T> => stepUntilSettled(clock, promise)

  return {
    base: 'http://kube.test',
    fetch: async (input, init) => {
      const response = await stepped(server.fetch(new Request(input as string, init)))
      const text = response.text.bind(response)
      return Object.defineProperty(response, 'text', { value: () => stepped(text()) })
    },
    control: async (name, args) => {
      const query = String(new URLSearchParams(args))
      const { status } = await stepped(server.fetch(`/_freshread/${name}?${query}`, { method: 'POST' }))
      if (status !== 200) throw new Error(`control ${name}: ${status}`)
    },
    clock: {
      now: () => clock.now(),
      sleep: (ms) => clock.step(ms),
      setTimeout: (callback, ms) => clock.setTimeout(callback, ms),
      clearTimeout: (handle) => clock.clearTimeout(handle),
    },
    [Symbol.asyncDispose]: () => server.close(),
  }
}

async function stepUntilSettled<T>(clock: FakeClock, promise: Promise<T>): Promise<T> {
  let settled = false
  const done = (): void => void (settled = true)
  promise.then(done, done)
  // An answer that needs no time gets the chance to come before time moves.
  for (let turn = 0; turn < 20 && !settled; turn++) await new Promise((resolve) => setImmediate(resolve))
  while (!settled) await clock.step(STEP_MS)
  return promise
}
