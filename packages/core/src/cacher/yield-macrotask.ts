const globals = globalThis as {
  setImmediate?: (callback: () => void) => unknown
  MessageChannel?: typeof MessageChannel
}

/**
 * Lets the platform run what waits: input, output, other tasks. Not a matter of time, so no clock is asked;
 * a zero timeout would be a clock's, and browsers stretch it.
 */
export function yieldMacrotask(): Promise<void> {
  return new Promise((resolve) => {
    if (globals.setImmediate !== undefined) {
      globals.setImmediate(resolve)
      return
    }
    const { port1, port2 } = new globals.MessageChannel!()
    port1.addEventListener('message', () => {
      port1.close()
      resolve()
    })
    port1.start()
    port2.postMessage(undefined)
  })
}
