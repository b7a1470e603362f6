import { expect, it } from 'vitest'
import { listBody } from './list-body.ts'
import type { BodySink, BodyStream } from './message.ts'
import { configMap, resourceOf, stored } from './test-support.ts'

const items = (fill: string) =>
  Array.from({ length: 300 }, (_, i) => stored(configMap(`c${i}`, { big: fill.repeat(4000) }), i + 1))

function send(fill: string, sent: boolean): { readonly chunks: readonly Uint8Array[]; readonly text: string } {
  const chunks: Uint8Array[] = []
  let text = ''
  const sink: BodySink = {
    write(chunk, onSent) {
      chunks.push(chunk)
      text += new TextDecoder().decode(chunk)
      if (sent) onSent?.()
      return true
    },
    end: () => undefined,
    fail: (error) => {
      throw error
    },
  }
  const { body } = listBody(items(fill), resourceOf(), {})
  ;(body as BodyStream).start(sink)
  return { chunks, text }
}

const textOf = (chunks: readonly Uint8Array[]): string =>
  chunks.map((chunk) => new TextDecoder().decode(chunk)).join('')

it('fills chunks again that are out', () => {
  const first = send('x', true)
  expect(JSON.parse(first.text)).toHaveProperty('items.length', 300)
  const whole = first.chunks.slice(1, -1)
  expect(new Set(whole.map(({ buffer }) => buffer)).size).toBe(1)
})

it('leaves chunks alone that a sink keeps', () => {
  const first = send('x', false)
  const second = send('y', false)
  expect(textOf(first.chunks)).toBe(first.text)
  expect(second.text).toBe(first.text.replaceAll('x'.repeat(4000), 'y'.repeat(4000)))
})

it('gives the bytes of an item to all lists of it', () => {
  const [object] = items('x')
  const resource = resourceOf()
  listBody([object!], resource, {})
  expect(object!.forms.get(resource)).toBeInstanceOf(Uint8Array)
})
