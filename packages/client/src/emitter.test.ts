import { expect, it, vi } from 'vitest'
import { Emitter } from './emitter.ts'

class Door extends Emitter<{ open: (by: string) => void; close: () => void }> {
  open(by: string): void {
    this.emit('open', by)
  }
}

it('tells each listener once, in the order they came', () => {
  const door = new Door()
  const heard: string[] = []
  const first = (by: string): void => void heard.push(`first ${by}`)
  door
    .on('open', first)
    .on('open', first)
    .on('open', (by) => heard.push(`second ${by}`))
  door.open('wind')
  expect(heard).toEqual(['first wind', 'second wind'])
})

it('tells those who listened when it happened, whoever goes or comes meanwhile', () => {
  const door = new Door()
  const late = vi.fn()
  const gone = vi.fn()
  door.on('open', () => door.off('open', gone).on('open', late)).on('open', gone)
  door.open('hand')
  expect(gone).toHaveBeenCalledOnce()
  expect(late).not.toHaveBeenCalled()
})

it('goes on when a listener throws, and reports it', () => {
  const door = new Door()
  const next = vi.fn()
  const later = vi.spyOn(globalThis, 'queueMicrotask').mockImplementation(() => undefined)
  door.on('open', () => {
    throw new Error('hinge')
  })
  door.on('open', next)
  door.open('hand')
  expect(next).toHaveBeenCalledOnce()
  expect(later.mock.calls[0]![0]).toThrow('hinge')
  later.mockRestore()
})

it('takes off a listener that is not there without an error', () => {
  expect(() => new Door().off('close', () => undefined)).not.toThrow()
})
