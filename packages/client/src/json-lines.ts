/** A body in pieces: a web stream, or what Node's HTTP client gives. */
export type ByteStream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>

/** Reads a stream chunk by chunk; ending the iteration lets go of it. Safari's streams are not iterable. */
async function* chunksOf(stream: ByteStream): AsyncGenerator<Uint8Array | string> {
  if (!('getReader' in stream)) return yield* stream
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    // Not waited for: whoever gave the stream may take his time, or for ever.
    reader.cancel().catch(() => {})
  }
}

/**
 * JSON values, one a line; a last line that was cut off is dropped, as it is half an event. The lines of one
 * chunk come together, so that a reader can take them in one turn.
 */
export async function* jsonLines<T>(stream: ByteStream): AsyncGenerator<T[]> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunksOf(stream)) {
    const lines = (rest + (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }))).split('\n')
    rest = lines.pop()!
    const values = lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as T)
    if (values.length) yield values
  }
}

/** The whole stream as text. */
export async function textOf(stream: ByteStream): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of chunksOf(stream))
    text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
  return text
}
