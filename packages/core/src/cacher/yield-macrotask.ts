const globals = globalThis as {
  setImmediate?: (callback: () => void) => unknown
  MessageChannel?: typeof MessageChannel
}

// Taken when the module is loaded: a test's fake timers must not stop what is not a matter of time.
const { setImmediate: immediate, MessageChannel: Channel } = globals

/**
 * Lets the platform run what waits: input, output, other tasks. A zero timeout would do as well, were it not
 * stretched by browsers and faked by tests.
 */
export function yieldMacrotask(): Promise<void> {
  return new Promise((resolve) => {
    if (immediate !== undefined) {
      immediate(resolve)
      return
    }
    const { port1, port2 } = new Channel!()
    port1.addEventListener('message', () => {
      port1.close()
      resolve()
    })
    port1.start()
    port2.postMessage(undefined)
  })
}
