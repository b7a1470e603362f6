import { afterEach, expect, it, vi } from 'vitest'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.resetModules()
})

async function orderOfTasks(yieldMacrotask: () => Promise<void>): Promise<string[]> {
  const order: string[] = []
  const yielded = yieldMacrotask().then(() => order.push('task'))
  void Promise.resolve()
    .then(() => Promise.resolve())
    .then(() => order.push('microtask'))
  await yielded
  return order
}

it.each([
  ['immediates', true],
  ['message channels, as in browsers', false],
])('comes after everything that needs no task, with %s', async (_name, immediates) => {
  if (!immediates) vi.stubGlobal('setImmediate', undefined)
  const { yieldMacrotask } = await import('./yield-macrotask.ts')
  expect(await orderOfTasks(yieldMacrotask)).toEqual(['microtask', 'task'])
})

it('comes though timers are faked', async () => {
  const { yieldMacrotask } = await import('./yield-macrotask.ts')
  vi.useFakeTimers({ toFake: ['setTimeout', 'setImmediate', 'setInterval', 'Date'] })
  expect(await orderOfTasks(yieldMacrotask)).toEqual(['microtask', 'task'])
})
