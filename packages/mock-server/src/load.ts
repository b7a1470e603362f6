import { StatusError, type KubeObject, type Status } from '@freshread/core'
import { parseAllDocuments } from 'yaml'
import type { KubeRequest, KubeResponse } from './api/message.ts'
import type { MutableRegistry } from './resources/mutable-registry.ts'
import type { Resource } from './resources/resource.ts'

/**
 * One thing that can be loaded: YAML or JSON text (several documents too), an object (a List too), or a file: a `file:`
 * URL in Node, a Blob or File anywhere.
 */
export type LoadSource = string | KubeObject | URL | Blob

/** What `load` takes: a {@link LoadSource} or a list of them. */
export type LoadInput = LoadSource | readonly LoadSource[]

/** What loading needs of a server: it is a client like any other. */
export interface LoadServer {
  readonly registry: MutableRegistry
  handle(request: KubeRequest): Promise<KubeResponse>
  listStored(resource: Resource, namespace: string): Promise<readonly KubeObject[]>
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const USER_AGENT = 'freshread-load'

/** Kinds that others need before they can be loaded. */
const FIRST = ['CustomResourceDefinition', 'Namespace']

/**
 * Puts objects into a server, replacing those that exist, statuses included. Missing namespaces are made.
 *
 * @throws TypeError for what are no objects and for files that cannot be read, before anything is stored; StatusError
 *   for an object that the API refuses, with its name in front
 */
export async function loadObjects(server: LoadServer, input: LoadInput): Promise<readonly KubeObject[]> {
  const objects = (await Promise.all([input].flat().map(readSource))).flat()
  const rank = (object: KubeObject): number => {
    const index = FIRST.indexOf(object.kind ?? '')
    return index < 0 ? FIRST.length : index
  }
  const ordered = objects.map((object, index) => ({ object, index })).sort((a, b) => rank(a.object) - rank(b.object))
  const stored: KubeObject[] = []
  for (const { object, index } of ordered) stored[index] = await loadOne(server, object)
  return stored
}

/** All objects of a server, or of one of its resources, as they are stored. */
export async function dumpObjects(server: LoadServer, resource?: string): Promise<readonly KubeObject[]> {
  const byKey = new Map<string, Resource>()
  for (const candidate of server.registry.all()) {
    if (!candidate.verbs.includes('list') || !candidate.verbs.includes('watch')) continue
    const name = candidate.group === '' ? candidate.resource : `${candidate.resource}.${candidate.group}`
    if (resource !== undefined && resource !== candidate.resource && resource !== name) continue
    if (!byKey.has(candidate.storageKey)) byKey.set(candidate.storageKey, candidate)
  }
  if (resource !== undefined && byKey.size === 0) throw new TypeError(`dump: no such resource: ${resource}`)
  const out: KubeObject[] = []
  for (const candidate of byKey.values()) out.push(...structuredClone(await server.listStored(candidate, '')))
  return out
}

async function readSource(source: unknown): Promise<KubeObject[]> {
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

async function loadOne(server: LoadServer, given: KubeObject): Promise<KubeObject> {
  const { apiVersion = '', kind = '' } = given
  const slash = apiVersion.indexOf('/')
  const resource = server.registry.findKind(apiVersion.slice(0, Math.max(0, slash)), apiVersion.slice(slash + 1), kind)
  if (resource === undefined) throw new TypeError(`load: no resource serves kind ${kind} of ${apiVersion}`)
  const { resourceVersion: _rv, managedFields: _managed, uid: _uid, ...metadata } = given.metadata ?? {}
  const object: KubeObject = { ...given, metadata }
  const namespace = resource.namespaced ? (metadata.namespace ?? 'default') : ''
  const name = `${kind} ${namespace === '' ? '' : `${namespace}/`}${metadata.name ?? metadata.generateName ?? ''}`
  const collection = collectionPath(resource, namespace)
  const item = `${collection}/${encodeURIComponent(metadata.name ?? '')}`
  let created = await call(server, 'POST', collection, object)
  if (created.status === 404 && namespace !== '') {
    await call(server, 'POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    })
    created = await call(server, 'POST', collection, object)
  }
  if (created.status === 409 && metadata.name !== undefined) created = await call(server, 'PUT', item, object)
  let stored = expectObject(created, name)
  if (object['status'] !== undefined && resource.subresources.has('status')) {
    const path = `${collection}/${encodeURIComponent(stored.metadata.name!)}/status`
    stored = expectObject(await call(server, 'PUT', path, { ...stored, status: object['status'] }), name)
  }
  if (kind === 'CustomResourceDefinition') await established(server, item)
  return stored
}

/** How often it is looked whether a definition is served; it is after a few turns of the event loop. */
const ATTEMPTS = 100

/** Waits until the objects of a definition can be loaded. One that is not accepted never is. */
async function established(server: LoadServer, path: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { object } = await call(server, 'GET', path, undefined)
    const { conditions = [] } = (
      object as { status?: { conditions?: readonly { type: string; status: string }[] | null } }
    ).status ?? { conditions: [] }
    if (conditions?.some(({ type, status }) => type === 'Established' && status === 'True')) return
    if (conditions?.some(({ type, status }) => type === 'NamesAccepted' && status === 'False')) return
  }
}

function collectionPath(resource: Resource, namespace: string): string {
  const base = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`
  return namespace === '' ? `${base}/${resource.resource}` : `${base}/namespaces/${namespace}/${resource.resource}`
}

interface Answer {
  readonly status: number
  readonly object: unknown
}

async function call(server: LoadServer, method: string, path: string, body: unknown): Promise<Answer> {
  const response = await server.handle({
    method,
    path,
    query: '',
    headers: { 'user-agent': USER_AGENT, 'content-type': 'application/json' },
    body: body === undefined ? undefined : encoder.encode(JSON.stringify(body)),
    signal: new AbortController().signal,
  })
  return {
    status: response.status,
    object: response.body instanceof Uint8Array ? (JSON.parse(decoder.decode(response.body)) as unknown) : undefined,
  }
}

function expectObject(answer: Answer, name: string): KubeObject {
  if (answer.status < 400) return answer.object as KubeObject
  const status = answer.object as Status
  throw new StatusError({ ...status, message: `load ${name}: ${status.message ?? ''}` })
}
