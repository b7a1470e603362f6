import { type CallLimits, withDeadline } from './deadline.ts'
import { Informer } from './informer.ts'
import type { KubeObject } from './kube-types.ts'
import type { ResourceClient } from './resource-client.ts'

/**
 * Waits until an object is as `condition` wants it, and answers it; `undefined` is an object that does not
 * exist. Rejects with a TimeoutError, with the signal's reason, or with what `condition` throws.
 */
export function waitFor<T extends KubeObject>(
  resource: ResourceClient<T>,
  name: string,
  condition: (object: T | undefined) => boolean,
  limits: CallLimits = {},
): Promise<T | undefined> {
  if (typeof condition !== 'function') throw new TypeError('waitFor: condition must be a function')
  return withDeadline(resource.client.session.options.clock, limits, async (signal) => {
    signal?.throwIfAborted()
    const informer = new Informer<T>(resource, { fieldSelector: `metadata.name=${name}`, ...(signal && { signal }) })
    try {
      return await new Promise<T | undefined>((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
        const check = (): void => {
          if (!informer.synced) return
          try {
            const [object] = informer.store.list()
            if (condition(object)) resolve(object)
          } catch (error) {
            reject(error as Error)
          }
        }
        for (const event of ['synced', 'add', 'update', 'delete'] as const) informer.on(event, check)
        informer.start()
      })
    } finally {
      informer.stop()
    }
  })
}
