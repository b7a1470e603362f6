import { describe, expect, it } from 'vitest'
import {
  newInternalError,
  newResourceExpired,
  newTooLargeResourceVersionError,
  newTooManyRequests,
} from '../errors/api-errors.ts'
import type { StatusError } from '../errors/status.ts'
import { KVError } from '../storage/kv.ts'
import type { Watch, WatchEvent } from '../storage/storage.ts'
import { StoreWatch } from '../storage/store-watch.ts'
import { FakeClock } from '../testing/fake-clock.ts'
import type { ListedState, ListerWatcher, ReflectorWatchOptions } from './lister-watcher.ts'
import { Reflector } from './reflector.ts'
import { stored } from './test-support.ts'

type Pushed = StoreWatch<WatchEvent, never>

function newWatch(): Pushed {
  return new StoreWatch<WatchEvent, never>(
    (event) => event as WatchEvent<never>,
    (error) => ({ type: 'ERROR', status: (error as StatusError).status }),
    () => {},
  )
}

const end = (resourceVersion: number): WatchEvent => ({ type: 'BOOKMARK', resourceVersion, initialEventsEnd: true })
const added = (name: string, rv: number): WatchEvent => ({ type: 'ADDED', object: stored(name, rv) })

function newReflector(options: { watchList?: boolean } = {}) {
  const clock = new FakeClock()
  const log: string[] = []
  const asked: string[] = []
  const watches: (Pushed | Error)[] = []
  const lists: (ListedState | Error)[] = []
  const controller = new AbortController()
  const backpressure = { isFull: false, onRoom: undefined as (() => void) | undefined }
  let fault: Error | undefined
  const source = {
    list: async () => {
      asked.push('list')
      const state = lists.shift() ?? new Error('no list')
      if (state instanceof Error) throw state
      return state
    },
    watch: async ({ resourceVersion, sendInitialEvents }: ReflectorWatchOptions) => {
      asked.push(`${sendInitialEvents ? 'watch-list' : 'watch'} ${resourceVersion}`)
      const watch = watches.shift() ?? newWatch()
      if (watch instanceof Error) throw watch
      return watch as Watch
    },
  }
  const reflector = new Reflector({
    clock,
    listerWatcher: source as unknown as ListerWatcher,
    store: {
      replace: (objects, rv) => log.push(`replace ${objects.map(({ object }) => object.metadata.name)} ${rv}`),
      processEvent: (type, { object, resourceVersion }) => {
        if (fault !== undefined) throw fault
        log.push(`${type} ${object.metadata.name} ${resourceVersion}`)
      },
      updateResourceVersion: (rv) => log.push(`at ${rv}`),
    },
    backpressure,
    watchList: options.watchList ?? true,
    random: () => 0,
  })
  const outcome: { done: boolean; error?: Error } = { done: false }
  const start = (): void =>
    void reflector.listAndWatch(controller.signal).then(
      () => (outcome.done = true),
      (error: Error) => Object.assign(outcome, { done: true, error }),
    )
  return {
    clock,
    log,
    asked,
    watches,
    lists,
    backpressure,
    outcome,
    start,
    fail: (error: Error) => (fault = error),
    abort: () => controller.abort(new Error('stop')),
  }
}

describe('Reflector', () => {
  it('takes the state from a watch and goes on with the same', async () => {
    const at = newReflector()
    const watch = newWatch()
    at.watches.push(watch)
    for (const event of [added('a', 2), added('b', 3), end(5)]) watch.push(event)
    at.start()
    await at.clock.step(0)
    watch.push({ type: 'MODIFIED', object: stored('a', 6) })
    watch.push({ type: 'DELETED', object: stored('b', 7) })
    watch.push({ type: 'BOOKMARK', resourceVersion: 9, initialEventsEnd: false })
    expect(at.log).toEqual(['replace a,b 5', 'MODIFIED a 6', 'at 6', 'DELETED b 7', 'at 7', 'at 9'])
    expect(at.asked).toEqual(['watch-list '])
    at.abort()
    await at.clock.step(0)
    expect(at.outcome).toEqual({ done: true })
    expect(watch.closed).toBe(true)
  })

  it('takes the state from a list where it is told to, and when a watch may not begin with it', async () => {
    for (const watchList of [true, false]) {
      const at = newReflector({ watchList })
      if (watchList) at.watches.push(new Error('sendInitialEvents is forbidden'))
      at.lists.push({ items: [stored('a', 2)], resourceVersion: 4 })
      at.start()
      await at.clock.step(0)
      expect(at.log).toEqual(['replace a 4'])
      expect(at.asked.slice(watchList ? 1 : 0)).toEqual(['list', 'watch 4'])
      at.abort()
    }
  })

  it('says so when it cannot list', async () => {
    const at = newReflector({ watchList: false })
    at.lists.push(new Error('no luck'))
    at.start()
    await at.clock.step(0)
    expect(at.outcome.error?.message).toBe('failed to list <unspecified>: no luck')
  })

  it('starts the state over when the watch ends before it is complete', async () => {
    const at = newReflector()
    const [first, second] = [newWatch(), newWatch()]
    at.watches.push(first, second)
    first.push(added('a', 2))
    first.end()
    second.push(added('b', 3))
    second.push(end(4))
    at.start()
    await at.clock.step(800)
    expect(at.log).toEqual(['replace b 4'])
    at.abort()
  })

  it('asks again for a state that was gone or not there yet', async () => {
    for (const error of [newResourceExpired('gone'), newTooLargeResourceVersionError(5, 2, 1)]) {
      const at = newReflector()
      const [first, second] = [newWatch(), newWatch()]
      at.watches.push(first, second)
      first.fail(error)
      second.push(end(2))
      at.start()
      await at.clock.step(800)
      expect(at.log).toEqual(['replace  2'])
      expect(at.asked).toEqual(['watch-list ', 'watch-list '])
      at.abort()
    }
  })

  it('lists when its watch fails otherwise before the state is complete', async () => {
    const at = newReflector()
    const first = newWatch()
    at.watches.push(first)
    at.lists.push({ items: [], resourceVersion: 4 })
    first.fail(newInternalError('no'))
    at.start()
    await at.clock.step(0)
    expect(at.asked).toEqual(['watch-list ', 'list', 'watch 4'])
    at.abort()
  })

  it('tries longer and longer to reach a storage that is away', async () => {
    const at = newReflector()
    const times: number[] = []
    const start = at.clock.now()
    at.watches.push(...Array.from({ length: 8 }, () => new KVError('unavailable', 'away')))
    at.start()
    for (let i = 0; i < 1_000 && at.watches.length > 0; i++) {
      const left = at.watches.length
      await at.clock.step(100)
      if (at.watches.length < left) times.push(at.clock.now() - start)
    }
    expect(times).toEqual([800, 2_400, 5_600, 12_000, 24_800, 50_400, 80_400])
    at.abort()
  })

  it('goes on where it was when the watch ends', async () => {
    const at = newReflector()
    const [first, second] = [newWatch(), newWatch()]
    at.watches.push(first, second)
    first.push(end(2))
    first.push(added('a', 3))
    at.start()
    await at.clock.step(0)
    first.end()
    await at.clock.step(0)
    second.push(added('b', 4))
    expect(at.asked).toEqual(['watch-list ', 'watch 3'])
    expect(at.log).toEqual(['replace  2', 'ADDED a 3', 'at 3', 'ADDED b 4', 'at 4'])
    at.abort()
  })

  it('gives up on a watch that ends at once with nothing', async () => {
    const at = newReflector({ watchList: false })
    const watch = newWatch()
    at.lists.push({ items: [], resourceVersion: 4 })
    at.watches.push(watch)
    watch.end()
    at.start()
    await at.clock.step(0)
    expect(at.outcome).toEqual({ done: true })
  })

  it.each([
    ['gives up when what it needs is gone', newResourceExpired('gone'), true],
    ['gives up on an error it does not know', newTooLargeResourceVersionError(1, 1, 1), true],
    ['waits when it asks too much', newTooManyRequests('slow down', 1), false],
    ['goes on after an internal error', newInternalError('no leader'), false],
  ])('%s', async (_name, error, gone) => {
    const at = newReflector()
    const watch = newWatch()
    at.watches.push(watch)
    watch.push(end(2))
    at.start()
    await at.clock.step(0)
    watch.fail(error)
    await at.clock.step(1_000)
    expect(at.outcome).toEqual({ done: gone })
    expect(at.asked.slice(1)).toEqual(gone ? [] : ['watch 2'])
    at.abort()
  })

  it('gives up when an event cannot be applied', async () => {
    const at = newReflector()
    const watch = newWatch()
    at.watches.push(watch)
    watch.push(end(2))
    at.start()
    await at.clock.step(0)
    at.fail(new Error('cannot'))
    watch.push(added('a', 3))
    await at.clock.step(0)
    expect(at.outcome.error?.message).toBe('cannot')
    expect(watch.closed).toBe(true)
  })

  it('takes nothing while there is no room, save what belongs to the same revision', async () => {
    const at = newReflector()
    const watch = newWatch()
    at.watches.push(watch)
    watch.push(end(2))
    at.start()
    await at.clock.step(0)
    watch.push(added('a', 3))
    at.backpressure.isFull = true
    for (const event of [added('b', 3), added('c', 4), added('d', 5)]) watch.push(event)
    expect(at.log.slice(1)).toEqual(['ADDED a 3', 'at 3', 'ADDED b 3', 'at 3'])
    at.backpressure.isFull = false
    at.backpressure.onRoom!()
    expect(at.log.slice(5)).toEqual(['ADDED c 4', 'at 4', 'ADDED d 5', 'at 5'])
    at.abort()
  })

  it('does nothing for a signal that has aborted', async () => {
    const at = newReflector()
    at.abort()
    at.start()
    await at.clock.step(0)
    expect(at.outcome).toEqual({ done: true })
    expect(at.asked).toEqual([])
  })
})
