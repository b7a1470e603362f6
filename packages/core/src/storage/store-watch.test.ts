import { describe, expect, it, vi } from 'vitest'
import type { WatchEvent } from './storage.ts'
import { StoreWatch } from './store-watch.ts'

function setUp(transform: (received: number) => number | undefined = (received) => received) {
  const onStop = vi.fn()
  const bookmark = (resourceVersion: number): WatchEvent => ({
    type: 'BOOKMARK',
    resourceVersion,
    initialEventsEnd: false,
  })
  const watch = new StoreWatch<number, never>(
    (received) => {
      const made = transform(received)
      return made === undefined ? undefined : (bookmark(made) as WatchEvent<never>)
    },
    (error) => ({ type: 'ERROR', status: { metadata: {}, message: (error as Error).message } }),
    onStop,
  )
  const take = (): unknown => {
    const event = watch.poll()
    return event?.type === 'BOOKMARK' ? event.resourceVersion : event?.type === 'ERROR' ? event.status.message : event
  }
  return { watch, take, onStop }
}

describe('StoreWatch', () => {
  it('gives events in the order they came in, and none that are not wanted', () => {
    const { watch, take } = setUp((received) => (received % 2 === 0 ? undefined : received))
    for (let i = 1; i <= 5; i++) watch.push(i)
    expect([take(), take(), take(), take()]).toEqual([1, 3, 5, undefined])
    expect(watch.ended).toBe(false)
  })

  it('stays in order and lets go of what was taken, though its reader is always behind', async () => {
    let last = 0
    const objects: WeakRef<object>[] = []
    const watch = new StoreWatch<{ readonly i: number }, never>(
      ({ i }) => {
        expect(i).toBe(++last)
        return { type: 'BOOKMARK', resourceVersion: i, initialEventsEnd: false }
      },
      (error) => {
        throw error
      },
      () => undefined,
    )
    for (let i = 1; i <= 5_000; i++) {
      const received = { i }
      objects.push(new WeakRef(received))
      watch.push(received)
      if (i > 500) watch.poll()
    }
    expect(last).toBe(4_500)
    // Objects that were held by a WeakRef may go once the task is over.
    await new Promise((resolve) => setImmediate(resolve))
    ;(globalThis as { gc?: () => void }).gc!()
    expect(objects.slice(0, 4_400).filter((object) => object.deref() !== undefined)).toHaveLength(0)
    expect(watch.poll()).toMatchObject({ resourceVersion: 4_501 })
  })

  it('wakes its reader, but never from within a poll', () => {
    const { watch, take } = setUp()
    const readable = vi.fn()
    watch.onReadable = readable
    watch.push(1)
    expect(readable).toHaveBeenCalledTimes(1)
    watch.onReadable = () => expect(take()).toBe(2)
    take()
    watch.push(2)
    expect.assertions(2)
  })

  it('tells an error last, and nothing after it', () => {
    const { watch, take, onStop } = setUp()
    watch.push(1)
    watch.fail(new Error('broken'))
    watch.push(2)
    watch.fail(new Error('again'))
    expect(onStop).toHaveBeenCalledTimes(1)
    expect(watch.ended).toBe(false)
    expect([take(), take()]).toEqual([1, 'broken'])
    expect(watch.ended).toBe(true)
    expect(take()).toBeUndefined()
  })

  it('ends with an error when it cannot make an event', () => {
    const { watch, take, onStop } = setUp((received) => {
      if (received === 2) throw new Error('cannot')
      return received
    })
    for (let i = 1; i <= 3; i++) watch.push(i)
    expect([take(), take(), take()]).toEqual([1, 'cannot', undefined])
    expect(watch.ended).toBe(true)
    expect(onStop).toHaveBeenCalledTimes(1)
  })

  it('still gives what it has when it is ended from below, and nothing when it is stopped', () => {
    const ended = setUp()
    ended.watch.push(1)
    ended.watch.end()
    expect([ended.watch.ended, ended.take(), ended.watch.ended]).toEqual([false, 1, true])
    const stopped = setUp()
    stopped.watch.push(1)
    stopped.watch.stop()
    expect([stopped.watch.ended, stopped.take()]).toEqual([true, undefined])
    expect(stopped.onStop).toHaveBeenCalledTimes(1)
  })
})
