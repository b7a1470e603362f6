import type { KubeObject } from '@freshread/core'
import { parseAllDocuments } from 'yaml'

/**
 * One thing that can be loaded: YAML or JSON text (several documents too), an object (a List too), or a file: a `file:`
 * URL in Node, a Blob or File anywhere.
 */
export type LoadSource = string | KubeObject | URL | Blob

/** What `load` takes: a {@link LoadSource} or a list of them. */
export type LoadInput = LoadSource | readonly LoadSource[]

/** The objects that a source holds. Throws a TypeError where it holds something else. */
export async function readSource(source: unknown): Promise<KubeObject[]> {
  if (source instanceof URL) return readText(await readFileUrl(source), source.href)
  if (source instanceof Blob) return readText(await source.text(), 'name' in source ? String(source.name) : 'a Blob')
  return flatten(source)
}

/** The part of Node that reads files. */
interface FileReader {
  readFile(file: URL, encoding: 'utf8'): Promise<string>
}

/** Asked for at run time, so that bundlers for browsers find nothing of Node's to resolve. */
async function readFileUrl(url: URL): Promise<string> {
  if (url.protocol !== 'file:') throw new TypeError(`load: of URLs only file: can be read, got ${url.href}`)
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } }
  const files = process?.getBuiltinModule?.('node:fs/promises') as FileReader | undefined
  if (files === undefined) throw new TypeError(`load: file: URLs can only be read in Node, got ${url.href}`)
  try {
    return await files.readFile(url, 'utf8')
  } catch (cause) {
    throw new TypeError(`load: cannot read ${url.href}: ${(cause as Error).message}`, { cause })
  }
}

/** @param file where the text is from, for errors */
function readText(text: string, file?: string): KubeObject[] {
  const from = file === undefined ? '' : `${file}: `
  const documents = parseAllDocuments(text, { version: '1.1' })
  return (Array.isArray(documents) ? documents : []).flatMap((document) => {
    const [error] = document.errors
    if (error !== undefined) throw new TypeError(`load: ${from}${error.message}`)
    const value = JSON.parse(JSON.stringify(document.toJS() ?? null)) as unknown
    if (typeof value === 'string') {
      const hint = file === undefined ? '; a file is given as new URL(path, import.meta.url)' : ''
      throw new TypeError(`load: ${from}no object: ${value.slice(0, 100)}${hint}`)
    }
    return value === null ? [] : flatten(value, from)
  })
}

function flatten(input: unknown, from = ''): KubeObject[] {
  if (Array.isArray(input)) return input.flatMap((entry: unknown) => flatten(entry, from))
  if (typeof input === 'string') return readText(input)
  if (typeof input !== 'object' || input === null)
    throw new TypeError(`load: ${from}expected YAML, objects or files, got ${String(input)}`)
  const object = input as KubeObject & { readonly items?: unknown }
  if (Array.isArray(object.items) && object.kind?.endsWith('List') === true) {
    const kind = object.kind === 'List' ? undefined : object.kind.slice(0, -'List'.length)
    return object.items.flatMap((item: unknown) =>
      flatten({ apiVersion: object.apiVersion, kind, ...(item as object) }, from),
    )
  }
  if (typeof object.apiVersion !== 'string' || typeof object.kind !== 'string') {
    throw new TypeError(`load: ${from}an object needs apiVersion and kind: ${JSON.stringify(object).slice(0, 100)}`)
  }
  return [object]
}
