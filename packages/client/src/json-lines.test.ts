import { describe, expect, it } from 'vitest'
import { jsonLines, textOf } from './json-lines.ts'

async function* chunks(...parts: (string | Uint8Array)[]): AsyncGenerator<string | Uint8Array> {
  for (const part of parts) yield await Promise.resolve(part)
}

async function collect<T>(iterable: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const value of iterable) all.push(value)
  return all
}

describe('jsonLines', () => {
  it('puts values together that chunks cut apart, even within a character', async () => {
    const bytes = new TextEncoder().encode('{"a":"é"}\n{"b":2}\n{"c":')
    for (let cut = 1; cut < bytes.length; cut++) {
      const batches = await collect(jsonLines(chunks(bytes.slice(0, cut), bytes.slice(cut))))
      expect(batches.flat()).toEqual([{ a: 'é' }, { b: 2 }])
    }
  })

  it('gives the lines of a chunk together, and none for blank ones', async () => {
    expect(await collect(jsonLines(chunks('1\n2\n', '\n', '3\n')))).toEqual([[1, 2], [3]])
  })

  it('reads web streams that cannot be iterated', async () => {
    const stream = new Response('1\n2\n').body!
    Object.defineProperty(stream, Symbol.asyncIterator, { value: undefined })
    expect((await collect(jsonLines(stream))).flat()).toEqual([1, 2])
  })

  it('rejects what is not JSON', async () => {
    await expect(collect(jsonLines(chunks('<html>\n')))).rejects.toThrow(SyntaxError)
  })
})

describe('textOf', () => {
  it('reads everything', async () => {
    expect(await textOf(chunks('a', new TextEncoder().encode('é')))).toBe('aé')
  })
})
